from pathlib import Path
from typing import Any

import numpy as np
import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc, DocBin
from spacy.training import Example

from lab.experiments import measure
from lab.experiments.grid import Prediction
from lab.experiments.statistics import mean_f1
from spacy_span_selector.annotation import Argument, Frame, set_clusters, set_frames, set_mentions
from spacy_span_selector.layers.selection.selectors import SigmoidSelector
from spacy_span_selector.scoring.task import Task, get_task
from spacy_span_selector.tools.formats.bracketed import parse_bracketed

from ...spans import put_spans
from ...untrained import untrained
from .conftest import CORPUS


@pytest.fixture(scope="module")
def nlp() -> Language:
    """An untrained pipeline."""
    return untrained("en", "sentencizer", "structured_srl", text=CORPUS)


@pytest.fixture(scope="module")
def annotated(nlp: Language) -> list[measure.Annotated]:
    docs = [*parse_bracketed(CORPUS, nlp), nlp.make_doc("Nobody looked at this.")]
    return measure.annotate(nlp, "structured_srl", [Example(nlp.make_doc(doc.text), doc) for doc in docs])


@pytest.fixture(scope="module")
def examples(annotated: list[measure.Annotated]) -> list[Example]:
    return [example for example, _ in annotated]


@pytest.fixture(scope="module")
def measures(nlp: Language, annotated: list[measure.Annotated]) -> dict[str, Any]:
    settings = nlp.get_pipe("structured_srl")  # type: ignore[attr-defined]
    return measure.measure_spans(annotated, get_task("structured_srl"), settings)


def test_gold_spans_of_annotated_documents_are_counted_by_depth_and_width(
    measures: dict[str, Any], examples: list[Example]
):
    assert measures["tokens"] == sum(len(example.predicted) for example in examples[:2])
    kept = measures["kept"]
    assert kept["gold"] == 11
    assert {name: counts["gold"] for name, counts in kept["depth"].items()} == {"1": 7, "2": 4, "3+": 0}
    assert {name: counts["gold"] for name, counts in kept["width"].items()} == {"1-4": 10, "5-12": 1, "13+": 0}


def test_kept_spans_agree_with_the_scorer(measures: dict[str, Any], nlp: Language, examples: list[Example]):
    scores = nlp.get_pipe("structured_srl").score(examples[:2])  # type: ignore[attr-defined]
    kept = measures["kept"]
    assert kept["found"] / kept["gold"] == pytest.approx(scores["srl_kept_r"])
    assert kept["spans"] / measures["tokens"] == pytest.approx(scores["srl_density"])


def test_the_curve_goes_through_the_setting_in_use(measures: dict[str, Any]):
    points = {point["value"]: point for point in measures["curve"]}
    assert tuple(points) == measure.SETTINGS["threshold"]
    names = ("found", "gold", "spans")
    assert [points[0.4][name] for name in names] == [measures["kept"][name] for name in names]


def test_every_span_has_a_probability_and_a_rank(measures: dict[str, Any]):
    assert 0 < measures["average_precision"] < 1
    calibration = measures["calibration"]
    assert sum(calibration["counts"]) == 28 + 10 + 55
    assert sum(calibration["observed"]) == 11


def test_counts_of_documents_add_up_to_the_main_score(nlp: Language, examples: list[Example]):
    pipe = nlp.get_pipe("structured_srl")
    counts = measure.count_documents(examples, get_task("structured_srl"), pipe.cfg)  # type: ignore[attr-defined]
    assert len(counts) == 2
    score = pipe.score(examples)["srl_f"]  # type: ignore[attr-defined]
    assert float(mean_f1(np.array(counts).sum(0))) == pytest.approx(score)


def test_other_settings_hold_for_a_while(nlp: Language):
    pipe: Any = nlp.get_pipe("structured_srl")
    before, selector = dict(pipe.cfg), pipe.selector
    other = {"@misc": "spacy_span_selector.SigmoidSelector.v1", "non_crossing": True}
    with measure.changed_settings(pipe, {"decoding": "map"}, other):
        assert pipe.decoding == "map"
        assert pipe.selector == SigmoidSelector(non_crossing=True)
    assert pipe.cfg == before
    assert pipe.selector is selector


def test_gold_mentions_are_the_ceiling_of_links(tmp_path: Path):
    nlp = spacy.blank("en")
    nlp.add_pipe("structured_coref", config={"model": {"hidden_width": 8, "linker_width": 8}})
    doc = Doc(nlp.vocab, words=["Ann", "saw", "Leo", "."], sent_starts=[True, False, False, False])
    set_clusters(doc, [[(0, 1)], [(2, 3)]])
    nlp.initialize(lambda: [Example(doc.copy(), doc)])
    DocBin(docs=[doc], store_user_data=True).to_disk(tmp_path / "gold.spacy")
    corpora = dict.fromkeys(("dev", "test"), str(tmp_path / "gold.spacy"))
    run = {"component": "structured_coref", "evaluation": {"sentences": True}, "corpora": corpora}
    other = Prediction(evaluation={"mentions": True}).model_dump()
    ceiling = measure.measure_prediction(nlp, run, other)
    assert ceiling["scores"]["test"]["coref_ment_f"] == 1.0
    assert ceiling["output"]["found"] == ceiling["output"]["spans"] == 2


def test_annotate_keeps_given_words(nlp: Language):
    doc = Doc(nlp.vocab, words=["Ann", "left."])
    [(example, _)] = measure.annotate(nlp, "structured_srl", [Example(doc, doc.copy())])
    assert [token.text for token in example.predicted] == ["Ann", "left."]
    assert "srl_spans" in example.predicted.spans


def test_numpy_numbers_become_python_numbers():
    value = measure.plain({"a": np.float32(0.5), "b": {"c": np.int64(2), "d": None}})
    assert value == {"a": 0.5, "b": {"c": 2, "d": None}}
    assert type(value["a"]) is float and type(value["b"]["c"]) is int


def task_and_pipe(factory: str, **settings: Any) -> tuple[Task, Any]:
    return get_task(factory), spacy.blank("xx").add_pipe(factory, config=settings)


COREF, SRL = task_and_pipe("structured_coref"), task_and_pipe("structured_srl")


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
    spans = measure.doc_spans(example, *COREF)
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
    spans = measure.doc_spans(example, *task_and_pipe("structured_coref", keep_singletons=False))
    assert spans is not None
    assert spans.depths.keys() == {(11, 20), (0, 7)}
    assert spans.output == set()


def test_arguments(example: Example):
    frame = Frame(5, 6, [Argument(0, 5, "ARG0"), Argument(3, 5, "ARG1")], None)
    set_frames(example.reference, [frame])
    set_frames(example.predicted, [Frame(5, 6, [Argument(0, 2, "ARG0")], None)])
    set_mentions(example.predicted, [(0, 2), (0, 5)], [0.9, 0.6], key="srl_spans")
    spans = measure.doc_spans(example, *SRL)
    assert spans is not None
    assert spans.depths == {(0, 20): "1", (11, 20): "2"}
    assert (spans.kept, spans.output) == ({(0, 7), (0, 20)}, {(0, 7)})


def test_spans_without_tokens_and_references_without_annotation_do_not_count(example: Example):
    assert [measure.doc_spans(example, *each) for each in (COREF, SRL)] == [None, None]
    for doc in (example.reference, example.predicted):
        set_clusters(doc, [[(0, 5)]])
        set_mentions(doc, [(0, 5)], [0.9])
    expected = measure.doc_spans(example, *COREF)
    put_spans(example.reference, "coref_clusters_2", (3, 3))
    assert measure.doc_spans(example, *COREF) == expected
