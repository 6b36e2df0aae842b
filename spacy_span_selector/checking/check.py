"""Everything that is to be said of a corpus: from files to counts and problems."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spacy.tokens import Doc

from ..annotation import (
    CLUSTER_PREFIX,
    FRAME_PREFIX,
    cluster_keys,
    describe_doc,
    get_frames,
    has_clusters_annotated,
    has_frames_annotated,
)
from ..examples.sentences import lacks_boundaries
from ..pipeline.structured_coref import StructuredCoref
from ..pipeline.structured_srl import StructuredSrl
from .counts import Counts, count_docs
from .files import Keys, find_files, read_file
from .losses import find_losses
from .problems import Kind, Problem, as_data, group_problems
from .quotations import check_quotations
from .repeated import find_repeated
from .structure import check_arguments, check_clusters, check_frames
from .trainings import Pipe, Training

TRAIN = "train"

BOUNDARIES_CURE = "Set them before converting, or put word_sentencizer into the pipeline and annotating_components."
NO_BOUNDARIES = Kind(
    "documents without sentence boundaries, of which nothing is learnt", "sentence boundaries", BOUNDARIES_CURE
)
BOUNDARIES_SET = Kind(
    "documents without sentence boundaries, which annotating_components of the config set", loses=False
)
NO_ANNOTATION = Kind(
    "documents without annotation, of which nothing is learnt",
    "clusters, frames, or an empty group that says that there are none (docs/annotation.md)",
    "Annotate them, or remove them; check 'prefix' of the components.",
)
OTHER_TASK = Kind("documents annotated only for what no component of the config learns", loses=False)
NO_WORDS = Kind("documents without words, which readers leave out", "some words", "Remove them.", loses=False)
NOTHING_TO_LEARN = Kind(
    "components that find nothing to learn from, so that training stops",
    "clusters for structured_coref, frames with arguments for structured_srl, in the training documents",
    "Name the training files too, check 'prefix' of the component, or take a config without it.",
)


@dataclass(frozen=True)
class CheckedFile:
    """What a file has.

    path (Path): The file.
    trains (bool): Whether roles and rolesets are taken from it.
    counts (Counts): How much of everything.
    """

    path: Path
    trains: bool
    counts: Counts


@dataclass(frozen=True)
class Checked:
    """What a corpus has, and what is wrong.

    files (list[CheckedFile]): The files.
    problems (dict[Kind, list[Problem]]): The problems by kind; those that lose data come first.
    """

    files: list[CheckedFile]
    problems: dict[Kind, list[Problem]]

    @property
    def is_good(self) -> bool:
        """Whether no data is lost, and none leaks from one file into another."""
        return not any(kind.loses for kind in self.problems)

    def as_data(self) -> dict[str, Any]:
        """The same as JSON holds it."""
        files = [{"path": str(file.path), "trains": file.trains, **file.counts.as_data()} for file in self.files]
        return {"good": self.is_good, "files": files, "problems": as_data(self.problems)}


def check_corpus(paths: Iterable[Path], training: Training, *, requires_all: bool) -> Checked:
    """Check a corpus.

    Roles and rolesets are those of the files whose names begin with `train`, or of all files if none does.

    paths (Iterable[Path]): Files and folders, as for `find_files`.
    training (Training): What is to be trained on it.
    requires_all (bool): Whether each component must find something to learn from.
    RAISES (ValueError): If the labels or the lexicon of the training have another form.
    """
    problems: list[Problem] = []
    files: dict[Path, list[Doc]] = {}
    for path in find_files(paths):
        files[path], found = read_file(path, training.nlp)
        problems += found
    named = [path for path in files if path.name.startswith(TRAIN)]
    train_files = named or list(files)
    pipes: dict[str, Pipe] = {}
    for name, pipe in training.pipes.items():
        docs = [doc for path in train_files for doc in files[path]]
        if any(_teaches(pipe, doc) for doc in docs):
            pipe.take_labels(docs, training.settings.get(name, {}))
            pipes[name] = pipe
        elif requires_all:
            problems.append(Problem(NOTHING_TO_LEARN, ", ".join(map(str, train_files)), found=f"'{name}'"))
    keys = _keys(training.pipes.values())
    for path, docs in files.items():
        for doc in docs:
            problems += _check_doc(doc, path, training, pipes, keys, trains=path in train_files)
    problems += find_repeated({str(path): docs for path, docs in files.items()})
    checked = [CheckedFile(path, path in train_files, count_docs(docs, keys)) for path, docs in files.items()]
    return Checked(checked, group_problems(problems))


def _check_doc(
    doc: Doc, path: Path, training: Training, pipes: Mapping[str, Pipe], keys: Keys, *, trains: bool
) -> Iterator[Problem]:
    file, document = str(path), describe_doc(doc)
    if not len(doc):
        yield Problem(NO_WORDS, file, document)
        return
    if not any(_is_annotated(pipe, doc) for pipe in training.pipes.values()):
        for_others = has_clusters_annotated(doc) or has_frames_annotated(doc)
        yield Problem(OTHER_TASK if for_others else NO_ANNOTATION, file, document)
    if lacks_boundaries(doc):
        yield Problem(BOUNDARIES_SET if training.sets_sentences else NO_BOUNDARIES, file, document)
    for pipe in pipes.values():
        may_cross = pipe.selector.spans_may_cross
        if isinstance(pipe, StructuredCoref) and not may_cross:
            yield from check_clusters(doc, file, keys)
        if isinstance(pipe, StructuredSrl):
            yield from check_frames(doc, file, keys, pipe.settings.unique_roles)
            yield from () if may_cross else check_arguments(doc, file, keys)
    yield from check_quotations(doc, file, keys)
    yield from find_losses(doc, path, training, pipes, trains=trains)


def _keys(pipes: Collection[Pipe]) -> Keys:
    """Where the first component of each kind has its annotation, or else where it is by default."""
    clusters = [pipe.settings.prefix for pipe in pipes if isinstance(pipe, StructuredCoref)]
    frames = [pipe.settings.prefix for pipe in pipes if isinstance(pipe, StructuredSrl)]
    return Keys([*clusters, CLUSTER_PREFIX][0], [*frames, FRAME_PREFIX][0])


def _is_annotated(pipe: Pipe, doc: Doc) -> bool:
    """Whether a component learns from a document, if only that there is nothing in it."""
    settings: Any = pipe.settings
    if isinstance(pipe, StructuredCoref):
        return has_clusters_annotated(doc, settings.prefix, settings.mentions_key)
    if isinstance(pipe, StructuredSrl):
        return has_frames_annotated(doc, settings.prefix, settings.predicates_key)
    return True


def _teaches(pipe: Pipe, doc: Doc) -> bool:
    """Whether a component can be initialized with a document."""
    if isinstance(pipe, StructuredCoref):
        return bool(cluster_keys(doc, pipe.settings.prefix))
    if isinstance(pipe, StructuredSrl):
        return any(frame.arguments for frame in get_frames(doc, pipe.settings.prefix))
    return True
