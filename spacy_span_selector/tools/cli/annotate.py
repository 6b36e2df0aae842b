"""`annotate`: any amount of text, annotated by a pipeline."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from contextlib import nullcontext, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO, Literal

import typer
from typer.core import TyperCommand

from ._app import app, friendly_errors

if TYPE_CHECKING:
    from ..annotate import Job, Reading, Summary
    from ..annotate.backends import Backend
    from ..annotate.inputs import InputFile

SOME_FAILED = 3
STDOUT = "-"
JSON_LINES, PARQUET = "jsonl", "parquet"
RAY = "--ray"
RAY_ADDRESS = re.compile(r"auto|local|(ray://)?(\[[\da-fA-F:]+\]|[\w.-]+):\d+")


def _output_names() -> list[str]:
    from ..annotate.formats import output_formats

    return [*output_formats()]


def _check_format(name: str) -> str:
    if name not in (names := _output_names()):
        raise typer.BadParameter(f"{name!r} is not one of {', '.join(map(repr, names))}.")
    return name


class AnnotateCommand(TyperCommand):
    """Lets `--ray` do without an address, wherever it stands: what comes after it is its value if it is an address."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse arguments."""
        options = args[: args.index("--")] if "--" in args else args
        if RAY in options:
            place = options.index(RAY)
            if not RAY_ADDRESS.fullmatch("".join(options[place + 1 : place + 2])):
                args = [*args[:place], f"{RAY}=local", *args[place + 1 :]]
        return super().parse_args(ctx, args)


@app.command("annotate", cls=AnnotateCommand)
def annotate_cli(
    model: Annotated[str, typer.Argument(help="A trained pipeline: a path or the name of a package")],
    paths: Annotated[
        list[str],
        typer.Argument(
            metavar="INPUT... OUT",
            help="Files (.txt, .jsonl, .parquet, .spacy; .txt and .jsonl also as .gz), folders, which are searched at "
            "any depth, quoted patterns, or - for the standard input; and the folder to write, or - for the standard "
            "output",
        ),
    ],
    format_: Annotated[
        str,
        typer.Option(
            "--format",
            callback=_check_format,
            autocompletion=_output_names,
            help="Format of the output: jsonl, parquet, spacy, html, or one that `export` writes, such as bracketed",
        ),
    ] = JSON_LINES,
    text_field: Annotated[str, typer.Option(help="Field of JSON lines, or column of tables, with the text")] = "text",
    id_field: Annotated[
        str | None,
        typer.Option(help="Field or column with the name of each record; by default 'id', or else file and line"),
    ] = None,
    stdin: Annotated[
        Literal["txt", "jsonl"], typer.Option(help="What the standard input is: one text, or JSON lines")
    ] = "txt",
    transcripts: Annotated[
        bool,
        typer.Option("--transcripts", help="Find who speaks in texts that are dialogues, chats, mails or plays"),
    ] = False,
    tokens: Annotated[bool, typer.Option("--tokens", help="Write where tokens are (jsonl and parquet)")] = False,
    tables: Annotated[
        Literal["parquet", "csv"] | None,
        typer.Option(help="Also write flat tables of events, entities, mentions and quotations, as parquet or csv"),
    ] = None,
    gzip: Annotated[
        bool, typer.Option("--gzip", help="Compress files as .gz; those of parquet and spacy are compressed already")
    ] = False,
    n_process: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Number of processes, each with the pipeline; by default 1 or, with --ray, one for each CPU or GPU",
        ),
    ] = None,
    batch_words: Annotated[int, typer.Option(min=1, help="About how many words are annotated at once")] = 20_000,
    part_words: Annotated[
        int | None,
        typer.Option(min=1, help="About how many words an output file has; by default 100,000, and 20,000 for html"),
    ] = None,
    max_length: Annotated[
        int | None, typer.Option(min=1, help="Most characters of a text; by default what the pipeline says")
    ] = None,
    gpu_id: Annotated[int, typer.Option("--gpu-id", "-g", min=-1, help="GPU to use; -1 for the CPU")] = -1,
    precision: Annotated[
        Literal["float32", "bfloat16"] | None,
        typer.Option(
            help="What the encoder multiplies in, where the device can; by default the fastest that the pipeline has"
        ),
    ] = None,
    ray: Annotated[
        str | None,
        typer.Option(
            RAY,
            metavar="[ADDRESS]",
            help="Annotate on a Ray cluster: HOST:PORT, or 'auto' on a machine of it; without an address, on this "
            "machine",
        ),
    ] = None,
    num_cpus: Annotated[float, typer.Option(min=0.01, help="With --ray: CPUs, and threads, for each process")] = 1,
    num_gpus: Annotated[
        float, typer.Option(min=0, help="With --ray: GPUs for each process, or its share of one, such as 0.5")
    ] = 0,
    code_path: Annotated[
        Path | None, typer.Option("--code", "-c", help="Python file with registered functions", exists=True)
    ] = None,
) -> None:
    """Annotate texts, as many as you like, with a trained pipeline.

    OUT gets part-00000.jsonl and so on, each whole or not there at all, and errors.jsonl with what could not be
    annotated. After a kill, or Ctrl-C, the same command goes on where it was stopped.

    The exit status is 0 if all texts were annotated, 3 if some were not, 1 if none was or the run had to stop, and 130
    after Ctrl-C.
    """
    from ..annotate import Job, Reading
    from ..annotate.inputs import find_inputs
    from ..annotate.tables import passed_columns, require_pyarrow

    *inputs, out = paths
    stdout = sys.stdout.buffer
    # Where documents go to the standard output, nothing else does.
    with redirect_stdout(sys.stderr) if out == STDOUT else nullcontext(), friendly_errors():
        _check_paths(inputs, out, format_, tables)
        backend = _find_backend(ray, n_process, num_cpus, num_gpus, gpu_id)
        reading = Reading(text_field, id_field)
        files = find_inputs(inputs, stdin=stdin, out=None if out == STDOUT else Path(out))
        if PARQUET in (format_, tables) or any(file.kind == "parquet" for file in files):
            require_pyarrow()
        job = Job(
            model=model,
            code=code_path,
            format=format_,
            transcripts=transcripts,
            tokens=tokens,
            tables=tables,
            gzip=gzip,
            columns=passed_columns(files, reading) if format_ == PARQUET else None,
            max_length=max_length,
            precision=precision,
            batch_words=batch_words,
            gpu_id=gpu_id,
        )
        try:
            summary = _run(job, files, reading, stdout if out == STDOUT else Path(out), part_words, backend)
        except KeyboardInterrupt:
            hint = "" if out == STDOUT else " The same command goes on where it was."
            typer.echo(f"Stopped.{hint}", err=True)
            raise typer.Exit(130) from None
    _report(summary, reading, out)


def _find_backend(ray: str | None, n_process: int | None, num_cpus: float, num_gpus: float, gpu_id: int) -> Backend:
    from ..annotate.backends import in_processes, in_this_process
    from ..annotate.cluster import in_ray

    if ray is None:
        if num_gpus or num_cpus != 1:
            raise ValueError("--num-cpus and --num-gpus are for --ray. Without it, --gpu-id chooses a GPU.")
        return in_this_process if n_process in (None, 1) else in_processes(n_process)
    if not RAY_ADDRESS.fullmatch(ray):
        raise ValueError(f"--ray={ray}: expected HOST:PORT, such as 10.0.0.1:6379, 'auto', or no address.")
    if gpu_id >= 0:
        raise ValueError("--ray gives each process its GPU: say --num-gpus 1 instead of --gpu-id.")
    return in_ray(ray, workers=n_process, num_cpus=num_cpus, num_gpus=num_gpus)


def _run(
    job: Job, files: list[InputFile], reading: Reading, out: Path | BinaryIO, part_words: int | None, backend: Backend
) -> Summary:
    from ..annotate import annotate_to_folder, annotate_to_stream

    if isinstance(out, Path):
        return annotate_to_folder(job, files, out, reading=reading, part_words=part_words, backend=backend)
    try:
        return annotate_to_stream(job, files, out, sys.stderr, reading=reading, part_words=part_words, backend=backend)
    except BrokenPipeError:  # such as 'head', which has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), out.fileno())  # for what Python flushes at its end
        raise typer.Exit(1) from None


def _check_paths(inputs: Sequence[str], out: str, format_: str, tables: str | None) -> None:
    from ..annotate.formats import output_formats

    if not inputs:
        raise ValueError(f"Expected inputs and, last, the folder to write; found only {out}.")
    if out == STDOUT and (format_ != JSON_LINES or tables):
        found = format_ if format_ != JSON_LINES else "tables"
        raise ValueError(f"The standard output can only be JSON lines, not {found}. Name a folder to write.")
    suffixes = tuple(suffix for format_ in output_formats().values() for suffix in format_.suffixes)
    if out != STDOUT and (Path(out).is_file() or out.endswith(suffixes)):
        raise ValueError(
            f"{out}: expected a folder to write, which gets a file for each part. For one file, write JSON lines to "
            f"the standard output: '- > {out}'; or join the parts afterwards: 'cat OUT/part-*.jsonl'."
        )


def _report(summary: Summary, reading: Reading, out: str) -> None:
    for line in summary.warnings:
        typer.echo(f"The result may differ a little from that of one run: {line}", err=True)
    for field, source in sorted(reading.not_passed.items()):
        typer.echo(
            f"The field '{field}' (first in {source}) is not passed through: the output has its own '{field}'.",
            err=True,
        )
    here = f", {summary.annotated:,} of them now, {summary.rate:,.0f} words/s" if summary.annotated else ""
    documents = "1 document" if summary.documents == 1 else f"{summary.documents:,} documents"
    typer.echo(f"Annotated {documents}, {summary.words:,} words{here}.", err=True)
    if summary.plain:
        typer.echo(f"{summary.plain:,} of them have no turns that could be read, and are plain text.", err=True)
    where = "above" if out == STDOUT else str(Path(out) / "errors.jsonl")
    if summary.errors:
        typer.echo(f"{summary.errors:,} records could not be annotated: {where}", err=True)
        raise typer.Exit(SOME_FAILED if summary.documents else 1)
    if not summary.documents:
        typer.echo("The inputs have no text.", err=True)
        raise typer.Exit(1)
