"""A pretrained encoder for tests, which nothing has trained."""

from pathlib import Path

import pytest


def tiny_bert(folder: Path, layers: int = 1) -> Path:
    """Write a randomly initialized encoder with a vocabulary of letters."""
    transformers = pytest.importorskip("transformers", reason="the extra 'transformers' is not installed")
    letters = "abcdefghijklmnopqrstuvwxyz."
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *letters, *(f"##{letter}" for letter in letters)]
    folder.mkdir()
    (folder / "vocab.txt").write_text("\n".join(pieces), encoding="utf-8")
    config = transformers.BertConfig(
        vocab_size=len(pieces), hidden_size=16, num_hidden_layers=layers, num_attention_heads=2, intermediate_size=16
    )
    transformers.BertModel(config).save_pretrained(folder)
    transformers.BertTokenizerFast(str(folder / "vocab.txt")).save_pretrained(folder)
    return folder
