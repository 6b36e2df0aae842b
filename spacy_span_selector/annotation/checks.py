"""Check the arguments of the functions that annotate a document.

They check everything before they change anything, so that a document stays as it was if an argument is wrong, and what
is as components find it together. Messages write places as Python does: `clusters[2][0]` is the first mention of the
third cluster.
"""

from __future__ import annotations

import operator
import reprlib
from collections.abc import Iterable, Sequence
from itertools import chain
from math import isfinite
from typing import Any, NoReturn

from spacy.tokens import Doc, Span

from .titles import describe_doc


def are_offsets(doc: Doc, spans: Sequence[Any]) -> bool:
    """Tell whether all of these are tuples of two of Python's integers that `check_offsets` takes."""
    flat: list[Any] = [*chain(*spans)] if {*map(type, spans)} <= {tuple} and {*map(len, spans)} <= {2} else [None]
    starts, ends = flat[::2], flat[1::2]
    are_ordered = {*map(type, flat)} <= {int} and all(map(operator.lt, starts, ends))
    return are_ordered and min(starts, default=0) >= 0 and max(ends, default=0) <= len(doc)


def are_scores(values: Sequence[Any]) -> bool:
    """Tell whether all of these are finite floats."""
    return {*map(type, values)} <= {float} and all(map(isfinite, values))


def are_texts(values: Sequence[Any]) -> bool:
    """Tell whether all of these are strings that can be saved, as far as that is easily seen."""
    return {*map(type, values)} <= {str} and "".join(values).isascii()


def check_spans(doc: Doc, spans: Any, place: str) -> list[tuple[int, int]]:
    """Check pairs of token offsets, integers of any kind; return them as tuples of Python's integers.

    place (str): Where they were found, for the message; so in all functions here.
    """
    spans = check_list(doc, spans, place, "token offsets, (start, end)")
    if are_offsets(doc, spans):
        return spans
    return [check_offsets(doc, span, f"{place}[{i}]") for i, span in enumerate(spans)]


def check_once(doc: Doc, values: Sequence[Any], place: str, group: str) -> None:
    """Check that nothing is in a group, such as a mention in its cluster, a second time."""
    if len(set(values)) != len(values):
        i = next(i for i in range(len(values)) if values[i] in values[:i])
        fail(doc, f"{place}[{i}]", tuple(values[i]), "each once", f"is in the {group} already")


def check_labelled(doc: Doc, spans: Any, place: str, label: str) -> list[tuple[int, int, str]]:
    """The same for spans with labels: `(start, end, label)`; `label` is what the string is called, for the message."""
    form = f"(start, end, {label}), token offsets and a string"
    spans = check_list(doc, spans, place, form)
    if all(issubclass(kind, tuple) for kind in {*map(type, spans)}) and {*map(len, spans)} == {3}:
        starts, ends, texts = zip(*spans, strict=True)
        if are_offsets(doc, [*zip(starts, ends, strict=True)]) and are_texts(texts):
            return spans
    checked = []
    for i, span in enumerate(spans):
        where = f"{place}[{i}]"
        if not isinstance(span, tuple | list) or len(span) != 3:
            fail(doc, where, span, form)
        start, end = check_offsets(doc, span[:2], where)
        checked.append((start, end, check_text(doc, span[2], f"{where}[2], the {label},")))
    return checked


def check_offsets(doc: Doc, span: Any, place: str) -> tuple[int, int]:
    """Check one span: see `check_spans`."""
    if isinstance(span, Span):
        fail(doc, place, span, "its token offsets, (span.start, span.end)")
    try:
        start, end = map(_to_int, span)
    except (TypeError, ValueError):
        fail(doc, place, span, "two integers, (start, end)")
    if not 0 <= start < end <= len(doc):
        fail(
            doc,
            place,
            (start, end),
            f"0 <= start < end <= {len(doc)}, which is the number of tokens; the end is exclusive",
            "has no tokens" if start == end else "ends before it starts" if end < start else "leaves the document",
        )
    return start, end


def check_scores(doc: Doc, scores: Any, place: str, n_spans: int, spans: str) -> list[float]:
    """Check that there is one finite number for each span, and return them as floats."""
    scores = check_list(doc, scores, place, "numbers")
    if len(scores) != n_spans:
        fail(doc, f"the length of {place}", len(scores), f"{n_spans}, one for each of {spans}")
    return scores if are_scores(scores) else [check_score(doc, one, f"{place}[{i}]") for i, one in enumerate(scores)]


def check_score(doc: Doc, score: Any, place: str) -> float:
    """Check that a score is a finite number, and return it as a float."""
    if isinstance(score, str | bytes | bool):
        fail(doc, place, score, "a finite number")
    try:
        number = float(score)
    except (TypeError, ValueError, OverflowError):
        fail(doc, place, score, "a finite number")
    if not isfinite(number):
        fail(doc, place, number, "a finite number")
    return number


def check_text(doc: Doc, text: Any, place: str) -> str:
    """Check that a label is a string that can be saved, and return it."""
    if not isinstance(text, str):
        fail(doc, place, text, "a string")
    try:
        text.encode()
    except UnicodeEncodeError:
        fail(doc, place, text, "a string without surrogates, which can't be saved")
    return text


def check_list(doc: Doc, values: Any, place: str, expected: str) -> list[Any]:
    """Check that there are several of something, and return them as a list."""
    if type(values) is list:
        return values
    if isinstance(values, str | bytes | Span) or not isinstance(values, Iterable):
        fail(doc, place, values, f"a list of {expected}")
    return list(values)


def fail(doc: Doc, place: str, found: Any, expected: str, problem: str = "") -> NoReturn:
    """Raise the error: which document and argument, what was found, and what was expected."""
    shown = show(found)
    if isinstance(found, Span):
        shown = f"the Span {found.text!r}{'' if found.doc is doc else ' of another document'}"
    raise ValueError(
        f"Can't annotate {describe_doc(doc)}: {place} is {shown}{f', which {problem}' if problem else ''}; expected "
        f"{expected}. The document was not changed."
    )


def show(found: Any) -> str:
    """A value as messages show it, shortened."""
    try:
        return reprlib.repr(found)
    except ValueError:  # Python shows no number of more than 4,300 digits
        return "too long to be shown"


def _to_int(offset: Any) -> int:
    if isinstance(offset, bool):
        raise TypeError("a truth value is no offset")
    return operator.index(offset)
