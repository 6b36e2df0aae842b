"""Encoders that components share.

A listener of spaCy gives vectors of zeros where no encoder has run. From these a component would predict without a word
what means nothing.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from spacy.language import Language
from spacy.pipeline.tok2vec import Tok2VecListener
from spacy.tokens import Doc
from thinc.api import Model

from ..annotation import describe_doc

TRANSFORMER_LISTENER = "transformer-listener"
"""The name of the listeners of spacy-transformers, which need not be installed."""

LISTENER = "model.tok2vec"
"""Where the architectures of this package, and those of spaCy, have their encoder."""


def add_pipe_from(nlp: Language, trained: Language, component: str, name: str | None = None, **placement: Any) -> Any:
    """Add a component of a trained pipeline to another one, where it computes what it computes there.

    `nlp.add_pipe(component, source=trained)` takes no encoder with it: one that `trained` shares among its components
    stays behind. Here the component gets a copy of it, as by `nlp.replace_listeners`. `trained` is not modified, and
    training the one does not change the other.

    placement (str | int | bool): `before`, `after`, `first` or `last`, as for `nlp.add_pipe`.
    RAISES (KeyError): If `trained` has no such component.
    """
    trained.get_pipe(component)  # the error of spaCy if there is none
    if nlp.lang != trained.lang:
        warnings.warn(f"'{component}' has learnt the language '{trained.lang}', not '{nlp.lang}'.", stacklevel=2)
    encoders = [other for other, pipe in trained.components if component in getattr(pipe, "listener_map", {})]
    without = [other for other in trained.component_names if other not in (component, *encoders)]
    copy = type(trained).from_config(trained.config, vocab=trained.vocab, exclude=without, auto_fill=False)
    copy.from_bytes(trained.to_bytes(exclude=["vocab", "tokenizer", *without]), exclude=["vocab", "tokenizer"])
    for encoder in encoders:
        copy.replace_listeners(encoder, component, [LISTENER])
    return nlp.add_pipe(component, name, source=copy, **placement)


def check_listeners(model: Model[Any, Any], docs: Sequence[Doc], component: str, *, is_train: bool = False) -> None:
    """Check that the shared encoder of a component, if it has one, has run on documents.

    is_train (bool): Whether the model is to be trained: an encoder that learns, too, sends its vectors past `docs`.
    RAISES (ValueError): If no encoder has run on one of them, or one of another width.
    """
    nodes = model.get_ref("tok2vec").walk()
    for listener in (node for node in nodes if isinstance(node, Tok2VecListener) or node.name == TRANSFORMER_LISTENER):
        expected = listener.get_dim("nO") if listener.has_dim("nO") else None
        for doc, width in _widths(listener, docs, is_train):
            if width is None:
                problem = f"but no encoder has run on {describe_doc(doc)}"
            elif expected not in (None, width):
                problem = f"for vectors of width {expected}, but an encoder gave {describe_doc(doc)} some of {width}"
            else:
                continue
            raise ValueError(_message(listener, component, problem))


def _message(listener: Any, component: str, problem: str) -> str:
    upstream = listener.upstream_name
    encoder = "a shared encoder" if upstream == "*" else f"the encoder '{upstream}'"
    name = upstream if upstream != "*" else "tok2vec" if isinstance(listener, Tok2VecListener) else "transformer"
    return (
        f"'{component}' listens to {encoder}, {problem}. Put the encoder that '{component}' was trained with before "
        f"it. Or give it a copy of its own: spacy_span_selector.add_pipe_from(nlp, trained, '{component}') does so, "
        f"and in the pipeline that has both, nlp.replace_listeners('{name}', '{component}', ['model.tok2vec']). In "
        "training, give both the same width, and name an encoder that is frozen in [training] annotating_components."
    )


def _widths(listener: Any, docs: Sequence[Doc], is_train: bool) -> list[tuple[Doc, int | None]]:
    """The documents with words, and the width of the vectors that a listener has for them; None without vectors."""
    if not is_train or listener._batch_id is None:
        return [(doc, _width(listener, _kept_output(listener, doc))) for doc in docs if len(doc)]
    if len(listener._outputs) != len(docs):
        return []  # those of another batch, of which spaCy says so
    return [(doc, _width(listener, output)) for doc, output in zip(docs, listener._outputs, strict=True) if len(doc)]


def _kept_output(listener: Any, doc: Doc) -> Any:
    """The output that an encoder has left with a document, None if none has run."""
    if isinstance(listener, Tok2VecListener):
        return doc.tensor
    return doc._.trf_data if Doc.has_extension("trf_data") else None


def _width(listener: Any, output: Any) -> int | None:
    if isinstance(listener, Tok2VecListener):
        return output.shape[1] if output.size else None
    model_output = getattr(output, "model_output", None)  # that of spacy-curated-transformers has none
    return None if model_output is None else model_output.last_hidden_state.shape[-1]
