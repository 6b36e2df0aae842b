import asyncio
import os
import signal
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from multiprocessing import active_children
from typing import Any

import pytest

from spacy_span_selector.tools.serving import Drafting, View, Worker, pages
from spacy_span_selector.tools.serving.folder import Source
from spacy_span_selector.tools.serving.pages import Form
from spacy_span_selector.tools.serving.worker import NotAnnotatedError

from ...processes import spawn_fresh
from .pipelines import end_while_loading, load, loaded


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spacy_span_selector.tools.serving.worker.get_context", spawn_fresh)


def annotate(worker: Worker, text: Any) -> Any:
    with ThreadPoolExecutor(1) as pool:  # tests in a browser leave a loop in this thread
        return pool.submit(asyncio.run, worker.annotate(text)).result()


def test_a_process_that_ends_is_replaced_and_none_is_left() -> None:
    """Even at rest; and the pipeline has a limit of its own."""
    before = active_children()
    with closing(Worker(partial(load, max_length=5), name="my_model", most_characters=100)) as worker:
        assert worker.form == Form("my_model", 5)
        assert "Ann</textarea>" in annotate(worker, "Ann")
        (process,) = (process for process in active_children() if process not in before)
        os.kill(process.pid or 0, signal.SIGKILL)
        process.join()
        assert "Bob</textarea>" in annotate(worker, "Bob")
        (process,) = (process for process in active_children() if process not in before)
    process.join(60)
    assert not process.is_alive()


def test_an_end_while_the_pipeline_is_loaded_is_an_error() -> None:
    with pytest.raises(ValueError, match="The process that loads the pipeline ended"):
        Worker(end_while_loading, name="my_model")


def test_it_makes_drafts_and_says_what_can_not_be_read() -> None:
    with closing(Worker(load, name="my_model", make_view=Drafting)) as worker:
        draft = annotate(worker, Source("a", "Ann sees  herself.", False, "1"))
        assert draft.load().text == "Ann sees herself."
        with pytest.raises(NotAnnotatedError, match=r"^a\.brackets\.txt:1:1: a mention that is not closed"):
            annotate(worker, Source("a", "[Ann sees", True, "2"))


def test_a_text_in_another_language_is_annotated_and_told_on_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    view = View(loaded(), Form("my_model", 100))
    assert "another language" not in view("Ann sees her.")
    monkeypatch.setattr(pages, "other_language", lambda doc: "de")
    assert "This pipeline is for English, and the text has the words of another language" in view("Sie ging.")
