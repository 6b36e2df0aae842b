"""The figures of a report. A variant has the same colour in all figures, and its name next to its line or row."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from io import BytesIO
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from spacy_span_selector.scoring.task import Task

from ..metrics import BINS, DEPTHS, WIDTHS
from .statistics import (
    Mean,
    Measure,
    average_precision,
    class_recall,
    mean,
    mean_curve,
    pooled_calibration,
    score,
    span_score,
    spans_per_token,
)
from .tables import Variants

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito's palette: distinct with any colour vision.
COLORS = {
    "structured": "#D55E00",
    "laminar": "#000000",
    "sigmoid": "#0072B2",
    "greedy": "#009E73",
    "multitask": "#CC79A7",
    "bio": "#E69F00",
}
OTHER_COLORS = ("#56B4E9", "#8B4513", "#8C8C00")
GREY = "#666666"
WIDTH = 7.6  # inches, at 150 dots per inch: the width of a README on a large screen
STYLE: dict[Any, Any] = {
    "font.size": 10,
    "axes.titlesize": 11,
    "axes.titlelocation": "left",
    "axes.titlepad": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#999999",
    "axes.labelcolor": "#333333",
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#E6E6E6",
    "grid.linewidth": 0.8,
    "xtick.color": GREY,
    "ytick.color": GREY,
    "xtick.labelcolor": "#333333",
    "ytick.labelcolor": "#333333",
    "lines.linewidth": 2,
    "lines.solid_capstyle": "round",
}

Drawing = Callable[["Figure", Task, Variants, Mapping[str, str]], bool]


class Picture(NamedTuple):
    """A drawn figure: the name of its file, what it shows, and its content as PNG."""

    name: str
    title: str
    content: bytes


def draw_figures(grid: str, task: Task, variants: Variants) -> list[Picture]:
    """Draw the figures of a grid.

    grid (str): Its name, with which the names of the files begin.
    task (Task): What its components do.
    variants (Variants): Its runs.
    RETURNS (list[Picture]): The figures.
    RAISES (ImportError): If matplotlib is not installed.
    """
    colors = variant_colors(variants)
    drawings: dict[str, tuple[str, Drawing]] = {
        "overview": ("Score, spans kept and memory of each variant", draw_overview),
        "ratio": ("Recall against spans kept", draw_ratio),
        "classes": ("Recall by nesting depth and by width", draw_classes),
        "calibration": ("Calibration of the selection probability", draw_calibration),
    }
    return [
        Picture(f"{grid}-{name}.png", title, content)
        for name, (title, draw) in drawings.items()
        if (content := _draw(draw, task, variants, colors))
    ]


def draw_condition_figures(grid: str, task: Task, conditions: Mapping[str, Variants]) -> list[Picture]:
    """Draw how the variants compare under the conditions of a grid; the arguments are as for `draw_figures`."""
    names = dict.fromkeys(name for variants in conditions.values() for name in variants)
    colors = variant_colors({name: [] for name in names})
    content = _draw(draw_conditions, task, conditions, colors)
    return [Picture(f"{grid}-conditions.png", "Scores by condition", content)] if content else []


def _draw(draw: Callable[..., bool], *arguments: Any) -> bytes:
    """The PNG that a function draws on a figure; empty if it has nothing to draw."""
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError(
            "Figures need matplotlib. Install it with: python -m pip install -r lab/requirements.txt"
        ) from error
    with matplotlib.rc_context(STYLE):
        figure = Figure(layout="constrained", dpi=150)
        content = BytesIO()
        if draw(figure, *arguments):
            figure.savefig(content, format="png")
    return content.getvalue()


def variant_colors(variants: Variants) -> dict[str, str]:
    """A colour for each variant; variants of the paper have the same colour in every report."""
    others = [name for name in variants if name not in COLORS]
    return {name: COLORS.get(name) or OTHER_COLORS[others.index(name) % len(OTHER_COLORS)] for name in variants}


def draw_conditions(figure: Figure, task: Task, conditions: Mapping[str, Variants], colors: Mapping[str, str]) -> bool:
    """A line for each variant over the conditions, with standard deviations, in a panel for each measure."""
    panels: list[tuple[str, Measure]] = [
        (task.main_title, score(task.main_score)),
        (f"average precision of {task.span}s", average_precision),
    ]
    figure.set_size_inches(WIDTH, 3.6)
    for axes, (title, measure) in zip(figure.subplots(1, len(panels)), panels, strict=True):
        ends: dict[str, tuple[float, float]] = {}
        for number, name in reversed(list(enumerate(colors))):
            shift = 0.06 * (number - (len(colors) - 1) / 2)  # puts error bars side by side
            cells = [mean(variants.get(name, ()), measure) for variants in conditions.values()]
            if end := draw_means(axes, cells, shift, colors[name]):
                ends[name] = end
        axes.set_xticks(range(len(conditions)), list(conditions))
        axes.grid(axis="x", visible=False)
        axes.set_title(f"{title}, %")
        label_ends(axes, ends, colors, gap=0.08)
    return True


def draw_overview(figure: Figure, task: Task, variants: Variants, colors: Mapping[str, str]) -> bool:
    """A dot for each run and a bar at their mean, in a panel for each measure."""
    panels: list[tuple[str, Measure, float]] = [
        (task.main_title, score(task.main_score), 100),
        ("spans kept per token", spans_per_token, 1),
        ("peak memory, MB", lambda record: record["memory"]["peak_mb"], 1),
    ]
    figure.set_size_inches(WIDTH, 1.2 + 0.5 * len(variants))
    names = list(variants)
    for axes, (title, measure, scale) in zip(figure.subplots(1, 3, sharey=True), panels, strict=True):
        for row, name in enumerate(names):
            values = [scale * value for value in map(measure, variants[name]) if value is not None]
            if values:
                axes.plot(values, [row] * len(values), "o", color=colors[name], alpha=0.45, markersize=6, mew=0)
                average = float(np.mean(values))
                axes.plot([average] * 2, [row - 0.3, row + 0.3], color=colors[name], linewidth=2.5)
                digits = 2 if average < 10 else 1 if average < 100 else 0
                axes.annotate(
                    f"{average:.{digits}f}", (average, row - 0.3), (0, 2), textcoords="offset points",
                    ha="center", va="bottom", fontsize=8.5, color=colors[name],
                )  # fmt: skip
        axes.set_title(title)
        axes.set_ylim(len(names) - 0.45, -0.8)
        axes.set_yticks(range(len(names)), names)
        axes.tick_params(axis="y", length=0)
        axes.grid(axis="y", visible=False)
        axes.spines["left"].set_visible(False)
        axes.margins(x=0.18)
        low, high = axes.get_xlim()
        if title != panels[0][0]:
            axes.set_xlim(0, 1.15 * high)
            axes.tick_params(axis="y", labelleft=False)
        else:
            room = max(0.0, 2 - (high - low)) / 2  # a small difference should look small
            axes.set_xlim(low - room, high + room)
            for label, name in zip(axes.get_yticklabels(), names, strict=True):
                label.set(color=colors[name], fontweight="bold")
    return True


def draw_ratio(figure: Figure, task: Task, variants: Variants, colors: Mapping[str, str]) -> bool:
    """Recall as the setting of each selector varies, and a mark at the setting that it was trained with."""
    marks: dict[str, tuple[float, float]] = {}
    for name, records in variants.items():
        spans, recall = mean(records, spans_per_token), mean(records, span_score("kept", "r"))
        if spans and recall:
            marks[name] = spans.mean, 100 * recall.mean
    if not marks:
        return False
    figure.set_size_inches(WIDTH, 4.2)
    axes = figure.subplots()
    right = max(0.5, *(1.2 * x for x, _ in marks.values()))
    ends: dict[str, tuple[float, float]] = {}
    lows = [y for _, y in marks.values()]
    for name, records in reversed(list(variants.items())):  # the reference on top
        curve = [(x, 100 * y) for x, y in mean_curve(records)]
        if curve:
            xs, ys = np.array(curve).T
            axes.plot(xs, ys, color=colors[name], zorder=2)
            last = min(right, float(xs[-1]))
            ends[name] = last, float(np.interp(last, xs, ys))
        if name in marks:
            axes.plot(*marks[name], "o", color=colors[name], markersize=9, mec="white", mew=1.5, zorder=3)
            ends.setdefault(name, marks[name])
    bottom = max(0.0, 10 * np.floor((min(lows) - 15) / 10))
    axes.set_xlim(0, right)
    axes.set_ylim(bottom, 100)
    label_ends(axes, ends, colors, gap=0.065)
    axes.set_xlabel("spans kept per token")
    axes.set_title(f"Gold {task.span}s among the spans kept, %   (● the setting in use)")
    return True


def draw_classes(figure: Figure, task: Task, variants: Variants, colors: Mapping[str, str]) -> bool:
    """Recall of the kept spans by nesting depth and by width, with standard deviations."""
    figure.set_size_inches(WIDTH, 3.6)
    panels = (
        ("depth", DEPTHS, f"nesting depth of the {task.span}"),
        ("width", WIDTHS, f"width of the {task.span}, tokens"),
    )
    records = [record for own in variants.values() for record in own]
    first, second = figure.subplots(1, 2, sharey=True)
    for axes, (classes, names, title) in zip((first, second), panels, strict=True):
        folds = {record["fold"]: record["kept"][classes] for record in records}
        ends: dict[str, tuple[float, float]] = {}  # the labels use those of the second panel
        for number, (variant, own) in reversed(list(enumerate(variants.items()))):
            shift = 0.07 * (number - (len(variants) - 1) / 2)  # puts error bars side by side
            cells = [mean(own, class_recall("kept", classes, name)) for name in names]
            if end := draw_means(axes, cells, shift, colors[variant]):
                ends[variant] = end
        counts = {name: sum(fold[name]["gold"] for fold in folds.values()) for name in names}
        axes.set_xticks(range(len(names)), [f"{name}\n{counts[name]:,} gold" for name in names])
        axes.set_xlim(-0.3, len(names) - 0.7)
        axes.grid(axis="x", visible=False)
        axes.set_xlabel(title)
    low, high = axes.get_ylim()  # shared by both panels
    axes.set_ylim(max(low, -3), min(high, 103))
    label_ends(axes, ends, colors, gap=0.08)
    first.set_title("Recall among the spans kept, %")
    return True


def draw_calibration(figure: Figure, task: Task, variants: Variants, colors: Mapping[str, str]) -> bool:
    """The reliability curve, and how many spans each of its points stands for."""
    pooled = {name: pooled_calibration(records) for name, records in variants.items()}
    if not any(pooled.values()):
        return False
    figure.set_size_inches(WIDTH, 3.7)
    reliability, histogram = figure.subplots(1, 2, width_ratios=(1.25, 1))
    reliability.plot([0, 1], [0, 1], color=GREY, linewidth=1, linestyle=(0, (4, 3)), zorder=1)
    ends: dict[str, tuple[float, float]] = {}
    edges = np.linspace(0, 1, BINS + 1)
    for name, calibration in reversed(pooled.items()):
        if calibration is None:
            continue
        there = calibration.counts > 0
        expected = calibration.expected[there] / calibration.counts[there]
        observed = calibration.observed[there] / calibration.counts[there]
        reliability.plot(
            expected, observed, color=colors[name], marker="o", markersize=5, mec="white", mew=0.8, clip_on=False
        )
        per_run = calibration.counts / len(variants[name])
        histogram.stairs(np.maximum(per_run, 0.5), edges, baseline=None, color=colors[name], linewidth=1.8)
        ends[name] = 1.0, float(per_run[-1])
    reliability.set(xlim=(0, 1), ylim=(0, 1), xlabel="selection probability p")
    reliability.set_title("Fraction of spans that are gold")
    reliability.text(0.04, 0.93, "dashed: perfect calibration", color=GREY, transform=reliability.transAxes)
    histogram.set(yscale="log", xlim=(0, 1), xlabel="selection probability p")
    histogram.set_title("Number of spans per run")
    label_ends(histogram, ends, colors, gap=0.08)
    return True


def draw_means(axes: Axes, cells: Sequence[Mean | None], shift: float, color: str) -> tuple[float, float] | None:
    """Draw a line of means in per cent, with standard deviations, and return its last point; None without means.

    axes (Axes): The axes.
    cells (Sequence[Mean | None]): The means at 0, 1, 2, ...; None where there is none.
    shift (float): How far all points are moved to the right.
    color (str): The colour.
    """
    rows = [(i + shift, 100 * c.mean, 100 * (c.deviation or 0)) for i, c in enumerate(cells) if c is not None]
    if not rows:
        return None
    x, y, deviation = np.array(rows).T
    axes.errorbar(x, y, deviation, color=color, marker="o", markersize=6, mec="white", elinewidth=1.2)
    return float(x[-1]), float(y[-1])


def label_ends(axes: Axes, ends: Mapping[str, tuple[float, float]], colors: Mapping[str, str], gap: float) -> None:
    """Write the name of each line to the right of the axes, at the height of its end, without overlaps.

    axes (Axes): The axes, with their final limits.
    ends (Mapping[str, tuple[float, float]]): The last point of each line.
    colors (Mapping[str, str]): The colour of each line.
    gap (float): Minimum distance of two names, as a fraction of the height.
    """
    to_axes = axes.transData + axes.transAxes.inverted()
    places = {name: to_axes.transform(end) for name, end in ends.items()}
    names = sorted(places, key=lambda name: float(places[name][1]))
    heights = spread([float(places[name][1]) for name in names], gap)
    shift = max(0.0, heights[-1] - 1) if heights else 0.0
    heights = [height - shift for height in heights]
    for name, height in zip(names, heights, strict=True):
        x, y = places[name]
        axes.plot(
            [x, 1.03],
            [y, height],
            transform=axes.transAxes,
            color=colors[name],
            linewidth=0.8,
            alpha=0.6,
            clip_on=False,
        )
        axes.text(1.04, height, name, transform=axes.transAxes, color=colors[name], va="center", fontweight="bold")


def spread(heights: Sequence[float], gap: float) -> list[float]:
    """Move ascending heights apart until neighbours are a gap apart, keeping the mean of each group that overlaps."""
    crowds: list[list[float]] = []  # groups of original heights; each is spread around its mean
    for height in heights:
        crowds.append([height])
        while len(crowds) > 1 and _top(crowds[-2], gap) + gap > _bottom(crowds[-1], gap):
            crowds[-2:] = [crowds[-2] + crowds[-1]]
    return [_bottom(crowd, gap) + gap * i for crowd in crowds for i in range(len(crowd))]


def _bottom(crowd: Sequence[float], gap: float) -> float:
    return float(np.mean(crowd)) - gap * (len(crowd) - 1) / 2


def _top(crowd: Sequence[float], gap: float) -> float:
    return float(np.mean(crowd)) + gap * (len(crowd) - 1) / 2
