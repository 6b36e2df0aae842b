from __future__ import annotations

from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_span_selector.annotation import Quotation, set_clusters, set_quotations
from spacy_span_selector.tools.checking.counts import count_docs
from spacy_span_selector.tools.checking.problems import Kind
from spacy_span_selector.tools.checking.structure import (
    CROSSING_QUOTATIONS,
    NO_MENTION,
    SAME_QUOTATION,
    check_quotations,
)

from .corpora import KEYS

WORDS = ["“", "Come", "up", "‘", "now", "’", "”", ",", "said", "Ann", "to", "Tom", "."]


def make_doc(*quotations: Quotation, has_clusters: bool = True) -> Doc:
    """A document in which Ann is a mention, and Tom is none."""
    doc = Doc(Vocab(), words=WORDS)
    if has_clusters:
        set_clusters(doc, [[(9, 10)]])
    set_quotations(doc, quotations)
    return doc


def problems(doc: Doc) -> list[tuple[Kind, str, str]]:
    return [(p.kind, p.place, p.found) for p in check_quotations(doc, "train.spacy", KEYS)]


def test_a_quotation_may_nest_and_have_no_speaker() -> None:
    assert problems(make_doc(Quotation(0, 7, speaker=(9, 10)), Quotation(3, 6))) == []


def test_a_quotation_that_crosses_another() -> None:
    assert problems(make_doc(Quotation(0, 5), Quotation(3, 13))) == [
        (CROSSING_QUOTATIONS, "tokens 3:13", "'‘ now ’ ” , said'... and '“ Come up ‘ now', tokens 0:5")
    ]


def test_a_quotation_that_comes_twice() -> None:
    assert problems(make_doc(Quotation(3, 6), Quotation(3, 6))) == [(SAME_QUOTATION, "tokens 3:6", "'‘ now ’'")]


def test_speakers_and_addressees_that_are_in_no_cluster() -> None:
    assert problems(make_doc(Quotation(3, 6, speaker=(11, 12), addressee=(8, 10)))) == [
        (NO_MENTION, "tokens 11:12", "'Tom', the speaker of '‘ now ’' at tokens 3:6"),
        (NO_MENTION, "tokens 8:10", "'said Ann', the addressee of '‘ now ’' at tokens 3:6"),
    ]


def test_anyone_may_speak_in_a_document_without_clusters() -> None:
    assert problems(make_doc(Quotation(3, 6, speaker=(11, 12)), has_clusters=False)) == []


def test_quotations_and_those_without_speaker_are_counted() -> None:
    counts = count_docs([make_doc(Quotation(0, 7, speaker=(9, 10)), Quotation(3, 6)), make_doc()], KEYS)
    assert (counts.quotations, counts.without_speaker) == (2, 1)
    assert (counts.rows()["Quotations"], counts.rows()["Without speaker"]) == ("2", "1")
