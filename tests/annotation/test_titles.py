from __future__ import annotations

import pytest
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_span_selector.annotation import TITLE_KEY, describe_doc, get_title, set_title


def make_doc(text: str = "Ann left . Bob stayed .") -> Doc:
    return Doc(Vocab(), words=text.split())


def test_a_title_is_replaced() -> None:
    doc = make_doc()
    assert get_title(doc) == ""
    set_title(doc, "the attic")
    set_title(doc, "the hall")
    assert get_title(doc) == "the hall"
    assert doc.user_data == {"title": "the hall"}


@pytest.mark.parametrize(("stored", "title"), [(None, ""), ("", ""), (7, "7")])
def test_a_title_is_a_text(stored: object, title: str) -> None:
    doc = make_doc()
    doc.user_data[TITLE_KEY] = stored
    assert get_title(doc) == title


def test_a_document_is_described_by_its_title() -> None:
    doc = make_doc()
    set_title(doc, "the attic")
    assert describe_doc(doc) == "document 'the attic'"


@pytest.mark.parametrize("title", [None, ""])
def test_a_document_without_a_title_is_described_by_its_first_words(title: str | None) -> None:
    doc = make_doc("a b c d e f g h i j")
    doc.user_data[TITLE_KEY] = title
    assert describe_doc(doc) == "document starting 'a b c d e f g h'"
    assert describe_doc(make_doc("")) == "an empty document"


def test_a_title_that_cannot_be_saved_is_refused() -> None:
    doc = make_doc()
    with pytest.raises(ValueError, match=r"title is 'a\\ud800'; expected a string without surrogates"):
        set_title(doc, "a\ud800")
    assert get_title(doc) == ""
