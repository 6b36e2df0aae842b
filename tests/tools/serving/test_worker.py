from __future__ import annotations

from functools import partial

import pytest
from spacy.language import Language

pytest.importorskip("starlette", reason="needs the extra 'serve'")
pytest.importorskip("uvicorn", reason="needs the extra 'serve'")

from spacy_span_selector.tools.serving.corrections import load_doc
from spacy_span_selector.tools.serving.drafts import Drafting
from spacy_span_selector.tools.serving.folder import Source
from spacy_span_selector.tools.serving.view import Form, View
from spacy_span_selector.tools.serving.worker import NotAnnotatedError, Worker

from ...foreign_texts import FOREIGN
from .pipelines import end_while_loading, load


def test_the_pipeline_has_a_limit_too_and_a_closed_worker_says_so() -> None:
    with Worker(partial(load, max_length=5), name="my_model", most_characters=100) as worker:
        assert worker.form == Form("my_model", 5)
        assert "Ann</textarea>" in worker.annotate("Ann")
    with pytest.raises(NotAnnotatedError, match="being stopped"):
        worker.annotate("Ann")


def test_an_end_while_the_pipeline_is_loaded_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"The process that loads the pipeline ended \(exit code 4\)"):
        Worker(end_while_loading, name="my_model")


def test_texts_leave_nothing_in_the_vocabulary(nlp: Language) -> None:
    view = View(nlp, Form("my_model", 100), False)
    view("Ann sees her.")
    before = len(nlp.vocab.strings)
    view("Unheard-of wordings everywhere.")
    assert len(nlp.vocab.strings) == before


def test_a_text_in_another_language_is_annotated_and_told_on_the_page(nlp: Language) -> None:
    view = View(nlp, Form("my_model", 10_000), False)
    assert "another language" not in view("Ann sees her.")
    assert "This pipeline is for English, and the text has the words of another language" in view(FOREIGN["German"])


def test_it_makes_drafts_and_says_what_can_not_be_read() -> None:
    with Worker(load, name="my_model", make_view=Drafting) as worker:
        draft = worker.annotate(Source("a", "Ann sees  herself.", False, "1"))
        assert load_doc(draft).text == "Ann sees herself."
        with pytest.raises(NotAnnotatedError, match=r"^a\.brackets\.txt:1:1: a mention that is not closed"):
            worker.annotate(Source("a", "[Ann sees", True, "2"))
