"""`entity_resolver` with and without quotations: mentions are given, the network knows nothing."""

from functools import cache
from typing import Any

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import fix_random_seed

from spacy_span_selector.annotation import (
    GIVEN_MENTIONS_KEY,
    Quotation,
    get_clusters,
    get_quotations,
    has_quotations_annotated,
    set_quotations,
)
from spacy_span_selector.documents.cleaned import clean_doc
from spacy_span_selector.people.scenes import find_in_words

from ..pipeline.components import COREF, component, gold_docs, make_examples
from ..selectors import selector_block

NAMES = ("Ann", "Tom", "I", "you", "he", "she")
TEXT = 'Ann Lee met Tom. "I know you," said Tom. "Go!" she cried.'
LINK_THRESHOLD = 3.0
"""No link of the network that knows nothing is so strong: only names and those who talk are joined."""


@cache
def untrained(language: str = "en") -> bytes:
    fix_random_seed(0)
    nlp = build(language)
    examples = make_examples(nlp, gold_docs(COREF, nlp))
    nlp.initialize(lambda: examples)
    return nlp.to_bytes()


def build(language: str) -> Language:
    nlp = spacy.blank(language)
    nlp.add_pipe("sentencizer")
    model = {**COREF.model, "selector": selector_block("structured")}
    nlp.add_pipe(COREF.factory, config={"model": model})
    nlp.add_pipe("entity_resolver")
    return nlp


def make(language: str = "en", *, link_threshold: float = LINK_THRESHOLD, **settings: Any) -> Language:
    nlp = build(language).from_bytes(untrained(language))
    nlp.get_pipe(COREF.factory).configure(link_threshold=link_threshold)  # type: ignore[attr-defined]
    component(nlp).configure(**settings)
    return nlp


@pytest.fixture(scope="module")
def talking() -> Language:
    """A pipeline with the setting, for tests that do not change it."""
    return make(quotations=True)


def with_mentions(nlp: Language, text: str = TEXT) -> Doc:
    doc = nlp.make_doc(text)
    doc.spans[GIVEN_MENTIONS_KEY] = [doc[i : i + 1] for i, token in enumerate(doc) if token.text in NAMES]
    return doc


def speakers(doc: Doc) -> list[tuple[str, str | None]]:
    """The text of each quotation, and of the mention of its speaker."""
    return [
        (doc[q.start : q.end].text, None if q.speaker is None else doc[slice(*q.speaker)].text)
        for q in get_quotations(doc)
    ]


def clusters(doc: Doc) -> list[list[str]]:
    return [[doc[start:end].text for start, end in cluster] for cluster in get_clusters(doc)]


@pytest.mark.parametrize("consistent", [True, False])
def test_quotations_and_their_speakers_are_written(consistent: bool) -> None:
    nlp = make(quotations=True, consistent_clusters=consistent)
    doc = nlp(with_mentions(nlp))
    assert speakers(doc) == [('"I know you,"', "Tom"), ('"Go!"', "she")]
    assert [q.cue and doc[slice(*q.cue)].text for q in get_quotations(doc)] == ["said Tom", "she cried"]
    assert all(q.score is not None and 0.5 < q.score < 1 for q in get_quotations(doc))


def test_i_in_a_quotation_is_in_the_cluster_of_its_speaker() -> None:
    nlp = make(quotations=True)
    doc = nlp(with_mentions(nlp))
    assert any({"I", "Tom"} <= {*cluster} for cluster in clusters(doc))
    component(nlp).configure(quotations=False)
    assert not any({"I", "Tom"} <= {*cluster} for cluster in clusters(nlp(with_mentions(nlp))))


def test_without_the_setting_quotations_of_the_document_are_left_alone() -> None:
    nlp = build("en").from_bytes(untrained())
    component(nlp).configure(quotations=False)
    own = [Quotation(1, 3, speaker=(0, 1))]
    doc = with_mentions(nlp)
    set_quotations(doc, own)
    assert get_quotations(nlp(doc)) == own
    assert not has_quotations_annotated(nlp(with_mentions(nlp)))


def test_with_the_setting_quotations_of_the_document_are_replaced(talking: Language) -> None:
    doc = with_mentions(talking)
    set_quotations(doc, [Quotation(1, 3, speaker=(0, 1))] * 5)
    assert [text for text, _ in speakers(talking(doc))] == ['"I know you,"', '"Go!"']


def test_a_document_without_speech_is_annotated_as_such(talking: Language) -> None:
    for text in ("Tom left.", 'He called it "art".'):
        doc = talking(with_mentions(talking, text))
        assert has_quotations_annotated(doc)
        assert get_quotations(doc) == []


def test_white_space_moves_what_is_found_to_its_words(talking: Language) -> None:
    plain, spaced = talking(with_mentions(talking)), talking(with_mentions(talking, "\n" + TEXT.replace(" ", "  \n ")))
    assert clusters(spaced) == clusters(plain)
    assert [speaker for _, speaker in speakers(spaced)] == [speaker for _, speaker in speakers(plain)]
    assert [text.split() for text, _ in speakers(spaced)] == [text.split() for text, _ in speakers(plain)]


def test_quotations_within_another_have_no_speaker(talking: Language) -> None:
    doc = talking(with_mentions(talking, "“She said ‘go’ and then ‘stay’ to me,” said Tom."))
    assert speakers(doc) == [("“She said ‘go’ and then ‘stay’ to me,”", "Tom"), ("‘go’", None), ("‘stay’", None)]


def test_without_tables_nothing_is_attributed_and_clusters_are_the_same() -> None:
    nlp = make("de", quotations=True, link_threshold=0.0)
    doc = nlp(with_mentions(nlp))
    assert get_quotations(doc) == []
    component(nlp).configure(quotations=False)
    assert clusters(nlp(with_mentions(nlp))) == clusters(doc)


def test_batches_and_processes_change_nothing(talking: Language) -> None:
    texts = [TEXT, "", 'Tom said, "Go."', "Ann left.\n\n", '"', f"{TEXT}\n\n{TEXT}"]
    alone = [(speakers(doc), clusters(doc)) for doc in map(talking, (with_mentions(talking, text) for text in texts))]
    for batch_size, n_process in ((len(texts), 1), (2, 2)):
        docs = talking.pipe(
            [with_mentions(talking, text) for text in texts], batch_size=batch_size, n_process=n_process
        )
        assert [(speakers(doc), clusters(doc)) for doc in docs] == alone


MARKS = [
    *('""', '"', "''", "“”“”", '" "', '" " "', "“““", "”””", "“‘’”", "...", '\n\n"\n\n"\n\n'),
    *('"Go', 'Go"', '"Go"', '"Tom"', '"Tom" "Ann"', '"Go," said "Tom."', '"Go," said Tom, "and'),
    "“Tom said: “Go. Tom left.",
]


@pytest.mark.parametrize("text", MARKS)
def test_marks_of_any_kind_are_annotated(talking: Language, text: str) -> None:
    doc = with_mentions(talking, text)
    doc.spans[GIVEN_MENTIONS_KEY] = [doc[i : i + 1] for i, token in enumerate(doc) if not token.is_space]
    doc, words = talking(doc), clean_doc(doc)
    found = {words.to_source(start, end) for start, end, _ in find_in_words(words)}
    assert has_quotations_annotated(doc)
    assert {(quotation.start, quotation.end) for quotation in get_quotations(doc)} <= found


def test_a_mention_that_crosses_the_edge_of_a_quotation_is_kept(talking: Language) -> None:
    doc = with_mentions(talking, 'Tom "the hat" Lee said, "Go."')
    doc.spans[GIVEN_MENTIONS_KEY] = [doc[0:6], doc[0:3], doc[4:6]]
    assert sorted(mention for cluster in get_clusters(talking(doc)) for mention in cluster) == [(0, 3), (0, 6), (4, 6)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("— I know, said Ann. I saw Tom.", ["Ann", "Ann"]),
        ("— Where is he? she asked. — I know, Tom answered. I saw it.", ["she", "she"]),
        ("Ann met Tom.\n\n— Go, he said, turning round. I know.\n\n— Why? she asked.", ["he", "he", "she"]),
        ("Ann met Tom.\n\n— Go, Tom said; I know.", ["Tom", "Tom"]),
        ("— Where? said the porter.", [None]),
    ],
)
def test_the_parts_around_a_tag_behind_a_dash_have_one_speaker(
    talking: Language, text: str, expected: list[str | None]
) -> None:
    assert [speaker for _, speaker in speakers(talking(with_mentions(talking, text)))] == expected


def test_i_behind_a_dash_is_who_the_tag_names(talking: Language) -> None:
    doc = talking(with_mentions(talking, "Tom came.\n\n— I know, said Ann. I saw Tom."))
    assert ["I", "Ann", "I"] in clusters(doc)
    assert {q.cue and doc[slice(*q.cue)].text for q in get_quotations(doc)} == {"said Ann"}
    assert [quotation.text for quotation in doc._.quotations] == ["I know,", "I saw Tom."]


@pytest.mark.parametrize("opening, closing", ['""', "“”", "''", "‘’", "«»", "„“"])
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ann met Tom. [I know.] [So do I.]", ["Ann", "Tom"]),
        ("Ann met Tom. [I know,] said Tom. [I know.] [So do I.] [Oh!]", ["Tom", "Tom", "Ann", "Tom"]),
        ("Tom smiled. [Yes.] [No.]", ["Tom", None]),
        ("[Yes.] [No.]", [None, None]),
    ],
)
def test_quotations_side_by_side_are_two_turns(
    talking: Language, text: str, expected: list[str | None], opening: str, closing: str
) -> None:
    doc = talking(with_mentions(talking, text.replace("[", opening).replace("]", closing)))
    assert [speaker for _, speaker in speakers(doc)] == expected
