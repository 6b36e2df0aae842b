"""The pages of the application."""

from __future__ import annotations

from html import escape
from string import Template

from spacy.language import Language

from ..annotation import set_title
from ..bulk.keys import find_keys, only_prefixes
from ..rendering import Page
from ..rendering.html_page import static

TITLE = "Your text"


class View:
    """Makes pages.

    most_characters (int): How long a text may be.
    """

    def __init__(self, nlp: Language, name: str, most_characters: int, singletons: bool) -> None:
        """Initialize it; for the arguments see `create_app`."""
        self.nlp = nlp
        self.name = name
        self.most_characters = most_characters
        self.singletons = singletons
        self._prefixes = only_prefixes(find_keys(nlp))

    def problem(self, text: str) -> str:
        """Why a text can't be annotated, "" if it can."""
        if not text.strip():
            return "There is no text. Type or paste one."
        if len(text) > self.most_characters:
            return f"The text has {len(text):,} characters, more than {self.most_characters:,}. Send it in parts."
        return ""

    def empty(self, text: str = "", problem: str = "") -> str:
        """The page with the form alone."""
        return self._page().finish(self._form(text, problem))

    def annotated(self, text: str) -> str:
        """The page with the form, and what the pipeline finds in a text."""
        page = self._page()
        with self.nlp.memory_zone():  # what texts bring into the vocabulary is forgotten
            doc = self.nlp(text)
            set_title(doc, TITLE)
            page.add(doc)
        return page.finish(self._form(text))

    def _page(self) -> Page:
        return Page(singletons=self.singletons, **self._prefixes)

    def _form(self, text: str, problem: str = "") -> str:
        return Template(static("form.html")).substitute(
            text=escape(text),
            model=escape(self.name),
            most=self.most_characters,
            shown=f"{self.most_characters:,}",
            problem=f'<p class="problem" role="alert">{escape(problem)}</p>\n' if problem else "",
        )
