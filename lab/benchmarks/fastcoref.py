"""The architecture of fastcoref, trained on the same documents with the same encoder, beside a pipeline of ours.

    pip install fastcoref
    python -m lab fastcoref training/fastcoref training/litbank0/model-best corpus/litbank0/test.spacy \\
        --encoder encoders/minilm --train corpus/litbank0/train.spacy --dev corpus/litbank0/dev.spacy

fastcoref (Otmazgin, Cattan and Goldberg 2022) scores all spans by their ends, keeps the top k of a document, and links
each to one before it, by four bilinear products of ends. Unless the folder has a trained model, its own trainer trains
one, and the epoch that is best on dev is kept. It predicts no mention without antecedent, so both are scored without
them. Both annotate raw text with the tokenizer of spaCy, on one thread, in turns; words are those of the corpus.
fastcoref computes in float32, as released, and with its encoder in bfloat16.

What is changed at run time: nothing is logged to wandb, and if it is trained on a CPU that has bfloat16, its encoder
computes in it, as ours does. On a GPU its trainer computes in float16, as released.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Annotated, Any
from unittest.mock import patch

import spacy
import torch
import typer
from spacy.tokens import Doc

from spacy_span_selector.annotation import cluster_groups, set_clusters
from spacy_span_selector.layers.spans.computing import has_bfloat16

from ..measuring import Repeats, print_header, print_row, set_threads
from .systems import METRICS, Annotate, annotate_in_turns, load_ours, read_gold, score_cells


def main(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Where the trained fastcoref is, or will be")],
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A pipeline of ours with structured_coref")],
    data: Annotated[Path, typer.Argument(metavar="DATA.spacy", help="Documents with clusters to score both on")],
    encoder: Annotated[Path | None, typer.Option(help="The encoder to train fastcoref with")] = None,
    train: Annotated[Path | None, typer.Option(help="Documents to train it on")] = None,
    dev: Annotated[Path | None, typer.Option(help="Documents to choose its best epoch on")] = None,
    epochs: Annotated[int, typer.Option(min=1, help="How often to read the training documents")] = 20,
    learn_rate: Annotated[float, typer.Option(help="Learning rate of the encoder")] = 1e-5,
    head_learn_rate: Annotated[float, typer.Option(help="Learning rate of all else")] = 3e-4,
    gpu_id: Annotated[int, typer.Option(help="GPU to train it on; -1 for the CPU")] = -1,
    repeats: Repeats = 3,
) -> None:
    """Print a table."""
    if find_spec("fastcoref") is None:
        raise ImportError("fastcoref is not installed: pip install fastcoref")
    set_threads(1)
    if not (folder / "model").is_dir():
        if encoder is None or train is None or dev is None:
            raise ValueError(f"{folder} has no trained fastcoref; --encoder, --train and --dev say how to train one.")
        train_fastcoref(folder, encoder, train, dev, epochs, learn_rate, head_learn_rate, gpu_id)
    gold = read_gold(data)
    systems = {
        "fastcoref": load_fastcoref(folder / "model", bfloat16=False),
        "fastcoref, bfloat16": load_fastcoref(folder / "model", bfloat16=True),
        "ours, without bfloat16": load_ours(model, bfloat16=False),
        "ours": load_ours(model, bfloat16=True),
    }
    print_header("system", *METRICS, "words per CPU second", texts=1)
    for name, docs, speed in annotate_in_turns(systems, gold, repeats):
        print_row(name, *score_cells(docs, gold), speed)


def train_fastcoref(
    folder: Path,
    encoder: Path,
    train: Path,
    dev: Path,
    epochs: int,
    learn_rate: float,
    head_learn_rate: float,
    gpu_id: int,
) -> None:
    """Train with fastcoref's own trainer.

    folder (Path): Where the model, and its cache, are written.
    encoder (Path): Folder of the encoder.
    train, dev (Path): Corpora.
    epochs (int): How often to read the training documents.
    learn_rate, head_learn_rate (float): Learning rates of the encoder and of all else.
    gpu_id (int): The GPU to train on; -1 for the CPU.
    """
    folder.mkdir(parents=True, exist_ok=True)
    os.environ.setdefault("HF_DATASETS_CACHE", str(folder / "cache"))
    sys.modules.setdefault("wandb", _no_wandb())
    from fastcoref import CorefTrainer, TrainingArgs

    documents = [write_documents(path, folder / f"{name}.jsonl") for name, path in (("train", train), ("dev", dev))]
    arguments = TrainingArgs(
        model_name_or_path=str(encoder),
        output_dir=str(folder),
        learning_rate=learn_rate,
        head_learning_rate=head_learn_rate,
        epochs=epochs,
        eval_steps=documents[0],
        logging_steps=documents[0],
        cache_dir=str(folder / "cache"),
        device=f"cuda:{gpu_id}" if gpu_id >= 0 else "cpu",
    )
    with encoder_in_bfloat16(gpu_id < 0 and has_bfloat16(torch.device("cpu"))):
        trainer = CorefTrainer(arguments, str(folder / "train.jsonl"), str(folder / "dev.jsonl"), nlp=spacy.blank("en"))
        trainer.train()


def write_documents(path: Path, file: Path) -> int:
    """Write documents as fastcoref reads them. RETURNS (int): How many there are."""
    docs = read_gold(path)
    with file.open("w", encoding="utf8") as lines:
        for doc in docs:
            clusters = [[(span.start, span.end - 1) for span in group] for group in cluster_groups(doc)]
            tokens = [token.text for token in doc]
            lines.write(json.dumps({"tokens": tokens, "clusters": [c for c in clusters if len(c) > 1]}) + "\n")
    return len(docs)


def load_fastcoref(path: Path, *, bfloat16: bool) -> Annotate:
    """A trained fastcoref.

    path (Path): Its folder.
    bfloat16 (bool): Whether its encoder computes in bfloat16.
    """
    from fastcoref import FCoref

    nlp = spacy.blank("en")
    system = FCoref(str(path), device="cpu", nlp=nlp, enable_progress_bar=False)

    def annotate(texts: Sequence[str]) -> list[Doc]:
        with encoder_in_bfloat16(bfloat16):
            results = system.predict(texts=list(texts))
        docs = [nlp.make_doc(text) for text in texts]
        for doc, result in zip(docs, results, strict=True):
            # Its spans are of subwords: some are of special ones, and several may be of the same words.
            found = enumerate(result.get_clusters(as_strings=False))
            places = [(number, doc.char_span(*ends)) for number, cluster in found for ends in cluster if ends]
            cluster_of = {(span.start, span.end): number for number, span in places if span is not None}
            clusters = [[mention for mention, own in cluster_of.items() if own == n] for n in {*cluster_of.values()}]
            set_clusters(doc, clusters)
        return docs

    return annotate


@contextmanager
def encoder_in_bfloat16(on: bool) -> Iterator[None]:
    """If on, let the encoder of fastcoref compute in bfloat16 on a CPU, and all else in float32."""
    if not on:
        yield
        return
    from fastcoref.coref_models.modeling_fcoref import FCorefModel

    plain = FCorefModel.forward_transformer

    def forward(self: Any, batch: Any) -> tuple[torch.Tensor, torch.Tensor]:
        with torch.autocast("cpu", torch.bfloat16):
            vectors, mask = plain(self, batch)
        return vectors.float(), mask

    with patch.object(FCorefModel, "forward_transformer", forward):
        yield


def _no_wandb() -> Any:
    """What the trainer uses of wandb, doing nothing; its specification is for libraries that ask for it."""
    return SimpleNamespace(
        init=lambda **_: None,
        log=lambda *_, **__: None,
        run=SimpleNamespace(summary={}),
        __spec__=ModuleSpec("wandb", None),
    )
