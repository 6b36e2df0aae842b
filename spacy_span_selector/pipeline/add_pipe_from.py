"""A component of a trained pipeline in another pipeline, with an encoder of its own."""

from __future__ import annotations

from typing import Any

from spacy.language import Language

LISTENER = "model.tok2vec"
"""Where the architectures of this package, and those of spaCy, have their encoder."""


def add_pipe_from(nlp: Language, trained: Language, component: str, name: str | None = None, **placement: Any) -> Any:
    """Add a component of a trained pipeline to another one, where it computes what it computes there.

    `nlp.add_pipe(component, source=trained)` takes no encoder with it: one that `trained` shares among its components
    stays behind. Here the component gets a copy of it, as by `nlp.replace_listeners`. `trained` is not modified, and
    training the one does not change the other.

    nlp (Language): The pipeline that gets the component.
    trained (Language): The pipeline that has it.
    component (str): Its name there.
    name (str | None): Its name in `nlp`; None for the same.
    placement (str | int | bool): `before`, `after`, `first` or `last`, as for `nlp.add_pipe`.
    RETURNS (Callable[[Doc], Doc]): The component.
    RAISES (KeyError): If `trained` has no such component.
    """
    trained.get_pipe(component)  # the error of spaCy if there is none
    encoders = [other for other, pipe in trained.components if component in getattr(pipe, "listener_map", {})]
    without = [other for other in trained.component_names if other not in (component, *encoders)]
    copy = type(trained).from_config(trained.config, vocab=trained.vocab, exclude=without, auto_fill=False)
    copy.from_bytes(trained.to_bytes(exclude=["vocab", "tokenizer", *without]), exclude=["vocab", "tokenizer"])
    for encoder in encoders:
        copy.replace_listeners(encoder, component, [LISTENER])
    return nlp.add_pipe(component, name, source=copy, **placement)
