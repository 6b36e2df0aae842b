"""What docs/architecture.md promises to those who add a selector or a component: no other place has to know of it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import catalogue
import pytest
import spacy
import torch
from spacy import registry
from spacy.language import Language
from spacy.tokens import Doc, DocBin
from spacy.training import Example
from thinc.api import Model

from lab.experiments.grid import read_grid
from lab.experiments.measure import annotate, measure_spans
from lab.experiments.report import write_report
from spacy_span_selector.layers.selection.candidates import AboveThreshold, CandidateStrategy, Decoding
from spacy_span_selector.layers.selection.selectors import Marginals, Selector, independent_marginals
from spacy_span_selector.layers.spans.layout import Lengths, SpanLayout
from spacy_span_selector.pipeline.structured_coref import DEFAULT_MODEL, StructuredCoref
from spacy_span_selector.scoring.coref import COREFERENCE
from spacy_span_selector.scoring.task import get_task, tasks
from spacy_span_selector.tools.formats.bracketed import parse_bracketed

from .commands import success
from .lab.benchmarks.conftest import run as run_lab
from .lab.experiments.conftest import BASE, GRID, make_record
from .untrained import BOAT, gold_examples, untrained


@dataclass(frozen=True)
class SingleWords(Selector):
    """Selects words, of which none crosses another."""

    spans_may_cross = False

    def marginals(self, scores: torch.Tensor, layout: SpanLayout) -> Marginals:
        return independent_marginals(scores.masked_fill(layout.widths() > 1, -30.0))

    def prediction_strategy(self, decoding: Decoding, threshold: float) -> CandidateStrategy:
        return AboveThreshold(threshold)


@dataclass(frozen=True)
class KnowsCapitals(SingleWords):
    """Learns besides which words have a capital."""

    auxiliary_scores = 1

    def check_examples(self, examples: Sequence[Example], component: str) -> None:
        if not any(example.reference.text.lower() != example.reference.text for example in examples):
            raise ValueError(f"'{component}' found no capital.")

    def read_gold(
        self, examples: Sequence[Example], sentences: Sequence[Lengths], max_width: int | None, device: torch.device
    ) -> torch.Tensor:
        return torch.tensor([float(token.text.istitle()) for example in examples for token in example.reference])

    def loss(self, output: Any, gold: Any, own_gold: torch.Tensor, layout: SpanLayout, **settings: Any) -> torch.Tensor:
        tokens = torch.arange(len(layout.document))
        scores = output.selection.auxiliary[0, layout.flat_index(tokens, tokens)]
        of_capitals = torch.nn.functional.binary_cross_entropy_with_logits(scores, own_gold)
        return super().loss(output, gold, own_gold, layout, **settings) + of_capitals


registry.misc("extending_test.SingleWords.v1", func=SingleWords)
registry.misc("extending_test.KnowsCapitals.v1", func=KnowsCapitals)


@Language.factory("extending_test_mentions", default_config={"model": DEFAULT_MODEL})
def make_mentions(nlp: Language, name: str, model: Model[Any, Any]) -> StructuredCoref:
    scorer = registry.scorers.get("spacy_span_selector.coref_scorer.v1")()
    return StructuredCoref(nlp, model, name, scorer=scorer)


@pytest.fixture(autouse=True)
def own_task(monkeypatch: pytest.MonkeyPatch) -> None:
    """Registered for these tests alone."""
    task = replace(COREFERENCE, factory="extending_test_mentions", title="Own mentions")
    monkeypatch.setitem(catalogue.REGISTRY, (*tasks.namespace, task.factory), task)


def make_pipeline(factory: str, **config: Any) -> Language:
    """An initialized pipeline with one component."""
    return untrained("en", "sentencizer", factory, **{factory: config})


@pytest.mark.parametrize("factory", ["structured_coref", "structured_srl"])
def test_a_selector_of_ones_own_learns_and_predicts(factory: str, tmp_path: Path) -> None:
    selector = {"@misc": "extending_test.SingleWords.v1"}
    nlp = make_pipeline(factory, threshold=1e-6, model={"selector": selector})
    examples = gold_examples(nlp)
    nlp.get_pipe("sentencizer")(examples[0].predicted)
    before = nlp.get_pipe(factory).model.to_bytes()  # type: ignore[attr-defined]
    losses = nlp.update(examples, annotates=["sentencizer"], sgd=nlp.initialize(lambda: examples))
    assert losses[factory] > 0
    assert nlp.get_pipe(factory).model.to_bytes() != before  # type: ignore[attr-defined]
    nlp.to_disk(tmp_path)
    doc = spacy.load(tmp_path)("Ann left the house. She stayed.")
    pipe: Any = nlp.get_pipe(factory)
    assert {len(span) for span in doc.spans[pipe.selected_key] if span} == {1}


@pytest.mark.parametrize("factory", ["structured_coref", "structured_srl"])
def test_a_selector_learns_from_gold_and_with_a_loss_of_its_own(factory: str) -> None:
    nlp = make_pipeline(factory, model={"selector": {"@misc": "extending_test.KnowsCapitals.v1"}})
    pipe: Any = nlp.get_pipe(factory)
    doc = nlp("Ann saw the boat. She liked it.")
    for _ in range(30):
        nlp.update(gold_examples(nlp), annotates=["sentencizer"], sgd=nlp.resume_training())
    output = pipe.model.predict([doc])
    words = output.selection.spans.starts
    titles = [doc[word].is_title for word in words.tolist()]
    assert (output.selection.auxiliary[0, output.selection.candidates] > 0).tolist() == titles


def test_a_corpus_without_the_gold_of_a_selector_is_an_error() -> None:
    config = {"model": {"selector": {"@misc": "extending_test.KnowsCapitals.v1"}}}
    with pytest.raises(ValueError, match="'structured_coref' found no capital"):
        untrained("en", "structured_coref", text="[she|ann] saw [herself|ann].", structured_coref=config)


@pytest.mark.parametrize("factory", ["structured_coref", "structured_srl"])
def test_a_selector_of_ones_own_is_measured(factory: str) -> None:
    nlp = make_pipeline(factory, model={"selector": {"@misc": "extending_test.SingleWords.v1"}})
    pipe: Any = nlp.get_pipe(factory)
    measures = measure_spans(annotate(nlp, factory, gold_examples(nlp)), get_task(factory), pipe)
    assert {point["setting"] for point in measures["curve"]} == {"threshold"}
    assert sum(measures["calibration"]["counts"]) > 0


def test_the_tree_of_a_selector_of_ones_own_is_drawn(tmp_path: Path) -> None:
    nlp = make_pipeline("structured_coref", model={"selector": {"@misc": "extending_test.SingleWords.v1"}})
    nlp.to_disk(tmp_path / "model")
    assert run_lab("tree", tmp_path / "model", "Ann left.", tmp_path / "page.html").exit_code == 0


def test_a_component_of_ones_own_is_evaluated_and_drawn(tmp_path: Path) -> None:
    nlp = make_pipeline("extending_test_mentions")
    nlp.to_disk(tmp_path / "model")
    docs: list[Doc] = parse_bracketed(BOAT, nlp)
    DocBin(docs=docs).to_disk(tmp_path / "data.spacy")
    said = success("evaluate", tmp_path / "model", tmp_path / "data.spacy")
    assert "Own mentions" in said and "CEAF-phi4" in said
    assert run_lab("tree", tmp_path / "model", "Ann left.", tmp_path / "page.html").exit_code == 0
    assert "extending_test_mentions" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_a_component_of_ones_own_has_grids_and_reports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in (("base.cfg", BASE), ("grid.cfg", GRID)):
        Path(name).write_text(text.replace("structured_srl", "extending_test_mentions"), encoding="utf-8")
    assert {run.component for run in read_grid(Path("grid.cfg"))} == {"extending_test_mentions"}
    pytest.importorskip("matplotlib")
    write_report([make_record(component="extending_test_mentions")], tmp_path)
    assert "Coreference on test" in (tmp_path / "report.md").read_text(encoding="utf-8")
