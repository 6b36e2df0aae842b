"""Problems of a corpus, grouped by their kind."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Kind:
    """A kind of problem.

    title (str): The problem, as a sentence without its stop.
    expected (str): The right annotation.
    cure (str): How to correct it.
    loses (bool): Data is lost, or leaks into what is scored. Otherwise it is only worth knowing.
    """

    title: str
    expected: str = ""
    cure: str = ""
    loses: bool = True


@dataclass(frozen=True)
class Problem:
    """One problem.

    kind (Kind): Its kind.
    file (str): The file.
    document (str): The document as messages name it, "" for a problem of the whole file.
    place (str): Where it is in the document or the file, such as "tokens 3:7", "" if that says nothing.
    found (str): The text or annotation there.
    """

    kind: Kind
    file: str
    document: str = ""
    place: str = ""
    found: str = ""

    def __str__(self) -> str:
        """One line: file, document, place and what was found there."""
        where = ", ".join(part for part in (self.document, self.place) if part)
        return " ".join(": ".join(part for part in (self.file, where, self.found) if part).split())


def tokens(start: int, end: int) -> str:
    """Describe the place of tokens in a document, counted from 0, end exclusive."""
    return f"tokens {start}:{end}"


def group_problems(problems: Iterable[Problem]) -> dict[Kind, list[Problem]]:
    """Group problems by kind: first those that lose data, in the order in which their kinds were met."""
    groups: defaultdict[Kind, list[Problem]] = defaultdict(list)
    for problem in problems:
        groups[problem.kind].append(problem)
    return dict(sorted(groups.items(), key=lambda group: not group[0].loses))


def as_data(groups: dict[Kind, list[Problem]]) -> list[dict[str, Any]]:
    """Convert groups of problems to JSON data."""
    names = ("file", "document", "place", "found")
    return [
        {
            **asdict(kind),
            "count": len(group),
            "cases": [{name: getattr(case, name) for name in names} for case in group],
        }
        for kind, group in groups.items()
    ]
