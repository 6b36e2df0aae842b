import textwrap

import pytest

from spacy_span_selector.documents.layout import find_breaks, find_lines
from spacy_span_selector.documents.lines import is_wrapped, read_blocks

POEM = "Tyger Tyger, burning bright,\nIn the forests of the night;\nWhat immortal hand\nCould frame thy symmetry?"
PROSE = "Ann went to the town, where Tom Smith and Bob Lee were waiting for her - as they told Mr. Ray in May: at 9."
HEADERS = "From: Ann\nTo: Tom,\n  Bob\nX-Mailer: none\n\nHi"


def pieces(text: str) -> list[str]:
    """What stands between breaks."""
    starts = [place.start for place in find_breaks(text)]
    return [text[start:end].strip() for start, end in zip(starts, [*starts[1:], None], strict=True)]


def test_blocks_are_between_blank_lines() -> None:
    assert [[line.text for line in block] for block in read_blocks("\n a\nb \n \t\n\n c")] == [["a", "b"], ["c"]]


def test_quoted_lines_are_blocks_of_their_own() -> None:
    (own, (quoted,)) = read_blocks("Yes.\n> > Why?")
    assert (own[0].text, quoted.text, quoted.first, quoted.start) == ("Yes.", "Why?", 5, 9)


@pytest.mark.parametrize("column", [12, 20, 40])
def test_lines_that_are_full_are_wrapped(column: int) -> None:
    (block,) = read_blocks(textwrap.fill(PROSE, column))
    assert is_wrapped(block)
    assert pieces(textwrap.fill(PROSE, column)) == [textwrap.fill(PROSE, column)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (POEM, POEM.split("\n")),
        ("To buy:\n- milk\n- bread and\n  oil\nGo home.", ["To buy:", "- milk", "- bread and\n  oil", "Go home."]),
        (HEADERS, ["From: Ann", "To: Tom,\n  Bob", "X-Mailer: none", "Hi"]),
        ("A\t1\nB\t2", ["A\t1", "B\t2"]),
        ("# Town\nIt is old", ["# Town", "It is old"]),
        ("He sat down and wrote\n[Exit Tom.]\nsome more", ["He sat down and wrote", "[Exit Tom.]", "some more"]),
        ("Note: Ann is\nhere", ["Note: Ann is\nhere"]),
        ("The girl\nwith the red hat\nand Tom", ["The girl\nwith the red hat\nand Tom"]),
    ],
)  # fmt: skip
def test_lines_that_stand_alone(text: str, expected: list[str]) -> None:
    assert pieces(text) == expected


def test_the_words_of_an_item_come_behind_its_mark() -> None:
    assert [place.words - place.start for place in find_breaks("a) one\n\n2.1 two\n\n- three\n\nfour")] == [3, 4, 2, 0]


def shown(text: str) -> list[str]:
    """The lines that a reader sees, with the indent and a mark for a blank line before them."""
    lines = find_lines(text)
    words = [" ".join(text[line.start : line.end].split()) for line in lines]
    return [f"{'|' * line.apart}{' ' * line.indent}{word}" for line, word in zip(lines, words, strict=True)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("  Tyger, burning\n    In the night;\n  Who?", ["  Tyger, burning", "    In the night;", "  Who?"]),
        ("so much depends\nupon\n\na red wheel", ["so much depends", "upon", "|a red wheel"]),
        ("Ann: did you go\nTom: no", ["Ann: did you go", "Tom: no"]),
        ("Age\tCity\n31\tLeeds\n29\tYork", ["Age City", "31 Leeds", "29 York"]),
        (f"{PROSE} He left.\n{PROSE}", [f"{PROSE} He left.", PROSE]),
        ("", []),
    ],
)
def test_lines_are_kept_where_they_say_something(text: str, expected: list[str]) -> None:
    assert shown(text) == expected


@pytest.mark.parametrize("column", [50, 60, 72, 120])
def test_prose_that_was_wrapped_flows(column: int) -> None:
    text = "\n\n".join(["CHAPTER I", *[textwrap.fill(f"{PROSE} {PROSE}", column)] * 3])
    assert shown(text) == ["CHAPTER I", *[f"|{PROSE} {PROSE}"] * 3]


@pytest.mark.parametrize(
    ("text", "headings"),
    [
        ("CHAPTER I.\nDown the Rabbit-Hole\n\nAlice was tired.", ["CHAPTER I.", "Down the Rabbit-Hole"]),
        ("A Mad Tea-Party\n\nThere was a table.", ["A Mad Tea-Party"]),
        ("# the town\n\nIt is old.", ["# the town"]),
        ("Dear Ann\n\nI left.\n\nBest regards\n\nTom", []),
        ("Then she left.\n\nHe stayed", []),
        ("Then she left\n\nHe stayed.", []),
    ],
)
def test_headings_are_short_and_in_capitals(text: str, headings: list[str]) -> None:
    assert [text[line.start : line.end] for line in find_lines(text) if line.kind == "heading"] == headings
