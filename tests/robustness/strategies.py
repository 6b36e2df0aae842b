"""Strategies that draw words of all kinds, documents of them, markup, and odd values."""

import json
from typing import NamedTuple

from hypothesis import strategies as st
from spacy.tokens import Doc, Span, SpanGroup
from spacy.vocab import Vocab

from spacy_span_selector.annotation import set_title

Offsets = tuple[int, int]

PLAIN = ("Ann", "Lee", "gave", "her", "brother", "a", "key", "picked", "up", "he", "left", ".", ",", '"', "'s", "(")
WHITE_SPACE = (*" \n\t\x0b\x0c\x1c\x85\u00a0\u2003\u2028\u3000", "\n\n", "\r\n", "  \n ")
ODD = (
    *"\x00\x07\u200b\u200d\ufeff\ufffd\U0010ffffﬁİ",
    *("\x1b[31m", "\u202eabc", "e\u0301\u0302\u0303" * 9),
    *("שלום", "مرحبا", "日本語", "नमस्ते"),
    *("😀", "👩\u200d👩\u200d👧\u200d👦", "🇫🇷", "👍🏽"),
    *("<speaker>", "</speaker>", "[MASK]", "<b>"),
    *("x" * 3000, "-" * 200, "9" * 400),
)
PAYLOADS = (
    *("<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "' onmouseover='alert(1)"),
    *("</title></style></svg></h2><script>alert(1)//", "<svg/onload=alert(1)>", "<a href=javascript:alert(1)>"),
    *("url(javascript:alert(1))", "red;} body{display:none", "&lt;script&gt;", "&amp;amp;", "&#60;b&#62;", "&nbsp"),
    *("<!--", "-->", "<![CDATA[", "]]>", "<?xml ?>", "{content}", "{0}{text}{{", "%s${alert(1)}`"),
    "\\u003cscript\\u003e",
)

any_text = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)
words = st.one_of(
    st.sampled_from(PLAIN), st.sampled_from(PLAIN), st.sampled_from(WHITE_SPACE), st.sampled_from(ODD), any_text
)
payloads = st.one_of(
    st.sampled_from(PAYLOADS),
    st.text("<>\"'&;=/!-{}[]()ab #", min_size=1, max_size=15),
    st.lists(st.sampled_from(PAYLOADS), min_size=2, max_size=3).map("".join),
)
raw_texts = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=80),
    st.lists(st.tuples(words, st.sampled_from(["", " ", "\n"])).map("".join), max_size=30).map("".join),
)
"""Texts that are no documents yet."""


class Text(NamedTuple):
    """The parts of a document, in a form that can be read when a test fails: where sentences start, None if nobody
    knows, and what is in other groups of `doc.spans`."""

    words: list[str]
    spaces: list[bool]
    starts: list[bool | None] | None
    groups: dict[str, list[Offsets]]
    title: str

    def doc(self, vocab: Vocab) -> Doc:
        doc = Doc(vocab, words=self.words, spaces=self.spaces, sent_starts=self.starts)
        for key, spans in self.groups.items():
            doc.spans[key] = SpanGroup(doc, name=key, spans=[Span(doc, *offsets) for offsets in spans])
        if self.title:
            set_title(doc, self.title)
        return doc


def offsets(length: int, *, empty: bool = False) -> st.SearchStrategy[Offsets]:
    """A span of a document of so many tokens, end exclusive."""
    least = 0 if empty else 1
    return st.integers(0, length - least).flatmap(
        lambda start: st.tuples(st.just(start), st.integers(start + least, length))
    )


@st.composite
def texts(draw: st.DrawFn, *keys: str, max_words: int = 30) -> Text:
    """A document. Spans in groups with these keys may be without tokens, the same, cross each other and sentences."""
    drawn = draw(st.lists(words, max_size=max_words))
    length = len(drawn)
    flags = st.lists(st.booleans(), min_size=length, max_size=length)
    starts = draw(st.none() | st.lists(st.sampled_from([True, False, None]), min_size=length, max_size=length))
    odd_spans = st.lists(offsets(length, empty=True), max_size=6)
    groups = {key: draw(odd_spans) for key in keys if draw(st.integers(0, 3)) == 0}
    return Text(drawn, draw(flags), starts, groups, draw(st.sampled_from(["", "", "At sea"])))


ODD_VALUES = (
    *(None, True, False, "", "x", "0.5", "é", "a" * 300),
    *(0, 1, -1, 3, 100_000, -0.5, 0.5, 2.5, 1e300),
    *([], {}, [1], {"a": 1}, [[0, 1]], ["ARG0", "ARG0"], {"gave": {"give.01": -1}}, {"gave": 1}),
)
json_values = st.sampled_from(ODD_VALUES).map(json.dumps)
"""Values in a JSON file or a config."""
odd_values = st.sampled_from([*ODD_VALUES, 10**30, float("nan"), float("inf"), "\ud800"])
