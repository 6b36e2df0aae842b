"""Problems of a corpus, grouped by their kind."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Kind:
    """What is wrong with all problems of a kind.

    title (str): What was found, as a sentence without its stop.
    expected (str): What should have been found.
    cure (str): What to do about it.
    loses (bool): Whether data is lost, or leaks into what is scored. Otherwise it is only worth to know.
    """

    title: str
    expected: str = ""
    cure: str = ""
    loses: bool = True


@dataclass(frozen=True)
class Problem:
    """One problem.

    kind (Kind): What is wrong.
    file (str): The file.
    document (str): What messages call the document, "" for a problem of the whole file.
    place (str): Where it is in the document or the file, such as "tokens 3 to 7", "" if that says nothing.
    found (str): What was found there.
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
    """The place of tokens in a document; as everywhere in spaCy, the first token is 0 and the end is exclusive."""
    return f"tokens {start}:{end}"


def group_problems(problems: Iterable[Problem]) -> dict[Kind, list[Problem]]:
    """Problems by kind: first those that lose data, in the order in which their kinds were met."""
    groups: defaultdict[Kind, list[Problem]] = defaultdict(list)
    for problem in problems:
        groups[problem.kind].append(problem)
    return dict(sorted(groups.items(), key=lambda group: not group[0].loses))


def as_data(groups: dict[Kind, list[Problem]]) -> list[dict[str, Any]]:
    """Groups of problems as JSON holds them."""
    names = ("file", "document", "place", "found")
    return [
        {
            **asdict(kind),
            "count": len(group),
            "cases": [{name: getattr(case, name) for name in names} for case in group],
        }
        for kind, group in groups.items()
    ]
