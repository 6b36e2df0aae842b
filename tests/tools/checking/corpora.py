"""Small corpora to check."""

from collections.abc import Iterable
from pathlib import Path

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab
from thinc.api import Config

from spacy_span_selector.annotation import set_clusters, set_title
from spacy_span_selector.tools.checking import Checked, check_corpus
from spacy_span_selector.tools.checking.trainings import default_training, training_of
from spacy_span_selector.tools.formats.bracketed import parse_bracketed

GOOD = """
=== the station
[Ann Lee|ann] met [[her|ann] brother|tom].
> [ARG0 Ann Lee] [V=meet.03 met] [ARG1 her brother].
[He|tom] thanked [her|ann].
> [ARG0 He] [V=thank.01 thanked] [ARG1 her].
"""
OTHER = """
=== the hat
[Leo|leo] met [Ruth|ruth].
> [ARG0 Leo] [V=meet.03 met] [ARG1 Ruth].
[She|ruth] thanked [him|leo].
> [ARG0 She] [V=thank.01 thanked] [ARG1 him].
"""


@pytest.fixture(scope="module")
def nlp() -> Language:
    return spacy.blank("en")


def make_doc(*clusters: list[tuple[int, int]], boundaries: bool = True) -> Doc:
    words = ["Ann", "met", "Tom", ".", "He", "left", "."]
    starts: list[bool | int | None] = [i in (0, 4) for i in range(7)]
    doc = Doc(Vocab(), words=words, sent_starts=starts if boundaries else None)
    set_title(doc, "the station")
    if clusters:
        set_clusters(doc, clusters)
    return doc


def read(text: str) -> list[Doc]:
    return parse_bracketed(text, spacy.blank("en"))


def write(path: Path, docs: Iterable[Doc]) -> Path:
    DocBin(docs=docs, store_user_data=True).to_disk(path)
    return path


def check(*paths: Path, config: Config | None = None) -> Checked:
    training = default_training("en") if config is None else training_of(config)
    return check_corpus(paths, training, requires_all=config is not None)


def titles(checked: Checked, *, loses: bool | None = None) -> list[str]:
    """The titles of the kinds of problems."""
    return [kind.title for kind in checked.problems if loses in (None, kind.loses)]


def cases(checked: Checked, words: str) -> list[str]:
    """The problems of the one kind whose title has some words, as lines."""
    ((_, problems),) = [(kind, problems) for kind, problems in checked.problems.items() if words in kind.title]
    return [str(problem) for problem in problems]
