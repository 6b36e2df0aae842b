"""What is said before training about a pipeline whose settings do not fit each other: a training takes long."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from itertools import islice
from typing import Any

from spacy.language import Language
from spacy.training import Example
from thinc.api import Config

from ..examples.lost import level_of_caller
from ..examples.sentences import lacks_boundaries

BOUNDARIES = "token.is_sent_start"
"""What components assign that set sentence boundaries."""


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
    """What is to be said of a config whose learning rate is planned for another number of steps than training has.

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
    """Whether nothing says that there will be sentence boundaries at prediction."""
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
