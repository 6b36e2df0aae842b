"""JSON lines, the format of `e2e-coref` (Lee et al. 2017), `wl-coref` and DyGIE++: one object per line and document.

Offsets count the words of the document; `docs/formats.md` shows a line, and names the fields that are added here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain, compress, filterfalse, groupby
from pathlib import Path
from typing import Any

import srsly
from spacy.tokens import Doc, Span
from spacy.util import filter_spans
from spacy.vocab import Vocab

from ... import annotation
from ...annotation.checks import show
from ...people.speech import find_turns, spread_turns
from .columns import REPEATED_MENTIONS, ColumnSpan, Item
from .files import read_lines, read_object
from .registry import Format
from .reports import DOCUMENTS, Report

NO_SPEAKER = "-"
NO_SPEAKERS = frozenset({NO_SPEAKER, "", "_"})
WORD_LEVEL = ("cased_words", "sent_id")  # what tells `wl-coref` from `e2e-coref`
WORD_PIECES = "subtoken_map"
LAST_INSIDE, END_BEHIND, LABELLED = "[first, last]", "[first, end]", "[first, last, label]"
ENTITIES = "entities that overlap longer ones, which `doc.ents` can't hold"
WITHOUT_TOKENS = "spans without tokens, which JSON lines can't hold"


def read_jsonlines(path: str | Path, vocab: Vocab | None = None) -> list[Doc]:
    """Read words, sentences, and what else the line of a document has: named entities as `doc.ents`.

    With `clusters: []` a document is annotated, but has no clusters; without the field it is not annotated.
    """
    path = Path(path)
    vocab = Vocab() if vocab is None else vocab
    docs: list[Doc] = []
    report = Report()
    for number, line in enumerate(read_lines(path), start=1):
        if line.strip():
            try:
                docs.append(_read_doc(line, vocab, f"{path}:{number}", report))
            except ValueError as error:
                report.leave_out(DOCUMENTS, str(error))
    return report.finish(docs, path, 'Expected lines such as `{"sentences": [["Ann", "slept"]]}`.')


def write_jsonlines(docs: Iterable[Doc]) -> str:
    """Write what `read_jsonlines` reads back: a document without sentence boundaries as one sentence."""
    report = Report()
    lines = [srsly.json_dumps(_make_record(doc, report)) for doc in docs]
    report.warn()
    return "".join(f"{line}\n" for line in lines)


def _read_record(line: bytes, place: str) -> dict[str, Any]:
    """The object in a line, in the form of `e2e-coref`, except for the spans of `wl-coref`."""
    record = read_object(line, place)
    if WORD_PIECES in record:
        found = f"found '{WORD_PIECES}': this file has the word pieces of a transformer instead of words"
        raise ValueError(f"{place}: {found}. Read the file from which it was made.")
    if "sentences" in record:
        return record
    if not all(key in record for key in WORD_LEVEL):
        raise ValueError(f"{place}: found no 'sentences' and no '{WORD_LEVEL[0]}' with '{WORD_LEVEL[1]}'.")
    words, numbers = (_check_list(record[key], key, place) for key in WORD_LEVEL)
    speakers = _check_list(record.get("speaker", [NO_SPEAKER] * len(words)), "speaker", place)
    if not len(words) == len(numbers) == len(speakers):
        found = f"found {len(words)} words, {len(numbers)} values of 'sent_id' and {len(speakers)} of 'speaker'"
        raise ValueError(f"{place}: {found}, expected the same number of each.")
    sentences = [list(run) for _, run in groupby(range(len(words)), key=numbers.__getitem__)]
    title, part = record.get("document_id", ""), record.get("part_id")
    return record | {
        "doc_key": f"{title}_{part}" if isinstance(part, int) else title,
        "sentences": [[words[i] for i in sentence] for sentence in sentences],
        "speakers": [[speakers[i] for i in sentence] for sentence in sentences],
    }


def _read_doc(line: bytes, vocab: Vocab, place: str, report: Report) -> Doc:
    record = _read_record(line, place)
    sentences = _check_lists(record["sentences"], "sentences", place)
    words = list(chain(*sentences))
    for word in words:
        if not isinstance(word, str) or not word:
            raise ValueError(f"{place}: found {show(word)} in 'sentences', expected lists of words.")
    lengths = [len(sentence) for sentence in sentences]
    spaces = _read_values(record, "spaces", lengths, place)
    doc = Doc(vocab, words=words, spaces=spaces, sent_starts=[i == 0 for length in lengths for i in range(length)])
    if record.get("doc_key") not in (None, ""):
        annotation.set_title(doc, _check_name(record["doc_key"], "doc_key", place))
    if "turns" in record:
        turns = _read_labelled(record, "turns", doc, place)
    else:
        speakers = _read_values(record, "speakers", lengths, place) or []
        turns = _find_turns([None if name is None else _check_name(name, "speakers", place) for name in speakers])
    if turns:
        annotation.set_speakers(doc, turns)
    if record.get("clusters") is not None:
        _read_clusters(record, doc, place, report)
    if record.get("constituents"):  # every text has constituents: an empty list means "not annotated"
        annotation.set_constituents(doc, _read_labelled(record, "constituents", doc, place))
    if record.get("ner") is not None:
        entities = [Span(doc, *entity) for entity in _read_labelled(record, "ner", doc, place)]
        kept = filter_spans(entities)
        doc.set_ents(kept, default="outside")
        for entity in filterfalse(kept.__contains__, entities):
            report.leave_out(ENTITIES, f"{place}: {entity.text!r}")
    return doc


def _read_clusters(record: dict[str, Any], doc: Doc, place: str, report: Report) -> None:
    form = END_BEHIND if WORD_LEVEL[0] in record else LAST_INSIDE
    clusters: list[list[tuple[int, int]]] = []
    for cluster in _check_list(record["clusters"], "clusters", place):
        mentions = _read_spans(cluster, form, "clusters", doc, place)
        clusters.append([*dict.fromkeys((start, end) for start, end in mentions)])
        for _ in range(len(mentions) - len(clusters[-1])):
            report.leave_out(REPEATED_MENTIONS, f"{place}: the cluster that starts at word {min(mentions)[0]}.")
    names = record.get("cluster_names")
    if names is not None:
        names = _check_list(names, "cluster_names", place)
        if len(names) != len(clusters):
            raise ValueError(f"{place}: found {len(names)} 'cluster_names' for {len(clusters)} clusters.")
        names = ["" if name is None else _check_name(name, "cluster_names", place) for name in names]
    annotation.set_clusters(doc, clusters, names=names)


def _find_turns(speakers: Iterable[str | None]) -> list[ColumnSpan]:
    return find_turns([None if speaker in NO_SPEAKERS else speaker for speaker in speakers])


def _read_values(record: dict[str, Any], key: str, lengths: list[int], place: str) -> list[Any] | None:
    """One value per word of the document, from one list per sentence; None without such a field."""
    if record.get(key) is None:
        return None
    values = _check_lists(record[key], key, place)
    found = [len(value) for value in values]
    if found != lengths:
        problem = f"found lists of {show(found)} values in '{key}' for sentences of {show(lengths)} words"
        raise ValueError(f"{place}: {problem}, expected one list per sentence with one value per word.")
    return list(chain(*values))


def _read_labelled(record: dict[str, Any], key: str, doc: Doc, place: str) -> list[ColumnSpan]:
    """Labelled spans, end exclusive, from one list for the document or one list per sentence."""
    spans = _check_list(record[key], key, place)
    if all(isinstance(span, list) and all(isinstance(item, list) for item in span) for span in spans):
        spans = list(chain(*spans))
    found = _read_spans(spans, LABELLED, key, doc, place)
    return [(start, end, _check_name(label, key, place)) for start, end, label in found]


def _read_spans(value: object, form: str, key: str, doc: Doc, place: str) -> list[tuple[Any, ...]]:
    """Spans, end exclusive, and their labels if they have any, from lists of a form such as `LAST_INSIDE`."""
    size, last = form.count(",") + 1, int(form != END_BEHIND)
    spans = []
    for span in _check_list(value, key, place):
        good = isinstance(span, list) and len(span) == size and all(type(offset) is int for offset in span[:2])
        if not good or not 0 <= span[0] < span[1] + last <= len(doc):
            expected = f"expected {form} in a document of {len(doc)} words"
            raise ValueError(f"{place}: found {show(span)} in '{key}', {expected}.")
        spans.append((span[0], span[1] + last, *span[2:]))
    return spans


def _check_list(value: object, key: str, place: str) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError(f"{place}: found {show(value)} in '{key}', expected a list.")
    return value


def _check_lists(value: object, key: str, place: str) -> list[list[Any]]:
    return [_check_list(item, key, place) for item in _check_list(value, key, place)]


def _check_name(value: object, key: str, place: str) -> str:
    if not isinstance(value, str | int | float):
        raise ValueError(f"{place}: found {show(value)} in '{key}', expected a name.")
    return str(value)


def _make_record(doc: Doc, report: Report) -> dict[str, Any]:
    """The object of a document; `report` gets the spans without tokens, which it leaves out."""
    report.leave_out_scope(doc)
    sentences = annotation.get_sentences(doc)
    turns = _with_tokens(annotation.get_speakers(doc), "turn of a speaker", doc, report)
    speakers = [NO_SPEAKER if speaker is None else speaker for speaker in spread_turns(turns, len(doc))]
    record: dict[str, Any] = {
        "doc_key": annotation.get_title(doc),
        "sentences": [[token.text for token in sentence] for sentence in sentences],
        "speakers": [speakers[sentence.start : sentence.end] for sentence in sentences],
    }
    if turns != _find_turns(speakers):
        record["turns"] = _last_inside(turns)
    if not doc.has_unknown_spaces:
        record["spaces"] = [[bool(token.whitespace_) for token in sentence] for sentence in sentences]
    if annotation.has_clusters_annotated(doc):
        clusters = [_with_tokens(cluster, "mention", doc, report) for cluster in annotation.get_clusters(doc)]
        record["clusters"] = [_last_inside(cluster) for cluster in clusters if cluster]
        groups = compress(annotation.cluster_groups(doc), clusters)
        names = [annotation.get_text(group, annotation.NAME) or "" for group in groups]
        if any(names):
            record["cluster_names"] = names
    constituents = _labelled(annotation.read_group(doc, annotation.CONSTITUENTS_KEY))
    if constituents := _with_tokens(constituents, "constituent", doc, report):
        record["constituents"] = _last_inside(constituents)
    if doc.has_annotation("ENT_IOB"):
        record["ner"] = _last_inside(_labelled(doc.ents))
    return record


def _labelled(spans: Iterable[Span]) -> list[ColumnSpan]:
    return [(span.start, span.end, span.label_) for span in spans]


def _last_inside(spans: Iterable[tuple[Any, ...]]) -> list[list[Any]]:
    return [[start, end - 1, *label] for start, end, *label in spans]


def _with_tokens(spans: Sequence[Item], what: str, doc: Doc, report: Report) -> list[Item]:
    """The spans that have tokens; the others are reported."""
    for start, end, *_ in spans:
        if start == end:
            report.leave_out(WITHOUT_TOKENS, f"a {what} at token {start} of {annotation.describe_doc(doc)}.")
    return [span for span in spans if span[0] < span[1]]


FORMAT = Format(
    name="jsonlines",
    title="the JSON lines format of e2e-coref and its successors",
    suffixes=(".jsonlines",),
    read=read_jsonlines,
    write=write_jsonlines,
)
