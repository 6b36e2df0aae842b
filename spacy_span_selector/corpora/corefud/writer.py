"""Documents to CorefUD."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from spacy.tokens import Doc, Span, Token

from ...annotation import describe_doc, get_sentences, get_speakers, get_title, has_clusters_annotated
from ...documents.speaker_markers import remove_speaker_markers
from ...documents.words import remove_white_space
from ...extensions.mention_types import head_token
from ...files.writing import write_file
from ..conllu import DOCUMENT, NO_SPACE, NOTHING
from ..left_out import Report, shorten
from ..turns import spread_turns
from ..writable import check_writable, one_line
from .columns import EntityColumns
from .entities import DECLARATION, ENTITY, FIELDS

ROW_ENDS = re.compile(r"[\t\r\n]+")
NOT_IN_A_SENTENCE_ID = re.compile(r"[\s/]+")
CHANGED_WORDS = "Wrote a space for tabs and line ends in words"
OTHER_SPEAKERS = "speakers of sentences whose first word has another speaker, or none"
DECLARED = f"# {DECLARATION} = {'-'.join(FIELDS)}"


def write_corefud(docs: Iterable[Doc], path: str | Path) -> None:
    """Write documents in CorefUD.

    `read_corefud` restores words, spacing, sentences, lemmas, parts of speech, title, speakers and clusters, with their
    entity types. Names of clusters are kept if they can be ids and no cluster of another document has them. Parses and
    morphology are written, but not read. The format has no place for semantic roles and scores. White space tokens and
    speaker markers are left out. The head of a mention is the root of its parse or, without one, what representative
    mentions are found by.

    docs (Iterable[Doc]): The documents. One without sentence boundaries becomes one sentence, one without a title is
        called `document 1`, and a title that was used before gets a number.
    path (str | Path): The file to write, which appears whole or not at all.
    RAISES (OSError): If the file can't be written, naming it.
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
    write_file(Path(path), "".join(texts))
    report.warn()


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
