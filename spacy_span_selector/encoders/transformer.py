"""The encoder of spacy-transformers, run in blocks of windows.

spacy-transformers runs all windows of a batch at once, each padded to the longest of all. Here they are sorted by
length and run in blocks, each padded to its own longest window. A block is small enough for the cache of a CPU, and
memory does not grow with the document. Apart from rounding the output is the same, and so are the files: either loads
what the other has saved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np
import torch
from pydantic.dataclasses import dataclass
from spacy.tokens import Doc, Span
from spacy.util import registry
from thinc.api import Model, chain, xp2torch
from thinc.types import Floats2d, Ragged
from torch import Tensor

from ..layers.spans.computing import has_bfloat16, in_bfloat16
from ..models.finite import NotFinite, first_not_finite, module_gradients
from ..models.torch_head import at_rest, compute_alone_if_forked
from ..signatures import CHECKED, takes_settings

if TYPE_CHECKING:
    from spacy_transformers.data_classes import FullTransformerBatch, WordpieceBatch
    from transformers.file_utils import ModelOutput

    from .encoder_shim import EncoderShim

SpanGetter = Callable[[list[Doc]], list[list[Span]]]

BLOCK_SUBWORDS = {"cpu": 1 << 10, "cuda": 1 << 15}
"""Subwords, with padding, that run at once, by device; a GPU is kept busy by more of them."""


@dataclass(frozen=True, kw_only=True, config=CHECKED)
class EncoderSettings:
    """The settings of a pretrained encoder: those of spacy-transformers.TransformerModel.v3, and `bfloat16`.

    bfloat16 (bool | str): Compute in bfloat16 where the device has instructions for it, as GPUs since Ampere and CPUs
        with AVX512-BF16 have; others compute in float32. "prediction" does so only at prediction, true in training,
        too, and false never. Weights, output and gradients are float32.
    """

    name: str
    get_spans: SpanGetter
    tokenizer_config: dict[str, Any] | None = None
    transformer_config: dict[str, Any] | None = None
    mixed_precision: bool = False
    grad_scaler_config: dict[str, Any] | None = None
    bfloat16: bool | Literal["prediction"] = "prediction"
    int8: bool = True
    """Without meaning: pipelines that have been saved have it in their configs."""

    def __post_init__(self) -> None:
        if self.bfloat16 is True and self.mixed_precision:
            raise ValueError("has mixed_precision, which computes in float16, and bfloat16: set only one to true.")


@registry.architectures("spacy_span_selector.TransformerModel.v1")
@takes_settings(EncoderSettings, "the encoder")
def build_transformer_model(settings: EncoderSettings) -> Model[list[Doc], FullTransformerBatch]:
    """Build a pretrained encoder that runs its windows in blocks.

    RETURNS (Model[list[Doc], FullTransformerBatch]): Its output has the fields of the encoder's that have a row for
        each window; padding is 0.
    """
    try:
        from .encoder_shim import EncoderShim, WordsTransformer
    except ImportError as error:
        raise ImportError(
            "'spacy_span_selector.TransformerModel.v1' needs spacy-transformers. Install it with: "
            "python -m pip install 'spacy-span-selector[transformers]'"
        ) from error
    # Copies, as spacy-transformers writes into these.
    configs = [dict(config or {}) for config in (settings.tokenizer_config, settings.transformer_config)]
    scaler, mixed = settings.grad_scaler_config or {}, settings.mixed_precision
    model = WordsTransformer(settings.name, settings.get_spans, *configs, mixed, dict(scaler))
    encoder = model.layers[0]
    loaded = cast(Any, encoder.shims[0])._hfmodel
    shim = EncoderShim(loaded, mixed_precision=mixed, grad_scaler_config=dict(scaler))
    # Settings as attributes of the model would be saved with its weights, and then count more than the config.
    forward = partial(_forward, bfloat16=settings.bfloat16)
    model.layers[0] = Model(encoder.name, forward, shims=[shim], dims={"nI": None, "nO": None})
    model.attrs["replace_listener_cfg"] = _replace_listener_config
    return cast("Model[list[Doc], FullTransformerBatch]", model)


@registry.architectures("spacy_span_selector.Tok2VecTransformer.v1")
@takes_settings(EncoderSettings, "the encoder")
def build_tok2vec_transformer(
    pooling: Model[Ragged, Floats2d], settings: EncoderSettings, grad_factor: float = 1.0
) -> Model[list[Doc], list[Floats2d]]:
    """Build a pretrained encoder of one component's own: what `nlp.replace_listeners` puts in place of a listener."""
    transformer = build_transformer_model(**vars(settings))
    from spacy_transformers.layers import split_trf_batch, trfs2arrays

    # A chain in a chain, as a listener is when it has been replaced: so weights that were saved then can be loaded.
    return chain(chain(transformer, split_trf_batch()), trfs2arrays(pooling, grad_factor))


def _replace_listener_config(transformer: dict[str, Any], listener: dict[str, Any]) -> dict[str, Any]:
    """The config of a tok2vec that takes the place of a listener to the transformer."""
    if "TransformerListener" not in listener["@architectures"]:
        return transformer.copy()
    own = {"@architectures": "spacy_span_selector.Tok2VecTransformer.v1"}
    return {**{key: listener[key] for key in ("pooling", "grad_factor") if key in listener}, **transformer, **own}


def _forward(
    model: Model[Any, Any], wordpieces: WordpieceBatch, is_train: bool, *, bfloat16: bool | str
) -> tuple[ModelOutput, Callable[[ModelOutput], list[Any]]]:
    """Run the encoder. Its callback adds to the gradients of the weights what `last_hidden_state` got."""
    compute_alone_if_forked()
    shim = cast("EncoderShim", model.shims[0])
    lengths = _lengths(wordpieces.attention_mask)
    longest_first = np.argsort(-lengths, kind="stable")
    inputs = {
        field: xp2torch(values[longest_first], device=shim.device)
        for field in ("input_ids", "attention_mask", "token_type_ids")
        if (values := getattr(wordpieces, field)) is not None
    }
    order = torch.from_numpy(longest_first).to(shim.device)
    fields: dict[str, list[Tensor]] = {}
    hidden: list[tuple[Tensor, Tensor]] = []
    encoder = shim._model.train() if is_train else at_rest(shim._model)
    at_once = BLOCK_SUBWORDS["cuda" if shim.device.type == "cuda" else "cpu"]
    # No inference mode: an encoder may keep tensors, such as positions, that it needs again in training.
    with torch.set_grad_enabled(is_train), _precision(shim, bfloat16, is_train):
        for block, length in _blocks(lengths[longest_first], at_once):
            output = encoder(**{field: values[block, :length] for field, values in inputs.items()})
            windows = order[block]
            _collect(fields, output, windows, length, wordpieces.input_ids.shape)
            if is_train:
                hidden.append((windows, output.last_hidden_state.float()))

    def backprop(d_output: ModelOutput) -> list[Any]:
        (gradient,) = d_output.values()
        gradients = [gradient[windows, : states.shape[1]] for windows, states in hidden]
        shim._grad_scaler.scale(gradients, inplace=True)
        torch.autograd.backward([states for _, states in hidden], gradients)
        overflow = shim._grad_scaler.unscale([gradient for _, gradient in module_gradients(shim._model)])
        name = None if overflow else first_not_finite(module_gradients(shim._model))
        if name:
            shim._model.zero_grad(set_to_none=True)
            raise NotFinite(f"the gradient of {name} in the encoder")
        return []

    single = {field for field, value in output.items() if isinstance(value, Tensor)}
    whole = {field: values[0] if field in single else tuple(values) for field, values in fields.items()}
    return type(output)(**whole), backprop


def _lengths(attention_mask: Any) -> np.ndarray[Any, np.dtype[np.int64]]:
    """The length of each window without the padding at its end."""
    return attention_mask.shape[1] - np.argmax(attention_mask[:, ::-1] != 0, axis=1)


def _blocks(lengths: np.ndarray[Any, np.dtype[np.int64]], subwords: int) -> Iterator[tuple[slice, int]]:
    """Cut windows, longest first, into blocks of a number of subwords: which windows, and the length of the longest."""
    start = 0
    while start < len(lengths):
        length = int(lengths[start])
        end = start + max(1, subwords // length)
        yield slice(start, end), length
        start = end


def _precision(shim: EncoderShim, bfloat16: bool | str, is_train: bool) -> AbstractContextManager[Any]:
    device = shim.device
    wanted = not is_train if bfloat16 == "prediction" else bfloat16
    if wanted and has_bfloat16(device):
        return in_bfloat16(device)
    if shim._mixed_precision and device.type == "cuda":
        return torch.autocast("cuda", torch.float16)
    return nullcontext()


def _collect(
    fields: dict[str, list[Tensor]], output: ModelOutput, windows: Tensor, length: int, shape: tuple[int, int]
) -> None:
    """Write the output for some windows, as long as `length`, into the fields of all, which are of (windows, subwords)
    `shape`. A field has one tensor, or one for each layer. Those without a row for each window are left out."""
    for field, value in output.items():
        parts = value if isinstance(value, tuple) else (value,)
        if not all(isinstance(part, Tensor) and part.shape[:1] == windows.shape for part in parts):
            continue
        if field not in fields:
            fields[field] = [_zeros_like(part, length, shape) for part in parts]
        for whole, part in zip(fields[field], parts, strict=True):
            place: tuple[Any, ...] = (windows, *(slice(size) for size in part.shape[1:]))
            whole[place] = part.detach().to(whole.dtype)


def _zeros_like(part: Tensor, length: int, shape: tuple[int, int]) -> Tensor:
    """Room for all windows. States are by (windows, subwords, width), attention weights by (windows, heads, subwords,
    subwords)."""
    sizes = [shape[0], *part.shape[1:]]
    for dimension in {3: (1,), 4: (2, 3)}.get(part.ndim, ()):
        if sizes[dimension] == length:
            sizes[dimension] = shape[1]
    return part.new_zeros(sizes, dtype=torch.float32 if part.is_floating_point() else part.dtype)
