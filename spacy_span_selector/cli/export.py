"""`export`: .spacy files to the formats of other tools, one sub-command per format."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

import typer
from spacy.tokens import Doc

from ..files.writing import write_file, write_files
from ._app import app, read_spacy_file

Data = Annotated[Path, typer.Argument(metavar="DOCS.spacy", help="Documents, gold or predicted")]
OutPath = Annotated[Path, typer.Argument(metavar="OUT", help="The file to write")]

export_app = typer.Typer(
    name="export",
    help="Write .spacy files in the formats of other tools.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.add_typer(export_app)


@export_app.command("bracketed")
def bracketed_cli(data: Data, out_path: OutPath) -> None:
    """Write coreference and semantic roles in the bracketed plain-text format, to read, correct and convert again."""
    from ..corpora.bracketed import write_bracketed

    _export(data, out_path, lambda docs, path: write_file(path, write_bracketed(docs)))


@export_app.command("conll2012")
def conll2012_cli(data: Data, out_path: OutPath) -> None:
    """Write everything as CoNLL-2012, which the official scorer of coreference compares."""
    from ..corpora.conll2012 import write_conll2012

    _export(data, out_path, write_conll2012)


@export_app.command("jsonlines")
def jsonlines_cli(data: Data, out_path: OutPath) -> None:
    """Write coreference in the JSON lines format of e2e-coref and its successors."""
    from ..corpora.jsonlines import write_jsonlines

    _export(data, out_path, write_jsonlines)


@export_app.command("corefud")
def corefud_cli(
    data: Data,
    out_path: OutPath,
    into: Annotated[
        Path | None,
        typer.Option(help="CoNLL-U file of the same words to copy, with these clusters instead of its own"),
    ] = None,
) -> None:
    """Write coreference in the format of CorefUD: CoNLL-U with entities in its last column."""
    from ..corpora.corefud import merge_corefud, write_corefud

    _export(data, out_path, write_corefud if into is None else lambda docs, path: merge_corefud(docs, into, path))


@export_app.command("label-studio")
def label_studio_cli(
    data: Data,
    out_path: OutPath,
    config: Annotated[Path | None, typer.Option(help="Write the labeling interface, XML, to this file")] = None,
    annotations: Annotated[
        bool, typer.Option("--annotations", help="Write annotations, not predictions that annotators start from")
    ] = False,
) -> None:
    """Write coreference and semantic roles as tasks of Label Studio, to correct them there."""
    from ..corpora.label_studio import write_interface, write_label_studio

    docs = _read_docs(data)
    texts = [(out_path, write_label_studio(docs, annotations=annotations))]
    if config is not None:
        texts.append((config, write_interface(docs)))
    _write(texts)


@export_app.command("props")
def props_cli(
    data: Annotated[
        Path, typer.Argument(metavar="DOCS.spacy", help="Documents with semantic roles, gold or predicted")
    ],
    out_path: Annotated[Path, typer.Argument(metavar="OUT.props", help="The file of props to write")],
    words: Annotated[Path | None, typer.Option(help="Write the words to this file, one per line")] = None,
    rolesets: Annotated[bool, typer.Option(help="Name predicates by their roleset, not by their first word")] = False,
) -> None:
    """Write semantic roles as CoNLL-2005 props, which the official scorer of that task compares."""
    from ..annotation import has_frames_annotated
    from ..corpora.props import write_props, write_words

    docs = _read_docs(data)
    if not any(has_frames_annotated(doc) for doc in docs):
        raise ValueError(f"{data} has no semantic roles: expected documents with frames, `doc.spans['srl_1']`.")
    texts = [(out_path, write_props(docs, rolesets=rolesets))]
    if words is not None:
        texts.append((words, write_words(docs)))
    _write(texts)


def _write(texts: Sequence[tuple[Path, str]]) -> None:
    """Write all files or none, and say which."""
    write_files(texts)
    for path, _ in texts:
        typer.echo(f"Written: {path}")


def _export(data: Path, out_path: Path, write: Callable[[list[Doc], Path], None]) -> None:
    write(_read_docs(data), out_path)
    typer.echo(f"Written: {out_path}")


def _read_docs(path: Path) -> list[Doc]:
    from spacy.vocab import Vocab

    return list(read_spacy_file(path, Vocab()))
