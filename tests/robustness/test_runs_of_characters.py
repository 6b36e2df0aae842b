"""Texts of one character again and again, of every category of Unicode: they take no longer than others."""

import json
import sys
import time
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import spacy
from hypothesis import strategies as st

from spacy_span_selector import doc_from_transcript, doc_from_turns, from_dict
from spacy_span_selector.tools.formats.bracketed import parse_bracketed
from spacy_span_selector.tools.formats.plain import FORMAT

from .annotating import annotate
from .fuzzing import fuzz

NLP = spacy.blank("en")
LENGTH = 20_000
SECONDS = 10  # of a processor, for one text; it takes less than one, most of it for the page


def of_each_category(most: int) -> list[str]:
    """The first characters of each category of Unicode, apart from halves of characters."""
    found: dict[str, list[str]] = {}
    for number in range(1, sys.maxunicode + 1):
        found.setdefault(unicodedata.category(chr(number)), []).append(chr(number))
    del found["Cs"]
    return [character for characters in found.values() for character in characters[:most]]


MARKS = tuple("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~…–—“”‘’«»•€°²")
LETTERS = (*"aAéßİ中あمन7٣😀\u0301\u200b", "👩\u200d👧", "🇫🇷", "👍🏽", "e\u0301")
PIECES = (
    *("'s", "n't", "a.", "a-", "1.", ":)", "http://", "a@", "&lt;", "((", "=+", "-=", "a ", ". "),
    *("\n", "\n\n", " ", "\t", '" '),
)
CHARACTERS = tuple(dict.fromkeys((*MARKS, *LETTERS, *PIECES, *of_each_category(3))))
tried = st.sampled_from(CHARACTERS)


def run(character: str) -> str:
    return (character * LENGTH)[:LENGTH]


@contextmanager
def in_time() -> Iterator[None]:
    begun = time.process_time()
    yield
    assert time.process_time() - begun < SECONDS


def take(text: str, format_: str) -> None:
    with TemporaryDirectory() as name, in_time():
        path = Path(name) / "run.jsonl"
        path.write_text(json.dumps({"id": "run", "text": text}) + "\n", encoding="utf-8")
        found = annotate(format_, [path], lang="en")
    assert len(found.docs) + len(found.errors) == 1


@fuzz(3, character=tried, format_=st.sampled_from(["jsonl", "html"]))
def test_annotate(character: str, format_: str) -> None:
    take(run(character), format_)


@fuzz(3, one=tried, other=tried, format_=st.sampled_from(["jsonl", "html"]))
def test_two_in_turn(one: str, other: str, format_: str) -> None:
    take((run(one + other) + " " + one * 50 + " ") * 2, format_)


@fuzz(3, character=tried)
def test_serve(character: str) -> None:
    pytest.importorskip("starlette", reason="needs the extra 'serve'")
    from spacy_span_selector.tools.serving import View

    from ..tools.serving.pipelines import InThisProcess

    with in_time():
        assert InThisProcess(View, "a model", LENGTH).view(run(character))


READERS: dict[str, Callable[[str], object]] = {
    "from_dict": lambda text: from_dict({"format": FORMAT, "text": text}, NLP),
    "bracketed": lambda text: parse_bracketed(f"=== run\n{text}\n", NLP),
    "turns": lambda text: doc_from_turns(NLP, [("Ann", text)]),
    "transcript": lambda text: doc_from_transcript(NLP, f"Ann: {text}\nBob: {text}\n"),
}


@pytest.mark.parametrize("name", READERS)
@fuzz(3, character=tried)
def test_readers(name: str, character: str) -> None:
    with in_time(), suppress(ValueError):  # such as of brackets that nobody closes
        READERS[name](run(character))
