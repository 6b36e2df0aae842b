from __future__ import annotations

import pytest
import spacy
from spacy.tokens import Doc
from spacy.training import Example

from lab.experiments.spans import doc_spans
from spacy_span_selector.annotation import Argument, Frame, set_clusters, set_frames, set_mentions
from spacy_span_selector.pipeline.settings import PipeSettings
from spacy_span_selector.pipeline.structured_coref import CorefPipeSettings
from spacy_span_selector.pipeline.structured_srl import SrlPipeSettings
from spacy_span_selector.scoring.task import Task, get_task

from ...spans import put_spans

COREF = get_task("structured_coref"), CorefPipeSettings()
SRL = get_task("structured_srl"), SrlPipeSettings()


@pytest.fixture
def example() -> Example:
    """The reference and the prediction have different tokens."""
    vocab = spacy.blank("en").vocab
    reference = Doc(vocab, words=["The", "son", "of", "the", "mayor", "left", "."], spaces=[True] * 5 + [False, False])
    predicted = Doc(vocab, words=["The", "son", "of", "the", "mayor", "left."], spaces=[True] * 5 + [False])
    return Example(predicted, reference)


def test_mentions_with_depth_and_width(example: Example):
    set_clusters(example.reference, [[(0, 5)], [(3, 5)]])
    set_mentions(example.predicted, [(0, 5), (0, 2)], [0.9, 0.6])
    set_clusters(example.predicted, [[(0, 2)]])
    spans = doc_spans(example, *COREF)
    assert spans is not None
    assert spans.depths == {(0, 20): "1", (11, 20): "2"}
    assert spans.widths == {(0, 20): "5-12", (11, 20): "1-4"}
    assert spans.kept == {(0, 20), (0, 7)}
    assert spans.output == {(0, 7)}
    assert spans.tokens == 6


def test_singletons_do_not_count_where_they_are_not_kept(example: Example):
    set_clusters(example.reference, [[(0, 5)], [(3, 5), (0, 2)]])
    set_clusters(example.predicted, [[(0, 5)]])
    set_mentions(example.predicted, [(0, 5)], [0.9])
    spans = doc_spans(example, COREF[0], CorefPipeSettings(keep_singletons=False))
    assert spans is not None
    assert spans.depths.keys() == {(11, 20), (0, 7)}
    assert spans.output == set()


def test_arguments(example: Example):
    frame = Frame(5, 6, [Argument(0, 5, "ARG0"), Argument(3, 5, "ARG1")], None)
    set_frames(example.reference, [frame])
    set_frames(example.predicted, [Frame(5, 6, [Argument(0, 2, "ARG0")], None)])
    set_mentions(example.predicted, [(0, 2), (0, 5)], [0.9, 0.6], key="srl_spans")
    spans = doc_spans(example, *SRL)
    assert spans is not None
    assert spans.depths == {(0, 20): "1", (11, 20): "2"}
    assert (spans.kept, spans.output) == ({(0, 7), (0, 20)}, {(0, 7)})


@pytest.mark.parametrize(("task", "settings"), [COREF, SRL])
def test_a_reference_without_annotation_is_left_out(example: Example, task: Task, settings: PipeSettings):
    assert doc_spans(example, task, settings) is None


def test_spans_without_tokens_do_not_count(example: Example):
    for doc in (example.reference, example.predicted):
        set_clusters(doc, [[(0, 5)]])
        set_mentions(doc, [(0, 5)], [0.9])
    expected = doc_spans(example, *COREF)
    put_spans(example.reference, "coref_clusters_2", (3, 3))
    assert doc_spans(example, *COREF) == expected
