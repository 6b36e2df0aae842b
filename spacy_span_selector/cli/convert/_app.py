"""The typer application of `convert`, and the options and functions that its sub-commands share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer
from spacy.tokens import Doc

from ...files.writing import write_files
from .._app import app, spacy_file

REST_OF_PREDICATE = "C-V"  # the only role that does not count as an argument

convert_app = typer.Typer(
    name="convert", help="Convert a corpus to .spacy files.", no_args_is_help=True, rich_markup_mode=None
)
app.add_typer(convert_app)

OutDir = Annotated[Path, typer.Argument(help="Folder for train.spacy, dev.spacy and test.spacy")]
SpeakerMarkers = Annotated[
    bool, typer.Option("--speaker-markers", help="Insert `<speaker> NAME </speaker>` where the speaker changes")
]


def split_paths(paths: Sequence[Path]) -> tuple[list[Path], Path]:
    """The files to read and the file to write, from the arguments `FILE... OUT.spacy`.

    RAISES (ValueError): If there is no file to read, or the last path does not end in `.spacy`.
    """
    *sources, out_path = paths
    if not sources or out_path.suffix != ".spacy":
        found = " ".join(map(str, paths))
        raise ValueError(f"The last path, the file to write, must end in .spacy, after files to read; found {found}.")
    return sources, out_path


def save_docs(
    files: Mapping[Path, Sequence[Doc]], *, speaker_markers: bool = False, others: Sequence[tuple[Path, str]] = ()
) -> None:
    """Write documents to .spacy files, with their titles, and print how much each holds.

    files (Mapping[Path, Sequence[Doc]]): The documents of each file. All files are written, or none.
    speaker_markers (bool): Whether markers of speakers are put into the text.
    others (Sequence[tuple[Path, str]]): Paths and contents of what is written with them.
    RAISES (OSError): If a file can't be written, naming it.
    RAISES (ValueError): If a file would have no documents, naming it.
    """
    for path, docs in files.items():
        if not docs:
            raise ValueError(f"{path}: not written, because no document was found for it.")
    if speaker_markers:
        from ...documents.speaker_markers import insert_speaker_markers

        files = {path: [insert_speaker_markers(doc) for doc in docs] for path, docs in files.items()}
    write_files([*((path, spacy_file(docs, path)) for path, docs in files.items()), *others])
    for path, docs in files.items():
        typer.echo(f"{path}: {_describe(docs)}")


def _describe(docs: Sequence[Doc]) -> str:
    from ...annotation import (
        get_clusters,
        get_frames,
        get_quotations,
        has_clusters_annotated,
        has_frames_annotated,
        has_quotations_annotated,
    )

    counts = [(len(docs), "documents"), (sum(len(doc) for doc in docs), "tokens")]
    if any(has_clusters_annotated(doc) for doc in docs):
        clusters = [cluster for doc in docs for cluster in get_clusters(doc)]
        counts += [(sum(len(cluster) for cluster in clusters), "mentions"), (len(clusters), "clusters")]
    if any(has_frames_annotated(doc) for doc in docs):
        frames = [frame for doc in docs for frame in get_frames(doc)]
        roles = [argument.role for frame in frames for argument in frame.arguments]
        counts += [(len(frames), "predicates"), (len(roles) - roles.count(REST_OF_PREDICATE), "arguments")]
    if any(has_quotations_annotated(doc) for doc in docs):
        counts.append((sum(len(get_quotations(doc)) for doc in docs), "quotations"))
    return ", ".join(f"{count:,} {name}" for count, name in counts)
