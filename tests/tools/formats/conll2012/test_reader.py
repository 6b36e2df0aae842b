import re
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_span_selector import annotation
from spacy_span_selector.annotation import Argument, Frame
from spacy_span_selector.tools.formats.conll2012 import read_conll2012
from spacy_span_selector.tools.formats.conll2012.reader import find_files

from ....spans import offsets

BEGIN = "#begin document (bc/ferry/00/ferry_0001); part 003"
END = "#end document"
NAME = "bc/ferry/00/ferry_0001   3"
FERRY = f"""{BEGIN}
{NAME}   0      Ruth   NNP    (TOP(S(NP*)     -    -   -   Ruth_Orr   (PERSON)     (ARG0*)           *     (7)
{NAME}   1      gave   VBD           (VP*   give   01   1  Ruth_Orr          *         (V*)           *       -
{NAME}   2       her   PRP$          (NP*     -    -   -   Ruth_Orr          *      (ARG2*            *    (4|(7)
{NAME}   3   brother    NN              *)    -    -   2   Ruth_Orr          *           *)           *      4)
{NAME}   4         a    DT           (NP*     -    -   -   Ruth_Orr          *      (ARG1*            *       -
{NAME}   5     quick    JJ              *     -    -   -   Ruth_Orr          *           *    (ARGM-ADJ*)     -
{NAME}   6      call    NN           *))   call   02   -   Ruth_Orr          *           *)         (V*)      -
{NAME}   7        /.     .             *))    -    -   -   Ruth_Orr          *           *            *       -

{NAME}   0     -LRB-  -LRB-  (TOP(FRAG*       -    -   -   -          *      -
{NAME}   1      1\\/2    CD             *)     -    -   -   Leo        *      -
{NAME}   2     -RRB-  -RRB-            *)     -    -   -   Leo        *      -

{END}
"""
Read = Callable[[str], Doc]


def write(folder: Path, text: str, name: str = "ferry_0001.v4_gold_conll") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", errors="surrogateescape")
    return path


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Reads the only document of a file, of which nothing is left out."""

    def read_one(text: str) -> Doc:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            (doc,) = read_conll2012(write(tmp_path, text))
        return doc

    return read_one


def row(word: str, *columns: str, parse: str = "*", speaker: str = "-", lemma: str = "-", coref: str = "-") -> str:
    """A row with the columns of arguments given. `document` puts in its number."""
    frameset = "-" if lemma == "-" else "01"
    return " ".join(["d", "0", "N", word, "XX", parse, lemma, frameset, "-", speaker, "*", *columns, coref])


def document(*rows: str, name: str = "d", part: str = "000") -> str:
    lines = [f"#begin document ({name}); part {part}"]
    number = 0
    for each in rows:
        lines.append(each.replace(" N ", f" {number} ", 1))
        number = number + 1 if each else 0
    return "\n".join([*lines, END, ""])


def test_a_document_has_all_that_the_file_says(read: Read):
    doc = read(FERRY)
    assert [[token.text for token in sentence] for sentence in doc.sents] == [
        ["Ruth", "gave", "her", "brother", "a", "quick", "call", "."],
        ["(", "1/2", ")"],
    ]
    assert [token.tag_ for token in doc[:3]] == ["NNP", "VBD", "PRP$"]
    assert annotation.get_title(doc) == "bc/ferry/00/ferry_0001_3"
    assert doc.has_unknown_spaces
    assert annotation.get_frames(doc) == [
        Frame(1, 2, [Argument(0, 1, "ARG0"), Argument(2, 4, "ARG2"), Argument(4, 7, "ARG1")], "give.01"),
        Frame(6, 7, [Argument(5, 6, "ARGM-ADJ")], "call.02"),
    ]
    first = [(0, 8, "TOP"), (0, 8, "S"), (0, 1, "NP"), (1, 7, "VP"), (2, 4, "NP"), (4, 7, "NP")]
    assert offsets(doc, "constituents") == [*first, (8, 11, "TOP"), (8, 10, "FRAG")]
    assert annotation.get_clusters(doc) == [[(0, 1), (2, 3)], [(2, 4)]]
    assert [doc.spans[f"coref_clusters_{i}"].attrs["name"] for i in (1, 2)] == ["7", "4"]
    assert annotation.get_speakers(doc) == [(0, 8, "Ruth_Orr"), (9, 11, "Leo")]


def test_a_turn_may_go_on_over_sentences(read: Read):
    rows = [row("No", speaker="Leo"), "", row("Yes", speaker="Leo"), row("Yes", speaker="Ann")]
    assert annotation.get_speakers(read(document(*rows))) == [(0, 2, "Leo"), (2, 3, "Ann")]


def test_what_is_not_there_is_not_annotated_except_coreference(read: Read):
    doc = read(document(row("Rain", parse="-"), row("falls")))
    assert doc.spans.keys().isdisjoint(("speakers", "constituents"))
    assert annotation.has_clusters_annotated(doc) and not annotation.has_frames_annotated(doc)


@pytest.mark.parametrize(
    ("rows", "frames"),
    [
        (
            [row("Go", "(V*)", "*", lemma="go"), row("eat", "*", "(V*)", lemma="eat"), "", row("Soon")],
            [Frame(0, 1, [], "go.01"), Frame(1, 2, [], "eat.01")],
        ),
        (
            [row("Ann"), "", row("Leo", "(ARG0*)"), row("left", "(V*)", lemma="leave")],
            [Frame(2, 3, [Argument(1, 2, "ARG0")], "leave.01")],
        ),
        ([row("have", "(V*"), row("a", "*"), row("look", "*)", lemma="look")], [Frame(0, 3, [], "look.01")]),
        ([row("went", "(V*)")], [Frame(0, 1, [], None)]),
        (
            [row("Ann", "(ARG0*)", "(ARG1*)"), row("moved", "(V*)", "(V*)", lemma="move")],
            [Frame(1, 2, [Argument(0, 1, role)], "move.01") for role in ("ARG0", "ARG1")],
        ),
        ([row("went", "(V*)", lemma="go").replace(" go 01 ", " go go.01 ")], [Frame(0, 1, [], "go.01")]),
        ([row("went", "(V*)", lemma="go").replace(" go 01 ", " - go.01 ")], [Frame(0, 1, [], "go.01")]),
        ([row("went", "(V*)", lemma="go").replace("N", "0").replace(" ", "\t")], [Frame(0, 1, [], "go.01")]),
    ],
)
def test_frames_are_read(read: Read, rows: list[str], frames: list[Frame]):
    assert annotation.get_frames(read(document(*rows))) == frames


@pytest.mark.parametrize(
    ("written", "word"),
    [
        *[("-LSB-", "["), ("-RCB-", "}"), (":-RRB-", ":)"), ("a\\*b", "a*b"), ("/?", "?"), ("/", "/")],
        *[("and/.", "and/."), ("``", "``"), ("1\u00a01/2", "1\u00a01/2")],
    ],
)
def test_words_are_unescaped(read: Read, written: str, word: str):
    assert [token.text for token in read(document(row(written)))] == [word]


def test_a_root_without_label_is_the_top(read: Read):
    doc = read(document(row("Ann", parse="((S(NP*)"), row("left", parse="(VP*)))")))
    assert [label for *_, label in offsets(doc, "constituents")] == ["TOP", "S", "NP", "VP"]


def read_with_loss(folder: Path, text: str, *lost: str) -> list[Doc]:
    path = write(folder, text)
    with pytest.warns(UserWarning) as caught:
        docs = read_conll2012(path)
    (warning,) = caught
    for message in lost:
        assert message in str(warning.message).replace(str(path), "FILE")
    return docs


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (("(ARG0*)", "*)"), "FILE:3: '*)' closes a span"),
        (("(V*", "*"), "FILE:2: a span `(V` opens here and is never closed"),
        (("(ARG0*)", "*"), "FILE:2: the sentence that starts here has 0 predicates in column 12"),
        (("(V*)", "(V*)"), "FILE:2: the sentence that starts here has 2 predicates in column 12"),
    ],
)
def test_a_column_that_cannot_be_read_costs_no_other(tmp_path: Path, cells: tuple[str, str], message: str):
    text = document(row("Ann", cells[0], "(ARG0*)"), row("left", cells[1], "(V*)", lemma="leave", coref="(0)"))
    (doc,) = read_with_loss(tmp_path, text, message)
    assert annotation.get_frames(doc) == [Frame(1, 2, [Argument(0, 1, "ARG0")], "leave.01")]
    assert annotation.get_clusters(doc) == [[(1, 2)]]


def test_a_bracket_without_a_partner_costs_its_mention_alone(tmp_path: Path):
    text = document(row("A", coref="(2"), row("dog", coref="3)"), "", row("It", coref="(2)|(3)"))
    lost = ("have no partner: 2. The first: ", "FILE:2: a mention of cluster 2 opens here")
    (doc,) = read_with_loss(tmp_path, text, *lost)
    assert annotation.get_clusters(doc) == [[(2, 3)], [(2, 3)]]


def test_a_parse_that_cannot_be_read_costs_no_other(tmp_path: Path):
    text = document(row("Ann", "(ARG0*)", parse="(S*"), row("left", "(V*)"), "", row("Rain", parse="(NP*)"))
    (doc,) = read_with_loss(tmp_path, text, "FILE:2: a span `(S` opens here and is never closed")
    assert offsets(doc, "constituents") == [(2, 3, "NP")]
    assert len(annotation.get_frames(doc)) == 1


def test_what_is_left_out_is_counted_in_one_warning(tmp_path: Path):
    for name in ("a", "b"):
        write(tmp_path, document(row("Ann", "*", "*", parse="*)"), name=name), f"{name}.gold_conll")
    with pytest.warns(UserWarning) as caught:
        read_conll2012(tmp_path)
    (warning,) = caught
    parses, frames = str(warning.message).split("Left out frames")
    assert f"Left out parses that can't be read: 2. The first: {tmp_path / 'a.gold_conll'}:2" in parses
    assert " without a predicate that can be read: 4." in frames


UNFINISHED = "gold_conll:1: the document 'bc/ferry/00/ferry_0001_3', which begins here, has no"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "gold_conll: found no document, expected `#begin document (NAME); part 000`"),
        (row("Ann"), "gold_conll:1: found 'd 0 N Ann"),
        (f"{BEGIN}\n{row('Ann')}\n", UNFINISHED),
        (f"{BEGIN}\n{row('Ann')}\n{BEGIN}\n", UNFINISHED),
        (document("# d"), "gold_conll:2: found '# d' in a document, expected a row or `#end document`"),
        (document("d 0 0 Ann NNP"), "gold_conll:2: found 5 columns separated by blanks, expected 12 or more"),
        (
            document(row("Ann"), row("left", "(V*)")),
            "gold_conll:3: found 13 columns, expected 12, as in the rows before it",
        ),
        (document(row("Ann"), row("left").replace("N", "0")), "gold_conll:3: found row number '0', expected '1'"),
        (document(row("Ann"), row("left").replace("d", "e")), "gold_conll:3: found a row of the document 'e 0', expe"),
    ],
)
def test_malformed_documents_are_errors(tmp_path: Path, text: str, message: str):
    with pytest.raises(ValueError, match=re.escape(message)):
        read_conll2012(write(tmp_path, text))


GOOD = document(row("Ann", coref="(0)"), row("left"), "", row("Leo", coref="(0)"), name="good")


@pytest.mark.parametrize(
    ("damaged", "message"),
    [
        (document(row("Ann"), row("left").replace("N", "2")), ":9: found row number '2', expected '1'"),
        (document(row("Ann"), "d 0 1"), ":9: found 3 columns separated by blanks"),
        (document(row("Ann")).replace(END, ""), ":7: the document 'd_0', which begins here, has no `#end document`"),
        (document(row("Ann")).replace("n d", "d", 1), ":7: found '#begidocument (d); part 000', expected `#begin"),
        (document(row("Ann"), part="x"), ":7: found '#begin document (d); part x', expected `#begin"),
        (document(row("Ann"), row("Zo\udce9")), ":9: byte 8 is not UTF-8. Save the file as UTF-8"),
        ("Zo\udce9\n", ":7: byte 2 is not UTF-8. Save the file as UTF-8"),
    ],
)
def test_a_document_that_cannot_be_read_costs_no_other(tmp_path: Path, damaged: str, message: str):
    lost = f"Left out documents that can't be read: 1. The first: FILE{message}"
    docs = read_with_loss(tmp_path, GOOD + damaged + GOOD.replace("good", "last"), lost)
    assert [annotation.get_title(doc) for doc in docs] == ["good_0", "last_0"]
    assert [annotation.get_clusters(doc) for doc in docs] == [[[(0, 1), (2, 3)]]] * 2


@pytest.mark.parametrize(
    "data", [b"", b"Ann left.", GOOD.replace("Ann", "Zo\udce9").encode("utf-8", "surrogateescape")]
)
def test_a_file_that_cannot_be_read_costs_no_other(tmp_path: Path, data: bytes):
    write(tmp_path, GOOD)
    (tmp_path / "damaged.gold_conll").write_bytes(data)
    with pytest.warns(UserWarning, match=r"documents that can't be read: \d\. The first: \S*damaged\.gold_conll:"):
        assert len(read_conll2012(tmp_path)) == 1
    with pytest.raises(
        ValueError, match=r"damaged\.gold_conll: found no|:2: byte 9 is not UTF-8|:1: found 'Ann left.'"
    ):
        read_conll2012(tmp_path / "damaged.gold_conll")


def test_a_document_that_comes_twice_is_left_out(tmp_path: Path):
    text = GOOD + document(row("Leo")) + GOOD.replace("(0)", "-")
    docs = read_with_loss(tmp_path, text, "a second time: 1. The first: FILE:10: document 'good_0', as in FILE:1.")
    assert [annotation.get_title(doc) for doc in docs] == ["good_0", "d_0"]
    assert annotation.get_clusters(docs[0]) == [[(0, 1), (2, 3)]]


def test_different_documents_of_one_name_and_part_are_kept(tmp_path: Path):
    text = document(row("Ann")) + document(row("Leo"))
    docs = read_with_loss(tmp_path, text, "Kept different ", ": 1. The first: FILE:4: document 'd_0', as in FILE:1.")
    assert [doc.text for doc in docs] == ["Ann ", "Leo "]


def test_the_parts_of_a_file_are_documents_and_have_any_number(tmp_path: Path):
    text = document(row("Ann")) + "\n" + document(row("Leo"), part="9" * 5_000)
    docs = read_conll2012(write(tmp_path, text))
    assert [(doc.text.strip(), annotation.get_title(doc)) for doc in docs] == [
        ("Ann", "d_0"),
        ("Leo", f"d_{'9' * 5_000}"),
    ]


def test_a_folder_gives_its_gold_files_by_name_and_a_file_may_have_any_name(tmp_path: Path):
    write(tmp_path, document(row("2"), name="two"), "nw/b/00/two.v4_gold_conll")
    write(tmp_path, document(row("1"), name="one"), "bc/a/00/one.gold_conll")
    three = write(tmp_path, document(row("3"), name="three"), "bc/a/00/three.v4_auto_conll")
    vocab = Vocab()
    docs = [*read_conll2012(tmp_path, vocab), *read_conll2012(three, vocab)]
    assert [annotation.get_title(doc) for doc in docs] == ["one_0", "two_0", "three_0"]
    assert all(doc.vocab is vocab for doc in docs)


def test_missing_files_are_named(tmp_path: Path):
    with pytest.raises(FileNotFoundError, match=r"nowhere\.gold_conll"):
        read_conll2012(tmp_path / "nowhere.gold_conll")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("b/1.v4_gold_conll", "a/2.v4_gold_conll", "a/3.v4_auto_conll", "a/gold_conll", "a/1.gold_conll.gz"):
        write(tmp_path, name, name)
    return tmp_path


def test_files_of_any_name_are_taken_in_the_order_given_and_once(folder: Path):
    sources = [folder / "b", folder / "a/3.v4_auto_conll", str(folder)]
    found = [path.relative_to(folder).as_posix() for path in find_files(sources)]
    assert found == ["b/1.v4_gold_conll", "a/3.v4_auto_conll", "a/1.gold_conll.gz", "a/2.v4_gold_conll", "a/gold_conll"]


def test_folders_without_files_are_named(folder: Path):
    (folder / "empty").mkdir()
    with pytest.raises(FileNotFoundError, match=r"empty: no file in this folder has a name that ends in 'gold_conll'"):
        find_files([folder, folder / "empty"])
