"""Pages of documents that try to inject markup: it is shown as text, and the page is built as without it."""

import re
import string
from html.parser import HTMLParser
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from hypothesis import strategies as st
from spacy.tokens import Doc, Span, SpanGroup
from spacy.vocab import Vocab

from spacy_span_selector.annotation import set_title

from ..commands import success
from ..tools.rendering.pages import render_page
from .fuzzing import fuzz
from .strategies import Offsets, offsets, payloads

VOCAB = Vocab()
HARMLESS = {ord(character): 0xE000 + ord(character) for character in string.punctuation}
"""Private characters instead of punctuation: no page can mistake them for markup."""
PUNCTUATION = {there: here for here, there in HARMLESS.items()}
TAGS = {
    *("html", "head", "meta", "title", "style", "script", "body", "main", "article", "header", "aside", "details"),
    *("h2", "h3", "p", "b", "mark", "div", "span", "ul", "li", "dl", "dt", "dd", "kbd", "bdi", "small", "summary"),
    *("input", "select", "label", "button", "svg", "path", "circle", "/"),
}
"""The elements of a page of one sentence with one cluster."""
ROLE = re.compile(r"\b(role|rolename) (k\d|predicate|adjunct)\b")
"""The classes of a role or of its name: its colour depends on its label."""


class Page(HTMLParser):
    """The tags, comments and declarations of a page, its style sheet and script, and its text, without the colours of
    roles."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.events: list[tuple[object, ...]] = []
        self.text = self.code = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.events.append((tag, [(name, ROLE.sub(r"\1", value or "")) for name, value in attrs]))

    def handle_endtag(self, tag: str) -> None:
        self.events.append(("/", tag))

    def handle_comment(self, data: str) -> None:
        self.events.append(("comment", data))

    def handle_pi(self, data: str) -> None:
        self.events.append(("instruction", data))

    def unknown_decl(self, data: str) -> None:
        self.events.append(("declaration", data))

    def handle_data(self, data: str) -> None:
        if self.cdata_elem:
            self.code += data
        else:
            self.text += data


def check_page(page: str, harmless: str) -> None:
    """Apart from the text a page is the same as one without punctuation, and its text, attributes that hold some of it
    included, is that of the document."""
    found, expected = Page(page), Page(harmless)
    assert found.events == [_with_punctuation(event) for event in expected.events]
    assert found.code == expected.code
    assert found.text == expected.text.translate(PUNCTUATION)


def _with_punctuation(event: tuple[object, ...]) -> tuple[object, ...]:
    """An event whose attributes are those of the document."""
    if isinstance(event[1], list):
        return event[0], [(name, ROLE.sub(r"\1", value.translate(PUNCTUATION))) for name, value in event[1]]
    return event


class Attack(NamedTuple):
    """A document made of payloads, with span groups that all have the same attributes."""

    words: list[str]
    spaces: list[bool]
    starts: list[bool]
    groups: dict[str, list[tuple[Offsets, str]]]
    attributes: dict[str, str]
    title: str

    def doc(self, table: dict[int, int]) -> Doc:
        """The document, its characters replaced by those of a table."""
        words = [word.translate(table) for word in self.words]
        doc = Doc(VOCAB, words=words, spaces=self.spaces, sent_starts=[True, *self.starts[1:]])
        attributes = {name: value.translate(table) for name, value in self.attributes.items()}
        for key, members in self.groups.items():
            spans = [Span(doc, *span, label=label.translate(table)) for span, label in members]
            doc.spans[key] = SpanGroup(doc, name=key, spans=spans, attrs=attributes)
        set_title(doc, self.title.translate(table))
        return doc


@st.composite
def attacks(draw: st.DrawFn) -> Attack:
    words = draw(st.lists(st.one_of(payloads, st.sampled_from(["Ann", " ", "\n", "he"])), min_size=1, max_size=12))
    length = len(words)
    flags = st.lists(st.booleans(), min_size=length, max_size=length)
    spans = st.lists(st.tuples(offsets(length), payloads), max_size=4)
    keys = ("coref_clusters_1", "coref_clusters_2", "srl_1", "srl_2", "speakers")
    attributes = {"roleset": draw(st.just("") | payloads), "name": draw(payloads)}
    groups = {key: draw(spans) for key in keys}
    return Attack(words, draw(flags), draw(flags), groups, attributes, draw(st.just("") | payloads))


@fuzz(100, attack=attacks(), singletons=st.booleans())
def test_clusters_and_frames(attack: Attack, singletons: bool) -> None:
    pages = [render_page([attack.doc(table)], singletons=singletons) for table in ({}, HARMLESS)]
    check_page(*pages)


@fuzz(
    8,
    name=payloads.filter(lambda name: not {*"/\0"} & {*name} and name not in (".", "..") and not name.startswith("-")),
)
def test_a_file_is_shown_by_its_name(name: str) -> None:
    with TemporaryDirectory() as folder:
        file, out = Path(folder) / f"{name}.txt", Path(folder) / "page"
        file.write_text("[Ann|a] saw [her|a].", encoding="utf-8")
        success("render", file, out, "--lang", "xx")
        page = Page(out.read_text(encoding="utf-8"))
    assert f"\n{file.stem}\n" in page.text
    assert {event[0] for event in page.events} <= TAGS
