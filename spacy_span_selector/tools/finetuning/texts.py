"""The texts of a fine-tuning: which files they are, what of them can be read, which of them are only scored, and which
labels the others teach."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from hashlib import blake2b
from itertools import chain
from pathlib import Path
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc

from ... import annotation
from ...annotation import describe_doc, read_all_groups, types_of
from ...examples.corpus import read_sound_docs
from ...scoring.task import find_tasks
from ..files.folders import find_files, what_is_wrong
from ..formats.bracketed import HEADING, read_separately
from ..formats.files import FILES, read_text
from ..formats.nesting import find_crossing
from ..formats.reports import DOCUMENTS, REPEATED_DOCUMENTS, Report

BRACKETED, SPACY, PLAIN = ".brackets.txt", ".spacy", ".txt"
ANNOTATED = (BRACKETED, SPACY)  # how the names of files end that have gold annotation for certain

TOO_FEW = "{}: found too few annotated documents to split off some: {}. Annotate two in the same way, or give --dev."
NOT_LEARNT = "documents without annotation that the pipeline has a component for"
IN_DEV = "documents that are in dev, too"
SHARE = 5  # one document in so many is split off
MOST_NAMED = 10  # new labels


@dataclass(frozen=True)
class Texts:
    """The documents of a fine-tuning: those that are learnt, and those that are only scored."""

    train: list[Doc]
    dev: list[Doc]
    learning: list[str]  # the components that `train` is annotated for, in the order of the pipeline


def gather(
    path: Path, dev_path: Path | None, nlp: Language, report: Report, annotates: Mapping[str, str] | None = None
) -> Texts:
    """Read the documents of a fine-tuning, and report what is left out: files and documents that can't be read, come
    again, are in dev, too, or have no annotation for a component."""
    tasks = find_tasks(nlp)
    pipes: dict[str, Any] = dict(nlp.pipeline)
    if not tasks:
        raise ValueError(f"The pipeline has none of the components that can be fine-tuned, but {nlp.pipe_names}.")

    def read_learnable(source: Path) -> list[Doc]:
        docs = read_annotated(source, nlp, report, annotates)
        return _leave_out(docs, lambda doc: not annotated_for(doc, nlp), NOT_LEARNT, report)

    docs = read_learnable(path)
    if dev_path is None:
        train, dev = split_off(docs, nlp, path)
    else:
        dev = read_learnable(dev_path)
        known = {doc.text for doc in dev}
        train = _leave_out(docs, lambda doc: doc.text in known, IN_DEV, report)
        if docs and not train:
            raise ValueError(f"All of {path} is in {dev_path}: nothing is left to learn. Give dev other texts.")
    learning = [name for name in tasks if any(tasks[name].can_learn(doc, pipes[name]) for doc in train)]
    if not learning:
        expected = ", ".join(f"{task.group}s" for task in tasks.values())
        raise ValueError(f"{path}: found nothing to learn. Expected {expected}, as in docs/bracketed.md.")
    if not any(annotated_for(doc, nlp).intersection(learning) for doc in dev):
        found = f"{dev_path or path}: dev has no annotation for {' and '.join(learning)}, unlike the other texts"
        raise ValueError(f"{found}. Annotate it in the same way.")
    return Texts(train, dev, learning)


def annotated_for(doc: Doc, nlp: Language) -> frozenset[str]:
    pipes: dict[str, Any] = dict(nlp.pipeline)
    tasks = find_tasks(nlp).items()
    return frozenset(name for name, task in tasks if task.gold_spans(doc, pipes[name]) is not None)


def find_unmarked(texts: Texts, nlp: Language) -> list[str]:
    """The labels of spans that are known, and that no text marks, though one is annotated for them."""
    pipes = _labelling_pipes(texts, nlp)
    groups = [annotation.get_labelled_spans(doc, pipe.spans_key) for pipe in pipes for doc in texts.train]
    marked = {label for span in chain(*groups) for label in types_of(span.label)}
    declared = [annotation.get_annotates(doc) for doc in texts.train]
    wanted = {label for labels in declared for each in labels or () for label in types_of(each)}
    known = [label for pipe in pipes for label in pipe.labels]
    return [label for label in known if label not in marked and (None in declared or label in wanted)]


def keep_known(texts: Texts, nlp: Language) -> None:
    """Let documents to learn that are annotated for some types have the spans of all others that a pipeline finds.

    Else nothing tells what it knows of these, and it drifts. Clusters have no such: documents that have some stay.
    """
    tasks = find_tasks(nlp)
    linked = {name for name, task in tasks.items() if task.factory == "structured_coref"}
    declared = [doc for doc in texts.train if annotation.get_annotates(doc) is not None]
    docs = [doc for doc in declared if not linked & annotated_for(doc, nlp)]
    for pipe in _labelling_pipes(texts, nlp):
        for doc, found in zip(docs, nlp.pipe([doc.text for doc in docs]), strict=True):
            _add_known(doc, found, pipe)


def _add_known(doc: Doc, found: Doc, pipe: Any) -> None:
    declared, gold = annotation.get_annotates(doc) or [], annotation.get_labelled_spans(doc, pipe.spans_key)
    others = [label for label in pipe.labels if annotation.as_declared(label, declared) is None]
    places = {span[:2] for span in gold}
    spans = [(doc.char_span(span.start_char, span.end_char), span.label_) for span in found.spans[pipe.spans_key]]
    known = [(span.start, span.end, label) for span, label in spans if span is not None and label in others]
    known = [span for span in known if span[:2] not in places]
    while crossed := {*chain(*find_crossing([*places, *(span[:2] for span in known)]))} - places:
        known = [span for span in known if span[:2] not in crossed]
    annotation.set_labelled_spans(doc, [*gold, *known], key=pipe.spans_key)
    annotation.set_annotates(doc, [*declared, *others])


def _labelling_pipes(texts: Texts, nlp: Language) -> list[Any]:
    tasks = find_tasks(nlp)
    return [nlp.get_pipe(name) for name in texts.learning if tasks[name].factory == "structured_spancat"]


def check_several(path: Path) -> None:
    """Fail as `split_off` does if there is a single text for certain, before a pipeline is loaded to read it."""
    file, *others = find_texts(path)
    if not (others or file.suffix == SPACY or what_is_wrong(file)) and read_text(file).count(HEADING) < 2:
        raise ValueError(TOO_FEW.format(path, "one text"))


def find_texts(path: Path) -> list[Path]:
    """A file, or those of a folder, at any depth, whose names say that they are annotated, or else all plain text."""
    if not path.is_dir():
        if path.suffix not in (SPACY, PLAIN):
            raise ValueError(f"{path}: expected *{BRACKETED}, *{SPACY} or *{PLAIN}, or a folder of such files.")
        return [path]
    everything = find_files(path, lambda name: True)
    for endings in (ANNOTATED, (PLAIN,)):
        if found := [file for file in everything if file.name.endswith(endings)]:
            return found
    raise ValueError(f"{path}: a folder without texts. Expected *{BRACKETED}, *{SPACY} or *{PLAIN}.")


def read_annotated(path: Path, nlp: Language, report: Report, annotates: Mapping[str, str] | None = None) -> list[Doc]:
    """Read the documents of a folder or a file, each text once, and say what they are annotated for."""
    docs: dict[str, Doc] = {}
    for file in find_texts(path):
        for doc in _read_file(file, nlp, report):
            if doc.text in docs:
                report.leave_out(REPEATED_DOCUMENTS, f"{file}: {describe_doc(doc)}.")
            elif len(doc):
                docs[doc.text] = doc
    report.require([*docs], path)
    return [annotation.declare(doc, annotates) for doc in docs.values()]


def _read_file(file: Path, nlp: Language, report: Report) -> Iterator[Doc]:
    try:
        if problem := what_is_wrong(file):
            raise ValueError(f"{file}: {problem}")
        title = file.name.removesuffix(BRACKETED).removesuffix(PLAIN)
        for doc in read_sound_docs(file, nlp.vocab) if file.suffix == SPACY else read_separately(file, nlp, title):
            if isinstance(doc, Doc):
                yield doc
            else:
                report.leave_out(DOCUMENTS, str(doc))
    except (OSError, ValueError) as error:
        report.leave_out(FILES, str(error))


def split_off(docs: Iterable[Doc], nlp: Language, path: Path) -> tuple[list[Doc], list[Doc]]:
    """Split off one document in five for dev, but at least one; as many of each kind of annotation.

    Which these are depends on the texts alone: most stay the same when others are added.
    """
    kinds: dict[frozenset[str], list[Doc]] = {}
    for doc in docs:
        kinds.setdefault(annotated_for(doc, nlp), []).append(doc)
    train: list[Doc] = []
    dev: list[Doc] = []
    for alike in kinds.values():
        alike.sort(key=lambda doc: blake2b(doc.text.encode()).digest())
        number = max(len(alike) // SHARE, min(len(alike) - 1, 1))
        dev += alike[:number]
        train += alike[number:]
    if not dev:
        raise ValueError(TOO_FEW.format(path, len(train)))
    return train, dev


def _leave_out(docs: Iterable[Doc], unwanted: Callable[[Doc], bool], what: str, report: Report) -> list[Doc]:
    kept = []
    for doc in docs:
        if unwanted(doc):
            report.leave_out(what, f"{describe_doc(doc)}.")
        else:
            kept.append(doc)
    return kept


def learn_labels(texts: Texts, nlp: Language, *, allowed: bool, declared: Iterable[str] = ()) -> list[str]:
    """Add the labels of texts to the components that learn them, and return what is new, in words.

    They are learnt only if they are meant: a typing error would be a label for ever.

    allowed (bool): Whether any may be new, beside those that are `declared`. Otherwise a ValueError says where a new
        one stands, and the known label that is most like it.
    """
    meant = {label for each in declared for label in types_of(each)}
    new: list[tuple[str, Collection[str]]] = []
    for component in texts.learning:
        pipe: Any = nlp.get_pipe(component)
        if hasattr(pipe, "add_labels"):  # others than ours need not
            known = {*pipe.labels, *getattr(pipe, "rolesets", ())}
            added = pipe.add_labels(texts.train).values()
            new += [(label, known) for labels in added for label in labels if label not in known]
    # Each is compared with all known ones, and looked for in all texts.
    told = [_tell(label, known, texts.train) for label, known in new[:MOST_NAMED]]
    if len(new) > MOST_NAMED:
        told.append(f"and {len(new) - MOST_NAMED} more")
    if not allowed and any(label not in meant for label, _ in new):
        cure = "Correct what is a typing error. --allow-new-labels lets all of them be learnt."
        raise ValueError(f"The pipeline does not know {'; '.join(told)}. {cure}")
    return told


def _tell(label: str, known: Collection[str], docs: Iterable[Doc]) -> str:
    alike = get_close_matches(label, known, n=1)
    meant = f", did you mean {alike[0]!r}?" if alike else ""
    return f"{label!r}, as in {next(_places(label, docs), 'a declaration')}{meant}"


def _places(label: str, docs: Iterable[Doc]) -> Iterator[str]:
    for doc in docs:
        for group in read_all_groups(doc).values():
            for span in group:
                if label in (span.label_, *types_of(span.label_), group.attrs.get("roleset")):
                    yield f"{describe_doc(doc)} at {span.text!r}"
