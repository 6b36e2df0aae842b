"""The pages: a form with what a pipeline finds in a text, the list of documents to correct, and the page of one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from string import Template
from typing import NamedTuple
from urllib.parse import quote

from spacy.language import Language

from ...annotation import set_title
from ...documents.other_languages import describe_other_language, other_language
from ...people.tokenized import make_doc
from ..rendering import Page
from ..rendering.html_page import html_page, static

TITLE = "Your text"
EDITOR_STYLE = ("page.css", "edit.css")


@dataclass(frozen=True)
class Form:
    name: str  # what it calls the pipeline
    most_characters: int

    def problem(self, text: str) -> str:
        """Why a text can't be annotated, "" if it can."""
        if not text.strip():
            return "There is no text. Type or paste one."
        if len(text) > self.most_characters:
            return f"The text has {len(text):,} characters, more than {self.most_characters:,}. Send it in parts."
        if "\0" in text:
            place = text.index("\0") + 1
            return f"Character {place:,} of the text is U+0000, which no page can show. Remove it."
        return ""

    def page(self, text: str = "", problem: str = "") -> str:
        """The page before a text is annotated."""
        return Page().finish(self.markup(text, problem))

    def markup(self, text: str = "", problem: str = "") -> str:
        """The form, with a text in it, and why that was not annotated, or means little."""
        return Template(static("form.html")).substitute(
            text=escape(text),
            model=escape(self.name),
            shown=f"{self.most_characters:,}",
            problem=f'<p class="problem" role="alert">{escape(problem)}</p>\n' if problem else "",
        )


class View:
    """Makes pages with the form and what a pipeline finds in a text."""

    def __init__(self, nlp: Language, form: Form, singletons: bool = False) -> None:
        self.nlp = nlp
        self.form = form
        self.singletons = singletons

    def __call__(self, text: str) -> str:
        page = Page(singletons=self.singletons)
        with self.nlp.memory_zone():  # what texts bring into the vocabulary is forgotten
            doc = self.nlp(make_doc(self.nlp, text))
            set_title(doc, TITLE)
            page.add(doc)
            language = other_language(doc)
        return page.finish(self.form.markup(text, describe_other_language(language) if language else ""))


class Entry(NamedTuple):
    name: str
    is_corrected: bool
    words: int | None = None  # None if it was not annotated yet
    doubts: tuple[float, ...] = ()  # the probabilities of its doubtful links, the lowest first
    problem: str = ""  # why it can't be opened

    def order(self) -> tuple[object, ...]:
        """Its place in the list: what is to be corrected first, the most doubtful link before others."""
        return self.is_corrected, bool(self.problem), self.words is None, *self.doubts[:1], 1.0, self.name

    def markup(self) -> str:
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
    """The page that lists documents, in this order, those that are corrected last."""
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
    return html_page(body, title="Documents", style=EDITOR_STYLE, script="documents.js", connects=True)


def text_page(name: str) -> str:
    """The page that corrects a document, which its script fills."""
    address = escape(f"/documents/{quote(name, safe='')}")
    body = Template(static("edit.html")).substitute(name=escape(name), address=address)
    return html_page(body, title=name, style=EDITOR_STYLE, script="edit.js", connects=True)
