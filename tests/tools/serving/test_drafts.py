import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc

from spacy_span_selector.annotation import NAME, cluster_groups, set_clusters
from spacy_span_selector.tools.serving import Drafting, drafts
from spacy_span_selector.tools.serving.corrections import describe
from spacy_span_selector.tools.serving.drafts import Draft
from spacy_span_selector.tools.serving.folder import Source
from spacy_span_selector.tools.serving.pages import Form


@Language.component("drafts_test_annotation")
def annotate(doc: Doc) -> Doc:
    """Four clusters, of which two are alike and one crosses another, if the text is long enough."""
    if len(doc) > 11:
        set_clusters(doc, [[(0, 2), (6, 7)], [(2, 4), (7, 8)], [(1, 3)], [(8, 9), (0, 1)]])
    return doc


@pytest.fixture(scope="module")
def nlp() -> Language:
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("drafts_test_annotation")
    return nlp


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
