import warnings
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_span_selector.annotation import Argument, Frame, get_frames, set_frames
from spacy_span_selector.tools.formats.props import read_props, to_conll_role, write_props, write_words

from ....spans import put_spans

VOCAB = Vocab()
WORDS = ["Ann", "gave", "up", "tea", ".", "She", "Left", "."]
STARTS = [True, False, False, False, False, True, False, False]
GAVE = Frame(1, 3, [Argument(0, 1, "ARG0"), Argument(3, 4, "ARG1")], "give_up.01")
LEFT = Frame(6, 7, [Argument(5, 6, "ARG0")])


def make_doc(frames: list[Frame], words: list[str] = WORDS, starts: list[bool] | None = STARTS) -> Doc:
    doc = Doc(VOCAB, words=words, sent_starts=starts)
    set_frames(doc, frames)
    return doc


def cells(text: str) -> list[list[str]]:
    return [line.split() for line in text.split("\n")]


def read_back(docs: list[Doc], *, rolesets: bool = False) -> list[Doc]:
    with TemporaryDirectory() as folder:
        words, props = Path(folder) / "words", Path(folder) / "props"
        words.write_text(write_words(docs), encoding="utf-8")
        props.write_text(write_props(docs, rolesets=rolesets), encoding="utf-8")
        return read_props(words, props)


def test_one_line_a_token_and_one_column_a_predicate():
    assert cells(write_props([make_doc([GAVE, LEFT])])) == [
        ["-", "(A0*)"],
        ["gave", "(V*"],
        ["-", "*)"],
        ["-", "(A1*)"],
        ["-", "*"],
        [],
        ["-", "(A0*)"],
        ["left", "(V*)"],
        ["-", "*"],
        [],
        [],
    ]


@pytest.mark.parametrize("place", [0, 5, 8])
def test_spans_without_tokens_are_left_out(place: int):
    doc = make_doc([])
    put_spans(doc, "srl_1", (6, 7, "V"), (place, place, "ARG0"))
    put_spans(doc, "srl_2", (place, place, "V"))
    with pytest.warns(UserWarning, match=r"^1 frame\(s\) and 1 argument\(s\) left out"):
        text = write_props([doc])
    assert text == write_props([make_doc([LEFT._replace(arguments=[])])])


def test_columns_are_in_the_order_of_the_predicates():
    later = Frame(3, 4, [Argument(0, 3, "ARG1")])
    lines = cells(write_props([make_doc([later, GAVE])]))[:4]
    assert lines == [["-", "(A0*)", "(A1*"], ["gave", "(V*", "*"], ["-", "*)", "*)"], ["tea", "(A1*)", "(V*)"]]


def test_words_have_the_lines_of_the_props():
    doc = make_doc([GAVE, LEFT], [*WORDS[:3], "green tea", "\n", *WORDS[5:]])
    with pytest.warns(UserWarning, match=r"^Wrote `_` for white space in 2 word\(s\) \(document starting 'Ann"):
        words = write_words([doc])
    assert words == "Ann\ngave\nup\ngreen_tea\n_\n\nShe\nLeft\n.\n\n"
    assert [bool(line) for line in words.split("\n")] == [bool(line) for line in write_props([doc]).split("\n")]


def test_document_without_boundaries_is_one_sentence():
    doc = make_doc([GAVE, LEFT], starts=None)
    assert [line == [] for line in cells(write_props([doc]))] == [False] * 8 + [True, True]


def test_empty_documents_write_nothing():
    empty = Doc(VOCAB)
    assert (write_props([empty]), write_words([empty])) == ("", "")


def test_first_column_is_the_same_whatever_the_roleset():
    unknown = make_doc([GAVE._replace(roleset=None), LEFT])
    assert write_props([make_doc([GAVE, LEFT])]) == write_props([unknown])


def test_first_column_has_the_roleset_if_asked():
    lines = cells(write_props([make_doc([GAVE, LEFT])], rolesets=True))
    assert [line[0] for line in lines if line] == ["-", "give_up.01", "-", "-", "-", "-", "left", "-"]


@pytest.mark.parametrize("roleset", ["give", "give.up", "give .01", "give.1a"])
def test_rolesets_that_are_not_read_back_are_counted(roleset: str):
    with pytest.warns(UserWarning, match=r"^0 frame\(s\) and 0 argument\(s\) left out .*, and 1 roleset\(s\)"):
        lines = cells(write_props([make_doc([GAVE._replace(roleset=roleset)])], rolesets=True))
    assert lines[1][0] == "gave"


def test_predicate_that_is_a_dash_is_still_a_predicate():
    assert cells(write_props([make_doc([Frame(0, 1, [])], ["-", "it"], [True, False])]))[0] == ["_", "(V*)"]


@pytest.mark.parametrize(
    ("propbank", "conll"),
    [
        ("ARG0", "A0"),
        ("ARGA", "AA"),
        ("ARGM-TMP", "AM-TMP"),
        ("C-ARG1", "C-A1"),
        ("R-ARGM-LOC", "R-AM-LOC"),
        ("C-V", "C-V"),
        ("ARGUMENT", "ARGUMENT"),
    ],
)
def test_names_of_roles(propbank: str, conll: str):
    assert to_conll_role(propbank) == conll


@pytest.mark.parametrize(
    ("frames", "kept", "counts"),
    [
        pytest.param(
            [GAVE, Frame(1, 2, [Argument(3, 4, "ARG2")])], [Frame(1, 2, [Argument(3, 4, "ARG2")])], (1, 0), id="token"
        ),
        pytest.param([Frame(4, 6, []), LEFT], [LEFT], (1, 0), id="predicate across sentences"),
        pytest.param([LEFT._replace(arguments=[Argument(3, 6, "ARG0")])], [Frame(6, 7, [])], (0, 1), id="across"),
        pytest.param([LEFT._replace(arguments=[Argument(0, 1, "ARG0")])], [Frame(6, 7, [])], (0, 1), id="elsewhere"),
        pytest.param([Frame(1, 2, [Argument(0, 3, "ARG0")])], [Frame(1, 2, [])], (0, 1), id="over the predicate"),
        pytest.param(
            [Frame(1, 2, [Argument(2, 4, "ARG1"), Argument(3, 5, "ARG2"), Argument(4, 5, "ARG3")])],
            [Frame(1, 2, [Argument(2, 4, "ARG1"), Argument(4, 5, "ARG3")])],
            (0, 1),
            id="overlap",
        ),
        pytest.param([Frame(1, 2, [Argument(3, 4, "my role")])], [Frame(1, 2, [])], (0, 1), id="role"),
    ],
)
def test_what_columns_cannot_show_is_left_out_and_counted(
    frames: list[Frame], kept: list[Frame], counts: tuple[int, int]
):
    with pytest.warns(UserWarning, match=f"{counts[0]} frame.* and {counts[1]} argument.*starting 'Ann gave"):
        text = write_props([make_doc(frames)])
    assert text == write_props([make_doc(kept)])


def test_warning_counts_all_documents_once():
    docs = [make_doc([GAVE, GAVE._replace(roleset=None)]) for _ in range(3)]
    with pytest.warns(UserWarning) as caught:
        write_props(docs)
    assert [str(warning.message)[:10] for warning in caught] == ["3 frame(s)"]


ROLES = st.sampled_from(["ARG0", "ARG1", "C-ARG1", "R-ARG0", "ARGM-TMP", "C-V", "ARG1-DSP", "Agent"])


@st.composite
def sentences(draw: st.DrawFn) -> Doc:
    """A sentence of odd words whose frames start at different tokens and have arguments that do not overlap."""
    words = draw(st.lists(st.text(st.sampled_from("a-*().é"), min_size=1, max_size=3), min_size=1, max_size=8))
    frames = []
    for start in draw(st.sets(st.integers(0, len(words) - 1), max_size=3)):
        end = draw(st.integers(start + 1, len(words)))
        cuts = sorted(draw(st.sets(st.integers(0, len(words)))) | {start, end})
        pieces = [piece for piece in pairwise(cuts) if piece[1] <= start or piece[0] >= end]
        chosen = draw(st.lists(st.sampled_from(pieces), unique=True)) if pieces else []
        roleset = draw(st.sampled_from([None, "give.01", "go_on.LV"]))
        frames.append(Frame(start, end, sorted(Argument(*piece, draw(ROLES)) for piece in chosen), roleset))
    return make_doc(frames, words, [i == 0 for i in range(len(words))])


@given(docs=st.lists(sentences(), min_size=1, max_size=3))
def test_what_is_written_reads_back_the_same(docs: list[Doc]):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again = read_back(docs, rolesets=True)
    assert [[token.text for token in doc] for doc in again] == [[token.text for token in doc] for doc in docs]
    assert [get_frames(doc) for doc in again] == [get_frames(doc) for doc in docs]
