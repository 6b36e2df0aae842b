from __future__ import annotations

import textwrap

import pytest

from spacy_span_selector.documents.layout import find_breaks, find_labels, is_wrapped, read_blocks

POEM = (
    "Tyger Tyger, burning bright,\nIn the forests of the night;\nWhat immortal hand\nCould frame thy fearful symmetry?"
)
PROSE = (
    "Ann went to the town, where Tom Smith and Bob Lee were waiting for her - as they had told Mr. Ray in May: at 9."
)
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
        (
            "To buy:\n- milk\n- bread and some of the\n  butter\nThen go home.",
            ["To buy:", "- milk", "- bread and some of the\n  butter", "Then go home."],
        ),
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


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Ann: hi\nDr. Bob Lee (laughing): hi\nnote: x", ["Ann", "Dr. Bob Lee"]),
        ("[12:03] ann: hi\n12:03 <@bob> hi\n12:04 * ann waves", ["ann", "bob", ""]),
        ("[1/5/24, 12:03:11] Ann  Lee: hi\n12:03 PM - Bob: hi", ["Ann Lee", "Bob"]),
        ("Ann [12:03]: hi\nBob Lee  12:03 PM\nhi", ["Ann", "Bob Lee"]),
        ("ACT I\n\nHAMLET. To be\n\nDR. LEE. No. He", ["HAMLET", "DR. LEE"]),
        ("HAMLET\nTo be\n\nOPHELIA (aside)\nNo\n\nTHE END", ["HAMLET", "OPHELIA"]),
        ("It was late.\nNote: he came", []),
        ("From: Ann\nTo: Bob", []),
    ],
)  # fmt: skip
def test_labels_name_speakers(text: str, names: list[str]) -> None:
    assert [label.name for label in find_labels(read_blocks(text))] == names
