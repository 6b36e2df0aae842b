"""The typer application of `convert`, and the options and functions that its sub-commands share."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from spacy.tokens import Doc, DocBin

from .._app import app

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


def save_docs(docs: Sequence[Doc], path: Path, *, speaker_markers: bool = False) -> None:
    """Write documents to a .spacy file, with their titles, and print how much it holds."""
    if speaker_markers:
        from ...documents.speaker_markers import insert_speaker_markers

        docs = [insert_speaker_markers(doc) for doc in docs]
    path.parent.mkdir(parents=True, exist_ok=True)
    DocBin(docs=docs, store_user_data=True).to_disk(path)
    typer.echo(f"{path}: {_describe(docs)}")


def _describe(docs: Sequence[Doc]) -> str:
    from ...annotation import get_clusters, get_frames, has_clusters_annotated, has_frames_annotated

    counts = [(len(docs), "documents"), (sum(len(doc) for doc in docs), "tokens")]
    if any(has_clusters_annotated(doc) for doc in docs):
        clusters = [cluster for doc in docs for cluster in get_clusters(doc)]
        counts += [(sum(len(cluster) for cluster in clusters), "mentions"), (len(clusters), "clusters")]
    if any(has_frames_annotated(doc) for doc in docs):
        frames = [frame for doc in docs for frame in get_frames(doc)]
        roles = [argument.role for frame in frames for argument in frame.arguments]
        counts += [(len(frames), "predicates"), (len(roles) - roles.count(REST_OF_PREDICATE), "arguments")]
    return ", ".join(f"{count:,} {name}" for count, name in counts)
