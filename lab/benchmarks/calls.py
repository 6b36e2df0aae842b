"""How many Python calls a word costs, by room: a count, which is the same on every machine.

    python -m lab calls corpus/litbank0/test.spacy training/litbank0/model-best --top 20

A call is counted for the room whose code makes it, calls of functions written in C included; those that other libraries
make themselves are "libraries". Those of torch's own functions in C stand beside them as well.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from cProfile import Profile
from pathlib import Path
from pstats import Stats
from typing import Annotated, Any, NamedTuple

import typer
from spacy.language import Language
from spacy.tokens import Doc

import spacy_span_selector

from ..measuring import Models, Texts, print_header, print_row
from .annotate import SHORT_TEXT
from .documents import own_documents
from .pipelines import load_pipeline

PACKAGE = Path(spacy_span_selector.__file__).parent
LIBRARIES = "libraries"

Function = tuple[str, int, str]
"""File, line and name, as `pstats` has them."""


class Calls(NamedTuple):
    """Calls while documents were annotated.

    rooms, torch (Counter[str]): All calls that each room makes, and those of torch's functions in C.
    functions (Counter[Function]): How often each function was called.
    """

    words: int
    rooms: Counter[str]
    torch: Counter[str]
    functions: Counter[Function]


def main(
    data: Texts,
    models: Models,
    documents: Annotated[int, typer.Option(min=0, help="Only so many documents; 0 for all")] = 0,
    top: Annotated[int, typer.Option(min=0, help="List so many functions that are called most")] = 0,
) -> None:
    """Print calls a word of each room."""
    for model in models:
        nlp = load_pipeline(model, threads=1, gpu_id=-1)
        calls = count_calls(nlp, own_documents(nlp, data)[: documents or None])
        typer.echo(f"\n{model}, {calls.words:,} words\n")
        print_header("room", "calls a word", "of torch", texts=1)
        for room, count in calls.rooms.most_common():
            print_row(room, f"{count / calls.words:.2f}", f"{calls.torch[room] / calls.words:.2f}")
        print_row("all", f"{calls.rooms.total() / calls.words:.2f}", f"{calls.torch.total() / calls.words:.2f}")
        for (file, line, name), count in calls.functions.most_common(top):
            typer.echo(f"{count / calls.words:8.2f}  {name}  {_short(file)}{f':{line}' if line else ''}")


def count_calls(nlp: Language, documents: Sequence[str | Doc]) -> Calls:
    """Count calls while a pipeline annotates documents, once it is warm."""
    nlp(SHORT_TEXT)
    profile = Profile()
    profile.enable()
    words = sum(len(doc) for doc in nlp.pipe(documents))
    profile.disable()
    calls = Calls(words, Counter(), Counter(), Counter())
    stats: dict[Function, Any] = Stats(profile).stats  # type: ignore[attr-defined]
    for function, (_, total, _, _, callers) in stats.items():
        calls.functions[function] += total
        for caller, (_, count, _, _) in callers.items():
            calls.rooms[room(caller)] += count
            if function[0] == "~" and "torch" in function[2]:
                calls.torch[room(caller)] += count
    return calls


def room(function: Function) -> str:
    """The room of the package that a function stands in, or `LIBRARIES`."""
    path = Path(function[0])
    return ".".join(path.with_suffix("").relative_to(PACKAGE).parts[:2]) if path.is_relative_to(PACKAGE) else LIBRARIES


def _short(file: str) -> str:
    return "" if file == "~" else "/".join(Path(file).parts[-3:])
