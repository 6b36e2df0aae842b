from __future__ import annotations

from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_span_selector.annotation import set_clusters
from spacy_span_selector.checking.counts import count_docs

from .corpora import GOOD, KEYS, read


def test_counts() -> None:
    counts = count_docs(read(GOOD + "[A dog] barked.\n"), KEYS)
    assert (counts.documents, counts.sentences, counts.tokens) == (1, 3, 14)
    assert (counts.mentions, counts.clusters, counts.singletons, counts.depth) == (6, 2, 1, 2)
    assert counts.widths == {1: 3, 2: 3}
    assert (counts.predicates, counts.arguments) == (2, 4)
    assert counts.roles == {"ARG0": 2, "ARG1": 2}
    assert counts.rolesets == {"meet.03": 1, "thank.01": 1}


def test_cells_of_what_is_not_there_are_empty() -> None:
    rows = count_docs(read("Nobody came."), KEYS).rows()
    assert {title: cell for title, cell in rows.items() if cell} == {"Documents": "1", "Sentences": "1", "Tokens": "3"}


def test_mentions_that_cross_others_may_lie_in_others() -> None:
    doc = Doc(Vocab(), words=["w"] * 4)
    set_clusters(doc, [[(0, 2), (0, 3), (1, 2), (1, 4)]])
    assert count_docs([doc], KEYS).depth == 3
