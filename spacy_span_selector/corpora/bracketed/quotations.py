"""Quotations in the bracketed format: lines under a sentence, which repeat its words.

    “Come up,” said [Ann|ann] to [Tom|tom]. “It is late.
    < [ann>tom “Come up,”] said Ann to Tom. [ann>tom “It is late.]
    Now!”
    < [+ Now!”]

Brackets name who speaks and who is spoken to. Those of one line do not nest; a quotation within another has a line of
its own, below.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ...annotation import Mention, Quotation
from ..nearest_mention import nearest_mention
from .frames import check_words, parse_frame
from .lines import Line, Place, Sentence, align, fail
from .problems import Stop, reporting

QUOTATION = "<"
ADDRESSED, NOBODY, GOES_ON = ">", "?", "+"
FORMS = f"`[SPEAKER words]`, `[SPEAKER{ADDRESSED}ADDRESSEE words]`, or `{NOBODY}` for a speaker who is not known"


class TypedQuotation(NamedTuple):
    """A quotation as it was typed: its tokens, and where the names are of who speaks and is spoken to."""

    start: int
    end: int
    label: str
    place: Place
    column: int

    @property
    def persons(self) -> list[str]:
        """The names of who speaks, and who is spoken to, "" for one who is not known."""
        speaker, _, addressee = self.label.partition(ADDRESSED)
        return ["" if speaker == NOBODY else speaker, addressee]


def read_quotations(lines: Sequence[Line], sentence: Sentence, above: list[TypedQuotation], problems: Stop) -> None:
    """Read the quotations of a sentence.

    lines (Sequence[Line]): The lines under the sentence, without their `<`. One without words is left out.
    sentence (Sentence): The sentence that they annotate.
    above (list[TypedQuotation]): The quotations so far. Gets those of the sentence, and longer ones that go on in it.
    problems (Stop): What is done about a line that is malformed.
    """
    for line in lines:
        with reporting(problems):
            if not line.body.strip():
                continue
            text, brackets = parse_frame(line, "quotation", FORMS)
            check_words(text, line, sentence, QUOTATION)
            for bracket in brackets:
                with reporting(problems):
                    start, end = align(bracket, sentence, line.place, "a quotation")
                    if bracket.label != GOES_ON:
                        _check_label(bracket.label, line.place, bracket.open_column)
                        above.append(TypedQuotation(start, end, bracket.label, line.place, bracket.open_column))
                        continue
                    going_on = [i for i, quotation in enumerate(above) if quotation.end == start == sentence.offset]
                    if not going_on:
                        found = f"`[{GOES_ON}` continues no quotation: none reaches the end of the sentence above"
                        cure = f"Begin one with `[SPEAKER words]` or `[{NOBODY} words]`."
                        fail(line.place, bracket.open_column, f"{found}. {cure}")
                    outer = min(going_on, key=lambda i: above[i].start)
                    above[outer] = above[outer]._replace(end=end)


def name_persons(
    typed: Sequence[TypedQuotation], clusters: Mapping[str, Sequence[Mention]], problems: Stop
) -> Iterator[Quotation]:
    """The quotations of a document: who speaks is the mention of the name that is nearest, outside of quotations.

    typed (Sequence[TypedQuotation]): The quotations.
    clusters (Mapping[str, Sequence[Mention]]): The mentions of each name.
    problems (Stop): What is done about a name that no mention has.
    """
    quoted = {i for quotation in typed for i in range(quotation.start, quotation.end)}
    for quotation in typed:
        place = (quotation.start, quotation.end)
        for name in quotation.persons:
            with reporting(problems):
                if name and name not in clusters:
                    cure = f"Give one this name, `[words|{name}]`, or write `{NOBODY}` for a speaker who is not known."
                    fail(quotation.place, quotation.column, f"no mention has the name {name!r}. {cure}")
        speaker, addressee = (
            nearest_mention(place, clusters[name], quoted) if name and name in clusters else None
            for name in quotation.persons
        )
        yield Quotation(*place, speaker, addressee)


def label_quotation(speaker: str, addressee: str) -> str:
    """The label of a bracket, from names, "" for one who is not known."""
    return (speaker or NOBODY) + (f"{ADDRESSED}{addressee}" if addressee else "")


def may_speak(name: str) -> bool:
    """Whether the name of a cluster can be that of a speaker."""
    return ADDRESSED not in name and name not in (NOBODY, GOES_ON)


def _check_label(label: str, place: Place, column: int) -> None:
    speaker, sign, addressee = label.partition(ADDRESSED)
    if not speaker or bool(sign) != bool(addressee) or not may_speak(addressee):
        fail(place, column, f"found `[{label}`, expected {FORMS}.")
