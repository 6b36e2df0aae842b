"""Documents from what Label Studio exports as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc

from ...annotation import get_title, set_clusters, set_frames, set_title
from ...annotation.checks import show
from ..files import read_text
from ..left_out import DOCUMENTS, Report
from ..plain import from_dict
from ..plain.records import FORMAT
from .names import DOCUMENT_FIELD, TEXT_FIELD, TITLE_FIELD
from .records import read_results
from .regions import find_tokens
from .relations import Labelled, find_annotation

NOT_ANNOTATED = "tasks without annotation"
OTHERS = "annotations of tasks that have another, which is the ground truth or comes first"
OTHER_WORDS = "Took the words of the tokenizer, as those in the data of a task can't be read"
SAME_ID = "regions with the id of another"
CURE = "Expected a list of tasks: export as JSON, not as JSON-MIN."


def read_label_studio(path: str | Path, nlp: Language, *, text_field: str = TEXT_FIELD) -> list[Doc]:
    """Read the annotated tasks of a file.

    Tokens, sentences and speakers are restored if `write_label_studio` made the task. Otherwise the tokenizer splits
    the text, and sentences are not known.

    path (str | Path): The file, exported as JSON; decompressed if its name ends in `.gz`.
    nlp (Language): The pipeline whose tokenizer splits the texts; no component is called.
    text_field (str): Where the data of a task has the text.
    RETURNS (list[Doc]): Documents with clusters, with the labels of their mentions as entity types, and frames. A
        document with a predicate is annotated for semantic roles. It is annotated for coreference if it has a mention
        or no predicate. The title is the field `title` of the data, or the number of the task.
    RAISES (FileNotFoundError): If the file is missing, naming it.
    RAISES (ValueError): If the file is not JSON, or no task in it can be read, with the first that can't.
    WARNS: Once, counting what is left out: tasks that can't be read or are not annotated; all but one annotation of a
        task; results that are no labels over text; regions without words, or with another text than that at their
        offsets; relations of missing regions. Regions that begin or end within a token are expanded, and counted.
    """
    path = Path(path)
    report = Report()
    docs: list[Doc] = []
    for i, task in enumerate(_read_tasks(path)):
        place = f"{path}, task {task['id'] if isinstance(task, dict) and isinstance(task.get('id'), int) else i + 1}"
        try:
            docs += _read_task(task, place, nlp, text_field, report)
        except ValueError as error:
            report.leave_out(DOCUMENTS, f"{place}: {error}")
    report.require(docs, path, CURE)
    report.warn()
    return docs


def _read_tasks(path: Path) -> list[Any]:
    text = read_text(path)
    try:
        tasks = json.loads(text)
    except RecursionError as error:
        raise ValueError(f"{path}: its lists are nested too deeply. {CURE}") from error
    except ValueError as error:  # also of an integer with thousands of digits
        raise ValueError(f"{path}: not JSON: {error}. {CURE}") from error
    return tasks if isinstance(tasks, list) else [tasks]


def _read_task(task: Any, place: str, nlp: Language, text_field: str, report: Report) -> list[Doc]:
    """The document of a task, none if it is not annotated."""
    data = task.get("data") if isinstance(task, dict) else None
    if not isinstance(data, dict):
        raise ValueError(f"found {show(task)}, expected a task with 'data'. {CURE}")
    text = data.get(text_field)
    if not isinstance(text, str):
        found = f"found {show(text)} in the field {text_field!r} of 'data', which has {show([*data])}"
        raise ValueError(f"{found}; expected a text. Name the field that has it with --text-field.")
    results = _choose_annotation(task.get("annotations"), place, report)
    if results is None:
        return []
    doc = _make_doc(data, text, nlp, place, report)
    if not get_title(doc):
        set_title(doc, place.rpartition(", ")[2])
    regions, relations = read_results(results, place, report)
    labelled: dict[str, Labelled] = {}
    for region in regions:
        where = f"{place}, region {region.id[:20]!r}"
        if region.id in labelled:
            report.leave_out(SAME_ID, f"{where}.")
        elif (tokens := find_tokens(doc, region.value, where, report)) is not None:
            labelled[region.id] = Labelled(tokens, region.value.labels, region.note)
    clusters, frames = find_annotation(labelled, relations, place, report)
    if clusters or not frames:
        mentions = [cluster.mentions for cluster in clusters]
        names, types = [cluster.name for cluster in clusters], [cluster.entity_type for cluster in clusters]
        set_clusters(doc, mentions, names=names, entity_types=types)
    if frames:
        set_frames(doc, frames)
    return [doc]


def _choose_annotation(annotations: Any, place: str, report: Report) -> list[Any] | None:
    """The results of the ground truth of a task or, without one, of its first annotation that was not cancelled."""
    found: Sequence[Any] = annotations if isinstance(annotations, list) else []
    good = [
        annotation
        for annotation in found
        if isinstance(annotation, dict)
        and not annotation.get("was_cancelled")
        and isinstance(annotation.get("result"), list)
    ]
    if not good:
        report.leave_out(NOT_ANNOTATED, f"{place}: found {show(annotations)} as its 'annotations'.")
        return None
    for _ in good[1:]:
        report.leave_out(OTHERS, f"{place}: {len(good)} annotations.")
    chosen: list[Any] = next((each for each in good if each.get("ground_truth")), good[0])["result"]
    return chosen


def _make_doc(data: dict[str, Any], text: str, nlp: Language, place: str, report: Report) -> Doc:
    """A document with the tokens, sentences and speakers of a task, if it has them."""
    title = data.get(TITLE_FIELD)
    plain = {"format": FORMAT, "text": text, "id": title if isinstance(title, str) else None}
    document = data.get(DOCUMENT_FIELD)
    if isinstance(document, dict):
        try:
            return from_dict({**document, **plain}, nlp)
        except ValueError as error:
            report.add(OTHER_WORDS, f"{place}: {error}")
    return from_dict(plain, nlp)
