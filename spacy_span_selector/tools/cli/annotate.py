"""`annotate`: any amount of text, annotated by a pipeline."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from contextlib import nullcontext, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ._app import CodePath, GpuId, Model, app, friendly_errors

if TYPE_CHECKING:
    from ..annotate import Reading, Summary
    from ..annotate.run import Backend

STDOUT = "-"
JSON_LINES, PARQUET = "jsonl", "parquet"
RAY_ADDRESS = re.compile(r"auto|local|(\[[\da-fA-F:]+\]|[\w.-]+):\d+")


@app.command("annotate")
def annotate_cli(
    model: Model,
    paths: Annotated[
        list[str],
        typer.Argument(
            metavar="INPUT... OUT", help="Files, folders, quoted patterns or -; and the folder to write, or -"
        ),
    ],
    format_: Annotated[
        str, typer.Option("--format", help="jsonl, parquet, spacy, html, or one of `export`")
    ] = JSON_LINES,
    text_field: Annotated[str, typer.Option(help="Field of JSON lines, or column of tables, with the text")] = "text",
    id_field: Annotated[str | None, typer.Option(help="Field or column with names; by default 'id'")] = None,
    stdin: Annotated[Literal["txt", "jsonl"], typer.Option(help="Standard input: one text, or JSON lines")] = "txt",
    transcripts: Annotated[bool, typer.Option("--transcripts", help="Find who speaks in dialogues and plays")] = False,
    tokens: Annotated[bool, typer.Option("--tokens", help="Write where tokens are (jsonl and parquet)")] = False,
    tables: Annotated[Literal["parquet", "csv"] | None, typer.Option(help="Also write flat tables, in folders")] = None,
    n_process: Annotated[int | None, typer.Option(min=1, help="Processes; with --ray, by default all it has")] = None,
    batch_words: Annotated[int, typer.Option(min=1, help="About how many words are annotated at once")] = 20_000,
    part_words: Annotated[int | None, typer.Option(min=1, help="About how many words an output file has")] = None,
    max_length: Annotated[int | None, typer.Option(min=1, help="Most characters of a text, if not 1,000,000")] = None,
    gpu_id: GpuId = -1,
    ray: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Use Ray: 'local', on this machine; 'auto'; or HOST:PORT")
    ] = None,
    num_gpus: Annotated[float, typer.Option(min=0, help="With --ray: GPUs for each process, such as 0.5")] = 0,
    code: CodePath = None,
) -> None:
    """Annotate texts, as many as you like, with a trained pipeline: .txt, .jsonl, both also as .gz, .parquet, .spacy.

    OUT gets part-00000.jsonl and so on, each whole or not there at all, and errors.jsonl with what could not be
    annotated. After a kill, or Ctrl-C, the same command goes on where it was stopped.

    The exit status is 0 if all texts were annotated, 3 if some were not, 1 if none was or the run had to stop, and 130
    after Ctrl-C.
    """
    from ..annotate import Job, Reading, annotate_to_folder
    from ..annotate.formats import passed_columns, require_pyarrow
    from ..annotate.inputs import find_inputs
    from ..annotate.output import OutputStream
    from ..annotate.run import annotate_to

    *inputs, out = paths
    stdout = sys.stdout.buffer
    # Where documents go to the standard output, nothing else does.
    with redirect_stdout(sys.stderr) if out == STDOUT else nullcontext(), friendly_errors():
        _check_paths(inputs, out, format_, tables)
        backend = _find_backend(ray, n_process, num_gpus, gpu_id)
        reading = Reading(text_field, id_field)
        files = find_inputs(inputs, stdin=stdin)
        kinds = {file.kind for file in files}
        if PARQUET in {format_, tables} | kinds:
            require_pyarrow()
        job = Job(
            model=model,
            code=code,
            format=format_,
            transcripts=transcripts,
            tokens=tokens,
            tables=tables,
            columns=passed_columns(files, reading) if format_ == PARQUET and kinds == {PARQUET} else None,
            max_length=max_length,
            batch_words=batch_words,
            gpu_id=gpu_id,
        )
        try:
            if out == STDOUT:
                summary = annotate_to(OutputStream(stdout, sys.stderr), job, files, reading, part_words, backend)
            else:
                summary = annotate_to_folder(
                    job, files, Path(out), reading=reading, part_words=part_words, backend=backend
                )
        except BrokenPipeError:  # such as 'head', which has seen enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), stdout.fileno())  # for what Python flushes at its end
            raise typer.Exit(1) from None
        except KeyboardInterrupt:
            typer.echo("Stopped." + ("" if out == STDOUT else " The same command goes on where it was."), err=True)
            raise typer.Exit(130) from None
    _report(summary, reading, out)


def _find_backend(ray: str | None, n_process: int | None, num_gpus: float, gpu_id: int) -> Backend:
    from ..annotate.on_ray import in_ray
    from ..annotate.run import in_processes, in_this_process

    if ray is None:
        if num_gpus:
            raise ValueError("--num-gpus is for --ray. Without it, --gpu-id chooses a GPU.")
        return in_this_process if n_process in (None, 1) else in_processes(n_process)
    if not RAY_ADDRESS.fullmatch(ray):
        raise ValueError(f"--ray {ray}: expected HOST:PORT, such as 10.0.0.1:6379, 'auto', or 'local'.")
    if gpu_id >= 0:
        raise ValueError("--ray gives each process its GPU: say --num-gpus 1 instead of --gpu-id.")
    return in_ray(ray, workers=n_process, num_gpus=num_gpus)


def _check_paths(inputs: Sequence[str], out: str, format_: str, tables: str | None) -> None:
    from ..annotate.formats import output_format, output_formats

    output_format(format_)
    if not inputs:
        raise ValueError(f"Expected inputs and, last, the folder to write; found only {out}.")
    if out == STDOUT and (format_ != JSON_LINES or tables):
        found = "tables" if tables else format_
        raise ValueError(f"The standard output can only be JSON lines, not {found}. Name a folder to write.")
    suffixes = tuple(suffix for each in output_formats().values() for suffix in each.suffixes)
    if out != STDOUT and (Path(out).is_file() or out.endswith(suffixes)):
        cure = f"For one file, write to the standard output: '- > {out}'; or join parts: 'cat OUT/part-*.jsonl'."
        raise ValueError(f"{out}: expected a folder to write, which gets a file for each part. {cure}")


def _report(summary: Summary, reading: Reading, out: str) -> None:
    lines = [f"The result may differ a little from that of one run: {line}" for line in summary.warnings]
    for name, source in sorted(reading.not_passed.items()):
        lines.append(f"The field '{name}' (first in {source}) is not passed through: the output has its own '{name}'.")
    if repeated := reading.repeated:
        found = f"{len(repeated):,} records (first {repeated[0]}) have the id of an earlier one"
        lines.append(f"{found}: their place stands behind it, so that ids tell them apart.")
    here = f", {summary.annotated:,} of them now, {summary.rate:,.0f} words/s" if summary.annotated else ""
    documents = "1 document" if summary.documents == 1 else f"{summary.documents:,} documents"
    lines.append(f"Annotated {documents}, {summary.words:,} words{here}.")
    if summary.plain:
        lines.append(f"{summary.plain:,} of them have no turns that could be read, and are plain text.")
    if summary.errors:
        where = "above" if out == STDOUT else Path(out) / "errors.jsonl"
        lines.append(f"{summary.errors:,} records could not be annotated: {where}")
    elif not summary.documents:
        lines.append("The inputs have no text.")
    typer.echo("\n".join(lines), err=True)
    if summary.errors or not summary.documents:
        raise typer.Exit(3 if summary.documents else 1)
