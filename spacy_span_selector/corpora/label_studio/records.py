"""What the results of an annotation must look like to be read: regions and relations."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeVar

from pydantic import Field, ValidationError

from ...annotation.checks import show
from ..left_out import Report
from ..plain.records import Number, Record, Text

UNREADABLE = "regions and relations that can't be read"
OTHER_KINDS = "results that are neither labels over text nor relations"


class Value(Record):
    """Labelled characters: offsets, end exclusive, and their text, if given."""

    start: Number
    end: Number
    labels: Annotated[list[Text], Field(min_length=1)]
    text: Text | None = None


class Region(Record):
    """A region."""

    id: Text
    value: Value
    meta: Any = None

    @property
    def note(self) -> str:
        """What annotators wrote about the region, "" if nothing."""
        texts = self.meta.get("text") if isinstance(self.meta, dict) else None
        first = texts[0] if isinstance(texts, list) and texts else texts
        return " ".join(first.split()) if isinstance(first, str) else ""


class Relation(Record):
    """A relation of two regions, from the first to the second or, if its direction is left, the other way round."""

    from_id: Text
    to_id: Text
    direction: Literal["right", "left", "bi"] | None = None
    labels: list[Text] | None = None

    @property
    def ends(self) -> tuple[str, str]:
        return (self.to_id, self.from_id) if self.direction == "left" else (self.from_id, self.to_id)


Result = TypeVar("Result", Region, Relation)


def read_results(results: list[Any], place: str, report: Report) -> tuple[list[Region], list[Relation]]:
    """Read the results of an annotation.

    results (list[Any]): What it holds.
    place (str): What messages call it.
    report (Report): Gets the results that are left out.
    """
    regions: list[Region] = []
    relations: list[Relation] = []
    for i, result in enumerate(results):
        kind = result.get("type") if isinstance(result, dict) else None
        where = f"{place}, result[{i}]"
        if kind == "labels":
            regions += _read(Region, result, where, report)
        elif kind == "relation":
            relations += _read(Relation, result, where, report)
        else:
            report.leave_out(OTHER_KINDS, f"{where}: found {show(kind or result)}, expected 'labels' or 'relation'.")
    return regions, relations


def _read(model: type[Result], result: Any, place: str, report: Report) -> list[Result]:
    try:
        return [model.model_validate(result)]
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        path = ".".join(map(str, first["loc"]))
        report.leave_out(UNREADABLE, f"{place}: {path} is {show(first['input'])}. {first['msg']}.")
        return []
