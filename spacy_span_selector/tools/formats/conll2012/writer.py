"""Documents to CoNLL-2012, which the official coreference scorer compares: the inverse of the reader."""

from __future__ import annotations

import re
import warnings
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from typing import TypeVar

from spacy.tokens import Doc, Span

from ....annotation import (
    CONSTITUENTS_KEY,
    PREDICATE_LABEL,
    Argument,
    Frame,
    Mention,
    cluster_groups,
    describe_doc,
    get_frames,
    get_sentences,
    get_speakers,
    get_title,
)
from ....people.dialogue import remove_speaker_markers
from ..columns import (
    EMPTY_CELL,
    EMPTY_CELLS,
    WRITABLE_LABEL,
    LabelledSpan,
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
NUMBER = re.compile("[0-9]+")

Item = TypeVar("Item", Frame, LabelledSpan)


def write_conll2012(docs: Iterable[Doc]) -> str:
    """Write documents in the format of CoNLL-2012.

    Columns are separated by tabs: the official scorer requires them, and other readers treat them as blanks. Words are
    escaped, brackets as `-LRB-` and so on, and `read_conll2012` unescapes them.

    `read_conll2012` restores everything except what is left out and what has no column: spacing; scores; names of
    clusters that are not numbers, which become numbers; whether a document without mentions was annotated (it is when
    read) or one without predicates (it is not); boundaries between turns of the same speaker. Blanks in the name of a
    speaker become `_`, and a title without a number ends in `_0`. Named entities are written, but not read.

    docs (Iterable[Doc]): Documents. A column for which they have no annotation is `-`. A document without sentence
        boundaries becomes one sentence; speaker markers are left out. The title `NAME_3` becomes
        `#begin document (NAME); part 003`; without a number it becomes part 000.
    RETURNS (str): The content of a file.
    RAISES (ValueError): If a document has a character that no text file can hold, naming it.
    WARNS: Once, counting what the format cannot hold. Left out are spans without tokens, mentions that cross another
        mention of their cluster, predicates that cross the end of a sentence, arguments that leave the sentence or
        cross another argument of their frame, constituents that cross others or the end of a sentence, labels with
        blanks, brackets or stars, and rolesets that are not lemma and number, or not the only one of their word. White
        space in a word becomes `_`; a word such as `-LRB-` is read back as a bracket. A title that was used before
        gets another part, because the scorer reads only one document of each name and part.
    """
    lost: Counter[str] = Counter()
    incomplete: list[str] = []
    used: set[tuple[str, int]] = set()
    texts: list[str] = []
    for doc in map(remove_speaker_markers, docs):
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
    """A name and a part for a document, which no document before it has."""
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
    frames = _by_sentence(get_frames(doc), sentences, "predicate", lost)
    constituents = _by_sentence(_labelled(doc.spans.get(CONSTITUENTS_KEY, ())), sentences, "constituent", lost)
    entities = _by_sentence(_labelled(doc.ents), sentences, "entity", lost)
    first_cell = re.sub("^#", PLACEHOLDER, _write_cell(name))
    for i, sentence in enumerate(sentences):
        tokens, n_tokens = range(sentence.start, sentence.end), len(sentence)
        written = _writable_frames(frames[i], sentence, lost)
        parse = _writable_spans(constituents[i], sentence, "constituent", lost)
        columns = [
            [first_cell] * n_tokens,
            [str(part)] * n_tokens,
            [str(number) for number in range(n_tokens)],
            [_escape(token.text, lost) for token in sentence],
            [_write_cell(token.tag_) for token in sentence],
            write_starred_column(parse, tokens) if parse else [EMPTY_CELL] * n_tokens,
            *_write_rolesets(written, sentence, lost),
            [EMPTY_CELL] * n_tokens,  # word senses
            speakers[sentence.start : sentence.end],
            write_starred_column(_writable_spans(entities[i], sentence, "entity", lost), tokens),
            *(_write_frame(frame, tokens) for frame in written),
            coreference[sentence.start : sentence.end],
        ]
        yield from ("\t".join(row) for row in zip(*columns, strict=True))
        if n_tokens:
            yield ""
    yield END


def _labelled(spans: Iterable[Span]) -> list[LabelledSpan]:
    return [(span.start, span.end, span.label_) for span in spans]


def _by_sentence(items: Sequence[Item], sentences: Sequence[Span], what: str, lost: Counter[str]) -> list[list[Item]]:
    """The frames or spans that start in each sentence."""
    if not sentences:  # a document without words, so that no item has tokens
        lost[what] += len(items)
        return []
    starts = [sentence.start for sentence in sentences]
    started: list[list[Item]] = [[] for _ in sentences]
    for item in items:
        started[bisect_right(starts, item[0]) - 1].append(item)
    return started


def _number_clusters(doc: Doc, lost: Counter[str]) -> dict[str, list[Mention]]:
    """The mentions of each cluster that can be written, by the number of the cluster."""
    groups = cluster_groups(doc)
    names = [str(group.attrs.get("name", "")) for group in groups]
    kept = {name for name in names if NUMBER.fullmatch(name) and names.count(name) == 1}
    free = (number for i in count() if (number := str(i)) not in kept)
    clusters = {}
    for group, name in zip(groups, names, strict=True):
        mentions = find_nested([(span.start, span.end, "") for span in group if len(span)])
        lost["mention"] += len(group) - len(mentions)
        clusters[name if name in kept else next(free)] = [mention[:2] for mention in mentions]
    return clusters


def _writable_spans(spans: Sequence[LabelledSpan], sentence: Span, what: str, lost: Counter[str]) -> list[LabelledSpan]:
    """The spans of a sentence that can be written, in the order of their brackets."""
    good = [span for span in spans if span[0] < span[1] <= sentence.end and WRITABLE_LABEL.fullmatch(span[2])]
    nested = find_nested(good)
    lost[what] += len(spans) - len(nested)
    return nested


def _writable_frames(frames: Sequence[Frame], sentence: Span, lost: Counter[str]) -> list[Frame]:
    """The frames of a sentence that can be written, with the arguments that can be written."""
    inside = [frame for frame in frames if frame.start < frame.end <= sentence.end]
    lost["predicate"] += len(frames) - len(inside)
    writable = []
    for frame in inside:
        good = [argument for argument in frame.arguments if _is_writable(argument, frame, sentence)]
        nested = [Argument(*span) for span in find_nested(good)]
        lost["argument"] += len(frame.arguments) - len(nested)
        writable.append(frame._replace(arguments=nested))
    return writable


def _is_writable(argument: Argument, frame: Frame, sentence: Span) -> bool:
    start, end, role = argument
    crosses = start < frame.start < end < frame.end or frame.start < start < frame.end < end
    inside = sentence.start <= start < end <= sentence.end
    return inside and not crosses and role != PREDICATE_LABEL and WRITABLE_LABEL.fullmatch(role) is not None


def _write_frame(frame: Frame, tokens: range) -> list[str]:
    return write_starred_column(find_nested([(frame.start, frame.end, PREDICATE_LABEL), *frame.arguments]), tokens)


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
