"""`convert FORMAT FILE... OUT.spacy`: files in a format that many corpora use."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from spacy.tokens import Doc
from wasabi import msg

from ._app import SpeakerMarkers, convert_app, save_docs, split_paths

if TYPE_CHECKING:
    from spacy.vocab import Vocab


@convert_app.command("bracketed")
def bracketed_cli(
    paths: Annotated[
        list[Path], typer.Argument(metavar="FILE... OUT.spacy", help="Files to read, and the file to write")
    ],
    lang: Annotated[str, typer.Option(help="Language whose tokenizer splits the text")] = "en",
) -> None:
    """Convert files in the bracketed plain-text format."""
    import spacy

    from ...corpora.bracketed import read_bracketed

    sources, out_path = split_paths(paths)
    nlp = spacy.blank(lang)
    save_docs({out_path: _read_files(sources, lambda path: read_bracketed(path, nlp))})


@convert_app.command("props")
def props_cli(
    words_path: Annotated[Path, typer.Argument(metavar="WORDS", help="One word per line; may be compressed, .gz")],
    props_path: Annotated[Path, typer.Argument(metavar="PROPS", help="The predicates and arguments of the same lines")],
    out_path: Annotated[Path, typer.Argument(metavar="OUT.spacy", help="The file to write")],
) -> None:
    """Convert a words file and a props file of the CoNLL-2005 shared task."""
    from ...corpora.props import read_props

    split_paths([words_path, props_path, out_path])
    save_docs({out_path: read_props(words_path, props_path)})


@convert_app.command("conll2012")
def conll2012_cli(
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE... OUT.spacy",
            help="Files, or folders whose *gold_conll files are read, at any depth, and the file to write",
        ),
    ],
    speaker_markers: SpeakerMarkers = False,
) -> None:
    """Convert files in the format of CoNLL-2012, such as OntoNotes, and check if they are its English splits."""
    from ...corpora.conll2012 import read_conll2012
    from ...corpora.conll2012.reader import find_files

    sources, out_path = split_paths(paths)
    files = find_files(sources)
    docs = read_conll2012(files)
    save_docs({out_path: docs}, speaker_markers=speaker_markers)
    _check_official(files, len(docs))


@convert_app.command("jsonlines")
def jsonlines_cli(
    paths: Annotated[
        list[Path], typer.Argument(metavar="FILE... OUT.spacy", help="Files to read, and the file to write")
    ],
    speaker_markers: SpeakerMarkers = False,
) -> None:
    """Convert files in the JSON lines format of e2e-coref and its successors."""
    from ...corpora.jsonlines import read_jsonlines

    _convert_files(paths, read_jsonlines, speaker_markers=speaker_markers)


@convert_app.command("corefud")
def corefud_cli(
    paths: Annotated[
        list[Path], typer.Argument(metavar="FILE... OUT.spacy", help="CoNLL-U files to read, and the file to write")
    ],
    speaker_markers: SpeakerMarkers = False,
) -> None:
    """Convert files of CorefUD: CoNLL-U with coreference in its last column."""
    from ...corpora.corefud import read_corefud

    _convert_files(paths, read_corefud, speaker_markers=speaker_markers)


@convert_app.command("label-studio")
def label_studio_cli(
    paths: Annotated[
        list[Path], typer.Argument(metavar="FILE... OUT.spacy", help="Exported JSON to read, and the file to write")
    ],
    lang: Annotated[
        str, typer.Option(help="Language whose tokenizer splits texts that `export label-studio` did not write")
    ] = "en",
    text_field: Annotated[str, typer.Option(help="Where the data of a task has the text")] = "text",
) -> None:
    """Convert what was annotated in Label Studio and exported as JSON."""
    import spacy

    from ...corpora.label_studio import read_label_studio

    sources, out_path = split_paths(paths)
    nlp = spacy.blank(lang)
    docs = _read_files(sources, lambda path: read_label_studio(path, nlp, text_field=text_field))
    save_docs({out_path: docs})


def _convert_files(paths: Sequence[Path], read: Callable[[Path, Vocab], list[Doc]], *, speaker_markers: bool) -> None:
    """Convert files whose words need no tokenizer; the last path is that of the file to write."""
    from spacy.vocab import Vocab

    sources, out_path = split_paths(paths)
    vocab = Vocab()
    docs = _read_files(sources, lambda path: read(path, vocab))
    save_docs({out_path: docs}, speaker_markers=speaker_markers)


def _read_files(paths: Iterable[Path], read: Callable[[Path], list[Doc]]) -> list[Doc]:
    """Read the documents of files, each once."""
    from ...corpora.reports import Report
    from ...corpora.reports import leave_out_repeated

    docs: list[Doc] = []
    places: list[str] = []
    for path in paths:
        found = read(path)
        docs += found
        places += [str(path)] * len(found)
    report = Report()
    docs = leave_out_repeated(docs, places, report)
    report.warn()
    return docs


def _check_official(files: Sequence[Path], n_documents: int) -> None:
    """Print whether the files can be the official English ones of CoNLL-2012: their checksum and their documents."""
    from ...corpora.conll2012.reader import ENGLISH_DOCUMENTS, digest_files

    typer.echo(f"Read {len(files):,} files. MD5 of their contents, one after the other: {digest_files(files)}")
    official = [split for split, count in ENGLISH_DOCUMENTS.items() if count == n_documents]
    if official:
        typer.echo(f"The English {official[0]} split of CoNLL-2012 has the same number of documents.")
    elif any("english" in str(path).lower() for path in files):
        counts = ", ".join(f"{count:,} ({split})" for split, count in ENGLISH_DOCUMENTS.items())
        msg.warn(
            f"Found {n_documents:,} documents, but the official English splits of CoNLL-2012 have {counts}. "
            "Scores are comparable with published ones only on these."
        )
