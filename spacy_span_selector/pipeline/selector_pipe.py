"""What every component of this package does in training: only what it asks of its network and its loss differ."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any

import torch
from spacy.pipeline import TrainablePipe
from spacy.tokens import Doc
from spacy.training import Example, validate_examples
from thinc.api import Optimizer, set_dropout_rate

from ..layers.selection.candidates import AboveThreshold, CandidateStrategy, Decode, LikelyAndGold
from ..layers.selection.gold import GoldSpans
from ..layers.selection.selectors import BioSelector, GreedySelector, SigmoidSelector, SpanSelector
from ..layers.spans.layout import SpanLayout
from ..models.torch_head import HeadInput
from .optimizer import finish_update


class SelectorPipe(TrainablePipe):
    """A trainable component with a `torch_head` model that has a selector.

    Among its settings are `decoding`, `threshold`, `candidate_ratio`, `add_gold` and `learn_rate_factor`.
    """

    cfg: dict[str, Any]

    @property
    def selector(self) -> SpanSelector | BioSelector:
        """How spans are selected, as the model was configured."""
        selector: SpanSelector | BioSelector = self.model.attrs["selector"]
        return selector

    def prediction_strategy(self) -> CandidateStrategy:
        """Which spans are chosen at prediction, by selector and settings; a tagger asks for none."""
        if isinstance(self.selector, GreedySelector):
            return self._greedy_strategy(self.selector)
        if isinstance(self.selector, SigmoidSelector):
            return AboveThreshold(self.cfg["threshold"])
        return Decode(self.cfg["decoding"], self.cfg["threshold"])

    def _training_strategy(self, gold: GoldSpans) -> CandidateStrategy:
        """Which spans are chosen in training."""
        if isinstance(self.selector, GreedySelector):
            return self._greedy_strategy(self.selector)
        return LikelyAndGold(gold, self.cfg["candidate_ratio"], self.cfg["add_gold"])

    @abstractmethod
    def _greedy_strategy(self, selector: GreedySelector) -> CandidateStrategy:
        """What greedy selection keeps in this task."""

    @abstractmethod
    def _layout_and_gold(self, examples: Sequence[Example]) -> tuple[SpanLayout, Any]:
        """The sentences and the gold annotation of a batch."""

    @abstractmethod
    def _training_request(self, docs: Sequence[Doc], gold: Any) -> Any:
        """What the component asks of its network in training."""

    @abstractmethod
    def _loss(self, output: Any, gold: Any, layout: SpanLayout) -> tuple[torch.Tensor, list[torch.Tensor]]:
        """The loss of what the network says of a batch, and the tensors that it is computed from."""

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
            are not annotated teach nothing.
        drop (float): Dropout of the tok2vec. The network has its own, set in its architecture.
        sgd (Optimizer | None): The optimizer; gradients are only accumulated without one.
        losses (dict[str, float] | None): The loss is added to the entry of the component's name.
        RETURNS (dict[str, float]): The losses.
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
        output, backprop = self.model.begin_update(HeadInput(docs, layout, self._training_request(docs, gold)))
        loss, gradient = self._loss_and_gradient(output, gold, layout)
        backprop(gradient)
        if sgd not in (None, False):
            self.finish_update(sgd)
        losses[self.name] += loss
        return losses

    def get_loss(
        self, examples: Iterable[Example], scores: Any
    ) -> tuple[float, list[tuple[torch.Tensor, torch.Tensor]]]:
        """The loss of what the model says of a batch, and its gradient.

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
        finish_update(self.model, sgd, self.cfg["learn_rate_factor"])

    def _loss_and_gradient(
        self, output: Any, gold: Any, layout: SpanLayout
    ) -> tuple[float, list[tuple[torch.Tensor, torch.Tensor]]]:
        loss, tensors = self._loss(output, gold, layout)
        gradients = torch.autograd.grad(loss, tensors, materialize_grads=True)
        return loss.item(), list(zip(tensors, gradients, strict=True))
