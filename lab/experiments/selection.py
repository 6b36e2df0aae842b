"""Run a pipeline on documents and keep what the selectors of its components make of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc

from spacy_span_selector.pipeline.doc_selection import DocSelection


def annotate_with_selections(
    nlp: Language, docs: Iterable[Doc], components: Collection[str]
) -> Iterator[tuple[Doc, dict[str, DocSelection]]]:
    """Annotate documents, each network running once.

    nlp (Language): The pipeline.
    docs (Iterable[Doc]): The documents.
    components (Collection[str]): Names of the components whose selections are wanted.
    YIELDS (tuple[Doc, dict[str, DocSelection]]): Each document, annotated, and the selection of each component that
        scores spans.
    """
    first = min(map(nlp.pipe_names.index, components))
    for doc in nlp.pipe(docs, batch_size=nlp.batch_size, disable=nlp.pipe_names[first:]):
        selections: dict[str, DocSelection] = {}
        for name, component in nlp.pipeline[first:]:
            pipe: Any = component
            if name in components:
                prediction, selection = pipe.predict_with_selection(doc)
                pipe.set_annotations([doc], [prediction])
                if selection is not None:
                    selections[name] = selection
            else:
                doc = pipe(doc)
        yield doc, selections
