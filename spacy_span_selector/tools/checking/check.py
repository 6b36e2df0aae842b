"""Check a corpus: from its files to counts and problems."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spacy.tokens import Doc

from ...annotation import (
    CLUSTER_PREFIX,
    FRAME_PREFIX,
    LABELLED_KEY,
    describe_doc,
    has_clusters_annotated,
    has_frames_annotated,
    has_labelled_spans_annotated,
)
from ...examples.sentences import lacks_boundaries
from .counts import Counts, count_docs
from .files import Keys, find_files, read_file
from .losses import find_losses
from .problems import Kind, Problem, as_data, group_problems
from .structure import STRUCTURE_CHECKS, check_quotations, find_repeated
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
    "clusters, frames with arguments, or other annotation that the component learns, in the training documents",
    "Name the training files too, check 'prefix' of the component, or take a config without it.",
)


@dataclass(frozen=True)
class CheckedFile:
    """The content of a file.

    path (Path): The file.
    trains (bool): Roles and rolesets are taken from it.
    counts (Counts): How much of everything.
    """

    path: Path
    trains: bool
    counts: Counts


@dataclass(frozen=True)
class Checked:
    """The content of a corpus, and its problems.

    files (list[CheckedFile]): The files.
    problems (dict[Kind, list[Problem]]): The problems by kind; those that lose data come first.
    """

    files: list[CheckedFile]
    problems: dict[Kind, list[Problem]]

    @property
    def is_good(self) -> bool:
        """True if no data is lost, and none leaks from one file into another."""
        return not any(kind.loses for kind in self.problems)

    def as_data(self) -> dict[str, Any]:
        """Return the same as JSON holds it."""
        files = [{"path": str(file.path), "trains": file.trains, **file.counts.as_data()} for file in self.files]
        return {"good": self.is_good, "files": files, "problems": as_data(self.problems)}


def check_corpus(paths: Iterable[Path], training: Training, *, requires_all: bool) -> Checked:
    """Check a corpus.

    Roles and rolesets are those of the files whose names begin with `train`, or of all files if none does.

    paths (Iterable[Path]): Files and folders, as for `find_files`.
    training (Training): The training that will read it.
    requires_all (bool): Each component must find something to learn from.
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
        if any(training.tasks[name].can_learn(doc, pipe.settings) for doc in docs):
            pipe.take_labels(docs, training.settings.get(name, {}))
            pipes[name] = pipe
        elif requires_all:
            problems.append(Problem(NOTHING_TO_LEARN, ", ".join(map(str, train_files)), found=f"'{name}'"))
    keys = _keys(training)
    for path, docs in files.items():
        for doc in docs:
            problems += _check_doc(doc, path, training, pipes, keys, trains=path in train_files)
    problems += find_repeated({str(path): docs for path, docs in files.items()})
    checked = [CheckedFile(path, path in train_files, count_docs(docs, keys)) for path, docs in files.items()]
    return Checked(checked, group_problems(problems))


def _check_doc(
    doc: Doc, path: Path, training: Training, pipes: dict[str, Pipe], keys: Keys, *, trains: bool
) -> Iterator[Problem]:
    file, document = str(path), describe_doc(doc)
    if not len(doc):
        yield Problem(NO_WORDS, file, document)
        return
    tasks = training.tasks
    if all(tasks[name].gold_spans(doc, pipe.settings) is None for name, pipe in training.pipes.items()):
        for_others = any((has_clusters_annotated(doc), has_frames_annotated(doc), has_labelled_spans_annotated(doc)))
        yield Problem(OTHER_TASK if for_others else NO_ANNOTATION, file, document)
    if lacks_boundaries(doc):
        yield Problem(BOUNDARIES_SET if training.sets_sentences else NO_BOUNDARIES, file, document)
    for name, pipe in pipes.items():
        if check := STRUCTURE_CHECKS.get(tasks[name].group):
            yield from check(doc, file, pipe)
    yield from check_quotations(doc, file, keys)
    yield from find_losses(doc, path, training, pipes, trains=trains)


def _keys(training: Training) -> Keys:
    """Find where the first component of each kind has its annotation, or else where it is by default."""
    keys = {"cluster": CLUSTER_PREFIX, "frame": FRAME_PREFIX, "labelled span": LABELLED_KEY}
    for name, pipe in reversed(training.pipes.items()):
        settings: Any = pipe.settings
        group = training.tasks[name].group
        keys[group] = settings.prefix if group in ("cluster", "frame") else settings.selected_key
    return Keys(keys["cluster"], keys["frame"], keys["labelled span"])
