import pytest
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_span_selector.annotation import TITLE_KEY, describe_doc, get_title, set_title


@pytest.fixture
def doc() -> Doc:
    return Doc(Vocab(), words=["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"])


def test_a_title_is_replaced_and_describes_its_document(doc: Doc) -> None:
    assert get_title(doc) == ""
    set_title(doc, "the attic")
    set_title(doc, "the hall")
    assert get_title(doc) == "the hall"
    assert doc.user_data == {"title": "the hall"}
    assert describe_doc(doc) == "document 'the hall'"


@pytest.mark.parametrize(("stored", "title"), [(None, ""), ("", ""), (7, "7")])
def test_a_title_is_a_text(doc: Doc, stored: object, title: str) -> None:
    doc.user_data[TITLE_KEY] = stored
    assert get_title(doc) == title


@pytest.mark.parametrize("title", [None, ""])
def test_a_document_without_a_title_is_described_by_its_first_words(doc: Doc, title: str | None) -> None:
    doc.user_data[TITLE_KEY] = title
    assert describe_doc(doc) == "document starting 'a b c d e f g h'"
    assert describe_doc(Doc(Vocab())) == "an empty document"


def test_a_title_that_cannot_be_saved_is_refused(doc: Doc) -> None:
    with pytest.raises(ValueError, match=r"title is 'a\\ud800'; expected a string without surrogates"):
        set_title(doc, "a\ud800")
    assert get_title(doc) == ""
