"""Documents to the bracketed plain-text format, the inverse of `bracketed`."""

from __future__ import annotations

import warnings
from collections.abc import Container, Iterable, Iterator
from itertools import count

from spacy.tokens import Doc, Span

from ..annotation import SPEAKERS_KEY, TITLE_KEY, Mention, cluster_groups, describe_doc
from .bracketed import HEADING, NAME_PATTERN, SPEAKER

ESCAPED_TEXT = "[]|\\"
ESCAPED_START = "#=@"
ESCAPED_SPEAKER = "\\:"


def write_bracketed(docs: Iterable[Doc]) -> str:
    """Write documents in the bracketed format.

    docs (Iterable[Doc]): Documents with clusters. One without sentence boundaries becomes one line;
        white space is written as one space. A sentence gets the speaker of the turn that covers its
        first token. Clusters keep the name in `attrs["name"]`; others are called `c1`, `c2`, ...,
        singletons excepted. Documents without a title, or with one that was used before, get a new one.
    RETURNS (str): The text of a file that `read_bracketed` reads.
    WARNS: Once, counting the mentions that the format cannot hold: those that cross a sentence
        boundary or another mention that starts earlier. They are left out.
    """
    blocks: list[str] = []
    titles: set[str] = set()
    left_out: dict[str, int] = {}
    for number, doc in enumerate(docs, start=1):
        title = " ".join(str(doc.user_data.get(TITLE_KEY) or f"document {number}").split())
        title = _unused(title, titles)
        titles.add(title)
        lines, lost = _write_doc(doc)
        blocks.append("\n".join([f"{HEADING} {title}", *lines]) + "\n")
        if lost:
            left_out[describe_doc(doc)] = lost
    if left_out:
        total = sum(left_out.values())
        named = ", ".join(list(left_out)[:5]) + (f" and {len(left_out) - 5} more" if len(left_out) > 5 else "")
        warnings.warn(
            f"{total} mention(s) left out of the bracketed text: they cross a sentence boundary or "
            f"another mention, which brackets cannot show ({named}).",
            stacklevel=2,
        )
    return "\n".join(blocks)


def _write_doc(doc: Doc) -> tuple[list[str], int]:
    """The lines of a document, and how many mentions they lack."""
    opening: dict[int, list[tuple[int, str]]] = {}  # start token -> end token, name
    lost = 0
    for mention, name in _named_mentions(doc):
        start, end = _without_outer_spaces(doc, mention)
        if start < end:
            opening.setdefault(start, []).append((end, name))
        else:
            lost += 1
    for started in opening.values():
        started.reverse()  # of equal spans the first cluster becomes the innermost, which is read first
        started.sort(key=lambda item: -item[0])
    speakers = {token.i: turn.label_ for turn in doc.spans.get(SPEAKERS_KEY, ()) for token in turn}
    lines: list[str] = []
    for sentence in doc.sents if doc.has_annotation("SENT_START") else [doc[:]]:
        line, lost_here = _write_sentence(sentence, opening)
        lost += lost_here
        speaker = " ".join(speakers.get(sentence.start, "").split())
        if line and speaker:
            lines.append(f"{SPEAKER}{_escape(speaker, chars=ESCAPED_SPEAKER)}: {line}")
        elif line:
            lines.append(f"\\{line}" if line[0] in ESCAPED_START else line)
    return lines, lost


def _named_mentions(doc: Doc) -> Iterator[tuple[Mention, str]]:
    """Every mention with the name to write; singletons without a name have an empty one."""
    names: list[str] = []
    for group in cluster_groups(doc):
        name = str(group.attrs.get("name", ""))
        names.append(name if NAME_PATTERN.fullmatch(name) and name not in names else "")
    for number, group in enumerate(cluster_groups(doc), start=1):
        mentions = {(span.start, span.end) for span in group}
        if not names[number - 1] and len(mentions) > 1:
            names[number - 1] = _unused(f"c{number}", set(names))
        yield from ((mention, names[number - 1]) for mention in sorted(mentions))


def _without_outer_spaces(doc: Doc, mention: Mention) -> Mention:
    start, end = mention
    while start < end and doc[start].is_space:
        start += 1
    while start < end and doc[end - 1].is_space:
        end -= 1
    return start, end


def _write_sentence(sentence: Span, opening: dict[int, list[tuple[int, str]]]) -> tuple[str, int]:
    pieces: list[str] = []
    opened: list[tuple[int, str]] = []
    lost = 0
    space_due = False
    for token in sentence:
        if token.is_space:
            space_due = True
            continue
        if space_due and pieces:
            pieces.append(" ")
        for end, name in opening.get(token.i, ()):
            if end > (opened[-1][0] if opened else sentence.end):
                lost += 1
            else:
                opened.append((end, name))
                pieces.append("[")
        pieces.append(_escape(" ".join(token.text.split()), chars=ESCAPED_TEXT))
        while opened and opened[-1][0] == token.i + 1:
            name = opened.pop()[1]
            pieces.append(f"|{name}]" if name else "]")
        space_due = bool(token.whitespace_)
    return "".join(pieces), lost


def _escape(text: str, *, chars: str) -> str:
    return "".join(f"\\{character}" if character in chars else character for character in text)


def _unused(wanted: str, used: Container[str]) -> str:
    """The wanted name, or the first of `wanted-2`, `wanted-3`, ... that is free."""
    candidates = (wanted if i == 1 else f"{wanted}-{i}" for i in count(1))
    return next(candidate for candidate in candidates if candidate not in used)
