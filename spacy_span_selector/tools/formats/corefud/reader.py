"""Documents from CorefUD.

The format is described at https://ufal.mff.cuni.cz/corefud: CoNLL-U with entities as brackets in its last column.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from spacy.tokens import Doc
from spacy.vocab import Vocab

from ....annotation import set_clusters, set_speakers, set_title
from ..conllu import UNNAMED_DOCUMENT, Sentence, make_doc, parse_conllu
from ..files import decode, read_lines
from ..reports import DOCUMENTS, Report
from ..speech import find_turns
from .entities import DECLARATION, FIELDS, find_entities

DECLARED = re.compile(rf"^# *{re.escape(DECLARATION)} = (.*)$", re.MULTILINE)
CURE = "Expected a CoNLL-U file with `# newdoc id = NAME` before each document, and `Entity=` in its last column."


def read_corefud(path: str | Path, vocab: Vocab | None = None) -> list[Doc]:
    """Read the documents of a file.

    A document can't hold zeros, which are mentions without words, nor mentions in several pieces, split antecedents and
    bridging. They are left out, and all else is kept: a mention with words and empty nodes keeps its words.

    path (str | Path): The file; decompressed if its name ends in `.gz`.
    vocab (Vocab): Vocabulary of the documents; a new one if None.
    RETURNS (list[Doc]): Documents with words, spaces, lemmas, parts of speech, sentence starts, clusters with the ids
        and types of the file's entities (with singletons, if there are any), and speaker turns where they are known;
        the title is the id of the document. A document without `# global.Entity` and without any mention is not
        annotated for coreference.
    RAISES (FileNotFoundError): If the file is missing, naming it.
    RAISES (ValueError): If no document can be read, saying why.
    WARNS: Once, counting what is left out, with file and line: what a document can't hold; documents that can't be
        read; brackets that can't be read or have no partner; repeated mentions; parts of speech that spaCy does not
        know.
    """
    path = Path(path)
    vocab = Vocab() if vocab is None else vocab
    report = Report()
    text = "\n".join(_decode_documents(path, report))
    documents, unreadable = parse_conllu(text, str(path), report)
    for message in unreadable.values():
        report.leave_out(DOCUMENTS, message)
    declared = DECLARED.search(text)
    fields: Sequence[str] = declared[1].strip().split("-") if declared else FIELDS
    docs: list[Doc] = []
    for name, sentences in documents.items():
        declarations = [sentence.comments[DECLARATION] for sentence in sentences if DECLARATION in sentence.comments]
        if declarations:
            fields = declarations[0].strip().split("-")
        if name:
            docs.append(_make_doc(name, sentences, fields, bool(declarations), vocab, report))
    report.require(docs, path, CURE)
    report.warn()
    return docs


def _make_doc(
    name: str, sentences: Sequence[Sentence], fields: Sequence[str], is_annotated: bool, vocab: Vocab, report: Report
) -> Doc:
    doc = make_doc([sentence.words for sentence in sentences], vocab)
    set_title(doc, name)
    entities = find_entities(sentences, fields, report)
    if is_annotated or entities.are_marked:
        types = [entities.types.get(entity, "") for entity in entities.mentions]
        set_clusters(doc, list(entities.mentions.values()), names=list(entities.mentions), entity_types=types)
    turns = find_turns([sentence.comments.get("speaker") for sentence in sentences for _ in sentence.words])
    if turns:
        set_speakers(doc, turns)
    return doc


def _decode_documents(path: Path, report: Report) -> Iterator[str]:
    """The lines of a file. Those of a document with a line that is no text are empty, so that others keep their
    number."""
    document: list[str] = []
    is_text = True
    for number, line in enumerate(read_lines(path), start=1):
        if line.startswith(UNNAMED_DOCUMENT.encode()):
            yield from document
            document, is_text = [], True
        if is_text:
            try:
                document.append(decode(line, f"{path}:{number}"))
                continue
            except ValueError as error:
                report.leave_out(DOCUMENTS, str(error))
                document, is_text = [""] * len(document), False
        document.append("")
    yield from document
