"""Documents to CoNLL-2012, which the official coreference scorer compares: the inverse of the reader."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import count

from spacy.tokens import Doc, Span

from ....annotation import (
    CONSTITUENTS_KEY,
    PREDICATE_LABEL,
    Frame,
    Mention,
    cluster_groups,
    describe_doc,
    get_frames,
    get_sentences,
    get_speakers,
    get_title,
)
from ..columns import (
    EMPTY_CELL,
    EMPTY_CELLS,
    WRITABLE_LABEL,
    by_sentence,
    escape_brackets,
    find_nested,
    unescape_brackets,
    write_coreference_column,
    write_starred_column,
)
from ..files import check_writable, one_line
from ..reports import list_names
from ..speech import spread_turns
from .reader import END, TRANSCRIBED_STOPS

READ_AS_ESCAPE = re.compile(r"(?<=\\)[/*]")
LINE_BLANKS = re.compile(r"[ \t\r\n]+")
PLACEHOLDER = "_"
PART = re.compile(r"(?P<name>.+)_(?P<part>0|[1-9][0-9]{0,8})", re.DOTALL)
UNTITLED = "untitled"
DIGITS = re.compile("[0-9]+")


def write_conll2012(docs: Iterable[Doc]) -> str:
    """Write documents in the format of CoNLL-2012, with tabs between columns, as the official scorer requires.

    There is no column for spacing, scores, and names of clusters that are not numbers. Left out are spans without
    tokens, mentions that cross another mention of their cluster, predicates that cross the end of a sentence, arguments
    that leave the sentence or cross another argument of their frame, constituents that cross others or the end of a
    sentence, labels with blanks, brackets or stars, and rolesets that are not lemma and number, or not the only one of
    their word. White space in a word or the name of a speaker becomes `_`; a word such as `-LRB-` is read back as a
    bracket. A title that was used before gets another part, because the scorer reads only one document of each name and
    part. Named entities are written, but not read.

    RETURNS (str): The content of a file. One warning counts what the format cannot hold.
    RAISES (ValueError): If a document has a character that no text file can hold, naming it.
    """
    lost: Counter[str] = Counter()
    incomplete: list[str] = []
    used: set[tuple[str, int]] = set()
    texts: list[str] = []
    for doc in docs:
        before = lost.total()
        lines = _write_doc(doc, *_name_doc(doc, used, lost), lost)
        texts.append(check_writable(doc, "".join(f"{line}\n" for line in lines)))
        if lost.total() > before:
            incomplete.append(describe_doc(doc))
    if incomplete:
        counts = ", ".join(f"{number} {what}(s)" for what, number in sorted(lost.items()) if number)
        warnings.warn(
            f"CoNLL-2012 can't hold all: {counts} left out or changed ({list_names(incomplete)}). The docstring of "
            "`write_conll2012` says what and why.",
            stacklevel=2,
        )
    return "".join(texts)


def _name_doc(doc: Doc, used: set[tuple[str, int]], lost: Counter[str]) -> tuple[str, int]:
    """A name and a part for a document, which no document before it has: `bc/tale` and 3 for `bc/tale_3`."""
    title = one_line(get_title(doc)) or UNTITLED
    match = PART.fullmatch(title)
    name, part = (match["name"], int(match["part"])) if match else (title, 0)
    if (name, part) in used:
        lost["title"] += bool(get_title(doc))
        part = next(part for part in count() if (name, part) not in used)
    used.add((name, part))
    return name, part


def _write_doc(doc: Doc, name: str, part: int, lost: Counter[str]) -> Iterator[str]:
    yield f"#begin document ({name}); part {part:03}"
    turns = spread_turns(get_speakers(doc), len(doc))
    speakers = [EMPTY_CELL if speaker is None else _write_cell(speaker) for speaker in turns]
    coreference = write_coreference_column(_number_clusters(doc, lost), len(doc))
    sentences = get_sentences(doc)
    frames = by_sentence(get_frames(doc), sentences)
    lost["predicate"] += len(get_frames(doc)) - sum(map(len, frames))
    parses = _writable(doc.spans.get(CONSTITUENTS_KEY, ()), sentences, "constituent", lost)
    entities = _writable(doc.ents, sentences, "entity", lost)
    first_cell = re.sub("^#", PLACEHOLDER, _write_cell(name))
    for i, sentence in enumerate(sentences):
        tokens, n_tokens = range(sentence.start, sentence.end), len(sentence)
        columns = [
            [first_cell] * n_tokens,
            [str(part)] * n_tokens,
            [str(number) for number in range(n_tokens)],
            [_escape(token.text, lost) for token in sentence],
            [_write_cell(token.tag_) for token in sentence],
            write_starred_column(parses[i], tokens) if parses[i] else [EMPTY_CELL] * n_tokens,
            *_write_rolesets(frames[i], sentence, lost),
            [EMPTY_CELL] * n_tokens,  # word senses
            speakers[sentence.start : sentence.end],
            write_starred_column(entities[i], tokens),
            *(_write_frame(frame, sentence, lost) for frame in frames[i]),
            coreference[sentence.start : sentence.end],
        ]
        yield from ("\t".join(row) for row in zip(*columns, strict=True))
        if n_tokens:
            yield ""
    yield END


def _number_clusters(doc: Doc, lost: Counter[str]) -> dict[str, list[Mention]]:
    """The mentions of each cluster that can be written, by the number of the cluster."""
    groups = cluster_groups(doc)
    names = [str(group.attrs.get("name", "")) for group in groups]
    kept = {name for name in names if DIGITS.fullmatch(name) and names.count(name) == 1}
    free = (number for i in count() if (number := str(i)) not in kept)
    clusters = {}
    for group, name in zip(groups, names, strict=True):
        mentions = find_nested([(span.start, span.end, "") for span in group if len(span)])
        lost["mention"] += len(group) - len(mentions)
        clusters[name if name in kept else next(free)] = [mention[:2] for mention in mentions]
    return clusters


def _writable(
    spans: Iterable[Span], sentences: Sequence[Span], what: str, lost: Counter[str]
) -> list[list[tuple[int, int, str]]]:
    """The spans of each sentence that can be written, in the order of their brackets."""
    known = [(span.start, span.end, span.label_) for span in spans]
    good = [span for span in known if WRITABLE_LABEL.fullmatch(span[2])]
    nested = [find_nested(inside) for inside in by_sentence(good, sentences)]
    lost[what] += len(known) - sum(map(len, nested))
    return nested


def _write_frame(frame: Frame, sentence: Span, lost: Counter[str]) -> list[str]:
    """The column of the arguments of a frame."""
    predicate = (frame.start, frame.end, PREDICATE_LABEL)
    good: list[tuple[int, int, str]] = []
    for start, end, role in frame.arguments:
        crosses = start < frame.start < end < frame.end or frame.start < start < frame.end < end
        inside = sentence.start <= start < end <= sentence.end
        if inside and not crosses and role != PREDICATE_LABEL and WRITABLE_LABEL.fullmatch(role):
            good.append((start, end, role))
    nested = find_nested(good)
    lost["argument"] += len(frame.arguments) - len(nested)
    return write_starred_column(find_nested([predicate, *nested]), range(sentence.start, sentence.end))


def _write_rolesets(frames: Sequence[Frame], sentence: Span, lost: Counter[str]) -> tuple[list[str], list[str]]:
    """The columns of lemmas and of framesets."""
    rolesets: dict[int, str] = {}
    for frame in frames:
        if frame.roleset and all(_write_cell(part) == part for part in frame.roleset.rpartition(".")):
            rolesets.setdefault(frame.start, frame.roleset)
    for frame in frames:
        read = next((rolesets[i] for i in range(frame.start, frame.end) if i in rolesets), None)
        lost["roleset"] += (frame.roleset or None) != read
    parts = [rolesets.get(token.i, f"{EMPTY_CELL}.{EMPTY_CELL}").rpartition(".") for token in sentence]
    return [lemma for lemma, _, _ in parts], [frameset for _, _, frameset in parts]


def _write_cell(text: str) -> str:
    """A cell with a text, or an empty cell if the reader would treat the text as empty."""
    cell = PLACEHOLDER.join(text.split())
    return EMPTY_CELL if cell in EMPTY_CELLS else cell


def _escape(word: str, lost: Counter[str]) -> str:
    written = LINE_BLANKS.sub(PLACEHOLDER, word)
    lost["word"] += written != word or unescape_brackets(word) != word
    if written in TRANSCRIBED_STOPS:
        return f"\\{written}"
    return escape_brackets(READ_AS_ESCAPE.sub(r"\\\g<0>", written))
