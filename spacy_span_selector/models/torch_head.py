"""A torch module behind any spaCy tok2vec, as one Thinc model.

The module is built when its sizes are known: at initialization, where the tok2vec tells the width of its
vectors and the component the number of its labels, or when saved weights are loaded. It runs on a whole batch of
documents at once.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar, cast

import srsly
import torch
from spacy.tokens import Doc
from thinc.api import ArgsKwargs, Model, PyTorchShim, get_torch_default_device, torch2xp, xp2torch
from thinc.types import Floats2d, Ragged
from torch import nn

from ..annotation import describe_doc
from ..documents.cleaned import PIECES, CleanDoc
from ..layers.spans.layout import SpanLayout
from ..wcfg.validation import ScoreError
from .finite import NotFinite, first_not_finite, module_gradients
from .weights import check_finite, check_shapes, load_weights, save_weights

Module = TypeVar("Module", bound=nn.Module)

DOCS_READER = "docs_reader"
"""The attribute of a model that is its `DocsReader`; its component sets it."""

IMPORTED_IN = os.getpid()
"""The process that has imported torch; another one was forked from it, since others import anew."""

HeadBuilder = Callable[..., nn.Module]
"""Builds the module from its sizes, given by name: `width` of the token vectors, and those that the component
sets as `model.attrs["sizes"]`. The module keeps them as its attribute `sizes`. Must be picklable."""


def at_rest(module: Module) -> Module:
    """Put a module into evaluation mode, where training has left it in the other one.

    Thinc puts a module back into training mode after each prediction, which turns on dropout in all other threads
    that are predicting with it. Here prediction never does so: training asks for its mode itself.
    """
    # All parts, not the module alone: another thread may be halfway through them.
    if any(part.training for part in module.modules()):
        module.eval()
    return module


class AveragedShim(PyTorchShim):
    """A torch module whose weights can be replaced by their averages for a while, as `use_averages` promises.

    Thinc's optimizers keep an average of each weight, and spaCy puts averages in place of weights when it scores and
    saves a pipeline. Thinc looks for those of a torch module under other names than its optimizers use, and finds none.
    """

    @contextmanager
    def use_params(self, params: Mapping[Any, Any]) -> Iterator[None]:
        """Use other weights, by the number of the shim and their names, as in `averages` of an optimizer."""
        module = self._model
        weights = {} if module is None else dict(module.named_parameters())
        own = {name: weight.data for name, weight in weights.items() if (self.id, name) in params}
        try:
            for name, data in own.items():
                weights[name].data = xp2torch(params[self.id, name], device=data.device)
            yield
        finally:
            for name, data in own.items():
                weights[name].data = data


@dataclass(frozen=True)
class HeadInput:
    """A batch of documents, and what the module needs beside their token vectors."""

    docs: list[CleanDoc]
    layout: SpanLayout
    request: Any


class DocsReader:
    """Makes the input of a model from documents, by a method of its component, for `spacy debug model` and the like."""

    def __init__(self, read: Callable[[list[Doc]], HeadInput]) -> None:
        self.read = read

    def __deepcopy__(self, memo: dict[int, Any]) -> DocsReader:
        return self  # with a copy of a model, Thinc would copy the component and the vocabulary


def torch_head(name: str, tok2vec: Model[list[Doc], list[Floats2d]], build: HeadBuilder) -> Model[HeadInput, Any]:
    """Put a torch module behind a tok2vec, which gives one vector for each token.

    build (HeadBuilder): Builds the module, whose forward takes (tokens, layout, request).
    RETURNS (Model[HeadInput, Any]): Its output is the module's, as torch tensors. Its backprop callback takes
        a sequence of (output tensor, gradient) pairs and returns what the tok2vec's callback returns.
    """
    shim = AveragedShim(None, serialize_model=_serialize, deserialize_model=partial(_deserialize, build, name))
    head: Model[Any, Any] = Model(f"{name}_head", _head_forward, shims=[shim])
    return Model(
        name, _forward, init=partial(_init, build), layers=[tok2vec, head], refs={"tok2vec": tok2vec, "head": head}
    )


def head_module(model: Model[HeadInput, Any]) -> nn.Module | None:
    """The module of a `torch_head` model; None if it is not built yet."""
    return model.get_ref("head").shims[0]._model


def head_device(model: Model[HeadInput, Any]) -> torch.device:
    """The device of the module of a `torch_head` model; the default one if the module is not built yet."""
    module = head_module(model)
    return get_torch_default_device() if module is None else next(module.parameters()).device


def resize_output(model: Model[HeadInput, Any], *labels: Any) -> Model[HeadInput, Any]:
    """Let the module of a `torch_head` model `grow`, if it is built, to learn more labels."""
    module: Any = head_module(model)
    if module is not None:
        module.grow(*labels)
        # What optimizers know of the old weights does not fit.
        model.get_ref("head").shims[0].id = AveragedShim(None).id
    return model


def compute_alone_if_forked() -> None:
    """Let torch compute in one thread in a process that was forked, as by `nlp.pipe(n_process=2)`."""
    # Such a process has the state of torch's pool of threads without its threads, and would wait for them for ever.
    if os.getpid() != IMPORTED_IN:
        torch.set_num_threads(1)


def _forward(
    model: Model[HeadInput, Any], X: HeadInput | list[Doc], is_train: bool
) -> tuple[Any, Callable[[Any], Any]]:
    if not isinstance(X, HeadInput):
        X = cast(DocsReader, model.attrs[DOCS_READER]).read(X)
    vectors, backprop_tok2vec = _word_vectors(model.get_ref("tok2vec"), X.docs, is_train)
    lengths = [len(vector) for vector in vectors]
    # The vectors of an empty document have no known width if they come from a transformer.
    filled = [vector for vector in vectors if len(vector)]
    tokens = filled[0] if len(filled) == 1 else model.ops.xp.concatenate(filled)
    if first_not_finite([("tokens", xp2torch(tokens))]):
        named = [(describe_doc(row.source), xp2torch(vector)) for row, vector in zip(X.docs, vectors, strict=True)]
        raise NotFinite(f"the token vectors of {first_not_finite(named)}")
    output, backprop_head = model.get_ref("head")((tokens, X.layout, X.request), is_train)

    def backprop(d_output: Sequence[tuple[torch.Tensor, torch.Tensor]]) -> Any:
        d_tokens = backprop_head(d_output)
        return backprop_tok2vec(model.ops.unflatten(d_tokens, model.ops.asarray1i(lengths)))

    return output, backprop


def _word_vectors(
    tok2vec: Model[list[Doc], list[Floats2d]], cleaned: list[CleanDoc], is_train: bool
) -> tuple[list[Floats2d], Callable[[list[Floats2d]], Any]]:
    """The vectors of the words of documents.

    A tok2vec of the component's own sees no white space. A listener takes what an earlier component made of the whole
    document, from which the vectors of white space are left out. Of a transformer that is known to have read words, it
    takes their vectors, otherwise several words of one token have the same.
    """
    listener: Any = next((layer for layer in tok2vec.walk() if hasattr(layer, "upstream_name")), None)
    if listener is None or not any(document.is_changed for document in cleaned):
        return tok2vec([document.doc for document in cleaned], is_train)
    with _listening_to_words(listener, cleaned, is_train) as in_words:
        vectors, backprop = tok2vec([document.source for document in cleaned], is_train)
    places: list[Any] = [
        tok2vec.ops.asarray1i(range(len(document.doc)) if is_read else document.places.tolist())
        for document, is_read in zip(cleaned, in_words, strict=True)
    ]

    def backprop_words(d_words: list[Floats2d]) -> Any:
        d_vectors = [tok2vec.ops.alloc2f(*vector.shape) for vector in vectors]
        for rows, d_vector, d_own in zip(places, d_vectors, d_words, strict=True):
            tok2vec.ops.scatter_add(d_vector, rows, d_own)
        return backprop(d_vectors)

    return [vector[rows] for rows, vector in zip(places, vectors, strict=True)], backprop_words


@contextmanager
def _listening_to_words(listener: Any, cleaned: list[CleanDoc], is_train: bool) -> Iterator[list[bool]]:
    """Let a listener have the subwords of a transformer by the words of documents, as far as these are known.

    YIELDS (list[bool]): Whether they are, for each document.
    """
    read = [PIECES.get(document.source, ()) for document in cleaned]
    known = [row.is_split and len(row.doc) == len(own) for row, own in zip(cleaned, read, strict=True)]
    if not any(known):
        yield known
        return

    learns = is_train and listener._batch_id is not None

    def give(outputs: list[Any]) -> None:
        if learns:
            listener._outputs = outputs
            return
        for document, output in zip(cleaned, outputs, strict=True):
            document.source._.trf_data = output

    outputs = listener._outputs if learns else [document.source._.trf_data for document in cleaned]
    rows = zip(outputs, read, known, strict=True)
    give([replace(row, align=Ragged(row.align.dataXd, own)) if is_known else row for row, own, is_known in rows])
    try:
        yield known
    finally:
        give(outputs)


def _head_forward(model: Model[Any, Any], X: Any, is_train: bool) -> tuple[Any, Callable[[Any], Any]]:
    vectors, layout, request = X
    shim = cast(PyTorchShim, model.shims[0])
    tokens = xp2torch(vectors, requires_grad=is_train, device=shim.device)
    arguments = ArgsKwargs((tokens, layout, request), {})
    if not is_train:
        return _predict(cast(nn.Module, shim._model), arguments.args), lambda d_output: d_output
    with _naming_scores():
        output, backprop_torch = shim.begin_update(arguments)

    def backprop(d_output: Sequence[tuple[torch.Tensor, torch.Tensor]]) -> Any:
        tensors, gradients = zip(*d_output, strict=True)
        backprop_torch(ArgsKwargs((list(tensors),), {"grad_tensors": list(gradients)}))
        gradient = cast(torch.Tensor, tokens.grad)
        name = first_not_finite([("the token vectors", gradient), *module_gradients(shim._model)])
        if name:  # an encoder that others share must not get it
            raise NotFinite(f"the gradient of {name}")
        return torch2xp(gradient)

    return output, backprop


def _predict(module: nn.Module, arguments: Sequence[Any]) -> Any:
    """The output of a module, whose weights must be numbers: with others it would find nothing, in silence."""
    with torch.inference_mode(), _naming_scores():
        if name := first_not_finite(module.named_parameters()):
            # What is loaded has none, but whoever has the pipeline in memory can change it.
            raise NotFinite(f"'{name}' of its network, so load the pipeline again, or train it again")
        return at_rest(module)(*arguments)


@contextmanager
def _naming_scores() -> Iterator[None]:
    """Say of what a grammar can't compute with that these are scores of spans."""
    try:
        yield
    except ScoreError as error:
        raise NotFinite(f"the scores of spans, or they are too large: {error}") from error


def _init(build: HeadBuilder, model: Model[HeadInput, Any], X: list[Doc] | None = None, Y: Any = None) -> None:
    tok2vec = model.get_ref("tok2vec")
    tok2vec.initialize(X=X)
    if X:
        width = tok2vec.predict(X)[0].shape[1]
    elif tok2vec.has_dim("nO"):
        width = tok2vec.get_dim("nO")
    else:
        raise ValueError(
            f"Can't initialize '{model.name}': the width of its tok2vec is not known before it has seen a document. "
            "Initialize it with examples (nlp.initialize(get_examples))."
        )
    module = build(width=int(width), **model.attrs.get("sizes", {}))
    head = model.get_ref("head")
    head.shims[0]._model = module.to(get_torch_default_device())
    # Thinc does not see the layers of torch; `spacy debug model` shows attributes.
    layers = {name: str(layer) for name, layer in module.named_modules() if not any(layer.children())}
    head.attrs["layers"] = layers


def _serialize(module: nn.Module | None) -> bytes:
    if module is None:
        return b""
    return srsly.msgpack_dumps({"sizes": module.sizes, "weights": save_weights(module)})


def _deserialize(
    build: HeadBuilder, name: str, module: nn.Module | None, packed: bytes, device: torch.device
) -> nn.Module | None:
    if not packed:
        return None
    owner = f"the network '{name}'"
    sizes, saved = _unpack(packed, owner)
    weights = load_weights(saved, device, owner)
    if module is None or module.sizes != sizes:
        # Sizes may ask for more memory than there is. On this device nothing takes any.
        check_shapes(weights, _build(build, sizes, owner, "meta"), owner)
        module = _build(build, sizes, owner, "cpu")
    check_shapes(weights, module, owner)
    check_finite(weights, owner)
    module.load_state_dict(weights)
    return module.to(device)


def _unpack(packed: bytes, owner: str) -> tuple[dict[str, int], bytes]:
    """The sizes and the weights that a module was saved with."""
    content = srsly.msgpack_loads(packed)
    sizes = content.get("sizes") if isinstance(content, dict) else None
    if not isinstance(sizes, dict) or not all(type(size) is int and 0 <= size < 1 << 31 for size in sizes.values()):
        raise ValueError(
            f"The sizes of {owner} are {str(sizes)[:80]}; expected whole numbers by name, such as {{'width': 96}}. Get "
            "the pipeline again from where it was trained."
        )
    return sizes, content.get("weights", b"")


def _build(build: HeadBuilder, sizes: dict[str, int], owner: str, device: str) -> nn.Module:
    try:
        with torch.device(device):
            return build(**sizes)
    except (TypeError, ValueError, RuntimeError) as error:
        raise ValueError(f"{owner[0].upper()}{owner[1:]} can't be built from its sizes {sizes}: {error}") from error
