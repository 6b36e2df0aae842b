"""The pages of the application."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from string import Template

from spacy.language import Language

from ...annotation import set_title
from ...documents.other_languages import describe_other_language, other_language
from ...documents.tokenized import make_doc
from ..annotate.pipelines import find_keys, only_prefixes
from ..rendering import Page
from ..rendering.html_page import static

TITLE = "Your text"


class UnreadableError(Exception):
    """Tells what is wrong with a text that can't be annotated, and is no fault of the pipeline."""


@dataclass(frozen=True)
class Form:
    """The form that texts are typed into.

    name (str): What it calls the pipeline.
    most_characters (int): How long a text may be.
    """

    name: str
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
        """The page with the form alone."""
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
    """Makes pages with the form, and what a pipeline finds in a text."""

    def __init__(self, nlp: Language, form: Form, singletons: bool = False) -> None:
        """Initialize it.

        nlp (Language): The pipeline.
        form (Form): The form.
        singletons (bool): Whether to show clusters of one mention.
        """
        self.nlp = nlp
        self.form = form
        self.singletons = singletons
        self._prefixes = only_prefixes(find_keys(nlp))

    def __call__(self, text: str) -> str:
        """The page of a text."""
        page = Page(singletons=self.singletons, **self._prefixes)
        with self.nlp.memory_zone():  # what texts bring into the vocabulary is forgotten
            doc = self.nlp(make_doc(self.nlp, text))
            set_title(doc, TITLE)
            page.add(doc)
            language = other_language(doc)
        return page.finish(self.form.markup(text, describe_other_language(language) if language else ""))
