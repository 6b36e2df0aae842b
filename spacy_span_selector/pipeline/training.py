"""Training of components: learning rates of their own, labels of another corpus."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, cast

from spacy.language import Language
from spacy.training import Example
from spacy.util import logger, registry
from thinc.api import Model, Optimizer
from thinc.types import FloatsXd


class ScaledOptimizer:
    """An optimizer whose learning rate is multiplied by a factor.

    Thinc's optimizers take such a factor at every call; this passes it on from models, which don't.
    """

    def __init__(self, sgd: Optimizer, factor: float) -> None:
        self.sgd = sgd
        self.factor = factor

    def __call__(
        self, key: tuple[int, str], weights: FloatsXd, gradient: FloatsXd, *, lr_scale: float = 1.0
    ) -> tuple[FloatsXd, FloatsXd]:
        updated: Any = self.sgd(key, weights, gradient, lr_scale=lr_scale * self.factor)
        return updated


def finish_update(model: Model[Any, Any], sgd: Optimizer, factor: float) -> None:
    """Update the weights of a `torch_head` model: those of its module at `factor` times the optimizer's rate."""
    model.get_ref("tok2vec").finish_update(sgd)
    model.get_ref("head").finish_update(cast(Optimizer, ScaledOptimizer(sgd, factor)))


@registry.callbacks("spacy_span_selector.add_labels.v1")
def create_add_labels(
    component: str, corpus: Callable[[Language], Iterable[Example]]
) -> Callable[[Language], Language]:
    """Create a callback for `[initialize.after_init]`: a component that a config takes from a trained pipeline learns
    the labels of the new corpus, too: roles and rolesets, or those of labelled spans.

    component (str): Name of the component, a `structured_srl` or `structured_spancat`.
    corpus (Callable[[Language], Iterable[Example]]): Reads the corpus, as `[corpora.train]` does.
    """

    def add_labels(nlp: Language) -> Language:
        pipe: Any = nlp.get_pipe(component)
        added = pipe.add_labels(example.reference for example in corpus(nlp))
        new = " and ".join(f"{len(labels)} new {kind}" for kind, labels in added.items())
        logger.info("'%s' learns %s", component, new)
        return nlp

    return add_labels
