"""Documents from what Label Studio exports as JSON."""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import spacy
import typer
from pydantic import Field, ValidationError
from spacy.language import Language
from spacy.tokens import Doc

from .... import annotation
from ....annotation import Argument, Frame, LabelledSpan, Mention
from ....annotation.checks import show
from ..columns import REPEATED_ARGUMENTS, REPEATED_MENTIONS
from ..commands import Annotates, Lang, Sources, read_files, save_docs, split_paths
from ..files import read_text
from ..plain import FORMAT, from_dict
from ..plain.schema import Number, Record, Text
from ..reports import DOCUMENTS, TYPES, Report, shorten
from .writer import COREFERENT, DOCUMENT_FIELD, LABELLED_TAG, MENTION, NO_MENTIONS, PREDICATE, TEXT_FIELD, TITLE_FIELD

CURE = "Expected a list of tasks: export as JSON, not as JSON-MIN."


def read_label_studio(path: str | Path, nlp: Language, *, text_field: str = TEXT_FIELD) -> list[Doc]:
    """Read the annotated tasks of a file that was exported as JSON.

    Clusters have the labels of their mentions as entity types. A document without any annotation is annotated for
    coreference. Its title is the field `title` of the data, or the number of the task.
    """
    text = read_text(Path(path))
    try:
        tasks = json.loads(text)
    except RecursionError as error:
        raise ValueError(f"{path}: its lists are nested too deeply. {CURE}") from error
    except ValueError as error:  # also of an integer with thousands of digits
        raise ValueError(f"{path}: not JSON: {error}. {CURE}") from error
    report = Report()
    docs: list[Doc] = []
    for i, task in enumerate(tasks if isinstance(tasks, list) else [tasks], start=1):
        place = f"{path}, task {task['id'] if isinstance(task, dict) and isinstance(task.get('id'), int) else i}"
        try:
            docs += _read_task(task, place, nlp, text_field, report)
        except ValueError as error:
            report.leave_out(DOCUMENTS, f"{place}: {error}")
    return report.finish(docs, path, CURE)


def _read_task(task: Any, place: str, nlp: Language, text_field: str, report: Report) -> list[Doc]:
    """The document of a task, none if it is not annotated."""
    data = task.get("data") if isinstance(task, dict) else None
    if not isinstance(data, dict):
        raise ValueError(f"found {show(task)}, expected a task with 'data'. {CURE}")
    text = data.get(text_field)
    if not isinstance(text, str):
        found = f"found {show(text)} in the field {text_field!r} of 'data', which has {show([*data])}"
        raise ValueError(f"{found}; expected a text. Name the field that has it with --text-field.")
    results = _choose_annotation(task, place, report)
    if results is None:
        return []
    doc = _make_doc(data, text, nlp, place, report)
    if not annotation.get_title(doc):
        annotation.set_title(doc, place.rpartition(", ")[2])
    regions, relations = read_results(results, place, report)
    spans: dict[str, Labelled] = {}  # labelled spans, apart from others, because a region may be one and the other
    others: dict[str, Labelled] = {}
    for region in regions:
        where = f"{place}, region {region.id[:20]!r}"
        known = spans if region.from_name == LABELLED_TAG else others
        if region.id in known:
            report.leave_out("regions with the id of another", f"{where}.")
        elif (tokens := find_tokens(doc, region.value, where, report)) is not None:
            known[region.id] = Labelled(tokens, region.value.labels, region.note)
    if spans or annotation.has_labelled_spans_annotated(doc):
        counts = Counter(LabelledSpan(*span.place, label) for span in spans.values() for label in span.labels)
        for span, times in counts.items():
            case = f"{place}: {span.label} at token {span.start}."
            report.leave_out("labels that a labelled span has twice", case, times - 1)
        annotation.set_labelled_spans(doc, [*counts])
    clusters, names, types, frames = find_annotation(others, relations, place, report)
    if clusters or not (frames or annotation.has_labelled_spans_annotated(doc)):
        annotation.set_clusters(doc, clusters, names=names, entity_types=types)
    if frames:
        annotation.set_frames(doc, frames)
    return [doc]


def _choose_annotation(task: dict[str, Any], place: str, report: Report) -> list[Any] | None:
    """The results of the ground truth of a task or, without one, of its first annotation that was not cancelled."""
    annotations = task.get("annotations")
    known = [each for each in annotations if isinstance(each, dict)] if isinstance(annotations, list) else []
    good = [each for each in known if isinstance(each.get("result"), list) and not each.get("was_cancelled")]
    if not good:
        cure = " It has predictions: accept them there, or export with --annotations." if "predictions" in task else ""
        report.leave_out("tasks without annotation", f"{place}: found {show(annotations)} as its 'annotations'.{cure}")
        return None
    others = "annotations of tasks that have another, which is the ground truth or comes first"
    report.leave_out(others, f"{place}: {len(good)} annotations.", len(good) - 1)
    return next((each for each in good if each.get("ground_truth")), good[0])["result"]


def _make_doc(data: dict[str, Any], text: str, nlp: Language, place: str, report: Report) -> Doc:
    """A document with the tokens, sentences and speakers of a task, if it has them."""
    title = data.get(TITLE_FIELD)
    plain = {"text": text, "id": title if isinstance(title, str) else None}
    document = data.get(DOCUMENT_FIELD)
    if isinstance(document, dict):
        try:
            doc = from_dict({"format": FORMAT, **document, **plain}, nlp)
        except ValueError as error:
            what = "Took the words of the tokenizer, as those in the data of a task can't be read"
            report.add(what, f"{place}: {error}")
        else:
            try:
                if (types := document.get(annotation.ANNOTATES_KEY)) is not None:
                    annotation.set_annotates(doc, types)
            except ValueError as error:
                report.leave_out(TYPES, f"{place}: {error}")
            return doc
    return from_dict({"format": FORMAT, **plain}, nlp)


class Value(Record):
    """Labelled characters: offsets, end exclusive, and their text, if given."""

    start: Number
    end: Number
    labels: Annotated[list[Text], Field(min_length=1)]
    text: Text | None = None


class Region(Record):
    id: Text
    value: Value
    from_name: Any = None
    meta: Any = None

    @property
    def note(self) -> str:
        """The annotators' note on the region, "" if there is none."""
        texts = self.meta.get("text") if isinstance(self.meta, dict) else None
        first = texts[0] if isinstance(texts, list) and texts else texts
        return " ".join(first.split()) if isinstance(first, str) else ""


class Relation(Record):
    """A relation of two regions, from the first to the second or, if its direction is left, the other way round."""

    from_id: Text
    to_id: Text
    direction: Literal["right", "left", "bi"] | None = None
    labels: list[Text] | None = None

    @property
    def ends(self) -> tuple[str, str]:
        return (self.to_id, self.from_id) if self.direction == "left" else (self.from_id, self.to_id)


def read_results(results: list[Any], place: str, report: Report) -> tuple[list[Region], list[Relation]]:
    """The regions and relations of an annotation; the report gets the results that can't be read."""
    regions: list[Region] = []
    relations: list[Relation] = []
    for i, result in enumerate(results):
        kind = result.get("type") if isinstance(result, dict) else None
        where = f"{place}, result[{i}]"
        try:
            if kind == "labels":
                regions.append(Region.model_validate(result))
            elif kind == "relation":
                relations.append(Relation.model_validate(result))
            else:
                case = f"{where}: found {show(kind or result)}, expected 'labels' or 'relation'."
                report.leave_out("results that are neither labels over text nor relations", case)
        except ValidationError as error:
            first = error.errors(include_url=False, include_context=False)[0]
            case = f"{where}: {'.'.join(map(str, first['loc']))} is {show(first['input'])}. {first['msg']}."
            report.leave_out("regions and relations that can't be read", case)
    return regions, relations


def find_tokens(doc: Doc, value: Value, place: str, report: Report) -> Mention | None:
    """The tokens of a region, None for one that is left out.

    White space at its edges is left out. A region that begins or ends within a token gets the whole token.
    """
    text = doc.text
    start, end = value.start, value.end
    if value.text is not None and not _is_same(text[start:end], value.text):
        readings = (span for span in _other_readings(text, start, end) if _is_same(text[slice(*span)], value.text))
        start, end = next(readings, (-1, -1))
        if start < 0:
            found = f"found {shorten(text[value.start : value.end])}, expected {shorten(value.text)}"
            report.leave_out("regions whose text is not that at their offsets", f"{place}: {found}.")
            return None
    words = text[start:end].strip()
    if not words or end > len(text):
        found = f"characters {value.start} to {value.end} of {len(text)}"
        report.leave_out("regions without words", f"{place}: found {found}, expected some words.")
        return None
    start = text.index(words, start)
    end = start + len(words)
    span = doc.char_span(start, end, alignment_mode="expand")
    assert span is not None
    if (span.start_char, span.end_char) != (start, end):
        what = "Expanded regions that begin or end within a token to the whole token"
        report.add(what, f"{place}: {shorten(words)} to {shorten(span.text)}.")
    return span.start, span.end


def _is_same(found: str, expected: str) -> bool:
    r"""Compare two texts. Label Studio may write a line end as a space or as the two characters `\n`."""
    return found == expected or found.split() == expected.replace("\\n", " ").split()


def _other_readings(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    r"""What offsets may mean: JavaScript's characters, and each `\r\n` as one character, as browsers count it."""
    yield _from_utf16(text, start, end)
    ends = [match.start() - i for i, match in enumerate(re.finditer("\r\n", text))]
    for first, last in ((start, end), _from_utf16(text.replace("\r\n", "\n"), start, end)):
        yield first + bisect_left(ends, first), last + bisect_left(ends, last)


def _from_utf16(text: str, start: int, end: int) -> tuple[int, int]:
    """Offsets of characters from JavaScript's, in which an emoji is two; old versions of Label Studio write them."""
    units = text.encode("utf-16-le")
    before, inside = units[: 2 * start], units[2 * start : 2 * end]
    first = len(before.decode("utf-16-le", errors="ignore"))
    return first, first + len(inside.decode("utf-16-le", errors="ignore"))


class Labelled(NamedTuple):
    place: Mention  # of tokens
    labels: list[str]
    note: str


def find_annotation(
    regions: Mapping[str, Labelled], relations: Sequence[Relation], place: str, report: Report
) -> tuple[list[list[Mention]], list[str], list[str], list[Frame]]:
    """The clusters of a document, their names and entity types, "" where they are not known, and its frames.

    A region is a mention if it has any label but `Predicate` and `Argument`, or if it is in a relation of coreference.
    A relation of a predicate is that to an argument, whose role is its label, unless it is labelled `coreferent`. Any
    other relation means that both regions are in one cluster. A mention without such a relation is a singleton.
    """
    groups = {name: [name] for name, region in regions.items() if not NO_MENTIONS.issuperset(region.labels)}
    arguments: defaultdict[str, list[Argument]] = defaultdict(list)
    for relation in relations:
        ends = relation.ends
        between = f"{place}: from {shorten(ends[0])} to {shorten(ends[1])}."
        if not all(end in regions for end in ends):
            report.leave_out("relations of regions that are missing or left out", between)
            continue
        of_predicate = [PREDICATE in regions[end].labels for end in ends]
        labels = relation.labels or []
        if COREFERENT in labels or not any(of_predicate):
            # Groups are lists that their members share: the shorter one becomes part of the longer.
            small, large = sorted((groups.setdefault(end, [end]) for end in ends), key=len)
            if small is not large:
                large += small
                groups |= dict.fromkeys(small, large)
        elif not labels:
            report.leave_out("relations of predicates that have no label, the role", between)
        else:
            predicate, argument = ends if of_predicate[0] else reversed(ends)
            for new in (Argument(*regions[argument].place, role) for role in labels):
                if new in arguments[predicate]:
                    report.leave_out(REPEATED_ARGUMENTS, f"{place}: {new.role} at token {new.start}.")
                else:
                    arguments[predicate].append(new)
    frames = [
        Frame(*region.place, arguments[name], region.note or None)
        for name, region in regions.items()
        if PREDICATE in region.labels
    ]
    clusters: list[list[Mention]] = []
    names: list[str] = []
    types: list[str] = []
    for group in {id(group): group for group in groups.values()}.values():
        ordered = sorted((regions[name] for name in group), key=lambda region: region.place)
        mentions = dict.fromkeys(region.place for region in ordered)
        case = f"{place}: the cluster that starts at token {ordered[0].place[0]}."
        report.leave_out(REPEATED_MENTIONS, case, len(ordered) - len(mentions))
        notes = (region.note for region in ordered if region.note and PREDICATE not in region.labels)
        kinds = (label for region in ordered for label in region.labels if label not in NO_MENTIONS | {MENTION})
        clusters.append([*mentions])
        names.append(next(notes, ""))
        types.append(next(kinds, ""))
    return clusters, names, types, frames


def convert_label_studio(
    paths: Sources,
    lang: Lang = "en",
    text_field: Annotated[str, typer.Option(help="Where the data of a task has the text")] = TEXT_FIELD,
    annotates: Annotates = None,
) -> None:
    """Convert what was annotated in Label Studio and exported as JSON."""
    sources, out_path = split_paths(paths)
    nlp = spacy.blank(lang)
    docs = read_files(sources, lambda path: read_label_studio(path, nlp, text_field=text_field))
    save_docs({out_path: docs}, annotates)
