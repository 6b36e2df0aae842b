"""Time and memory of the grammar against torch-struct.

    python -m benchmarks.wcfg --threads 2

Both compute what one training step needs: the marginals of all spans (forward), the loss
sum(p ** 2), and its gradient with respect to the scores (backward through the marginals). Ours is
`marginals`; torch-struct 0.5 runs `TreeCRF` over one label with potential softplus(score), which
is the same distribution over trees, and multiplies its marginals by sigmoid(score). The two
gradients must agree, or the benchmark fails. On a GPU ours uses Triton kernels if they work;
`--plain` compares with our own sweeps in plain torch instead, to show the gain from the kernels.

Both alternate in one process, after a tiny case that starts the thread pool and a first run of each; "times faster"
is the ratio of each turn. Peak memory is that of the first run, each in a separate process. Cases in which torch-struct
would take more than `--peer-memory` are skipped for it.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from functools import partial
from typing import Annotated, NamedTuple

import torch
import typer
from torch import Tensor

from spacy_span_selector.cli._app import friendly_errors
from spacy_span_selector.wcfg import marginals, sweeps
from spacy_span_selector.wcfg.implementations import sweep_with

from .measuring import (
    MB,
    Spread,
    in_fresh_process,
    measure_memory,
    print_header,
    print_row,
    ratios,
    set_threads,
    take_turns,
)

BYTES_PER_SPLIT = 32  # memory of torch-struct per sentence and n ** 3, as measured at 8 x 128

Function = Callable[[Tensor], Tensor]


class Times(NamedTuple):
    """Seconds of ours and, if it was run, of the other, and their ratio."""

    ours: Spread
    other: Spread | None
    faster: Spread | None


def ours(scores: Tensor) -> Tensor:
    return marginals(scores, torch.full((len(scores),), scores.shape[1]))


def plain_torch(scores: Tensor) -> Tensor:
    with sweep_with(sweeps):
        return ours(scores)


def torch_struct(scores: Tensor) -> Tensor:
    from torch_struct import TreeCRF

    nodes = TreeCRF(torch.nn.functional.softplus(scores)[..., None]).marginals[..., 0]
    return nodes * scores.sigmoid()


def main(
    sizes: Annotated[str, typer.Option(help="Cases as batch x tokens")] = "8x32,8x64,8x128,8x256,32x64",
    threads: Annotated[int, typer.Option(help="Threads of torch; 0 for its default")] = 2,
    repeats: Annotated[int, typer.Option(help="Number of timed repetitions")] = 20,
    gpu_id: Annotated[int, typer.Option(help="GPU to use; -1 for the CPU")] = -1,
    peer_memory: Annotated[float, typer.Option(help="Skip torch-struct if it would take more GB")] = 2.0,
    plain: Annotated[
        bool, typer.Option("--plain", help="Compare with our plain sweeps, not with torch-struct")
    ] = False,
) -> None:
    """Print a table of time and peak memory of ours and of torch-struct or, on request, of our plain sweeps."""
    peer, name = (plain_torch, "plain torch") if plain else (torch_struct, "torch-struct")
    print_header(
        *("batch x n", "ours, ms", f"{name}, ms", "times faster", "ours, MB", f"{name}, MB", "times smaller"), texts=1
    )
    with friendly_errors():
        for size in sizes.split(","):
            batch, tokens = (int(number) for number in size.split("x"))
            fits = plain or BYTES_PER_SPLIT * batch * tokens**3 <= peer_memory * 1e9
            other = peer if fits else None
            times = in_fresh_process(measure_times, other, batch, tokens, threads, repeats, gpu_id)
            own_peak = in_fresh_process(measure_peak, ours, batch, tokens, threads, gpu_id)
            cells = ["not run", "", f"{own_peak / MB:.0f}", "not run", ""]
            if other is not None and times.other is not None and times.faster is not None:
                peak = in_fresh_process(measure_peak, other, batch, tokens, threads, gpu_id)
                cells = [
                    *(_milliseconds(times.other), times.faster.format(".1f")),
                    *(f"{own_peak / MB:.0f}", f"{peak / MB:.0f}", f"{peak / max(own_peak, 1):.0f}"),
                ]
            print_row(f"{batch} x {tokens}", _milliseconds(times.ours), *cells)


def measure_times(other: Function | None, batch: int, tokens: int, threads: int, repeats: int, gpu_id: int) -> Times:
    """Time a case in this process.

    RAISES (ValueError): If the gradients differ.
    """
    _start(threads, gpu_id)
    functions = [ours] if other is None else [ours, other]
    for function in functions:
        step(function, 2, 8, gpu_id)
    norms = [step(function, batch, tokens, gpu_id).norm().item() for function in functions]
    if not math.isclose(norms[0], norms[-1], rel_tol=1e-3):
        raise ValueError(f"{batch} x {tokens}: gradients differ, their norms are {norms[0]} and {norms[-1]}")
    seconds = take_turns([partial(step, function, batch, tokens, gpu_id) for function in functions], repeats, gpu_id)
    own = Spread.of(seconds[0])
    return (
        Times(own, None, None) if other is None else Times(own, Spread.of(seconds[1]), ratios(seconds[1], seconds[0]))
    )


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


if __name__ == "__main__":
    typer.run(main)
