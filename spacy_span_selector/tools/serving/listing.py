"""The pages of the application that corrects documents: the list of them, and the page of one, which a script fills."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from string import Template
from typing import NamedTuple
from urllib.parse import quote

from ..rendering.html_page import html_page, static

STYLE = ("page.css", "edit.css")


class Entry(NamedTuple):
    """What the list has of a document.

    name (str): Its name.
    is_corrected (bool): Whether it was corrected.
    words (int | None): How many words it has; None if it was not annotated yet.
    doubts (tuple[float, ...]): The probabilities of its doubtful links, the lowest first.
    problem (str): Why it can't be opened, "" if it can.
    """

    name: str
    is_corrected: bool
    words: int | None = None
    doubts: tuple[float, ...] = ()
    problem: str = ""

    def order(self) -> tuple[object, ...]:
        """Its place in the list: what is to be corrected first, the most doubtful link before others."""
        return self.is_corrected, bool(self.problem), self.words is None, *self.doubts[:1], 1.0, self.name

    def markup(self) -> str:
        """Its row."""
        if self.problem:
            about = f'<span class="problem">{escape(self.problem)}</span>'
        elif self.is_corrected:
            about = '<span class="done">corrected</span>'
        elif self.words is None:
            about = "<span>not annotated yet</span>"
        else:
            lowest = f'<span class="lowest">{self.doubts[0]:.0%}</span>' if self.doubts else ""
            number = f"{len(self.doubts) or 'no'} doubtful link{'' if len(self.doubts) == 1 else 's'}"
            about = f"<span>{self.words:,} words</span><span>{number}</span>{lowest}"
        name, address = escape(self.name), escape(f"/text/{quote(self.name, safe='')}")
        return f'<li><a href="{address}"><b><bdi>{name}</bdi></b>{about}</a></li>'


def list_page(entries: Sequence[Entry], model: str) -> str:
    """The page with all documents.

    entries (Sequence[Entry]): The documents.
    model (str): What the pipeline is called.
    RETURNS (str): A complete page.
    """
    done = sum(entry.is_corrected for entry in entries)
    waiting = sum(not entry.is_corrected and entry.words is None and not entry.problem for entry in entries)
    rows = [entry.markup() for entry in entries]
    body = Template(static("documents.html")).substitute(
        done=f"{done:,}",
        all=f"{len(entries):,}",
        model=escape(model),
        waiting=f" · {waiting:,} to be annotated" if waiting else "",
        to_do="\n".join(rows[: len(rows) - done]),
        corrected="\n".join(rows[len(rows) - done :]),
    )
    return html_page(body, title="Documents", style=STYLE, script="documents.js", connects=True)


def text_page(name: str) -> str:
    """The page of a document."""
    body = Template(static("edit.html")).substitute(
        name=escape(name), address=escape(f"/documents/{quote(name, safe='')}")
    )
    return html_page(body, title=name, style=STYLE, script="edit.js", connects=True)
