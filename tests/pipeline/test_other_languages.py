"""The warning for texts in another language."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import pytest

from spacy_span_selector.pipeline import selector_pipe as module
from spacy_span_selector.pipeline.selector_pipe import WARNED_OF

from ..foreign_texts import FOREIGN
from ..test_docs_in_your_pipeline import joint


@pytest.fixture(autouse=True)
def nothing_told() -> Iterator[None]:
    WARNED_OF.clear()
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
