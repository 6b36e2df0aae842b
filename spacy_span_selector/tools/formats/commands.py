"""Shared by the commands of formats: their arguments, reading files, and writing all of them or none."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import spacy
import typer
from spacy.errors import Errors
from spacy.language import Language
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from ...annotation import declare, get_clusters, get_frames, get_labelled_spans, get_quotations
from ...examples.corpus import read_docs
from ..files.writing import write_files
from .registry import Command, Format
from .reports import Report, leave_out_repeated

SPLITS = ("train", "dev", "test")
REST_OF_PREDICATE = "C-V"  # the only role that does not count as an argument

Declared = Mapping[str, str] | None  # the type of each label that documents are annotated for
Sources = Annotated[list[Path], typer.Argument(metavar="FILE... OUT.spacy", help="Files to read, and that to write")]
OutDir = Annotated[Path, typer.Argument(help="Folder for train.spacy, dev.spacy and test.spacy")]
Lang = Annotated[str, typer.Option(help="Language whose tokenizer splits the text")]


def parse_annotates(text: str) -> dict[str, str]:
    """The type of each label, from the option `--annotates`."""
    entries = [[part.strip() for part in entry.split("=")] for entry in text.split(",")]
    for entry in entries:
        if len(entry) > 2 or not all(entry):
            raise typer.BadParameter(f"found {'='.join(entry)!r}, expected TYPE or LABEL=TYPE, with commas between.")
    return {entry[0]: entry[-1] for entry in entries}


DECLARED = "Types of which all spans are marked, such as PER,place=LOC|FAC; where others are is unknown"
Annotates = Annotated[Any, typer.Option(parser=parse_annotates, metavar="[LABEL=]TYPE,...", help=DECLARED)]
Data = Annotated[Path, typer.Argument(metavar="DOCS.spacy", help="Documents, gold or predicted")]
OutPath = Annotated[Path, typer.Argument(metavar="OUT", help="The file to write")]


def convert_command(format_: Format) -> Command | None:
    """Return the command that converts a format, for typer, if it can be: its own, or one that reads each file."""
    if format_.convert is not None or not format_.is_converted:
        return format_.convert

    def convert_texts(paths: Sources, lang: Lang = "en", annotates: Annotates = None) -> None:
        _convert(paths, format_, spacy.blank(lang), annotates)

    def convert_words(paths: Sources, annotates: Annotates = None) -> None:
        _convert(paths, format_, Language(Vocab()), annotates)

    command = convert_words if format_.read_text is None else convert_texts
    command.__doc__ = f"Convert files in {format_.title}."
    return command


def _convert(paths: Sequence[Path], format_: Format, nlp: Language, annotates: Declared) -> None:
    sources, out_path = split_paths(paths)
    save_docs({out_path: read_files(sources, lambda path: format_.read_docs(path, nlp))}, annotates)


def export_command(format_: Format) -> Command | None:
    """Return the command that exports a format, for typer, if it can be: its own, or one that writes one file."""
    write = format_.write
    if format_.export is not None or write is None:
        return format_.export

    def export(data: Data, out_path: OutPath) -> None:
        save_texts([(out_path, write(read_all(data)))], [data])

    export.__doc__ = f"Write documents in {format_.title}."
    return export


def split_paths(paths: Sequence[Path]) -> tuple[list[Path], Path]:
    """Separate the files to read from the file to write, in the arguments `FILE... OUT.spacy`."""
    *sources, out_path = paths
    if not sources or out_path.suffix != ".spacy":
        found = " ".join(map(str, paths))
        raise ValueError(f"The last path, the file to write, must end in .spacy, after files to read; found {found}.")
    return sources, out_path


def read_files(paths: Iterable[Path], read: Callable[[Path], Iterable[Doc]]) -> list[Doc]:
    """Read the documents of files, each once; those that come again are left out with a warning."""
    report = Report()
    docs = leave_out_repeated(((str(path), doc) for path in paths for doc in read(path)), report)
    report.warn()
    return docs


def split_docs(docs: Mapping[str, Doc], splits: Mapping[str, Iterable[str]], out_dir: Path) -> dict[Path, list[Doc]]:
    """Sort documents, which are given by name, into the file of each split; those that are missing are left out."""
    return {
        out_dir / f"{split}.spacy": [docs[name] for name in names if name in docs] for split, names in splits.items()
    }


def save_docs(
    files: Mapping[Path, Sequence[Doc]], annotates: Declared = None, *, others: Mapping[Path, str] | None = None
) -> None:
    """Write documents with their titles to .spacy files, and other files, all or none; print what each .spacy holds."""
    for path, docs in files.items():
        if not docs:
            raise ValueError(f"{path}: not written, because no document was found for it.")
        for doc in docs:
            declare(doc, annotates)
    write_files([*((path, spacy_file(docs, path)) for path, docs in files.items()), *(others or {}).items()])
    for path, docs in files.items():
        typer.echo(f"{path}: {_describe(docs)}")


def save_texts(texts: Sequence[tuple[Path, str]], read: Sequence[Path]) -> None:
    if any(str(path) == "-" for path, _ in texts):
        raise ValueError("-: export writes files, and nothing to the standard output. Name a file.")
    write_files(texts, read=read)
    for path, _ in texts:
        typer.echo(f"Written: {path}")


def check_spacy_file(path: Path) -> None:
    if not path.is_file() or path.suffix != ".spacy":
        found = "a folder" if path.is_dir() else "another kind of file" if path.exists() else "no such file"
        raise ValueError(f"{path}: {found}. Expected a .spacy file, as 'convert' writes it.")


def read_spacy_file(path: Path, vocab: Vocab) -> Iterator[Doc]:
    check_spacy_file(path)
    return read_docs(path, vocab)


def read_all(path: Path) -> list[Doc]:
    return list(read_spacy_file(path, Vocab()))


def spacy_file(docs: Sequence[Doc], path: Path) -> bytes:
    """Return the content of a .spacy file with documents and their titles; its path is for the error."""
    try:
        return DocBin(docs=docs, store_user_data=True).to_bytes()
    except ValueError as error:
        raise ValueError(f"{path}: {Errors.E870} ({error})") from error


def _describe(docs: Sequence[Doc]) -> str:
    clusters = [cluster for doc in docs for cluster in get_clusters(doc)]
    frames = [frame for doc in docs for frame in get_frames(doc)]
    roles = [argument.role for frame in frames for argument in frame.arguments]
    counts = {
        "documents": len(docs),
        "tokens": sum(map(len, docs)),
        "mentions": sum(map(len, clusters)),
        "clusters": len(clusters),
        "predicates": len(frames),
        "arguments": len(roles) - roles.count(REST_OF_PREDICATE),
        "labelled spans": sum(len(get_labelled_spans(doc)) for doc in docs),
        "quotations": sum(len(get_quotations(doc)) for doc in docs),
    }
    return ", ".join(f"{count:,} {name}" for name, count in counts.items() if count)
