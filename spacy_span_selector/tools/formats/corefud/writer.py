"""Documents to CorefUD: a file of their own, or a copy of a CoNLL-U file with their clusters."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Annotated

import typer
from spacy.tokens import Doc, Span, Token

from ....annotation import describe_doc, get_sentences, get_speakers, get_title, has_clusters_annotated
from ....documents.words import remove_white_space
from ....extensions.mention_types import head_token
from ....people.dialogue import remove_speaker_markers
from ..columns import NUMBER, read_number
from ..commands import Data, OutPath, read_all, save_texts
from ..conllu import DOCUMENT, EMPTY_NODE, NO_SPACE, NOTHING, RANGE, UNNAMED_DOCUMENT, Row, Sentence, parse_conllu
from ..files import check_writable, one_line, read_text
from ..reports import REPEATED_DOCUMENTS, Report, shorten
from ..speech import spread_turns
from .entities import DECLARATION, ENTITY, FIELDS, EntityColumns

ROW_ENDS = re.compile(r"[\t\r\n]+")
NOT_IN_A_SENTENCE_ID = re.compile(r"[\s/]+")
CHANGED_WORDS = "Wrote a space for tabs and line ends in words"
OTHER_SPEAKERS = "speakers of sentences whose first word has another speaker, or none"
DECLARED = f"# {DECLARATION} = {'-'.join(FIELDS)}"
REPLACED = frozenset({ENTITY, "SplitAnte", "Split", "Bridge"})
HEAD = 6


def write_corefud(docs: Iterable[Doc]) -> str:
    """Write documents in CorefUD.

    `read_corefud` restores words, spacing, sentences, lemmas, parts of speech, title, speakers and clusters, with their
    entity types. Names of clusters are kept if they can be ids and no cluster of another document has them. Parses and
    morphology are written, but not read. The format has no place for semantic roles and scores. White space tokens and
    speaker markers are left out. The head of a mention is the root of its parse or, without one, what representative
    mentions are found by.

    docs (Iterable[Doc]): The documents. One without sentence boundaries becomes one sentence, one without a title is
        called `document 1`, and a title that was used before gets a number.
    RETURNS (str): The content of a file.
    RAISES (ValueError): If a document has a character that no text file can hold, naming it.
    WARNS: Once, counting what the format can't hold: mentions that cross the end of a sentence or another mention of
        their entity, speakers that change within a sentence, words with tabs or line ends.
    """
    report = Report()
    columns = EntityColumns(report)
    titles: set[str] = set()
    texts: list[str] = []
    for number, doc in enumerate(docs, start=1):
        title = _unused(one_line(get_title(doc)) or f"document {number}", titles)
        lines = _write_doc(remove_white_space(remove_speaker_markers(doc)), title, columns, report)
        texts.append(check_writable(doc, "".join(f"{line}\n" for line in lines)))
    report.warn()
    return "".join(texts)


def _unused(title: str, titles: set[str]) -> str:
    number, unused = 1, title
    while unused in titles:
        number += 1
        unused = f"{title} {number}"
    titles.add(unused)
    return unused


def _write_doc(doc: Doc, title: str, columns: EntityColumns, report: Report) -> Iterator[str]:
    entities = columns.write(doc, lambda start, end: head_token(doc[start:end]).i)
    speakers = spread_turns(get_speakers(doc), len(doc))
    yield f"{DOCUMENT}{title}"
    if has_clusters_annotated(doc):
        yield DECLARED
    sentences = get_sentences(doc) if len(doc) else []
    for number, sentence in enumerate(sentences, start=1):
        yield f"# sent_id = {NOT_IN_A_SENTENCE_ID.sub('_', title)}-{number}"
        speaker = one_line(speakers[sentence.start] or "")
        if speaker:
            yield f"# speaker = {speaker}"
        for other in sorted({str(name) for name in speakers[sentence.start : sentence.end] if name} - {speaker}):
            report.leave_out(OTHER_SPEAKERS, f"{describe_doc(doc)}, sentence {number}, {shorten(other)}")
        yield f"# text = {ROW_ENDS.sub(' ', sentence.text)}"
        for token in sentence:
            if ROW_ENDS.search(token.text):
                report.add(CHANGED_WORDS, f"{describe_doc(doc)}, token {token.i}, {shorten(token.text)}")
            yield "\t".join(_write_row(token, sentence, entities[token.i]))
        yield ""


def _write_row(token: Token, sentence: Span, entities: str) -> list[str]:
    head, relation = "", ""
    if token.has_head():
        head = "0" if token.head == token else str(token.head.i - sentence.start + 1)
        relation = "root" if head == "0" else token.dep_
    misc = [f"{ENTITY}={entities}"] if entities else []
    if not token.whitespace_:
        misc.append(NO_SPACE)
    values = [token.lemma_, token.pos_, token.tag_, str(token.morph), head, relation, "", "|".join(misc)]
    number = str(token.i - sentence.start + 1)
    return [number, ROW_ENDS.sub(" ", token.text), *(ROW_ENDS.sub(" ", value) or NOTHING for value in values)]


def merge_corefud(docs: Iterable[Doc], source: str | Path) -> str:
    """Write a CoNLL-U file with the clusters of documents instead of those that it has.

    docs (Iterable[Doc]): The documents of the file, in any order, with its titles and words.
    source (str | Path): The file. Its mentions, split antecedents and bridging relations are left out; comments,
        parses, empty nodes and words that are written as one are kept.
    RETURNS (str): The content of the file. The head of a mention is its first word whose head in `source` is outside
        of it.
    RAISES (OSError): If the file can't be read, naming it.
    RAISES (ValueError): If the file is not CoNLL-U, or its documents or their words are not those of `docs`.
    WARNS: Once, counting the mentions that are left out, as `write_corefud` does.
    """
    source = Path(source)
    text = read_text(source)
    documents = _parse(text, source)
    by_title = {get_title(doc): remove_white_space(remove_speaker_markers(doc)) for doc in docs}
    for title in [*documents, *by_title]:
        if title not in documents or title not in by_title:
            there = f"in {source}" if title in documents else "in the documents"
            raise ValueError(f"{source}: document {title!r} is only {there}. Expected the same documents in both.")
    report = Report()
    columns = EntityColumns(report)
    rows = (row for title, sentences in documents.items() for row in _merge(by_title[title], sentences, columns))
    merged = "\n".join(_merge_lines(text, rows))
    report.warn()
    return merged


def _parse(text: str, source: Path) -> dict[str, list[Sentence]]:
    report = Report()
    documents, unreadable = parse_conllu(text, str(source), report)
    for message in (*unreadable.values(), report.first(REPEATED_DOCUMENTS)):
        if message:
            raise ValueError(message)
    documents.pop("", None)
    return documents


def _merge(doc: Doc, sentences: Sequence[Sentence], columns: EntityColumns) -> Iterator[str]:
    """The rows of a document, with the clusters of another document of the same words."""
    lengths = [len(sentence.words) for sentence in sentences]
    starts = [0, *accumulate(lengths)]
    for sentence, start in zip(sentences, starts, strict=False):
        expected = [word.form for word in sentence.words]
        found = [token.text for token in doc[start : start + len(expected)]]
        if found != expected:
            message = f"the document has the words {shorten(' '.join(found))}, expected {shorten(' '.join(expected))}."
            raise ValueError(f"{sentence.rows[0].place}: {message}")
    if len(doc) != starts[-1]:
        title = get_title(doc)
        raise ValueError(f"{title!r}: the document has {len(doc)} words, expected {starts[-1]}, as in the file.")
    heads = [head for sentence, start in zip(sentences, starts, strict=False) for head in _find_heads(sentence, start)]

    def find_head(start: int, end: int) -> int:
        return next((i for i in range(start, end) if not start <= heads[i] < end), start)

    entities = columns.write(doc, find_head)
    word = 0
    for sentence in sentences:
        for row in sentence.rows:
            is_word = not EMPTY_NODE.fullmatch(row.columns[0]) and not RANGE.fullmatch(row.columns[0])
            yield _replace_entities(row, entities[word] if is_word else "")
            word += is_word


def _find_heads(sentence: Sentence, start: int) -> Iterator[int]:
    """The number of the head of each word in the document, -1 if it has none."""
    for _, columns in sentence.rows:
        if NUMBER.fullmatch(columns[0]):
            head = read_number(columns[HEAD])
            yield start + head - 1 if head else -1


def _replace_entities(row: Row, entities: str) -> str:
    *columns, misc = row.columns
    kept = [part for part in misc.split("|") if part != NOTHING and part.partition("=")[0] not in REPLACED]
    parts = [f"{ENTITY}={entities}", *kept] if entities else kept
    return "\t".join([*columns, "|".join(parts) or NOTHING])


def _merge_lines(text: str, rows: Iterator[str]) -> Iterator[str]:
    for line in text.split("\n"):
        if line.startswith("#"):
            if not line.removeprefix("#").strip().startswith(f"{DECLARATION} ="):
                yield line
            if line.startswith(UNNAMED_DOCUMENT) and line[len(UNNAMED_DOCUMENT) :][:1] in ("", " "):
                yield DECLARED
        else:
            yield next(rows) if line else line


def export_corefud(
    data: Data,
    out_path: OutPath,
    into: Annotated[
        Path | None,
        typer.Option(help="CoNLL-U file of the same words to copy, with these clusters instead of its own"),
    ] = None,
) -> None:
    """Write coreference in the format of CorefUD: CoNLL-U with entities in its last column."""
    docs = read_all(data)
    save_texts({out_path: write_corefud(docs) if into is None else merge_corefud(docs, into)})
