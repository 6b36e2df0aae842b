"""`check`: find mistakes in a corpus, and annotation that training would drop."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from wasabi import msg

from ..files.writing import write_file
from ._app import app, naming_config

if TYPE_CHECKING:
    from ..checking.counts import Counts
    from ..checking.problems import Kind, Problem

MOST_CASES = 3
MOST_COLUMNS = 4
LONGEST_CELL = 200


@app.command("check")
def check_cli(
    paths: Annotated[list[Path], typer.Argument(metavar="DATA...", help="Folders, and files whose names tell formats")],
    config: Annotated[
        Path | None, typer.Option(exists=True, dir_okay=False, help="Its components and readers say what is lost")
    ] = None,
    lang: Annotated[str, typer.Option(help="Language that splits bracketed text, if there is no config")] = "en",
    show_all: Annotated[bool, typer.Option("--all", help="Show every problem, not only the first ones")] = False,
    output: Annotated[
        Path | None, typer.Option(dir_okay=False, help="Write counts and problems to this JSON file")
    ] = None,
) -> None:
    """Check a corpus before training: find mistakes and annotation that training would drop, and count what there is.

    Roles and rolesets are those of the files whose names begin with 'train', or of all files if none does. The exit
    status is 1 if data is lost, or a text is in two files.
    """
    from spacy.cli._util import parse_config_overrides
    from spacy.util import load_config

    from ..checking import check_corpus
    from ..checking.trainings import default_training, training_of

    training = default_training(lang)
    if config is not None:
        with naming_config(config):
            raw = load_config(config, overrides=parse_config_overrides([]), interpolate=False)  # of the environment
            training = training_of(raw)
    checked = check_corpus(paths, training, requires_all=config is not None)
    if any(counts.documents for counts in checked.files.values()):
        _print_counts(checked.files)
    for kind, problems in checked.problems.items():
        _print_problems(kind, problems, show_all)
    if output is not None:
        text = json.dumps(checked.as_data(), ensure_ascii=False, indent=2)
        content = text.encode("utf-8", "backslashreplace")  # the name of a file may be no UTF-8
        write_file(output, content, read=[*checked.files, *([config] if config else [])])
        typer.echo(f"Counts and problems: {output}")
    if not checked.is_good:
        raise typer.Exit(1)
    msg.good("Nothing is lost" + (", see the notes above" if checked.problems else ""))


def _print_counts(files: Mapping[Path, Counts]) -> None:
    """Print a column for each file, or a row if there are many; leave out counts that are 0 everywhere."""
    names = [path.name for path in files]
    if len({*names}) < len(names):
        names = [*map(str, files)]
    counts = [found.rows() for found in files.values()]
    titles = [title for title in counts[0] if any(rows[title] for rows in counts)]
    table = [["", *titles]]
    table += [[name, *(cells[title] for title in titles)] for name, cells in zip(names, counts, strict=True)]
    if len(files) <= MOST_COLUMNS:
        table = [list(row) for row in zip(*table, strict=True)]
    aligns = ("l", *("r" for _ in table[0][1:]))
    msg.table(table[1:], header=table[0], aligns=aligns, divider=True, max_col=LONGEST_CELL)


def _print_problems(kind: Kind, problems: Sequence[Problem], show_all: bool) -> None:
    tell: Any = msg.fail if kind.loses else msg.warn
    tell(f"{kind.title[0].upper()}{kind.title[1:]}: {len(problems):,}")
    expected = f"Expected {kind.expected}." if kind.expected else ""
    if advice := f"{expected} {kind.cure}".strip():
        typer.echo(f"  {advice}")
    shown = problems if show_all else problems[:MOST_CASES]
    for problem in shown:
        typer.echo(f"  - {problem}")
    if len(shown) < len(problems):
        typer.echo(f"  ... and {len(problems) - len(shown):,} more (--all shows them)")
