"""Products of an encoder in int8: prediction on CPUs that have no instructions for bfloat16.

A weight is a whole number from -63 to 63 times the unit of its row: with larger ones, CPUs without VNNI cut sums of
two products that don't fit 16 bits, and others don't. An input is one from 0 to 255 times the unit of its layer, which
follows from the range of what the layer got for some texts: it is the same for any document and any batch, so a
document has the same vectors whatever is read beside it. Everything but the products of linear layers is float32: sums,
layer norms, attention.

Two kinds of inputs are too large for one unit. The first subword of a window, `[CLS]`, has values four times those of
all others (what attention uses as a place to rest); its products are float32. Some channels of what a feed-forward
block reads are large for all subwords: they are divided by a number, and the weights that they meet multiplied by it,
which Xiao et al. (2023, "SmoothQuant", equation 4) call smoothing.
"""

from __future__ import annotations

import platform
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any, NamedTuple

import torch
from spacy.language import Language
from spacy.tokens import Doc
from thinc.api import Model
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

Ranges = dict[str, Tensor]
"""The lowest and the highest value of each channel that linear layers read, by their names. Shape: (2, width)"""

SMOOTHING = 0.6
"""How much of the difference between channels is moved from inputs to weights: 0 for nothing, 1 for all."""
LARGEST_WEIGHT, LARGEST_INPUT = 63, 255
MACHINES = ("x86_64", "AMD64")
"""What `platform.machine` calls the CPUs on which torch's products in int8 are faster than others."""


def has_int8(device: torch.device) -> bool:
    """Tell whether torch can multiply in int8 on a device."""
    has_product = hasattr(torch.ops.onednn, "qlinear_pointwise")  # not in every build of torch
    return device.type == "cpu" and platform.machine() in MACHINES and has_product


def encoder_shims(nlp: Language) -> dict[str, list[Any]]:
    """The shims of pretrained encoders that can have ranges, by the component that has them.

    nlp (Language): The pipeline.
    RETURNS (dict[str, list[EncoderShim]]): In the order of the pipeline; components without an encoder are left out.
    """
    models: dict[str, Any] = {name: getattr(component, "model", None) for name, component in nlp.pipeline}
    shims = {
        name: [shim for node in model.walk() for shim in node.shims if hasattr(shim, "int8_products")]
        for name, model in models.items()
        if isinstance(model, Model)
    }
    return {name: found for name, found in shims.items() if found}


def measure_ranges(nlp: Language, docs: Iterable[Doc]) -> int:
    """Give each encoder of a pipeline the ranges of what its layers read in some documents.

    nlp (Language): The pipeline.
    docs (Iterable[Doc]): Documents like those that it will annotate.
    RETURNS (int): The number of their words.
    RAISES (ValueError): If the pipeline has no encoder that can have ranges, or there are no words.
    """
    found = encoder_shims(nlp)
    if not found:
        raise ValueError(
            "Only encoders of the architecture 'spacy_span_selector.TransformerModel.v1' can compute in int8, and "
            f"the components ({', '.join(nlp.pipe_names) or 'none'}) have none. Leave out the texts."
        )
    shims = [shim for own in found.values() for shim in own]
    behind = nlp.pipe_names[nlp.pipe_names.index([*found][-1]) + 1 :]
    for shim in shims:
        shim.ranges = {}  # of another time
    with ExitStack() as stack:
        ranges = [stack.enter_context(measured(shim._model)) for shim in shims]
        words = sum(map(len, nlp.pipe(docs, disable=behind)))
    if not all(ranges):
        raise ValueError("There are no words in the texts whose ranges are to be measured. Take others.")
    for shim, own in zip(shims, ranges, strict=True):
        shim.ranges = own
    return words


@contextmanager
def measured(encoder: nn.Module) -> Iterator[Ranges]:
    """Measure what the linear layers of an encoder read within the block, but for the first subword of each window.

    encoder (nn.Module): The encoder. Layers that read something else than (windows, subwords, width) are left out.
    YIELDS (Ranges): Filled by each run of the encoder.
    """
    ranges: Ranges = {}

    def measure(name: str, layer: nn.Module, inputs: tuple[Tensor, ...]) -> None:
        if inputs[0].ndim == 3 and inputs[0].shape[1] > 1:
            read = inputs[0].detach()[:, 1:].flatten(0, 1).float()
            lowest, highest = read.amin(0), read.amax(0)
            if name in ranges:
                lowest, highest = lowest.minimum(ranges[name][0]), highest.maximum(ranges[name][1])
            ranges[name] = torch.stack([lowest, highest])

    with ExitStack() as stack:
        for name, layer in _linear_layers(encoder).items():
            stack.callback(layer.register_forward_pre_hook(partial(measure, name)).remove)
        yield ranges


def check_ranges(ranges: Mapping[str, Tensor], encoder: nn.Module, owner: str) -> None:
    """Check that ranges are those of an encoder.

    ranges (Mapping[str, Tensor]): The ranges, which anyone may have written.
    encoder (nn.Module): The encoder.
    owner (str): Whose ranges they are, for messages.
    RAISES (ValueError): If they name no linear layer of it, are of another shape, or hold something else than numbers.
    """
    layers = _linear_layers(encoder)
    for name, found in ranges.items():
        expected = (2, layers[name].in_features) if name in layers else "nothing of this name"
        if tuple(found.shape) != expected or not found.is_floating_point() or not bool(found.isfinite().all()):
            raise ValueError(
                f"The ranges of {owner} do not fit it: {name!r} has {tuple(found.shape)}, expected finite numbers of "
                f"{expected}. Get the pipeline again from where it was made, or make it anew with 'compact --texts'."
            )


class Int8Products(TorchFunctionMode):
    """A context in which the linear layers of an encoder multiply in int8, in the thread that enters it.

    encoder (nn.Module): The encoder, on a CPU that `has_int8`, with the weights that it had when they were measured.
    ranges (Mapping[str, Tensor]): What `measured` found. Other layers stay as they are.
    """

    def __init__(self, encoder: nn.Module, ranges: Mapping[str, Tensor]) -> None:
        super().__init__()
        layers = _linear_layers(encoder)
        # A layer is known by its weight, which the encoder keeps alive.
        self._packed = {id(layers[name].weight): _pack(layers[name], range_) for name, range_ in ranges.items()}

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Multiply in int8 where a packed weight is multiplied, and do anything else as ever."""
        packed = self._packed.get(id(args[1])) if func is nn.functional.linear else None
        if packed is None:
            return func(*args, **(kwargs or {}))
        vectors, weight, bias = args
        shifted = torch.addcmul(packed.shift, vectors, packed.factor)  # made whole below, by rounding down
        numbers = shifted.clamp_(0, LARGEST_INPUT).to(torch.uint8).flatten(0, 1)
        output = torch.ops.onednn.qlinear_pointwise(
            numbers, packed.unit, packed.zero, packed.weight, packed.units, packed.zeros, bias,
            1.0, 0, torch.float32, "none", [], "",
        ).unflatten(0, vectors.shape[:2])  # fmt: skip
        output[:, 0] = func(vectors[:, 0], weight, bias)
        return output


class _Packed(NamedTuple):
    """A layer, ready to multiply in int8.

    weight (Tensor): The whole numbers of its weight, as oneDNN arranges them.
    units (Tensor): Those of the rows of its weight. Shape: (width of the output,)
    zeros (Tensor): The whole numbers that mean 0 in them, which are 0. Shape: (width of the output,)
    unit (float): That of its inputs.
    zero (int): The whole number that means 0 in them.
    factor (Tensor): Times an input, this is its whole number but for `shift`. Shape: (width,)
    shift (Tensor): `zero` and a half.
    """

    weight: Tensor
    units: Tensor
    zeros: Tensor
    unit: float
    zero: int
    factor: Tensor
    shift: Tensor


def _pack(layer: nn.Linear, range_: Tensor) -> _Packed:
    weight = layer.weight.detach()
    divisor = torch.ones(layer.in_features)
    if layer.out_features > layer.in_features:  # elsewhere it is no better or worse
        strength = range_.abs().amax(0).clamp_min(torch.finfo().eps) ** SMOOTHING
        divisor = strength / weight.abs().amax(0).clamp_min(torch.finfo().eps) ** (1 - SMOOTHING)
    weight, range_ = weight * divisor, range_ / divisor
    lowest, highest = min(range_[0].min().item(), 0.0), max(range_[1].max().item(), 0.0)
    unit = max((highest - lowest) / LARGEST_INPUT, torch.finfo().eps)
    zero = round(-lowest / unit)
    units = (weight.abs().amax(1) / LARGEST_WEIGHT).clamp_min(torch.finfo().eps)
    numbers = (weight / units[:, None]).round().to(torch.int8)
    return _Packed(
        torch.ops.onednn.qlinear_prepack(numbers, None),
        units,
        torch.zeros(len(weight), dtype=torch.int32),
        unit,
        zero,
        1 / (divisor * unit),
        torch.tensor(zero + 0.5),
    )


def _linear_layers(encoder: nn.Module) -> dict[str, nn.Linear]:
    return {name: layer for name, layer in encoder.named_modules() if isinstance(layer, nn.Linear)}
