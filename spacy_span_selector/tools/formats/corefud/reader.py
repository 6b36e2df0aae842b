"""Documents from CorefUD, CoNLL-U with entities in its last column (https://ufal.mff.cuni.cz/corefud).

    # global.Entity = eid-etype-head-other
    Entity=(e1-person-1-        a mention of entity e1, a person, opens; its first word is its head
    Entity=(e2-place-1-)e1)     a mention of e2 is this word alone, and the mention of e1 ends
    Entity=(e3[1/2]-place-2-    the first of two parts of a mention of e3 opens

This is the format of CorefUD 1.0 and later. Universal Anaphora and GUM have the same brackets with other fields, in
which `GRP` is the entity and `entity` its type, and repeat some of them at the end of a mention.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

from spacy.tokens import Doc
from spacy.vocab import Vocab

from ....annotation import Mention, set_clusters
from ..columns import MENTION_BRACKETS, REPEATED_MENTIONS, Bracket, pair_brackets
from ..conllu import EMPTY_NODE, RANGE, UNNAMED_DOCUMENT, Sentence, make_doc, parse_document, split_documents
from ..files import read_apart
from ..reports import DOCUMENTS, Report, leave_out_repeated, shorten

ENTITY = "Entity"
DECLARATION = "global.Entity"
FIELDS = ("eid", "etype", "head", "other")
ID_FIELDS, TYPE_FIELDS = ("eid", "GRP"), ("etype", "entity")
DECLARED = re.compile(rf"^# *{re.escape(DECLARATION)} = (.*)$", re.MULTILINE)
PART = re.compile(r"(?P<open>\()?(?P<fields>[^()]+)(?P<close>\))?|.")  # a part, or a character of none
PIECE = re.compile(r"\[(?P<number>[1-9][0-9]{0,3})/(?P<total>[1-9][0-9]{0,3})\]$")
CURE = "Expected a CoNLL-U file with `# newdoc id = NAME` before each document, and `Entity=` in its last column."
OLD_NOTATION = (
    "mentions in the notation of CorefUD 0, `ClusterId=`, which Udapi converts: "
    "udapy read.OldCorefUD write.Conllu < old.conllu > new.conllu"
)


def read_corefud(path: str | Path, vocab: Vocab | None = None) -> list[Doc]:
    """Read the documents of a file: words as `make_doc` does, clusters with ids and types of entities, and speakers.

    One without `# global.Entity` and without any mention is not annotated for coreference. One warning counts what
    can't be read, and what a document can't hold: zeros, mentions in several pieces, split antecedents and bridging.
    """
    path = Path(path)
    vocab = Vocab() if vocab is None else vocab
    report = Report()
    text, errors = read_apart(path, lambda _, line: line.startswith(UNNAMED_DOCUMENT.encode()))
    for message in errors:
        report.leave_out(DOCUMENTS, message)
    declared = DECLARED.search(text)
    fields: Sequence[str] = declared[1].strip().split("-") if declared else FIELDS
    docs: list[tuple[str, Doc]] = []
    for name, start, lines in split_documents(text):
        try:
            sentences = parse_document(name, start, lines, str(path), report)
        except ValueError as error:
            report.leave_out(DOCUMENTS, str(error))
            continue
        declarations = [sentence.comments[DECLARATION] for sentence in sentences if DECLARATION in sentence.comments]
        if declarations:
            fields = declarations[0].strip().split("-")
        if not name:
            continue
        doc = make_doc(name, sentences, vocab)
        mentions, types, are_marked = find_entities(sentences, fields, report)
        if declarations or are_marked:
            entity_types = [types.get(entity, "") for entity in mentions]
            set_clusters(doc, [*mentions.values()], names=[*mentions], entity_types=entity_types)
        docs.append((f"{path}:{start}", doc))
    return report.finish(leave_out_repeated(docs, report), path, CURE)


class EntityBracket(NamedTuple):
    """A bracket of a mention or, if there are several, of a piece of one: its number and how many there are."""

    opens: bool
    closes: bool
    entity: str
    piece: tuple[int, int] | None
    type: str  # "" if it is not said here

    @property
    def key(self) -> str:
        """What it shares with the bracket that it is a pair with."""
        return self.entity if self.piece is None else f"{self.entity}[{self.piece[0]}/{self.piece[1]}]"


def read_attributes(misc: str) -> Iterator[tuple[str, str]]:
    """The attributes `NAME=VALUE` of the column MISC."""
    parts = (part.partition("=") for part in misc.split("|"))
    return ((name, value) for name, separator, value in parts if separator)


def read_entities(cell: str, fields: Sequence[str]) -> tuple[list[EntityBracket], bool]:
    """The brackets of a value of `Entity` that can be read, and whether these are all."""
    parts = [_read_bracket(match, fields) for match in PART.finditer(cell)]
    brackets = [bracket for bracket in parts if bracket is not None]
    return brackets, len(brackets) == len(parts)


def _read_bracket(match: re.Match[str], fields: Sequence[str]) -> EntityBracket | None:
    opens, closes = bool(match["open"]), bool(match["close"])
    values = (match["fields"] or "").split("-")
    id_at, type_at = (
        next((i for i, field in enumerate(fields) if field in names), None) for names in (ID_FIELDS, TYPE_FIELDS)
    )
    piece = None
    for i in (id_at or 0, -1):  # Universal Anaphora has it behind the last field
        if i < len(values) and (found := PIECE.search(values[i])):
            piece = int(found["number"]), int(found["total"])
            values[i] = values[i][: found.start()]
            break
    at = 0 if len(values) == 1 else id_at or 0
    entity = values[at] if at < len(values) else ""
    entity_type = values[type_at] if opens and type_at is not None and type_at < len(values) else ""
    return EntityBracket(opens, closes, entity, piece, unquote(entity_type)) if entity and (opens or closes) else None


class Node(NamedTuple):
    """A place for brackets: a word with its number in the document or, without one, an empty node."""

    place: str
    word: int | None
    sentence: int  # its number
    misc: str


def find_entities(
    sentences: Sequence[Sentence], fields: Sequence[str], report: Report
) -> tuple[dict[str, list[Mention]], dict[str, str], bool]:
    """The mentions of each entity of a document, the types that are said, and whether there is any bracket."""
    nodes = _find_nodes(sentences, report)
    brackets: list[Bracket] = []
    faults: list[tuple[int, str]] = []
    types: dict[str, str] = {}
    pieces: dict[str, EntityBracket] = {}
    for i, node in enumerate(nodes):
        for name, value in read_attributes(node.misc):
            if name != ENTITY:
                _report_other(name, value, node.place, report)
                continue
            read, complete = read_entities(value, fields)
            if not complete:
                expected = "parts such as `(e1-person-1-`, `e1)` or `(e1-person-1-)`"
                faults.append((i, f"found {shorten(value)} in `{ENTITY}`, expected {expected}."))
            for bracket in read:
                if bracket.piece:
                    pieces[bracket.key] = bracket
                brackets.append(Bracket(i, bracket.opens, bracket.key, bracket.closes))
                known = types.setdefault(bracket.entity, bracket.type) if bracket.type else ""
                if known != bracket.type:
                    found = f"found {shorten(bracket.type)} for {shorten(bracket.entity)}, before {shorten(known)}."
                    what = "types of mentions that are not that of the first mention of their entity"
                    report.leave_out(what, f"{node.place}: {found}")
    paired = pair_brackets(brackets, faults, [node.sentence for node in nodes], lambda i: nodes[i].place, report)
    in_pieces: defaultdict[tuple[str, int], list[list[Mention]]] = defaultdict(list)
    for key, bracket in pieces.items():
        if key in paired and bracket.piece:
            in_pieces[bracket.entity, bracket.piece[1]].append(paired.pop(key))
    for (entity, total), spans_by_piece in in_pieces.items():
        for start, _ in max(spans_by_piece, key=len):  # a piece may be damaged
            case = f"{nodes[start].place}: a mention of {shorten(entity)} in {total} pieces."
            report.leave_out("mentions in several pieces, which a Doc can't hold", case)
    mentions = {entity: _keep_words(entity, spans, nodes, report) for entity, spans in paired.items()}
    return {entity: found for entity, found in mentions.items() if found}, types, bool(brackets)


def _find_nodes(sentences: Sequence[Sentence], report: Report) -> list[Node]:
    nodes: list[Node] = []
    word = 0
    for number, sentence in enumerate(sentences):
        for place, (index, *_, misc) in sentence.rows:
            if EMPTY_NODE.fullmatch(index):
                nodes.append(Node(place, None, number, misc))
            elif not RANGE.fullmatch(index):
                nodes.append(Node(place, word, number, misc))
                word += 1
            elif any(name == ENTITY for name, _ in read_attributes(misc)):
                found = f"found `{ENTITY}` at the words {index}, expected it at one word."
                report.leave_out(MENTION_BRACKETS, f"{place}: {found}")
    return nodes


def _report_other(name: str, value: str, place: str, report: Report) -> None:
    """Report relations between entities, and mentions in an older notation."""
    found = f"{place}: found {shorten(f'{name}={value}')}."
    if name in ("SplitAnte", "Split"):
        split = {link.partition("<")[2] for link in value.split(",")}
        report.leave_out("split antecedents, which a Doc can't hold", found, len(split))
    elif name == "Bridge":
        report.leave_out("bridging relations, which a Doc can't hold", found, value.count(",") + 1)
    elif name.startswith("ClusterId"):
        report.leave_out(OLD_NOTATION, found)


def _keep_words(entity: str, spans: Sequence[Mention], nodes: Sequence[Node], report: Report) -> list[Mention]:
    kept: dict[Mention, None] = {}
    for start, end in spans:
        words = [node.word for node in nodes[start:end] if node.word is not None]
        if not words:
            zeros = "zeros: mentions without words, which a Doc can't hold"
            report.leave_out(zeros, f"{nodes[start].place}: a mention of {shorten(entity)}.")
        elif (mention := (words[0], words[-1] + 1)) in kept:
            report.leave_out(REPEATED_MENTIONS, f"{nodes[start].place}: {shorten(entity)}, {len(words)} word(s).")
        else:
            kept[mention] = None
    return list(kept)
