from hypothesis import example, given
from hypothesis import strategies as st
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_span_selector.annotation import Quotation, declare, set_clusters, set_labelled_spans, set_quotations
from spacy_span_selector.tools.checking.counts import KEYS, count_docs

from .corpora import GOOD, read

SPANS = st.lists(st.tuples(st.integers(0, 6), st.integers(1, 4)).map(lambda span: (span[0], sum(span))), max_size=6)
VOCAB = Vocab()


def test_counts() -> None:
    counts = count_docs(read(GOOD + "[A dog] barked.\n"))
    assert (counts.documents, counts.sentences, counts.tokens) == (1, 3, 14)
    assert (counts.mentions, counts.clusters, counts.singletons, counts.depth) == (6, 2, 1, 2)
    assert counts.widths == {1: 3, 2: 3}
    assert (counts.predicates, counts.arguments) == (2, 4)
    assert counts.roles == {"ARG0": 2, "ARG1": 2}
    assert counts.rolesets == {"meet.03": 1, "thank.01": 1}


def test_cells_of_what_is_not_there_are_empty() -> None:
    rows = count_docs(read("Nobody came.")).rows()
    assert {title: cell for title, cell in rows.items() if cell} == {"Documents": "1", "Sentences": "1", "Tokens": "3"}


def test_labelled_spans() -> None:
    docs = [Doc(VOCAB, words=["w"] * 6) for _ in range(3)]
    set_labelled_spans(docs[0], [(0, 3, "PER"), (0, 3, "NAME"), (1, 2, "PER"), (2, 4, "LOC")])
    set_labelled_spans(docs[1], [(0, 1, "PER")])
    counts = count_docs(docs)
    assert (counts.labelled_spans, counts.nested, counts.crossing) == (5, 1, 1)
    assert counts.labels == {"PER": 3, "NAME": 1, "LOC": 1}
    assert list(counts.as_data()["labels"]) == ["PER", "NAME", "LOC"]
    rows = counts.rows()
    assert [rows[title] for title in ("Labelled spans", "Within others", "Crossing others", "Labels")] == [*"5113"]
    assert rows["Frequent labels"] == "PER 3, NAME 1, LOC 1"


def test_labels_and_types_that_no_declared_type_covers() -> None:
    docs = [Doc(VOCAB, words=["w"] * 6) for _ in range(3)]
    set_clusters(docs[0], [[(0, 1)], [(2, 4)], [(4, 6)]], entity_types=["PER", "animal", ""])
    set_labelled_spans(docs[0], [(0, 1, "PER"), (2, 4, "animal"), (4, 6, "FAC")])
    set_labelled_spans(docs[1], [(4, 6, "key")])  # says nothing: all is annotated
    set_labelled_spans(docs[2], [(4, 6, "key"), (4, 6, "FAC"), (4, 6, "FAC|VEH")])
    counts = count_docs([docs[1], *(declare(doc, ["PER", "LOC|FAC|GPE"]) for doc in docs[::2])])
    assert counts.undeclared == {"animal": 2, "key": 1, "FAC|VEH": 1}
    assert counts.rows()["Annotated for"] == "PER, LOC|FAC|GPE"


def test_labelled_spans_under_another_key() -> None:
    doc = Doc(VOCAB, words=["w"] * 6)
    set_labelled_spans(doc, [(0, 3, "PER")], key="mine")
    assert count_docs([doc], {**KEYS, "labelled span": "mine"}).labelled_spans == 1
    assert count_docs([doc]).labelled_spans == 0


@given(SPANS)
@example([(0, 2), (0, 3), (1, 2), (1, 4)])  # the longest chain begins with a span that crosses another
def test_nesting_depth_is_that_of_the_longest_chain(spans: list[tuple[int, int]]) -> None:
    different = sorted({*spans}, key=lambda span: span[1] - span[0])
    depths: dict[tuple[int, int], int] = {}
    for start, end in different:
        inside = [depth for (first, last), depth in depths.items() if start <= first and last <= end]
        depths[start, end] = 1 + max(inside, default=0)
    doc = Doc(VOCAB, words=["w"] * 10)
    doc.spans["coref_clusters_1"] = [doc[start:end] for start, end in spans]
    assert count_docs([doc]).depth == max(depths.values(), default=0)


def test_quotations_and_those_without_speaker() -> None:
    doc = Doc(VOCAB, words=["w"] * 10)
    set_quotations(doc, [Quotation(0, 7, speaker=(9, 10)), Quotation(3, 6)])
    rows = count_docs([doc]).rows()
    assert (rows["Quotations"], rows["Without speaker"]) == ("2", "1")
