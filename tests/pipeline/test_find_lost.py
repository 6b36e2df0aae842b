"""What components say of a corpus before they are initialized."""

import warnings

import spacy
from spacy.training import Example

from spacy_span_selector.examples.gold_frames import UNKNOWN_ROLE
from spacy_span_selector.examples.gold_mentions import REPEATED, TWICE
from spacy_span_selector.tools.formats.bracketed import parse_bracketed

from ..spans import put_spans

TEXT = "Ann met Tom.\n> [ARG0 Ann] [V=meet.03 met] [ARG1 Tom].\nHe left.\n"


def make_example() -> Example:
    nlp = spacy.blank("en")
    (doc,) = parse_bracketed(TEXT, nlp)
    return Example(nlp.make_doc(doc.text), doc)


def test_every_lost_mention_is_found_without_a_network() -> None:
    pipe = spacy.blank("en").add_pipe("structured_coref")
    example = make_example()
    for number, mentions in enumerate([[(0, 1), (2, 3)], [(0, 1)], [(4, 5), (4, 5)]], start=1):
        put_spans(example.reference, f"coref_clusters_{number}", *mentions)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lost = pipe.find_lost([example])  # type: ignore[attr-defined]
    assert {what: [(span.reason, span.tokens) for span in found.spans] for what, found in lost.items()} == {
        "cuts a sentence": [],
        "leaves out a gold mention": [(REPEATED, (0, 1)), (TWICE, (4, 5))],
    }
    assert not example.predicted.has_annotation("SENT_START")


def test_roles_are_those_of_the_labels_that_were_taken() -> None:
    pipe = spacy.blank("en").add_pipe("structured_srl")
    example = make_example()
    pipe.take_labels([], {"labels": {"roles": ["ARG0"], "rolesets": {"met": {"meet.03": 1}}}})  # type: ignore[attr-defined]
    lost = pipe.find_lost([example])  # type: ignore[attr-defined]
    found = lost["leaves out a gold predicate, argument or roleset"]
    assert [(span.reason, span.tokens) for span in found.spans] == [(UNKNOWN_ROLE, (2, 3))]
