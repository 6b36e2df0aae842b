"""The base of every component: settings, prediction, training. A component adds its network, its loss, its output."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar, Generic, Protocol, TypeVar, cast

import torch
from spacy.language import Language
from spacy.pipeline import TrainablePipe
from spacy.tokens import Doc
from spacy.training import Example, validate_examples
from thinc.api import Model, Optimizer, set_dropout_rate

from ..annotation import describe_doc, set_mentions
from ..layers.selection.candidates import CandidateStrategy, Decoding
from ..layers.selection.gold import GoldSpans
from ..layers.selection.network import Selection
from ..layers.selection.selectors import Selector, selects_spans
from ..layers.spans.layout import Runs, SpanLayout
from ..models.finite import NotFinite, discard_gradients, first_not_finite, model_gradients
from ..models.torch_head import HeadInput, head_device
from .batches import PREDICT_WORDS, batch_by_words
from .doc_selection import DocSelection
from .lost import LostSpans
from .optimizer import finish_update
from .sentences import sentence_runs
from .settings import PipeSettings


@dataclass(frozen=True)
class SpanPrediction:
    """What a component predicts for a document.

    spans (list[tuple[int, int]]): Every selected span as token offsets, in the order of the text.
    scores (list[float]): Their selection probabilities.
    """

    spans: list[tuple[int, int]] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)


class SelectionOutput(Protocol):
    """The output of a network that selects spans."""

    @property
    def selection(self) -> Selection | None:
        """The selected spans; None if tokens were tagged instead."""


Settings = TypeVar("Settings", bound=PipeSettings)
Gold = TypeVar("Gold", bound=GoldSpans)
Output = TypeVar("Output", bound=SelectionOutput)
Prediction = TypeVar("Prediction", bound=SpanPrediction)

Gradients = list[tuple[torch.Tensor, torch.Tensor]]
"""Tensors of the network's output, each with its gradient."""


class SelectorPipe(TrainablePipe, ABC, Generic[Settings, Gold, Output, Prediction]):
    """A trainable component with a `torch_head` model that has a selector."""

    cfg: dict[str, Any]
    settings_type: ClassVar[type[PipeSettings]]
    prediction_type: ClassVar[type[SpanPrediction]]
    gold_name: ClassVar[str]
    """What messages call a piece of gold annotation."""

    def __init__(
        self,
        nlp: Language,
        model: Model[Any, Any],
        name: str,
        settings: Settings,
        *,
        scorer: Callable[..., dict[str, Any]] | None = None,
    ) -> None:
        """Initialize the component.

        nlp (Language): The pipeline.
        model (Model[HeadInput, Any]): The network behind a tok2vec.
        name (str): Name of the component, used for its losses.
        settings (PipeSettings): The settings; kept in `cfg`, where they are saved and may be changed.
        scorer (Callable | None): The scoring method.
        RAISES (ValueError): If a setting is not one of its choices, or out of range.
        """
        settings.check(name)
        self.vocab = nlp.vocab
        self.model = model
        self.name = name
        self.scorer = scorer
        self.cfg = asdict(settings)
        self.lost = LostSpans()

    @property
    def settings(self) -> Settings:
        """The settings as they are in `cfg` now.

        RAISES (ValueError): If one was changed to what is not valid.
        """
        settings = self.settings_type(**{name: self.cfg[name] for name in self.settings_type.names()})
        settings.check(self.name)
        return cast(Settings, settings)

    @property
    def selector(self) -> Selector:
        """How spans are selected, as the model was configured."""
        selector: Selector = self.model.attrs["selector"]
        return selector

    def prediction_strategy(self) -> CandidateStrategy:
        """Which spans are kept at prediction, by selector and settings."""
        settings = self.settings
        return self.selector.prediction_strategy(cast(Decoding, settings.decoding), settings.threshold)

    def training_strategy(self, gold: Gold) -> CandidateStrategy:
        """Which spans are linked or classified in training, by selector and settings.

        gold (GoldSpans): The annotation of the batch.
        """
        settings = self.settings
        return self.selector.training_strategy(gold, settings.candidate_ratio, settings.add_gold)

    def predict(self, docs: Iterable[Doc]) -> list[Prediction]:
        """Annotate a batch of documents, without modifying them.

        docs (Iterable[Doc]): The documents, with sentence boundaries.
        RETURNS (list[Prediction]): One for each document.
        RAISES (ValueError): If a document has no sentence boundaries, or a token vector is NaN or infinite.
        """
        return [
            prediction for batch in batch_by_words(docs, PREDICT_WORDS) for prediction in self._predict_batch(batch)[0]
        ]

    def predict_with_selection(self, doc: Doc) -> tuple[Prediction, DocSelection | None]:
        """Annotate a document, and show what the selector made of its spans.

        doc (Doc): The document, with sentence boundaries; it is not modified.
        RETURNS (tuple[Prediction, DocSelection | None]): The prediction as by `predict`, and the selection: None if no
            spans are scored, because the document has no sentences or the component tags tokens.
        RAISES (ValueError): If the document has no sentence boundaries.
        """
        (prediction,), layout, output = self._predict_batch([doc])
        selector = self.selector
        if output is not None and output.selection is not None and selects_spans(selector):
            return prediction, DocSelection(doc, output.selection, layout, selector, self.settings.threshold)
        return prediction, None

    def set_annotations(self, docs: Iterable[Doc], scores: Sequence[Prediction]) -> None:
        """Write predictions to documents, in place of any that are there.

        docs (Iterable[Doc]): The documents.
        scores (Sequence[Prediction]): What `predict` returned for them.
        """
        settings = self.settings
        for doc, prediction in zip(docs, scores, strict=True):
            set_mentions(doc, prediction.spans, prediction.scores, key=settings.selected_key)
            self._annotate(doc, prediction, settings)

    def update(
        self,
        examples: Iterable[Example],
        *,
        drop: float = 0.0,
        sgd: Optimizer | None = None,
        losses: dict[str, float] | None = None,
    ) -> dict[str, float]:
        """Learn from a batch of examples.

        examples (Iterable[Example]): The batch. Predicted documents need sentence boundaries; references that
            are not annotated are ignored.
        drop (float): Dropout of the tok2vec. The network has its own, set in its architecture.
        sgd (Optimizer | None): The optimizer; gradients are only accumulated without one.
        losses (dict[str, float] | None): The loss is added to the entry of the component's name.
        RETURNS (dict[str, float]): The losses.
        RAISES (NotFinite): If the loss, a gradient or a token vector is NaN or infinite. The optimizer is not called,
            and the component's gradients, which may have been accumulated over several calls, are forgotten.
        """
        losses = {} if losses is None else losses
        losses.setdefault(self.name, 0.0)
        examples = list(examples)
        validate_examples(examples, f"{type(self).__name__}.update")
        if not any(len(example.predicted) for example in examples):
            return losses
        set_dropout_rate(self.model, drop)
        docs = [example.predicted for example in examples]
        layout, gold = self._layout_and_gold(examples)
        if not layout.size:  # nothing but markers of speakers
            return losses
        request = self._training_request(docs, gold)
        try:
            output, backprop = self.model.begin_update(HeadInput(docs, layout, request))
            loss, gradient = self._loss_and_gradient(output, gold, layout)
            if not math.isfinite(loss):
                raise NotFinite("the loss")
            backprop(gradient)
            name = first_not_finite(model_gradients(self.model.get_ref("tok2vec")))
            if name:
                raise NotFinite(f"the gradient of {name}")
        except NotFinite as error:
            discard_gradients(self.model)
            raise NotFinite(
                f"'{self.name}' can't learn from a batch: there is NaN or infinity in {error}. Its weights are as they "
                "were before. Lower the learning rate, or warm it up for longer; if this happens in the first steps, "
                "check the vectors and weights of the encoder, and turn off its mixed_precision. The batch is "
                f"{', '.join(map(describe_doc, docs))}."
            ) from error
        if sgd not in (None, False):
            self.finish_update(sgd)
        losses[self.name] += loss
        return losses

    def get_loss(self, examples: Iterable[Example], scores: Any) -> tuple[float, Gradients]:
        """The loss of a batch, and its gradient.

        examples (Iterable[Example]): The batch.
        scores (Any): The model's output for the predicted documents, from `begin_update`.
        RETURNS (tuple): The loss, and (output tensor, gradient) pairs for the model's backprop.
        """
        layout, gold = self._layout_and_gold(list(examples))
        return self._loss_and_gradient(scores, gold, layout)

    def finish_update(self, sgd: Optimizer) -> None:
        """Update the weights: the network's own at `learn_rate_factor` times the optimizer's rate.

        sgd (Optimizer): The optimizer.
        """
        finish_update(self.model, sgd, self.settings.learn_rate_factor)

    @abstractmethod
    def _read_gold(
        self, examples: Sequence[Example], sentences: Sequence[Runs], device: torch.device
    ) -> tuple[Gold, LostSpans]:
        """The gold annotation of a batch as tensors, and what of it cannot be learnt."""

    @abstractmethod
    def _training_request(self, docs: Sequence[Doc], gold: Gold) -> Any:
        """What the component asks of its network in training."""

    @abstractmethod
    def _prediction_request(self, docs: Sequence[Doc], layout: SpanLayout) -> Any:
        """What the component asks of its network at prediction."""

    @abstractmethod
    def _loss(self, output: Output, gold: Gold, layout: SpanLayout) -> tuple[torch.Tensor, list[torch.Tensor]]:
        """The loss of a batch, and the tensors that it is computed from."""

    @abstractmethod
    def _predictions(
        self, docs: Sequence[Doc], layout: SpanLayout, request: Any, output: Output
    ) -> Iterable[Prediction]:
        """The output of the network for a batch, document by document."""

    @abstractmethod
    def _annotate(self, doc: Doc, prediction: Prediction, settings: Settings) -> None:
        """Write a prediction to a document, except for the selected spans."""

    def _predict_batch(self, docs: list[Doc]) -> tuple[list[Prediction], SpanLayout, Output | None]:
        """The predictions, the sentences, and the output of the network, which does not run without sentences."""
        layout = SpanLayout.build(sentence_runs(docs, self.name), head_device(self.model))
        if not layout.size:
            return [cast(Prediction, self.prediction_type()) for _ in docs], layout, None
        request = self._prediction_request(docs, layout)
        try:
            output: Output = self.model.predict(HeadInput(docs, layout, request))
        except NotFinite as error:
            raise NotFinite(
                f"'{self.name}' can't annotate: there is NaN or infinity in {error}. Check the vectors and weights of "
                "the encoder, and turn off its mixed_precision."
            ) from error
        return list(self._predictions(docs, layout, request, output)), layout, output

    def _layout_and_gold(self, examples: Sequence[Example]) -> tuple[SpanLayout, Gold]:
        """The sentences and the gold annotation of a batch; the first loss of each kind is reported."""
        sentences = sentence_runs([example.predicted for example in examples], self.name)
        device = head_device(self.model)
        gold, lost = self._read_gold(examples, sentences, device)
        self.lost.take_over(lost, self.name, self.gold_name)
        return SpanLayout.build(sentences, device), gold

    def _loss_settings(self) -> dict[str, Any]:
        """The settings that losses depend on, as keyword arguments."""
        settings = self.settings
        return {"annotation": settings.annotation, "negatives": settings.negatives}

    def _loss_and_gradient(self, output: Output, gold: Gold, layout: SpanLayout) -> tuple[float, Gradients]:
        loss, tensors = self._loss(output, gold, layout)
        gradients = torch.autograd.grad(loss, tensors, materialize_grads=True)
        return loss.item(), list(zip(tensors, gradients, strict=True))
