"""Reading what a command wrote."""

from pathlib import Path

import spacy
from spacy.tokens import Doc, DocBin


def load(path: Path) -> list[Doc]:
    return list(DocBin().from_disk(path).get_docs(spacy.blank("en").vocab))
