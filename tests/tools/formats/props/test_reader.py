import gzip
from pathlib import Path

import pytest
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_span_selector.annotation import Argument, Frame, get_frames, has_frames_annotated
from spacy_span_selector.tools.formats.props import read_props, to_propbank_role

WORDS = "The\ndog\nthat\ngave\nup\nleft\nhim\n\nSilence\n\n"
PROPS = """\
-       (A0*    (A1*
-          *)      *
-    (R-A0*)       *
give    (V*        *
-          *)      *)
leave      *     (V*)
-          *  (C-A1*)

-

"""


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """A words file and a props file of two sentences, the second without predicates."""
    (tmp_path / "wsj.words").write_text(WORDS, encoding="utf-8")
    (tmp_path / "wsj.props").write_text(PROPS, encoding="utf-8")
    return tmp_path / "wsj.words", tmp_path / "wsj.props"


def read_one(tmp_path: Path, words: str, props: str) -> Doc:
    """The document of one sentence, written with `|` between lines."""
    for name, text in {"words": words, "props": props}.items():
        (tmp_path / name).write_text(text.replace("|", "\n"), encoding="utf-8")
    (doc,) = read_props(tmp_path / "words", tmp_path / "props")
    return doc


def test_every_sentence_is_a_document(files: tuple[Path, Path]):
    vocab = Vocab()
    docs = read_props(*files, vocab)
    assert [[token.text for token in doc] for doc in docs] == [
        ["The", "dog", "that", "gave", "up", "left", "him"],
        ["Silence"],
    ]
    assert [len(list(doc.sents)) for doc in docs] == [1, 1]
    assert docs[0].has_unknown_spaces
    assert docs[0].vocab is vocab


def test_frames_have_propbank_roles_in_the_order_of_the_text(files: tuple[Path, Path]):
    assert get_frames(read_props(*files)[0]) == [
        Frame(3, 5, [Argument(0, 2, "ARG0"), Argument(2, 3, "R-ARG0")]),
        Frame(5, 6, [Argument(0, 5, "ARG1"), Argument(6, 7, "C-ARG1")]),
    ]


def test_sentence_without_predicates_is_annotated_as_such(files: tuple[Path, Path]):
    doc = read_props(*files)[1]
    assert get_frames(doc) == []
    assert has_frames_annotated(doc)


def test_compressed_files(files: tuple[Path, Path], tmp_path: Path):
    compressed = [tmp_path / f"{path.name}.gz" for path in files]
    for path, target in zip(files, compressed, strict=True):
        target.write_bytes(gzip.compress(path.read_bytes()))
    frames = [get_frames(doc) for doc in read_props(*compressed)]
    assert frames == [get_frames(doc) for doc in read_props(*files)]


def test_windows_line_ends_and_further_blank_lines(tmp_path: Path):
    doc = read_one(tmp_path, "||Ann\r|left\r|\r||", "- (A0*)\r|go (V*)\r|\r|\r|")
    assert [token.text for token in doc] == ["Ann", "left"]
    assert get_frames(doc) == [Frame(1, 2, [Argument(0, 1, "ARG0")])]


@pytest.mark.parametrize(
    ("name", "roleset"),
    [("give.01", "give.01"), ("give_up.LV", "give_up.LV"), ("give", None), ("give.", None), ("u.s.", None)],
)
def test_first_column_is_a_roleset_only_with_a_sense(tmp_path: Path, name: str, roleset: str | None):
    (frame,) = get_frames(read_one(tmp_path, "gave", f"{name} (V*)"))
    assert frame.roleset == roleset


def test_predicate_without_a_verb_bracket_is_the_word_of_the_first_column(tmp_path: Path):
    doc = read_one(tmp_path, "Ann|left|it", "- (A0*)|leave *|- (A1*)")
    assert get_frames(doc) == [Frame(1, 2, [Argument(0, 1, "ARG0"), Argument(2, 3, "ARG1")])]


def test_verb_brackets_elsewhere_are_continuations(tmp_path: Path):
    doc = read_one(tmp_path, "gave|it|up|there", "give (V*)|- (A1*)|- (C-V*)|- (V*)")
    assert get_frames(doc) == [Frame(0, 1, [Argument(1, 2, "ARG1"), Argument(2, 3, "C-V"), Argument(3, 4, "C-V")])]


@pytest.mark.parametrize(
    ("conll", "propbank"),
    [
        ("A0", "ARG0"),
        ("AA", "ARGA"),
        ("AM-TMP", "ARGM-TMP"),
        ("C-A1", "C-ARG1"),
        ("R-AM-LOC", "R-ARGM-LOC"),
        ("C-R-A2", "C-R-ARG2"),
        ("C-V", "C-V"),
        ("ARG0", "ARG0"),
        ("Agent", "Agent"),
    ],
)
def test_names_of_roles(conll: str, propbank: str):
    assert to_propbank_role(conll) == propbank


@pytest.mark.parametrize(
    ("words", "props", "message"),
    [
        ("Ann|left", "-", r"words:1: found a sentence of 2 word\(s\), but of 1 line\(s\) at \S*props:1"),
        ("Ann||left", "-||-||-", r"words has 2 sentence\(s\), but \S*props has 3"),
        ("Ann left", "-", r"words:1: found 2 words in a line, expected one"),
        ("Ann|left", "-|leave (V*)", r"props:1: found 1 column\(s\), expected 2: .* has 1 predicate\(s\)"),
        ("Ann|left", "- (A0*)|- (V*)", r"props:1: found 2 column\(s\), expected 1"),
    ],
)
def test_broken_files_are_errors(tmp_path: Path, words: str, props: str, message: str):
    with pytest.raises(ValueError, match=message):
        read_one(tmp_path, words, props)


@pytest.mark.parametrize(
    ("props", "message"),
    [
        ("- (A0*|leave (V*)|- (A1*)", r"props:1: a span `\(A0` opens here"),
        ("- A0|leave (V*)|- (A1*)", r"props:1: found 'A0'"),
        ("- *)|leave (V*)|- (A1*)", r"props:1: '\*\)' closes a span"),
    ],
)
def test_a_bracket_without_a_partner_costs_its_argument_alone(tmp_path: Path, props: str, message: str):
    with pytest.warns(UserWarning, match=message):
        doc = read_one(tmp_path, "Ann|left|it", props)
    assert get_frames(doc) == [Frame(1, 2, [Argument(2, 3, "ARG1")])]


@pytest.mark.parametrize(
    ("words", "props", "message"),
    [
        ("a||Ann left||b", "-||-||-", r"words:3: found 2 words in a line"),
        ("a||Ann|left||b", "-||-||-", r"words:3: found a sentence of 2 word\(s\), but of 1 line\(s\)"),
        ("a||Ann|left||b", "-||-|go *)||-", r"props:3: found 1 column\(s\), expected 2"),
    ],
)
def test_a_sentence_that_cannot_be_read_costs_no_other(tmp_path: Path, words: str, props: str, message: str):
    for name, text in {"words": words, "props": props}.items():
        (tmp_path / name).write_text(text.replace("|", "\n"), encoding="utf-8")
    with pytest.warns(UserWarning, match=rf"Left out documents that can't be read: 1\. The first: .*{message}"):
        docs = read_props(tmp_path / "words", tmp_path / "props")
    assert [doc.text for doc in docs] == ["a ", "b "]


def test_missing_file_is_named(files: tuple[Path, Path]):
    with pytest.raises(FileNotFoundError, match=r"nowhere\.props"):
        read_props(files[0], files[1].with_name("nowhere.props"))


LATIN = "Zoë".encode("latin-1")


@pytest.mark.parametrize(("name", "data"), [("latin.words", LATIN), ("latin.words.gz", gzip.compress(LATIN, mtime=0))])
def test_files_in_another_encoding_are_named(files: tuple[Path, Path], tmp_path: Path, name: str, data: bytes):
    (tmp_path / name).write_bytes(data)
    with pytest.raises(ValueError, match=rf"{name}: byte 2 is not UTF-8"):
        read_props(tmp_path / name, files[1])
