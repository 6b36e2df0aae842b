from itertools import combinations, product
from typing import NamedTuple

import pytest
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_span_selector.tools.rendering.boxes import TextMarkup, boxed


class Bracket(NamedTuple):
    """A box with its name and its height, with a star if it continues another one."""

    name: str

    def open_box(self, height: int, resumed: bool) -> str:
        return f"[{self.name}{height}{'*' * resumed} "


def draw(doc: Doc, *spans: tuple[int, int, str]) -> str:
    markup = boxed(TextMarkup(doc), 0, len(doc), [(start, end, Bracket(name)) for start, end, name in spans])
    return markup.replace("</mark>", "]")


ABCD = Doc(Vocab(), words=["a", "b", "c", "d"])


@pytest.mark.parametrize(
    ("spans", "expected"),
    [
        ([(0, 1, "x"), (2, 3, "y")], "[x1 a] b [y1 c] d"),
        ([(1, 3, "x"), (1, 2, "y")], "a [x2 [y1 b] c] d"),
        ([(1, 2, "y"), (1, 3, "x"), (1, 4, "z")], "a [z3 [x2 [y1 b] c] d]"),
        ([(0, 4, "x"), (0, 1, "y"), (2, 4, "z"), (3, 4, "w")], "[x3 [y1 a] b [z2 c [w1 d]]]"),
        ([(0, 2, "x"), (0, 2, "y")], "[x2 [y1 a b]] c d"),
        ([(0, 2, "x"), (1, 3, "y")], "[x2 a [y1 b]] [y1* c] d"),
    ],
)
def test_boxes_nest_and_know_how_many_are_in_them_and_the_later_of_crossing_ones_continues(
    spans: list[tuple[int, int, str]], expected: str
):
    assert draw(ABCD, *spans) == expected


def test_every_token_is_in_as_many_boxes_as_spans():
    for spans in product(combinations(range(5), 2), repeat=3):
        drawn = draw(ABCD, *[(start, end, "x") for start, end in spans])
        assert drawn.count("[") == drawn.count("]")
        for token in ABCD:
            before = drawn[: drawn.index(token.text)]
            covering = [start <= token.i < end for start, end in spans]
            assert before.count("[") - before.count("]") == sum(covering)


def test_text_is_escaped_and_spaces_are_those_of_the_text():
    doc = Doc(Vocab(), words=["<b>", "&", "'s"], spaces=[False, True, False])
    assert draw(doc, (0, 1, "x")) == "[x1 &lt;b&gt;]&amp; &#x27;s"
