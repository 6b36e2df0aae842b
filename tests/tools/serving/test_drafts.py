import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from spacy.language import Language
from spacy.tokens import Doc

from spacy_span_selector.annotation import NAME, cluster_groups, set_clusters
from spacy_span_selector.tools.serving import Drafting, drafts
from spacy_span_selector.tools.serving.corrections import describe
from spacy_span_selector.tools.serving.drafts import Draft, Drafts
from spacy_span_selector.tools.serving.folder import Source, TextFolder
from spacy_span_selector.tools.serving.pages import Form

from ...untrained import pipeline_of
from .pipelines import InThisProcess


@Language.component("drafts_test_annotation")
def annotate(doc: Doc) -> Doc:
    """Four clusters, of which two are alike and one crosses another, if the text is long enough."""
    if len(doc) > 11:
        set_clusters(doc, [[(0, 2), (6, 7)], [(2, 4), (7, 8)], [(1, 3)], [(8, 9), (0, 1)]])
    return doc


@pytest.fixture(scope="module")
def nlp() -> Language:
    return pipeline_of("en", "sentencizer", "drafts_test_annotation")


def draft(nlp: Language, text: str) -> Draft:
    return Drafting(nlp, Form("model", 100_000))(Source("a", text, False, "1"))


def test_clusters_are_named_after_their_representatives_and_what_is_lost_is_told(nlp: Language) -> None:
    made = draft(nlp, "Ann Lee Ann Lee saw that she her Ann on the way home.")
    doc = made.load()
    assert [group.attrs.get(NAME) for group in cluster_groups(doc)] == ["Ann", "Ann-Lee", "Ann-Lee-4"]
    (note,) = made.notes
    assert note.startswith("Left out mentions that cross") and "'a'" in note
    # without probabilities nothing is doubtful
    assert {cluster["links"] for cluster in describe(doc)["clusters"]} == {None}


def test_another_language_is_told(nlp: Language, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drafts, "other_language", lambda doc: "de")
    assert "words of another language" in " ".join(draft(nlp, "Sie ging.").notes)


def test_texts_leave_nothing_in_the_vocabulary(nlp: Language) -> None:
    draft(nlp, "Ann saw her.")
    before = len(nlp.vocab.strings)
    draft(nlp, "Unheard-of wordings everywhere.")
    assert len(nlp.vocab.strings) == before


def test_texts_that_are_added_or_mended_are_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drafts, "SECONDS", 0.01)
    worker: Any = InThisProcess(Drafting)
    for name, text in (("empty", " "), ("long", "a" * 2_000)):
        (tmp_path / f"{name}.txt").write_text(text, encoding="utf-8")
    known = Drafts(worker, TextFolder(tmp_path))
    found = "long.txt has 2,000 characters, more than 1,000. Cut it, or serve with --max-characters."
    too_long = ("long", None, found)

    async def wait_for(*expected: tuple[str, int | None, str]) -> None:
        while [(entry.name, entry.words, entry.problem) for entry in known.entries()] != [*expected]:
            await asyncio.sleep(0.01)

    async def look() -> None:
        task = asyncio.create_task(known.look_at_all())
        await wait_for(("empty", None, "empty.txt has no text."), too_long)
        (tmp_path / "added.txt").write_text("Ann saw her.", encoding="utf-8")
        (tmp_path / "empty.txt").write_text("Ann saw him.", encoding="utf-8")
        await wait_for(("added", 4, ""), ("empty", 4, ""), too_long)
        task.cancel()

    with ThreadPoolExecutor(1) as pool:  # a browser of other tests may have a loop in this thread
        pool.submit(asyncio.run, asyncio.wait_for(look(), 60)).result()
