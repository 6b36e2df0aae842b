"""Encoders that do not see white space, so that where a text is wrapped changes no vector of a word."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from spacy.tokens import Doc, Span
from spacy.util import registry
from thinc.api import Model
from thinc.types import Floats2d, Ints1d

from ..documents.cleaned import PIECES, CleanDoc, clean_docs, split_doc

if TYPE_CHECKING:
    from spacy_transformers.data_classes import FullTransformerBatch

    RunTransformer = Callable[[Model[Any, Any], list[Doc], bool], tuple[FullTransformerBatch, Callable[[Any], Any]]]


@registry.architectures("spacy_span_selector.WithoutWhiteSpace.v1")
def without_white_space(tok2vec: Model[list[Doc], list[Floats2d]]) -> Model[list[Doc], list[Floats2d]]:
    """Give a tok2vec documents without white space tokens. The vectors of these are 0.

    Only a tok2vec that several components share needs it: a component of this package does so with its own. A token
    that is read as several words has the sum of their vectors.
    """
    return Model("without_white_space", _forward, init=_init, layers=[tok2vec], dims={"nO": None})


def _init(model: Model[list[Doc], list[Floats2d]], X: list[Doc] | None = None, Y: Any = None) -> None:
    (tok2vec,) = model.layers
    tok2vec.initialize(X=X)
    if tok2vec.has_dim("nO"):
        model.set_dim("nO", tok2vec.get_dim("nO"))


def _forward(
    model: Model[list[Doc], list[Floats2d]], docs: list[Doc], is_train: bool
) -> tuple[list[Floats2d], Callable[[list[Floats2d]], Any]]:
    (tok2vec,) = model.layers
    cleaned = clean_docs(docs)
    if not any(document.is_changed for document in cleaned):
        return tok2vec(docs, is_train)
    vectors, backprop = tok2vec([document.doc for document in cleaned], is_train)
    places: list[Any] = [tok2vec.ops.asarray1i(document.places.tolist()) for document in cleaned]

    def spread(document: CleanDoc, rows: Any, vector: Floats2d) -> Floats2d:
        whole = tok2vec.ops.alloc2f(len(document.source), vector.shape[1])
        tok2vec.ops.scatter_add(whole, rows, vector)
        return whole

    def backprop_words(d_vectors: list[Floats2d]) -> Any:
        return backprop([d_vector[rows] for rows, d_vector in zip(places, d_vectors, strict=True)])

    return [spread(*columns) for columns in zip(cleaned, places, vectors, strict=True)], backprop_words


def run_without_white_space(
    run: RunTransformer, model: Model[Any, Any], docs: list[Doc], is_train: bool
) -> tuple[FullTransformerBatch, Callable[[Any], Any]]:
    """Run a transformer on documents without white space tokens. No subword belongs to these."""
    # A document of white space alone is read as it is, as a transformer must read something.
    cleaned = [each if len(each.places) else split_doc(each.source) for each in clean_docs(docs)]
    output, backprop = run(model, [document.doc for document in cleaned], is_train)
    _return_to_source(output, cleaned)
    return output, backprop


def _return_to_source(output: FullTransformerBatch, cleaned: Sequence[CleanDoc]) -> None:
    """Make the output for documents without white space that for the documents as they are."""
    windows = [list(_source_windows(*row)) for row in zip(cleaned, output.spans, strict=True)]
    read = [_tokens(doc_windows) for doc_windows in output.spans]
    lengths: Any = output.align.lengths
    parts: list[Any] = []
    for document, words, doc_windows, end in zip(cleaned, read, windows, accumulate(map(len, read)), strict=True):
        pieces = PIECES[document.source] = lengths[end - len(words) : end]
        if document.is_changed:
            # White space has no subword, and a token all those of its words.
            of_tokens = np.zeros(len(document.source), dtype=lengths.dtype)
            np.add.at(of_tokens, document.places[words], pieces)
            pieces = of_tokens[_tokens(doc_windows)]
        parts.append(pieces)
    output.align.lengths = cast(Ints1d, np.concatenate(parts))
    output.spans = windows


def _source_windows(cleaned: CleanDoc, windows: Sequence[Span]) -> Iterator[Span]:
    """The windows of a document as it is, each with the white space behind its words, the first with that before."""
    edges = np.append(cleaned.places, len(cleaned.source)).tolist()
    edges[0] = 0
    for window in windows:
        start = edges[window.start]
        yield cleaned.source[start : max(edges[window.end], start + 1)]  # it may have a part of a token alone


def _tokens(windows: Sequence[Span]) -> list[int]:
    """The tokens of some windows in the order in which spacy-transformers numbers them: where each comes first."""
    return list(dict.fromkeys(token for window in windows for token in range(window.start, window.end)))
