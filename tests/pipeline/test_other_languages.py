"""The warning for texts in another language."""

import warnings
from collections.abc import Iterator

import pytest

from spacy_span_selector.documents.other_languages import ShortTexts
from spacy_span_selector.pipeline import selector_pipe as module
from spacy_span_selector.pipeline.selector_pipe import WARNED_OF

from ..foreign_texts import FOREIGN
from ..test_docs_in_your_pipeline import joint


@pytest.fixture(autouse=True)
def nothing_told() -> Iterator[None]:
    WARNED_OF.clear()
    module.SHORT_TEXTS = ShortTexts()
    yield
    WARNED_OF.clear()


def test_the_first_text_of_a_language_is_named_once_for_all_components() -> None:
    nlp = joint()
    with pytest.warns(UserWarning, match="This pipeline is for English") as caught:
        list(nlp.pipe([FOREIGN["German"], "Ann left.", FOREIGN["German"], FOREIGN["Dutch"]]))
    messages = [str(warning.message) for warning in caught]
    assert [("Am Morgen" in message, "De molenaar" in message) for message in messages] == [
        (True, False),
        (False, True),
    ]
    assert caught[0].filename == __file__


def test_a_document_is_looked_at_once_not_by_each_component(monkeypatch: pytest.MonkeyPatch) -> None:
    looked = []
    monkeypatch.setattr(module, "other_language", lambda doc: looked.append(doc.text))
    list(joint().pipe(["Ann left.", "Bob left."]))
    assert looked == ["Ann left.", "Bob left."]


def test_english_is_not_warned_of() -> None:
    nlp = joint()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        nlp("Ann saw her brother. " * 20)


def test_a_stream_of_short_texts_is_warned_of_once() -> None:
    words = FOREIGN["German"].split()
    texts = [" ".join(words[i : i + 6]) for i in range(0, len(words), 6)] * 5
    with pytest.warns(UserWarning, match="'de'") as caught:
        list(joint().pipe(texts))
    assert len(caught) == 1
