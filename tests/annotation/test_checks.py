"""What the setters refuse, and that they change nothing then."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_span_selector.annotation import (
    Argument,
    Frame,
    get_clusters,
    get_frames,
    get_predicates,
    get_speakers,
    get_title,
    set_clusters,
    set_constituents,
    set_frames,
    set_mentions,
    set_predicates,
    set_speakers,
    set_title,
)

WORDS = ["Ann", "saw", "her", "dog", "."]


@pytest.fixture
def doc() -> Doc:
    """A document with all annotation."""
    doc = Doc(Vocab(), words=WORDS)
    set_title(doc, "dogs")
    set_mentions(doc, [(0, 1), (2, 3)], [0.5, 0.25])
    scores, antecedents = {(0, 1): 0.5, (2, 3): 0.25}, {(0, 1): None, (2, 3): (0, 1)}
    set_clusters(doc, [[(0, 1), (2, 3)]], scores=scores, antecedents=antecedents, names=["ann"])
    set_frames(doc, [Frame(1, 2, [Argument(0, 1, "ARG0")], "see.01", [1.0, 0.5])])
    set_predicates(doc, [(1, 2)])
    set_constituents(doc, [(0, 5, "S")])
    set_speakers(doc, [(0, 5, "Bob")])
    return doc


def content(doc: Doc) -> Any:
    groups = {
        key: (group.name, group.attrs, [(span.start, span.end, span.label_) for span in group])
        for key, group in doc.spans.items()
    }
    return groups, doc.user_data


def set_argument(doc: Doc, argument: Any) -> None:
    set_frames(doc, [Frame(1, 2, [Argument(0, 1, "ARG0"), argument])])


def with_label(set_spans: Callable[[Doc, list[Any]], None], doc: Doc, span: Any) -> None:
    """Give a setter of labelled spans one whose offsets are those of `span`."""
    set_spans(doc, [(*span, "A") if isinstance(span, tuple) else span])


def set_pair(doc: Doc, **known: Any) -> None:
    """Set a cluster of two mentions."""
    set_clusters(doc, [[(0, 1), (2, 3)]], **known)


SET_SPAN: dict[str, Callable[[Doc, Any], None]] = {
    "clusters[1][1]": lambda doc, span: set_clusters(doc, [[(0, 1)], [(2, 3), span]]),
    "mentions[0]": lambda doc, span: set_mentions(doc, [span], [0.5]),
    "predicates[1]": lambda doc, span: set_predicates(doc, [(0, 1), span]),
    "constituents[0]": partial(with_label, set_constituents),
    "turns[0]": partial(with_label, set_speakers),
    "frames[0].arguments[1]": lambda doc, span: set_argument(doc, (*span, "A") if isinstance(span, tuple) else span),
}
"""Sets one span by each setter; the names are those of the arguments in messages."""

BAD_SPANS = {
    "past the end": ((3, 6), r"\(3, 6\), which leaves the document; expected 0 <= start < end <= 5"),
    "before the start": ((-1, 2), r"\(-1, 2\), which leaves the document"),
    "reversed": ((3, 1), r"\(3, 1\), which ends before it starts"),
    "empty": ((2, 2), r"\(2, 2\), which has no tokens"),
    "float": ((0, 1.0), r"\(0, 1\.0\); expected two integers"),
    "truth values": ((False, True), "expected two integers"),
    "huge": ((0, 10**5000), "is too long to be shown, which leaves the document|expected"),
    "nothing": (None, "is None; expected"),
    "numbers": (7, "is 7; expected"),
    "one offset": ((0,), "expected"),
    "three offsets": ((0, 0, 0), "expected"),
}


@pytest.mark.parametrize("place", SET_SPAN)
@pytest.mark.parametrize("bad", BAD_SPANS)
def test_offsets_that_are_not_those_of_some_tokens_are_errors_that_change_nothing(
    doc: Doc, place: str, bad: str
) -> None:
    span, message = BAD_SPANS[bad]
    before = content(doc)
    with pytest.raises(ValueError, match="Can't annotate document 'dogs': ") as caught:
        SET_SPAN[place](doc, span)
    assert f": {place} is " in str(caught.value)
    caught.match(message)
    assert content(doc) == before


@pytest.mark.parametrize("place", SET_SPAN)
def test_spans_are_no_offsets(doc: Doc, place: str) -> None:
    others = doc.copy()[0:2]
    for span, message in ((doc[0:2], "the Span 'Ann saw'; expected"), (others, "'Ann saw' of another document")):
        with pytest.raises(ValueError, match=message):
            SET_SPAN[place](doc, span)


BAD_FACTS: list[tuple[dict[str, Any], str]] = [
    ({"scores": []}, "the length of scores is 0; expected 1, one for each of clusters"),
    ({"scores": [0.5]}, r"scores\[0\] is 0.5; expected a list of a number for each mention"),
    ({"scores": [[0.5]]}, r"the length of scores\[0\] is 1; expected 2, one for each of clusters"),
    ({"scores": [[0.5, "1"]]}, r"scores\[0\]\[1\] is '1'; expected a finite number"),
    ({"antecedents": 7}, "antecedents is 7; expected a dictionary, {.*: .* or None}, or a list"),
    ({"antecedents": {(0, 1): None}}, r"antecedents\[\(2, 3\)\] is None; expected .* for each ment"),
    ({"antecedents": [[None, 0]]}, r"antecedents\[0\]\[1\] is 0; expected two integers"),
    ({"antecedents": [[None, (0, 9)]]}, r"antecedents\[0\]\[1\] is \(0, 9\), which leaves the doc"),
    ({"antecedents": [[None, (1, 2)]]}, r"is \(1, 2\); expected None, or a mention of the same"),
    ({"antecedents": [[None, (2, 3)]]}, r"a mention of the same cluster before \(2, 3\)"),
    ({"antecedents": {(0, 1): (2, 3), (2, 3): None}}, r"antecedents\[\(0, 1\)\] is \(2, 3\); expec"),
]
"""What may be wrong with what is known of the mentions of one cluster."""

BAD_ARGUMENTS: list[tuple[Callable[[Doc], None], str]] = [
    (lambda doc: set_clusters(doc, None), "clusters is None; expected a list of lists of token offsets"),  # type: ignore[arg-type]
    (
        lambda doc: set_clusters(doc, [[(0, 1)], [(1, 2), (0, 1), (1, 2)]]),
        r"clusters\[1\]\[2\] is \(1, 2\), which is in the cluster already; expected each once",
    ),
    (
        lambda doc: set_argument(doc, Argument(0, 1, "ARG0")),
        r"arguments\[1\] is \(0, 1, 'ARG0'\), which is in the frame al",
    ),
    (lambda doc: set_clusters(doc, [(0, 1)]), r"clusters\[0\]\[0\] is 0; expected two integers"),  # type: ignore[list-item]
    (lambda doc: set_clusters(doc, [doc[0:1]]), r"clusters\[0\] is the Span 'Ann'"),  # type: ignore[list-item]
    (lambda doc: set_clusters(doc, [[(0, 1)]], names=[]), "the length of names is 0; expected 1, one for each of clus"),
    (lambda doc: set_clusters(doc, [[(0, 1)]], names=[7]), r"names\[0\] is 7; expected a string"),  # type: ignore[list-item]
    (lambda doc: set_clusters(doc, [[(0, 1)]], names="a"), "names is 'a'; expected a list of strings"),
    (lambda doc: set_clusters(doc, [[(0, 1)]], scores=0.5), r"scores is 0.5; expected a dictionary, .* or a list of"),  # type: ignore[arg-type]
    (lambda doc: set_clusters(doc, [[(0, 1)]], scores={}), r"scores\[\(0, 1\)\] is None; expected a number for"),
    (lambda doc: set_clusters(doc, [[(0, 1)]], scores={(0, 1): np.nan}), r"scores\[\(0, 1\)\] is nan"),
    (lambda doc: set_clusters(doc, [[(0, 1)]], link_scores={(0, 1): np.inf}), r"link_scores\[\(0, 1\)\] is inf"),
    *[(partial(set_pair, **known), message) for known, message in BAD_FACTS],
    (lambda doc: set_mentions(doc, [(0, 1)], []), "the length of scores is 0; expected 1, one for each of mentions"),
    (lambda doc: set_mentions(doc, [(0, 1)], ["0.5"]), r"scores\[0\] is '0.5'; expected a finite"),  # type: ignore[list-item]
    (lambda doc: set_mentions(doc, [(0, 1)], [True]), r"scores\[0\] is True; expected a finite number"),
    (lambda doc: set_mentions(doc, [(0, 1)], [np.float32("nan")]), r"scores\[0\] is nan"),  # type: ignore[list-item]
    (lambda doc: set_mentions(doc, [(0, 1)], [10**400]), r"scores\[0\] is 100.*; expected a finite number"),
    (lambda doc: set_mentions(doc, [(0, 1)], 0.5), "scores is 0.5; expected a list of numbers"),  # type: ignore[arg-type]
    (lambda doc: set_frames(doc, [(1, 2)]), r"frames\[0\] is \(1, 2\); expected a Frame"),  # type: ignore[list-item]
    (lambda doc: set_frames(doc, [Frame(1, 9, [])]), r"the predicate of frames\[0\] is \(1, 9\), which leaves"),
    (lambda doc: set_frames(doc, [Frame(1, 2, None)]), r"frames\[0\]\.arguments is None"),  # type: ignore[arg-type]
    (lambda doc: set_argument(doc, (0, 1)), r"arguments\[1\] is \(0, 1\); expected \(start, end, role\)"),
    (lambda doc: set_argument(doc, Argument(0, 1, None)), r"arguments\[1\]\[2\], the role, is None"),  # type: ignore[arg-type]
    (lambda doc: set_argument(doc, Argument(0, 1, "\ud800")), r"the role, is '\\ud800'; .* can't be saved"),
    (lambda doc: set_frames(doc, [Frame(1, 2, [], 7)]), r"frames\[0\]\.roleset is 7; expected a string"),  # type: ignore[arg-type]
    (lambda doc: set_frames(doc, [Frame(1, 2, [], None, [])]), r"the length of frames\[0\]\.scores is 0; expected 1"),
    (lambda doc: set_frames(doc, [Frame(1, 2, [], None, [np.nan])]), r"frames\[0\]\.scores\[0\] is nan"),
    (lambda doc: set_speakers(doc, [(0, 1, 7)]), r"turns\[0\]\[2\], the speaker, is 7; expected a string"),  # type: ignore[list-item]
    (lambda doc: set_constituents(doc, [(0, 1, None)]), r"constituents\[0\]\[2\], the label, is None"),  # type: ignore[list-item]
    (lambda doc: set_title(doc, 7), "title is 7; expected a string"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("annotate", "message"), BAD_ARGUMENTS, ids=[message for _, message in BAD_ARGUMENTS])
def test_other_arguments_are_errors_that_change_nothing(
    doc: Doc, annotate: Callable[[Doc], None], message: str
) -> None:
    before = content(doc)
    with pytest.raises(ValueError, match=message) as caught:
        annotate(doc)
    assert "document 'dogs'" in str(caught.value)
    assert content(doc) == before


def test_integers_and_numbers_of_any_kind_become_those_of_python(doc: Doc) -> None:
    one, two = np.arange(1, 3, dtype=np.int16)
    scores = {(1, 2): 1, (2, 4): np.float32(0.5), (0, 1): 0}
    set_clusters(doc, [[(one, two)], np.asarray([[2, 4], [0, 1]])], scores=scores)  # type: ignore[list-item, arg-type]
    assert get_clusters(doc) == [[(0, 1), (2, 4)], [(1, 2)]]
    set_mentions(doc, [[0, np.uint8(1)]], np.asarray([0.5], dtype=np.float32))  # type: ignore[list-item, arg-type]
    set_frames(doc, [Frame(one, two, ((0, one, "A"),), None, (1, np.float16(0.5)))])  # type: ignore[arg-type]
    assert get_frames(doc) == [Frame(1, 2, [Argument(0, 1, "A")], None, [1.0, 0.5])]
    set_predicates(doc, iter([(one, two)]))  # type: ignore[arg-type]
    set_speakers(doc, [[one, two, "Ann"]])  # type: ignore[list-item]
    assert (get_predicates(doc), get_speakers(doc)) == ([(1, 2)], [(1, 2, "Ann")])
    saved = Doc(Vocab()).from_bytes(doc.to_bytes())
    assert content(saved)[0] == content(doc)[0]
    assert saved.spans["coref_mentions"].attrs == {"scores": [0.5]}
    assert get_title(saved) == "dogs"


def test_scores_are_those_of_the_document_alone(doc: Doc) -> None:
    scores = [0.5]
    set_mentions(doc, [(0, 1)], scores)
    scores[0] = 0.25
    assert doc.spans["coref_mentions"].attrs == {"scores": [0.5]}


def test_labels_may_have_any_character(doc: Doc) -> None:
    set_speakers(doc, [(0, 5, "Zoë 🐕")])
    set_argument(doc, Argument(2, 4, "Rôle"))
    assert get_speakers(doc) == [(0, 5, "Zoë 🐕")]
    assert get_frames(doc)[0].arguments[1].role == "Rôle"
