"""Training of components: contradictions in a config, learning rates of their own, labels of another corpus."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any, cast

from spacy.language import Language
from spacy.training import Example
from spacy.util import logger, registry
from thinc.api import Config, Model, Optimizer
from thinc.types import FloatsXd

from ..examples.lost import level_of_caller
from ..examples.sentences import lacks_boundaries

BOUNDARIES = "token.is_sent_start"
"""The attributes assigned by components that set sentence boundaries."""


def warn_before_training(nlp: Language, component: str, examples: Iterable[Example]) -> None:
    """Warn of what training would not tell, or only hours later.

    nlp (Language): The pipeline.
    component (str): Name of the component, for messages.
    examples (Iterable[Example]): The training examples.
    """
    for problem in (planned_for_other_steps(nlp.config), _no_boundaries(nlp, component, examples)):
        if problem:
            warnings.warn(problem, stacklevel=level_of_caller())


def planned_for_other_steps(config: Config) -> str | None:
    """Describe a config whose learning rate is planned for another number of steps than training has.

    config (Config): The whole config of a training.
    """
    training: dict[str, Any] = config.interpolate().get("training", {})
    steps = training.get("max_steps")
    rate = training.get("optimizer", {}).get("learn_rate")
    planned = rate.get("total_steps") if isinstance(rate, dict) else None
    if not steps or planned is None or planned == steps:
        return None
    return (
        f"Training ends after {steps} steps (training.max_steps), but its learning rate is planned for {planned} "
        "(training.optimizer.learn_rate.total_steps). Give both the same number. Where training.max_steps "
        f"follows the other, as in the configs of this package, --training.optimizer.learn_rate.total_steps {steps} is "
        "enough."
    )


def _no_boundaries(nlp: Language, component: str, examples: Iterable[Example]) -> str | None:
    """Check that nothing promises sentence boundaries at prediction."""
    names = nlp.pipe_names
    before = names[: names.index(component)] if component in names else names
    first = (example.predicted for example in islice(examples, 10))
    if any(BOUNDARIES in nlp.get_pipe_meta(name).assigns for name in before) or not any(map(lacks_boundaries, first)):
        return None
    return (
        f"'{component}' selects spans sentence by sentence, but no component before it says that it sets sentence "
        f"boundaries (none assigns '{BOUNDARIES}'). If none does, the first evaluation will fail: put one before it, "
        "such as word_sentencizer. In [training] annotating_components it sets them in training, too; without, those "
        "of the corpus are used."
    )


class ScaledOptimizer:
    """An optimizer whose learning rate is multiplied by a factor.

    Thinc's optimizers take such a factor at every call; this passes it on from models, which don't.

    sgd (Optimizer): The optimizer of the pipeline.
    factor (float): Multiplies its learning rate.
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
    """Update the weights of a `torch_head` model: those of its module at `factor` times the optimizer's rate.

    model (Model): The model.
    sgd (Optimizer): The optimizer of the pipeline.
    factor (float): Multiplies its learning rate, for the module alone.
    """
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
