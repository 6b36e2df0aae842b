"""JSON lines, the format of `e2e-coref` (Lee et al. 2017) and its successors: one object per line and document.

    {"doc_key": "nw/ferry_0", "sentences": [["Ann", "slept", "."], ["She", "snored", "."]],
     "speakers": [["-", "-", "-"], ["-", "-", "-"]], "clusters": [[[0, 0], [3, 3]]],
     "constituents": [[0, 2, "S"], [3, 5, "S"]], "ner": [[0, 0, "PERSON"]]}

Offsets count the words of the document, and a span includes the word at its second offset. Additional fields, which
other readers ignore, are written only where they are needed: `spaces`, whether white space follows each word; `turns`,
if they are not the longest runs of words of one speaker (they include the word at their second offset); and
`cluster_names`.

`ner` and `constituents` may also have one list per sentence, as in DyGIE++. A document may also have the form of
`wl-coref`: `cased_words`, `sent_id` and `speaker` have one value per word of the document, and spans of `clusters` end
before their second offset.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain, groupby
from pathlib import Path
from typing import Any, TypeVar

import srsly
from spacy.tokens import Doc, Span
from spacy.util import filter_spans
from spacy.vocab import Vocab

from ...annotation import (
    CONSTITUENTS_KEY,
    cluster_groups,
    describe_doc,
    get_clusters,
    get_sentences,
    get_speakers,
    get_title,
    has_clusters_annotated,
    set_clusters,
    set_constituents,
    set_speakers,
    set_title,
)
from .columns import REPEATED_MENTIONS
from .files import read_lines, read_object, show_json
from .registry import Format
from .reports import DOCUMENTS, Report
from .speech import find_turns, spread_turns

NO_SPEAKER = "-"
NO_SPEAKERS = frozenset({NO_SPEAKER, "", "_"})
WORD_LEVEL = ("cased_words", "sent_id")  # what tells `wl-coref` from `e2e-coref`
WORD_PIECES = "subtoken_map"
ENTITIES = "entities that overlap longer ones, which `doc.ents` can't hold"
WITHOUT_TOKENS = "spans without tokens, which JSON lines can't hold"

Offsets = TypeVar("Offsets", tuple[int, int], tuple[int, int, str])


def read_jsonlines(path: str | Path, vocab: Vocab | None = None) -> list[Doc]:
    """Read the documents of a file.

    path (str | Path): The file. Empty lines in it are skipped.
    vocab (Vocab): Vocabulary of the documents; a new one if None.
    RETURNS (list[Doc]): Documents with gold words, sentence starts and, if the line has them, clusters (with
        singletons, if there are any), speakers, constituents, entities (`ner`, as `doc.ents`), and `doc_key` as title.
        Spacing is unknown without `spaces`. With `clusters: []` a document is annotated, but has no clusters; without
        the field it is not annotated.
    RAISES (FileNotFoundError): If the file is missing, naming it.
    RAISES (ValueError): If no document can be read, naming the file; and the first malformed line, if there is any.
    WARNS: Once, counting what is left out: documents whose line is malformed, naming file and line, what was found, and
        what was expected; mentions that are in their cluster twice; entities that overlap longer ones, which
        `doc.ents` can't hold.
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
    report.require(docs, path, 'Expected lines such as `{"sentences": [["Ann", "slept"]]}`.')
    report.warn()
    return docs


def write_jsonlines(docs: Iterable[Doc]) -> str:
    """Write documents as JSON lines.

    `read_jsonlines` restores words, spacing, sentences, title, speakers, clusters, constituents and entities. The
    format has no place for semantic roles, tags and scores. A document without sentence boundaries becomes one
    sentence, and a document without a title has the `doc_key` `""`. A document that is not annotated for coreference
    has no `clusters`.

    docs (Iterable[Doc]): The documents.
    RETURNS (str): The content of a file.
    WARNS: Once, counting the mentions, turns and constituents that are left out because they have no tokens.
    """
    report = Report()
    lines = [srsly.json_dumps(_make_record(doc, report)) for doc in docs]
    report.warn()
    return "".join(f"{line}\n" for line in lines)


def _read_doc(line: bytes, vocab: Vocab, place: str, report: Report) -> Doc:
    try:
        return _make_doc(_read_record(line, place), vocab, place, report)
    except RecursionError as error:
        raise ValueError(f"{place}: its lists are nested too deeply, expected a document.") from error


def _read_record(line: bytes, place: str) -> dict[str, Any]:
    """The object in a line, in the form of `e2e-coref`."""
    record = read_object(line, place)
    if WORD_PIECES in record:
        raise ValueError(
            f"{place}: found '{WORD_PIECES}': this file has the word pieces of a transformer instead of words. Read "
            "the file from which it was made."
        )
    if "sentences" not in record and all(key in record for key in WORD_LEVEL):
        return _from_word_level(record, place)
    if "sentences" not in record:
        raise ValueError(f"{place}: found no 'sentences' and no '{WORD_LEVEL[0]}' with '{WORD_LEVEL[1]}'.")
    return record


def _from_word_level(record: dict[str, Any], place: str) -> dict[str, Any]:
    """Convert a document of `wl-coref` to the form of `e2e-coref`, except for its spans."""
    words, numbers = (_check_list(record[key], key, place) for key in WORD_LEVEL)
    speakers = _check_list(record.get("speaker", [NO_SPEAKER] * len(words)), "speaker", place)
    if not len(words) == len(numbers) == len(speakers):
        raise ValueError(
            f"{place}: found {len(words)} words, {len(numbers)} values of 'sent_id' and {len(speakers)} of 'speaker', "
            "expected the same number of each."
        )
    sentences = [list(run) for _, run in groupby(range(len(words)), key=numbers.__getitem__)]
    title, part = record.get("document_id", ""), record.get("part_id")
    return record | {
        "doc_key": f"{title}_{part}" if isinstance(part, int) else title,
        "sentences": [[words[i] for i in sentence] for sentence in sentences],
        "speakers": [[speakers[i] for i in sentence] for sentence in sentences],
    }


def _make_doc(record: dict[str, Any], vocab: Vocab, place: str, report: Report) -> Doc:
    sentences = [
        _check_list(sentence, "sentences", place) for sentence in _check_list(record["sentences"], "sentences", place)
    ]
    words = list(chain(*sentences))
    wrong = [word for word in words if not isinstance(word, str) or not word]
    if wrong:
        raise ValueError(f"{place}: found {show_json(wrong[0])} in 'sentences', expected lists of words.")
    doc = Doc(
        vocab,
        words=words,
        spaces=_read_values(record, "spaces", sentences, place),
        sent_starts=[i == 0 for sentence in sentences for i in range(len(sentence))],
    )
    if record.get("doc_key"):
        set_title(doc, _check_name(record["doc_key"], "doc_key", place))
    turns = _read_turns(record, sentences, place)
    if turns:
        set_speakers(doc, turns)
    if record.get("clusters") is not None:
        _read_clusters(record, doc, place, report)
    if record.get("constituents"):  # every text has constituents: an empty list means "not annotated"
        set_constituents(doc, _read_labelled(record, "constituents", len(doc), place))
    if record.get("ner") is not None:
        entities = [Span(doc, *entity) for entity in _read_labelled(record, "ner", len(doc), place)]
        kept = filter_spans(entities)
        doc.set_ents(kept, default="outside")
        for entity in entities:
            if entity not in kept:
                report.leave_out(ENTITIES, f"{place}: {entity.text!r}")
    return doc


def _read_clusters(record: dict[str, Any], doc: Doc, place: str, report: Report) -> None:
    last_inside = WORD_LEVEL[0] not in record
    clusters: list[list[tuple[int, int]]] = []
    for cluster in _check_list(record["clusters"], "clusters", place):
        mentions = _read_spans(cluster, "clusters", len(doc), place, last_inside=last_inside)
        clusters.append([*dict.fromkeys((start, end) for start, end in mentions)])
        for _ in range(len(mentions) - len(clusters[-1])):
            report.leave_out(REPEATED_MENTIONS, f"{place}: the cluster that starts at word {min(mentions)[0]}.")
    names = record.get("cluster_names")
    if names is not None and len(_check_list(names, "cluster_names", place)) != len(clusters):
        raise ValueError(f"{place}: found {len(names)} 'cluster_names' for {len(clusters)} clusters.")
    if names is not None:
        names = ["" if name is None else _check_name(name, "cluster_names", place) for name in names]
    set_clusters(doc, clusters, names=names)


def _read_turns(record: dict[str, Any], sentences: Sequence[Sequence[str]], place: str) -> list[tuple[int, int, str]]:
    if "turns" in record:
        return _read_labelled(record, "turns", sum(map(len, sentences)), place)
    speakers = _read_values(record, "speakers", sentences, place) or []
    return _find_turns(["" if value is None else _check_name(value, "speakers", place) for value in speakers])


def _find_turns(speakers: Sequence[str]) -> list[tuple[int, int, str]]:
    return find_turns([None if speaker in NO_SPEAKERS else speaker for speaker in speakers])


def _read_values(record: dict[str, Any], key: str, sentences: Sequence[Sequence[str]], place: str) -> list[Any] | None:
    """One value per word of the document, from one list per sentence; None without such a field."""
    if record.get(key) is None:
        return None
    values = [_check_list(value, key, place) for value in _check_list(record[key], key, place)]
    found, expected = [len(value) for value in values], [len(sentence) for sentence in sentences]
    if found != expected:
        raise ValueError(
            f"{place}: found lists of {show_json(found)} values in '{key}' for sentences of {show_json(expected)} "
            "words, expected one list per sentence with one value per word."
        )
    return list(chain(*values))


def _read_labelled(record: dict[str, Any], key: str, n_words: int, place: str) -> list[tuple[int, int, str]]:
    """Labelled spans, end exclusive, from one list for the document or one list per sentence."""
    spans = _check_list(record[key], key, place)
    if all(isinstance(span, list) and all(isinstance(item, list) for item in span) for span in spans):
        spans = list(chain(*spans))
    return [
        (start, end, _check_name(label, key, place))
        for start, end, label in _read_spans(spans, key, n_words, place, labelled=True)
    ]


def _read_spans(
    value: object, key: str, n_words: int, place: str, *, labelled: bool = False, last_inside: bool = True
) -> list[tuple[Any, ...]]:
    """Spans, end exclusive, and their labels if they have any."""
    size = 3 if labelled else 2
    spans = []
    for span in _check_list(value, key, place):
        good = isinstance(span, list) and len(span) == size and all(type(offset) is int for offset in span[:2])
        end = span[1] + last_inside if good else 0
        if not good or not 0 <= span[0] < end <= n_words:
            form = f"[first, {'last' if last_inside else 'end'}{', label' if labelled else ''}]"
            raise ValueError(
                f"{place}: found {show_json(span)} in '{key}', expected {form} in a document of {n_words} words."
            )
        spans.append((span[0], end, *span[2:]))
    return spans


def _check_list(value: object, key: str, place: str) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError(f"{place}: found {show_json(value)} in '{key}', expected a list.")
    return value


def _check_name(value: object, key: str, place: str) -> str:
    if not isinstance(value, str | int | float):
        raise ValueError(f"{place}: found {show_json(value)} in '{key}', expected a name.")
    return str(value)


def _make_record(doc: Doc, report: Report) -> dict[str, Any]:
    """The object of a document; `report` gets the spans without tokens, which it leaves out."""
    sentences = get_sentences(doc)
    turns = _with_tokens(get_speakers(doc), "turn of a speaker", doc, report)
    speakers = [NO_SPEAKER if speaker is None else speaker for speaker in spread_turns(turns, len(doc))]
    record: dict[str, Any] = {
        "doc_key": get_title(doc),
        "sentences": [[token.text for token in sentence] for sentence in sentences],
        "speakers": [speakers[sentence.start : sentence.end] for sentence in sentences],
    }
    if turns != _find_turns(speakers):
        record["turns"] = [[start, end - 1, speaker] for start, end, speaker in turns]
    if not doc.has_unknown_spaces:
        record["spaces"] = [[bool(token.whitespace_) for token in sentence] for sentence in sentences]
    if has_clusters_annotated(doc):
        clusters = [_with_tokens(cluster, "mention", doc, report) for cluster in get_clusters(doc)]
        names = [str(group.attrs.get("name", "")) for group in cluster_groups(doc)]
        kept = [i for i, cluster in enumerate(clusters) if cluster]
        record["clusters"] = [[[start, end - 1] for start, end in clusters[i]] for i in kept]
        if any(names[i] for i in kept):
            record["cluster_names"] = [names[i] for i in kept]
    constituents = _with_tokens(_labelled(doc.spans.get(CONSTITUENTS_KEY, ())), "constituent", doc, report)
    if constituents:
        record["constituents"] = [[start, end - 1, label] for start, end, label in constituents]
    if doc.has_annotation("ENT_IOB"):
        record["ner"] = [[start, end - 1, label] for start, end, label in _labelled(doc.ents)]
    return record


def _labelled(spans: Iterable[Span]) -> list[tuple[int, int, str]]:
    return [(span.start, span.end, span.label_) for span in spans]


def _with_tokens(spans: Iterable[Offsets], what: str, doc: Doc, report: Report) -> list[Offsets]:
    """The spans that have tokens; the others are reported."""
    kept = []
    for span in spans:
        if span[0] < span[1]:
            kept.append(span)
        else:
            report.leave_out(WITHOUT_TOKENS, f"a {what} at token {span[0]} of {describe_doc(doc)}.")
    return kept


FORMAT = Format(
    name="jsonlines",
    title="the JSON lines format of e2e-coref and its successors",
    suffixes=(".jsonlines",),
    read=read_jsonlines,
    write=write_jsonlines,
    holds="coreference",
)
