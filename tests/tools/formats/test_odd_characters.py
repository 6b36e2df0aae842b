"""Texts that a format can't hold; `tests/robustness/test_round_trips.py` writes and reads all others."""

from collections.abc import Callable
from pathlib import Path

import pytest
from spacy.lang.en import English
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_span_selector.annotation import get_speakers, get_title, set_clusters, set_speakers, set_title
from spacy_span_selector.tools.formats.bio import write_bio
from spacy_span_selector.tools.formats.bracketed import read_bracketed, write_bracketed
from spacy_span_selector.tools.formats.conll2012 import read_conll2012, write_conll2012
from spacy_span_selector.tools.formats.corefud import read_corefud, write_corefud

Through = Callable[[Doc, Path], Doc]


def through(write: Callable[[list[Doc]], str], read: Callable[[Path], list[Doc]]) -> Through:
    def write_and_read(doc: Doc, path: Path) -> Doc:
        path.write_text(write([doc]), "utf-8", newline="")
        return read(path)[0]

    return write_and_read


BRACKETED = through(write_bracketed, lambda path: read_bracketed(path, English()))
CONLL2012, COREFUD = through(write_conll2012, read_conll2012), through(write_corefud, read_corefud)


def make_doc(word: str = "Ann", title: str = "tale", speaker: str = "Ann") -> Doc:
    doc = Doc(Vocab(), words=["So", word, "left"])
    set_title(doc, title)
    set_speakers(doc, [(0, 3, speaker)])
    set_clusters(doc, [[(1, 2)]])
    return doc


@pytest.mark.parametrize("write", [write_bio, write_bracketed, write_conll2012, write_corefud])
@pytest.mark.parametrize("place", ["word", "title"])
def test_what_no_text_can_hold_is_refused(write: Callable[[list[Doc]], str], place: str) -> None:
    message = r"^Can't write document .*: found the character 0 behind '(?s:.*)a', which no text file can hold\. Remove"
    with pytest.raises(ValueError, match=message):
        write([make_doc(**{place: "a\0b"})])


@pytest.mark.parametrize("through", [BRACKETED, CONLL2012, COREFUD])
@pytest.mark.parametrize("title", ["\n", " ", "\u2028"])
def test_a_title_without_a_word_is_none(through: Through, title: str, tmp_path: Path) -> None:
    assert get_title(through(make_doc(title=title), tmp_path / "doc")) in ("document 1", "untitled_0")


def test_a_word_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    doc = Doc(Vocab(), words=["\ufeff", "Ann", "left"], spaces=[False, True, False])
    assert BRACKETED(doc, tmp_path / "doc").text == doc.text


@pytest.mark.parametrize("through", [BRACKETED, COREFUD])
def test_a_speaker_without_a_word_is_none(through: Through, tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="speaker"):
        back = through(make_doc(speaker="\n"), tmp_path / "doc")
    assert get_speakers(back) == []
