"""Time and memory of the grammar against torch-struct: `python benchmarks/wcfg.py --threads 2`.

Both compute what one training step needs: the marginals of all spans (forward), the loss
sum(p ** 2), and its gradient by the scores (backward through the marginals). Ours is
`marginals`; torch-struct 0.5 runs `TreeCRF` over one label whose potential is softplus(score), which
is the same distribution over trees, and multiplies its marginals by sigmoid(score). The two
gradients must agree, or the benchmark fails. On a GPU ours uses Triton kernels where they run;
`--plain` compares with our own sweeps in plain torch instead, to show what the kernels are worth.

Each case runs in a process of its own, after a tiny case that starts the thread pool. Memory is the
peak during the first run above what the process held before it: on a CPU the resident set (the
kernel's high-water mark, reset before the run; Linux only), on a GPU what torch allocated. Time is the
least of several more runs. A case of torch-struct that would take more than `--peer-memory` is skipped.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

if TYPE_CHECKING:  # torch is imported by the measuring processes only
    from torch import Tensor

STATUS = Path("/proc/self/status")
BYTES_PER_SPLIT = 32  # what torch-struct holds per sentence and n ** 3, as measured at 8 x 128


class Measurement(NamedTuple):
    seconds: float
    megabytes: float
    gradient_norm: float


def ours(scores: Tensor) -> Tensor:
    import torch

    from spacy_span_selector.wcfg import marginals

    return marginals(scores, torch.full((len(scores),), scores.shape[1]))


def plain_torch(scores: Tensor) -> Tensor:
    from spacy_span_selector.wcfg import sweeps
    from spacy_span_selector.wcfg.implementations import sweep_with

    with sweep_with(sweeps):
        return ours(scores)


def torch_struct(scores: Tensor) -> Tensor:
    import torch
    from torch_struct import TreeCRF

    nodes = TreeCRF(torch.nn.functional.softplus(scores)[..., None]).marginals[..., 0]
    return nodes * scores.sigmoid()


def measure(function: Callable[[Tensor], Tensor], batch: int, tokens: int, device: str, threads: int) -> Measurement:
    """Run one case in this process."""
    import warnings

    import torch

    warnings.simplefilter("ignore")  # torch-struct predates some checks of torch.distributions
    torch.set_num_threads(threads)

    def step(batch: int, tokens: int) -> Tensor:
        generator = torch.Generator().manual_seed(0)
        scores = torch.randn(batch, tokens, tokens, generator=generator).triu().to(device).requires_grad_()
        function(scores).square().sum().backward()
        if device != "cpu":
            torch.cuda.synchronize()
        if scores.grad is None:
            raise RuntimeError(f"{function.__name__}: the loss does not reach the scores")
        return scores.grad

    step(2, 8)
    before = reset_peak(device)
    gradient_norm = float(step(batch, tokens).norm())
    megabytes = (peak(device) - before) / 1e6

    seconds: list[float] = []
    while len(seconds) < 5 or (sum(seconds) < 2 and len(seconds) < 50):
        start = time.perf_counter()
        step(batch, tokens)
        seconds.append(time.perf_counter() - start)
    return Measurement(min(seconds), megabytes, gradient_norm)


def reset_peak(device: str) -> float:
    """Forget the peak so far. Returns the bytes in use now."""
    if device != "cpu":
        import torch

        torch.cuda.reset_peak_memory_stats()
        return torch.cuda.memory_allocated()
    if not STATUS.exists():
        return math.nan
    Path("/proc/self/clear_refs").write_text("5")
    return status_bytes("VmRSS")


def peak(device: str) -> float:
    """The most bytes in use since `reset_peak`."""
    if device != "cpu":
        import torch

        return torch.cuda.max_memory_allocated()
    return status_bytes("VmHWM") if STATUS.exists() else math.nan


def status_bytes(field: str) -> float:
    line = next(line for line in STATUS.read_text().splitlines() if line.startswith(field))
    return 1024 * float(line.split()[1])


def in_fresh_process(
    function: Callable[[Tensor], Tensor], batch: int, tokens: int, device: str, threads: int
) -> Measurement:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(measure, function, batch, tokens, device, threads).result()


def main(
    sizes: Annotated[str, typer.Option(help="Cases as batch x tokens.")] = "8x32,8x64,8x128,8x256,32x64",
    threads: Annotated[int, typer.Option(help="CPU threads.")] = 2,
    device: Annotated[str, typer.Option(help="cpu or cuda.")] = "cpu",
    peer_memory: Annotated[float, typer.Option(help="Skip torch-struct where it would take more GB.")] = 2.0,
    plain: Annotated[
        bool, typer.Option("--plain", help="Compare with our plain sweeps, not with torch-struct.")
    ] = False,
) -> None:
    """Print a table of time and peak memory, ours and torch-struct's or, on request, that of our plain sweeps."""
    other, name = (plain_torch, "plain torch") if plain else (torch_struct, "torch-struct")
    typer.echo(f"| batch x n | ours, ms | {name}, ms | times faster | ours, MB | {name}, MB | times smaller |")
    typer.echo("|---|---|---|---|---|---|---|")
    for size in sizes.split(","):
        batch, tokens = (int(number) for number in size.split("x"))
        own = in_fresh_process(ours, batch, tokens, device, threads)
        row = f"| {batch} x {tokens} | {own.seconds * 1e3:.1f} "
        if not plain and BYTES_PER_SPLIT * batch * tokens**3 > peer_memory * 1e9:
            typer.echo(f"{row}| not run | | {own.megabytes:.0f} | not run | |")
            continue
        peer = in_fresh_process(other, batch, tokens, device, threads)
        if not math.isclose(own.gradient_norm, peer.gradient_norm, rel_tol=1e-3):
            raise typer.BadParameter(f"{size}: gradients differ, {own.gradient_norm} and {peer.gradient_norm}")
        typer.echo(
            f"{row}| {peer.seconds * 1e3:.1f} | {peer.seconds / own.seconds:.1f} "
            f"| {own.megabytes:.0f} | {peer.megabytes:.0f} | {peer.megabytes / own.megabytes:.0f} |"
        )


if __name__ == "__main__":
    typer.run(main)
