"""Time and memory of the grammars against torch-struct.

    python -m lab wcfg --threads 2

All compute what one training step needs: the marginals of all spans (forward), the loss
sum(p ** 2), and its gradient with respect to the scores (backward through the marginals). Ours are
`TREES.marginals` and `LAMINAR.marginals`; torch-struct 0.5 runs `TreeCRF` over one label with potential
softplus(score), which is the same distribution as that of `TREES`, and multiplies its marginals by sigmoid(score).
These two gradients must agree, or the benchmark fails. On a GPU the laminar grammar uses Triton kernels if they work;
`--plain` compares it with its sweeps in plain torch instead, to show the gain from the kernels.

They take turns in one process, after a tiny case that starts the thread pool and a first run of each; ratios are of
each turn. Peak memory is that of the first run, each in a separate process. Cases in which torch-struct
would take more than `--peer-memory` are skipped for it. With `--cpu-time`, times are those that the threads of the
process computed, which other work on the machine changes less.
"""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from typing import Annotated, NamedTuple

import torch
import typer
from torch import Tensor

from spacy_span_selector.wcfg import LAMINAR, TREES
from spacy_span_selector.wcfg.implementations import sweep_with

from ..measuring import (
    MB,
    GpuId,
    Repeats,
    Spread,
    Threads,
    in_fresh_process,
    measure_memory,
    print_header,
    print_row,
    ratios,
    set_threads,
    take_turns,
)

BYTES_PER_SPLIT = 32  # memory of torch-struct per sentence and n ** 3, as measured at 8 x 128
# By the number of functions, which pairs of them are compared.
PAIRS = {2: [(1, 0)], 3: [(1, 0), (2, 0), (2, 1)]}

Function = Callable[[Tensor], Tensor]


class Times(NamedTuple):
    """Seconds of each function, and the ratios of some pairs of them."""

    seconds: list[Spread]
    ratios: list[Spread]


def trees(scores: Tensor) -> Tensor:
    return TREES.marginals(scores, torch.full((len(scores),), scores.shape[1]))


def laminar(scores: Tensor) -> Tensor:
    return LAMINAR.marginals(scores, torch.full((len(scores),), scores.shape[1]))


def plain_laminar(scores: Tensor) -> Tensor:
    with sweep_with("torch"):
        return laminar(scores)


def torch_struct(scores: Tensor) -> Tensor:
    from torch_struct import TreeCRF

    nodes = TreeCRF(torch.nn.functional.softplus(scores)[..., None]).marginals[..., 0]
    return nodes * scores.sigmoid()


def main(
    sizes: Annotated[str, typer.Option(help="Cases as batch x tokens")] = "8x32,8x64,8x128,8x256,32x64",
    threads: Threads = 2,
    repeats: Repeats = 20,
    gpu_id: GpuId = -1,
    peer_memory: Annotated[float, typer.Option(help="Skip torch-struct if it would take more GB")] = 2.0,
    plain: Annotated[
        bool, typer.Option("--plain", help="Compare with our plain sweeps, not with torch-struct")
    ] = False,
    cpu_time: Annotated[bool, typer.Option("--cpu-time", help="Measure CPU time")] = False,
) -> None:
    """Print a table of time and peak memory of both grammars and of torch-struct or, on request, our plain sweeps."""
    functions = {"trees": trees, "laminar": laminar, "torch-struct": torch_struct}
    if plain:
        functions = {"laminar": laminar, "trees": trees, "plain laminar": plain_laminar}
    names = list(functions)
    print_header(
        *("batch x n", *(f"{name}, ms" for name in names)),
        *(f"{names[one]} / {names[other]}" for one, other in PAIRS[len(names)]),
        *(f"{name}, MB" for name in names),
        texts=1,
    )
    for size in sizes.split(","):
        batch, tokens = (int(number) for number in size.split("x"))
        fits = plain or BYTES_PER_SPLIT * batch * tokens**3 <= peer_memory * 1e9
        fitting = list(functions.values()) if fits else [trees, laminar]
        times = in_fresh_process(measure_times, fitting, batch, tokens, threads, repeats, gpu_id, cpu_time)
        peaks = [in_fresh_process(measure_peak, one, batch, tokens, threads, gpu_id) for one in fitting]
        missing = len(functions) - len(fitting)
        print_row(
            f"{batch} x {tokens}",
            *(*map(_milliseconds, times.seconds), *["not run"] * missing),
            *(*(ratio.format(".1f") for ratio in times.ratios), *[""] * 2 * missing),
            *(*(f"{peak / MB:.0f}" for peak in peaks), *["not run"] * missing),
        )


def measure_times(
    functions: Sequence[Function], batch: int, tokens: int, threads: int, repeats: int, gpu_id: int, cpu_time: bool
) -> Times:
    """Time a case in this process.

    functions (Sequence[Function]): Both grammars and, if it is to be compared, what has the distribution of the
        first.
    RAISES (ValueError): If the gradients of a grammar and of what has its distribution differ.
    """
    _start(threads, gpu_id)
    for function in functions:
        step(function, 2, 8, gpu_id)
    norms = [step(function, batch, tokens, gpu_id).norm().item() for function in functions]
    for norm, other in zip(norms, norms[2:], strict=False):
        if not math.isclose(norm, other, rel_tol=1e-3):
            raise ValueError(f"{batch} x {tokens}: gradients differ, their norms are {norm} and {other}")
    steps = [partial(step, function, batch, tokens, gpu_id) for function in functions]
    seconds = take_turns(steps, repeats, gpu_id, time.process_time if cpu_time else time.perf_counter)
    pairs = [ratios(seconds[one], seconds[other]) for one, other in PAIRS[len(functions)]]
    return Times([Spread.of(own) for own in seconds], pairs)


def measure_peak(function: Function, batch: int, tokens: int, threads: int, gpu_id: int) -> float:
    """The peak memory of a case in bytes, in this process, which must be new."""
    _start(threads, gpu_id)
    step(function, 2, 8, gpu_id)
    return measure_memory(lambda: step(function, batch, tokens, gpu_id), gpu_id).peak


def step(function: Function, batch: int, tokens: int, gpu_id: int) -> Tensor:
    """The gradient of the loss with respect to random scores. Shape: (batch, tokens, tokens)"""
    generator = torch.Generator().manual_seed(0)
    scores = torch.randn(batch, tokens, tokens, generator=generator).triu()
    scores = scores.to("cpu" if gpu_id < 0 else f"cuda:{gpu_id}").requires_grad_()
    function(scores).square().sum().backward()
    if scores.grad is None:
        raise RuntimeError(f"{function.__name__}: the loss does not reach the scores")
    return scores.grad


def _start(threads: int, gpu_id: int) -> None:
    warnings.simplefilter("ignore")  # torch-struct predates some checks of torch.distributions
    set_threads(threads)
    if gpu_id >= 0:
        torch.cuda.set_device(gpu_id)


def _milliseconds(seconds: Spread) -> str:
    return Spread(*(1e3 * value for value in seconds)).format(".1f")
