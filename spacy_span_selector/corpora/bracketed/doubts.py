"""What can be read in a bracketed text, but is probably not what was meant."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from difflib import get_close_matches

from .frames import FRAME, is_predicate_role, parse_frame
from .lines import Bracket, BracketedError, Line, Place, Sentence
from .problems import Stop


def doubt_names(brackets: Sequence[tuple[Place, Bracket]], persons: Collection[str], problems: Stop) -> None:
    """Report the names that a document has only once: what is named corefers with something, as a rule.

    brackets (Sequence[tuple[Place, Bracket]]): The mentions of a document with their lines.
    persons (Collection[str]): The names that its quotations use.
    problems (Stop): Gets the doubts.
    """
    names = [bracket.label for _, bracket in brackets]
    for place, bracket in brackets:
        name = bracket.label
        if name and names.count(name) == 1 and name not in persons:
            alike = get_close_matches(name, sorted({*names} - {name, ""}), n=1)
            meant = f"Did you mean {alike[0]!r}? " if alike else ""
            cure = f"{meant}Write `[words]` for a mention of what is mentioned once."
            found = f"the name {name!r} is used only once in its document"
            problems.doubt(BracketedError(place, bracket.open_column, f"{found}. {cure}"))


def frame_without_sign(line: Line, above: Sentence | None) -> BracketedError | None:
    """The error about a line that was meant as a frame, but does not start with `>`; None for a sentence.

    line (Line): A line that is read as a sentence.
    above (Sentence | None): The sentence above it. A frame repeats its words, and has a predicate in brackets.
    """
    if above is None:
        return None
    try:
        text, brackets = parse_frame(line)
    except BracketedError:
        return None
    if str(text).split() != above.text.split() or not any(is_predicate_role(bracket.label) for bracket in brackets):
        return None
    found = f"the words of line {above.place.line} again, with a predicate in brackets, but without `{FRAME}`"
    return BracketedError(line.place, line.offset + 1, f"{found}. Put `{FRAME}` before a frame.")
