"""Further training of components: labels of another corpus."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from spacy.language import Language
from spacy.training import Example
from spacy.util import logger, registry

MOST_NAMED = 10


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
        learning = [name for name, pipe in nlp.components if hasattr(pipe, "add_labels")]
        if component not in learning:
            raise ValueError(f"'{component}' learns no labels later; {', '.join(learning) or 'nothing here'} does.")
        pipe: Any = nlp.get_pipe(component)
        added = pipe.add_labels(example.reference for example in corpus(nlp))
        some = {kind: ", ".join(labels[:MOST_NAMED]) for kind, labels in added.items()}
        new = " and ".join(f"{len(labels)} new {kind} ({some[kind]})" for kind, labels in added.items())
        logger.info("'%s' learns %s", component, new)
        return nlp

    return add_labels
