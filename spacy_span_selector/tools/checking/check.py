"""Check a corpus: from its files to counts and problems."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any
from warnings import catch_warnings, simplefilter

from spacy.language import Language
from spacy.tokens import Doc

from ...annotation import describe_doc, has_clusters_annotated, has_frames_annotated, has_labelled_spans_annotated
from ...examples.sentences import lacks_boundaries
from ..files.folders import find_files as find_in_folder
from ..files.folders import what_is_wrong
from ..formats.bracketed import Lenient, read_bracketed
from ..formats.registry import BRACKETED, formats, recognise_format, recognised_formats
from ..formats.reports import LEFT_OUT, CorpusWarning
from .counts import KEYS, Counts, count_docs
from .losses import find_losses
from .problems import Kind, Pipe, Problem, check_quotations, check_spans, find_repeated, tokens
from .trainings import Training

STOPS = Kind("documents that training stops at")
UNREADABLE = Kind("files that can't be read, or not to their end")
MALFORMED = Kind(
    "places of bracketed text that can't be read, or not as meant",
    "text as docs/bracketed.md describes it",
    "Correct the line.",
)
DOUBTFUL = Kind("bracketed text that may not be what was meant", loses=False)
NO_BOUNDARIES = Kind(
    "documents without sentence boundaries, of which nothing is learnt",
    "sentence boundaries",
    "Set them before converting, or put word_sentencizer into the pipeline and annotating_components.",
)
BOUNDARIES_SET = Kind("documents without sentence boundaries, which annotating_components set", loses=False)
NO_ANNOTATION = Kind(
    "documents without annotation, of which nothing is learnt",
    "clusters, frames, labelled spans, or an empty group that says that there are none (docs/annotation.md)",
    "Annotate them, or remove them; check 'prefix' of the components.",
)
OTHER_TASK = Kind("documents annotated only for what no component of the config learns", loses=False)
UNDECLARED = Kind("labels that documents have, but are not annotated for: others like them are unknown", loses=False)
NO_WORDS = Kind("documents without words, which readers leave out", "some words", "Remove them.", loses=False)
NOTHING_TO_LEARN = Kind(
    "components that find nothing to learn from, so that training stops",
    "clusters, frames with arguments, or other annotation that the component learns, in the training documents",
    "Name the training files too, check 'prefix' of the component, or take a config without it.",
)


@dataclass(frozen=True)
class Checked:
    """The content of a corpus, and its problems by kind: those that lose data come first."""

    files: dict[Path, Counts]
    train_files: list[Path]  # from which roles and rolesets are taken
    problems: dict[Kind, list[Problem]]

    @property
    def is_good(self) -> bool:
        """Whether no data is lost, and none leaks from one file into another."""
        return not any(kind.loses for kind in self.problems)

    def as_data(self) -> dict[str, Any]:
        files, problems = [], []
        for path, counts in self.files.items():
            files.append({"path": str(path), "trains": path in self.train_files, **counts.as_data()})
        for kind, cases in self.problems.items():
            shown = [{name: value for name, value in vars(case).items() if name != "kind"} for case in cases]
            problems.append({**vars(kind), "count": len(cases), "cases": shown})
        return {"good": self.is_good, "files": files, "problems": problems}


def check_corpus(paths: Iterable[Path], training: Training, *, requires_all: bool) -> Checked:
    """Check a corpus.

    Roles and rolesets are those of the files whose names begin with `train`, or of all files if none does.
    """
    problems: list[Problem] = []
    files: dict[Path, list[Doc]] = {}
    for path in find_files(paths):
        docs, found = read_file(path, training.nlp)
        files[path] = training.declare(docs, path)
        problems += found
    train_files = [path for path in files if path.name.startswith("train")] or list(files)
    train_docs = [doc for path in train_files for doc in files[path]]
    trained_on = ", ".join(map(str, train_files))
    pipes: dict[str, Pipe] = {}
    for name, pipe in training.pipes.items():
        if any(training.tasks[name].can_learn(doc, pipe) for doc in train_docs):
            try:
                pipe.take_labels(train_docs, training.settings.get(name, {}))
                pipes[name] = pipe
            except ValueError as error:
                problems.append(Problem(STOPS, trained_on, found=str(error)))
        elif requires_all:
            problems.append(Problem(NOTHING_TO_LEARN, trained_on, found=f"'{name}'"))
    keys = dict(KEYS)
    for name, pipe in reversed(training.pipes.items()):  # of several components of a kind the first one counts
        keys[training.tasks[name].group] = getattr(pipe, "prefix", pipe.selected_key)
    for path, docs in files.items():
        for doc in docs:
            problems += _check_doc(doc, path, training, pipes, keys["cluster"], trains=path in train_files)
    problems += find_repeated({str(path): docs for path, docs in files.items()})
    counts = {path: count_docs(docs, keys) for path, docs in files.items()}
    for path, found_there in counts.items():
        undeclared = found_there.undeclared.items()
        problems += [Problem(UNDECLARED, str(path), found=f"{label!r}, {count:,} times") for label, count in undeclared]
    groups: defaultdict[Kind, list[Problem]] = defaultdict(list)
    for problem in problems:
        groups[problem.kind].append(problem)
    return Checked(counts, train_files, dict(sorted(groups.items(), key=lambda group: not group[0].loses)))


def _check_doc(
    doc: Doc, path: Path, training: Training, pipes: dict[str, Pipe], cluster_prefix: str, *, trains: bool
) -> Iterator[Problem]:
    file, document, tasks = str(path), describe_doc(doc), training.tasks
    if not len(doc):
        yield Problem(NO_WORDS, file, document)
        return
    if all(tasks[name].gold_spans(doc, pipe) is None for name, pipe in training.pipes.items()):
        for_others = any((has_clusters_annotated(doc), has_frames_annotated(doc), has_labelled_spans_annotated(doc)))
        yield Problem(OTHER_TASK if for_others else NO_ANNOTATION, file, document)
    if lacks_boundaries(doc):
        yield Problem(BOUNDARIES_SET if training.sets_sentences else NO_BOUNDARIES, file, document)
    checks = [check_spans(doc, tasks[name], pipe) for name, pipe in pipes.items()]
    for kind, span, found in chain(*checks, check_quotations(doc, cluster_prefix)):
        yield Problem(kind, file, document, tokens(*span), found)
    try:
        yield from list(find_losses(doc, path, training, pipes, trains=trains))
    except ValueError as error:
        yield Problem(STOPS, file, document, found=str(error))


def find_files(paths: Iterable[Path]) -> list[Path]:
    """The files that are named, and those of folders at any depth whose names tell a format, each once.

    A folder without such files, or what can't be opened, comes as it is: reading it tells what is wrong.
    """
    endings = tuple(ending for format_ in recognised_formats() for ending in format_.endings)
    found: list[Path] = []
    for path in paths:
        inside = find_in_folder(path, lambda name: name.endswith(endings)) if path.is_dir() else []
        found += inside or [path]
    return list(dict.fromkeys(found))


def read_file(path: Path, nlp: Language) -> tuple[list[Doc], list[Problem]]:
    """The documents of a file, which is bracketed text if its name tells no format, and what of it can't be read."""
    docs: list[Doc] = []
    malformed = Lenient()
    problems: list[Problem] = []
    try:
        if path.is_dir():
            expected = ", ".join(f"*{suffix}" for format_ in recognised_formats() for suffix in format_.suffixes)
            raise ValueError(f"a folder without files such as {expected}. Name the files, or another folder.")
        if os.path.lexists(path) and (problem := what_is_wrong(path)):
            raise ValueError(problem)
        format_ = recognise_format(path) or formats.get(BRACKETED)
        if format_.name == BRACKETED:  # typed by hand: each problem has its line and column
            docs = read_bracketed(path, nlp, malformed)
        else:
            with catch_warnings(record=True) as caught:
                simplefilter("always")
                for doc in format_.read_docs(path, nlp):
                    docs.append(doc)
            problems += [problem for warning in caught for problem in _in_warning(path, warning.message)]
    except (OSError, ValueError) as error:
        after = f" (after {len(docs):,} documents)" if docs else ""
        problems.append(Problem(UNREADABLE, str(path), found=str(error).removeprefix(f"{path}: ") + after))
    for kind, errors in ((MALFORMED, malformed.errors), (DOUBTFUL, malformed.doubts)):
        for found in sorted(errors, key=lambda error: (error.line, error.column)):
            place = f"line {found.line}, column {found.column}"
            problems.append(Problem(kind, str(path), place=place, found=found.message))
    return docs, problems


def _in_warning(path: Path, warning: Warning | str) -> Iterator[Problem]:
    findings = warning.findings if isinstance(warning, CorpusWarning) else {"warnings of the reader": [str(warning)]}
    for what, cases in findings.items():
        kind = Kind(what.removeprefix(LEFT_OUT), loses=what.startswith(LEFT_OUT))
        yield from (Problem(kind, str(path), found=case.removeprefix(f"{path}: ")) for case in cases)
