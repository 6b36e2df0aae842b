"""The strings that a pipeline needs. Training leaves all words of its corpora in it too, private ones among them."""

from __future__ import annotations

from pathlib import Path

from spacy.language import Language
from spacy.strings import StringStore
from spacy.util import load_model

KNOWN = {"sentencizer", "structured_coref", "structured_srl", "tok2vec", "transformer", "word_sentencizer"}
"""Factories whose components need no string but their labels and those that they add when they are loaded."""


def leave_out_strings(nlp: Language, folder: Path) -> list[str]:
    """Leave out strings that no component needs from a pipeline on the disk.

    nlp (Language): The pipeline.
    folder (Path): Where it was saved.
    RETURNS (list[str]): Components that may need any of them. If there is one, nothing is left out.
    """
    unknown = [name for name in nlp.component_names if nlp.get_pipe_meta(name).factory not in KNOWN]
    if unknown:
        return unknown
    labels = [label for labels in nlp.pipe_labels.values() for label in labels]
    words = [nlp.vocab.strings[key] for key in nlp.vocab.vectors.key2row if key in nlp.vocab.strings]
    path = folder / "vocab" / "strings.json"
    StringStore([*labels, *words]).to_disk(path)
    load_model(folder).vocab.strings.to_disk(path)
    return []
