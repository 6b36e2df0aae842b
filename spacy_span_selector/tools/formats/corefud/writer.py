"""Documents to CorefUD: a file of their own, or a copy of a CoNLL-U file with their clusters."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, chain, count
from pathlib import Path
from typing import Annotated

import typer
from spacy.tokens import Doc, Span, Token

from .... import annotation
from ....annotation import ENTITY_TYPE, Mention, describe_doc
from ....documents.rebuilt import rebuild_doc
from ....extensions.mention_types import head_token
from ....people.speech import spread_turns
from ..columns import NUMBER, by_sentence, find_nested
from ..commands import Data, OutPath, read_all, save_texts
from ..conllu import DOCUMENT, EMPTY_NODE, NO_SPACE, NOTHING, RANGE, UNNAMED_DOCUMENT, Row, Sentence, parse_conllu
from ..files import check_writable, make_unique, one_line, read_text
from ..reports import REPEATED_DOCUMENTS, Report, shorten
from .reader import DECLARATION, ENTITY, FIELDS

ROW_ENDS = re.compile(r"[\t\r\n]+")
NOT_IN_A_SENTENCE_ID = re.compile(r"[\s/]+")
NOT_IN_A_FIELD = re.compile(r"[-()|%=,<>\[\]\s\0]")
ENTITY_ID = re.compile(r"\w+")
DECLARED = f"# {DECLARATION} = {'-'.join(FIELDS)}"
REPLACED = frozenset({ENTITY, "SplitAnte", "Split", "Bridge"})
HEAD = 6


def write_corefud(docs: Iterable[Doc]) -> str:
    """Write documents in CorefUD, one without sentence boundaries as one sentence.

    Names of clusters are kept if they can be ids and no cluster of another document has them. The head of a mention is
    the root of its parse or, without one, what representative mentions are found by.
    """
    report = Report()
    columns = EntityColumns(report)
    titles: set[str] = set()
    texts: list[str] = []
    for number, doc in enumerate(docs, start=1):
        title = make_unique(one_line(annotation.get_title(doc)) or f"document {number}", titles)
        lines = _write_doc(_without_white_space(doc), title, columns, report)
        texts.append(check_writable(doc, "".join(f"{line}\n" for line in lines)))
    report.warn()
    return "".join(texts)


def _without_white_space(doc: Doc) -> Doc:
    """A document without its white space tokens, but with all others, as a corpus may have them."""
    kept = [token.i for token in doc if not token.text.isspace()]
    return doc if len(kept) == len(doc) else rebuild_doc(doc, kept)


def _write_doc(doc: Doc, title: str, columns: EntityColumns, report: Report) -> Iterator[str]:
    entities = columns.write(doc, lambda start, end: head_token(doc[start:end]).i)
    speakers = spread_turns(annotation.get_speakers(doc), len(doc))
    yield f"{DOCUMENT}{title}"
    if annotation.has_clusters_annotated(doc):
        yield DECLARED
    sentences = annotation.get_sentences(doc) if len(doc) else []
    for number, sentence in enumerate(sentences, start=1):
        yield f"# sent_id = {NOT_IN_A_SENTENCE_ID.sub('_', title)}-{number}"
        speaker = one_line(speakers[sentence.start] or "")
        if speaker:
            yield f"# speaker = {speaker}"
        for other in sorted({str(name) for name in speakers[sentence.start : sentence.end] if name} - {speaker}):
            case = f"{describe_doc(doc)}, sentence {number}, {shorten(other)}"
            report.leave_out("speakers of sentences whose first word has another speaker, or none", case)
        yield f"# text = {ROW_ENDS.sub(' ', sentence.text)}"
        for token in sentence:
            if ROW_ENDS.search(token.text):
                case = f"{describe_doc(doc)}, token {token.i}, {shorten(token.text)}"
                report.add("Wrote a space for tabs and line ends in words", case)
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


class EntityColumns:
    """Writes the clusters of the documents of a file, in which no two entities have the same id."""

    def __init__(self, report: Report) -> None:
        self.report = report
        self._used: set[str] = set()
        self._numbers = count(1)

    def write(self, doc: Doc, find_head: Callable[[int, int], int]) -> list[str]:
        """The value of `Entity` at each token, "" without one; `find_head` takes the offsets of a mention."""
        self.report.leave_out_scope(doc)
        written: list[tuple[int, int, str, str]] = []  # offsets, and what opens and closes a mention
        for group in annotation.cluster_groups(doc):
            mentions = self._writable(doc, {(span.start, span.end) for span in group if len(span)})
            if mentions:
                entity = annotation.get_text(group, annotation.NAME) or ""
                if not ENTITY_ID.fullmatch(entity) or entity in self._used:
                    entity = next(name for number in self._numbers if (name := f"e{number}") not in self._used)
                self._used.add(entity)
                kind = write_field(annotation.get_text(group, ENTITY_TYPE) or "")
                for start, end in mentions:
                    head = find_head(start, end) - start + 1
                    written.append((start, end, f"({entity}-{kind}-{head}-", f"{entity})"))
        return _write_cells(written, len(doc))

    def _writable(self, doc: Doc, mentions: set[Mention]) -> list[Mention]:
        inside = {*chain(*by_sentence(mentions, annotation.get_sentences(doc)))}
        nested = [(start, end) for start, end, _ in find_nested([(*mention, "") for mention in inside])]
        for crossed, lost in (
            ("the end of a sentence", mentions - inside),
            ("another mention of their entity", inside.difference(nested)),
        ):
            for start, end in sorted(lost):
                case = f"{describe_doc(doc)}, token {start}, {shorten(doc[start:end].text)}"
                self.report.leave_out(f"mentions that cross {crossed}, which CorefUD can't hold", case)
        return nested


def write_field(text: str) -> str:
    """A text as a field; characters that have a meaning in the notation are written as in addresses, `%2D`."""
    return NOT_IN_A_FIELD.sub(lambda match: "".join(f"%{byte:02X}" for byte in match[0].encode()), text)


def _write_cells(mentions: Sequence[tuple[int, int, str, str]], n_tokens: int) -> list[str]:
    opening, alone, closing = ([""] * n_tokens for _ in range(3))
    for start, end, before, _ in sorted(mentions, key=lambda mention: -mention[1]):  # outer mentions open first
        if end - start > 1:
            opening[start] += before
        else:
            alone[start] += f"{before})"
    for start, end, _, behind in sorted(mentions, key=lambda mention: -mention[0]):  # and close last
        if end - start > 1:
            closing[end - 1] += behind
    # `(e1-person-1-` before `e2)` would be read as one bracket, so where both are, what ends here comes first.
    cells = zip(opening, alone, closing, strict=True)
    return [single + behind + before if behind else before + single for before, single, behind in cells]


def merge_corefud(docs: Iterable[Doc], source: str | Path) -> str:
    """Write a CoNLL-U file with the clusters of documents instead of those that it has.

    Its comments, parses, empty nodes and words that are written as one are kept; its mentions, split antecedents and
    bridging relations are not. The head of a mention is its first word whose head in the file is outside of it.

    RAISES (ValueError): If the file is not CoNLL-U, or its documents or their words are not those of `docs`.
    """
    text = read_text(Path(source))
    report = Report()
    documents, unreadable = parse_conllu(text, str(source), report)
    for message in (*unreadable.values(), report.first(REPEATED_DOCUMENTS)):
        if message:
            raise ValueError(message)
    by_title = {annotation.get_title(doc): _without_white_space(doc) for doc in docs}
    for title in [*documents, *by_title]:
        if title not in documents or title not in by_title:
            there = f"in {source}" if title in documents else "in the documents"
            raise ValueError(f"{source}: document {title!r} is only {there}. Expected the same documents in both.")
    report = Report()  # that of the parser is about what is kept here
    columns = EntityColumns(report)
    rows = (row for title, sentences in documents.items() for row in _merge(by_title[title], sentences, columns))
    merged = "\n".join(_merge_lines(text, rows))
    report.warn()
    return merged


def _merge(doc: Doc, sentences: Sequence[Sentence], columns: EntityColumns) -> Iterator[str]:
    """The rows of a document, with the clusters of another document of the same words."""
    starts = [0, *accumulate(len(sentence.words) for sentence in sentences)]
    heads: list[int] = []  # the number of the head of each word in the document, -1 if it has none
    for sentence, start in zip(sentences, starts, strict=False):
        expected = [word.form for word in sentence.words]
        found = [token.text for token in doc[start : start + len(expected)]]
        if found != expected:
            message = f"the document has the words {shorten(' '.join(found))}, expected {shorten(' '.join(expected))}."
            raise ValueError(f"{sentence.rows[0].place}: {message}")
        head_cells = [cells[HEAD] for _, cells in sentence.rows if NUMBER.fullmatch(cells[0])]
        heads += [start + int(head) - 1 if NUMBER.fullmatch(head) and int(head) else -1 for head in head_cells]
    if len(doc) != starts[-1]:
        title = annotation.get_title(doc)
        raise ValueError(f"{title!r}: the document has {len(doc)} words, expected {starts[-1]}, as in the file.")

    def find_head(start: int, end: int) -> int:
        return next((i for i in range(start, end) if not start <= heads[i] < end), start)

    entities = iter(columns.write(doc, find_head))
    for row in (row for sentence in sentences for row in sentence.rows):
        is_word = not EMPTY_NODE.fullmatch(row.columns[0]) and not RANGE.fullmatch(row.columns[0])
        yield _replace_entities(row, next(entities) if is_word else "")


def _replace_entities(row: Row, entities: str) -> str:
    *columns, misc = row.columns
    kept = [part for part in misc.split("|") if part != NOTHING and part.partition("=")[0] not in REPLACED]
    parts = [f"{ENTITY}={entities}", *kept] if entities else kept
    return "\t".join([*columns, "|".join(parts) or NOTHING])


def _merge_lines(text: str, rows: Iterator[str]) -> Iterator[str]:
    for line in text.split("\n"):
        if not line.startswith("#"):
            yield next(rows) if line.strip() else line
            continue
        if not line.removeprefix("#").strip().startswith(f"{DECLARATION} ="):
            yield line
        if line.startswith(UNNAMED_DOCUMENT) and line[len(UNNAMED_DOCUMENT) :][:1] in ("", " "):
            yield DECLARED


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
    text, read = (write_corefud(docs), [data]) if into is None else (merge_corefud(docs, into), [data, into])
    save_texts([(out_path, text)], read)
