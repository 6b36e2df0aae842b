from __future__ import annotations

import warnings
from pathlib import Path
from xml.sax.saxutils import escape

import pytest
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_span_selector.annotation import annotates_all_predicates, get_frames, get_title
from spacy_span_selector.tools.formats.frames import Frames, read_frames

LEND = """
<roleset id="lend.01" name="give for a time">
  <aliases><alias pos="v">lend</alias><alias pos="n">lending</alias><alias pos="v">lend_out</alias></aliases>
  <roles>
    <role descr="lender" f="PAG" n="0"/><role descr="thing lent" f="ppt " n="1"/><role descr="" f="-" n="2"/>
    <role descr="when" f="TMP" n="m"/>
  </roles>
  {examples}
</roleset>
"""


def example(text: str, rel: tuple[str, str], *arguments: tuple[str, str, str, str]) -> str:
    args = "".join(
        f'<arg type="{role}" start="{start}" end="{end}">{escape(words)}</arg>' for role, start, end, words in arguments
    )
    annotation = f"<propbank><rel relloc='{rel[0]}'>{rel[1]}</rel>{args}</propbank>"
    return f"<example><text>{escape(text)}</text>{annotation}</example>"


def write(folder: Path, *examples: str, name: str = "lend", content: str = LEND) -> Path:
    path = folder / "frames" / f"{name}.xml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        f"<frameset><predicate lemma='{name}'>{content.format(examples=''.join(examples))}</predicate></frameset>"
    )
    return folder


def read_quietly(folder: Path) -> Frames:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return read_frames(folder)


def test_a_roleset_has_its_name_words_and_core_roles(tmp_path: Path) -> None:
    assert read_quietly(write(tmp_path)).lexicon == {
        "lend.01": {
            "name": "give for a time",
            "words": ["lend", "lend out", "lending"],
            "roles": {
                "ARG0": {"description": "lender", "tag": "PAG"},
                "ARG1": {"description": "thing lent", "tag": "PPT"},
                "ARG2": {"description": "", "tag": ""},
            },
        }
    }


def test_an_example_is_a_sentence_with_one_annotated_predicate(tmp_path: Path) -> None:
    lent = example("Ann lent him a hat .", ("1", "lent"), ("ARG0", "0", "0", "Ann"), ("ARG1", "3", "4", "a hat"))
    (doc,) = read_quietly(write(tmp_path, lent)).examples
    assert doc.text.split() == ["Ann", "lent", "him", "a", "hat", "."]
    assert len([*doc.sents]) == 1
    assert get_title(doc) == "lend.01 1"
    (frame,) = get_frames(doc)
    assert frame[:4] == (1, 2, [(0, 1, "ARG0"), (3, 5, "ARG1")], "lend.01")
    assert not annotates_all_predicates(doc)


def test_empty_categories_are_no_words(tmp_path: Path) -> None:
    text = "Hats *T*-1 were lent *-2 [*-3] out *PRO* * today ."
    lent = example(text, ("3 6", "lent out"), ("ARG1", "0", "1", "Hats *T*-1"), ("ARG0", "7", "7", "*PRO*"))
    (doc,) = read_quietly(write(tmp_path, lent)).examples
    assert [token.text for token in doc] == ["Hats", "were", "lent", "out", "*", "today", "."]
    assert get_frames(doc)[0][:3] == (2, 4, [(0, 1, "ARG1")])


def test_the_rest_of_a_predicate_that_is_not_together_continues_it(tmp_path: Path) -> None:
    (doc,) = read_quietly(write(tmp_path, example("Lend it out .", ("0 2", "Lend out")))).examples
    assert get_frames(doc)[0][:3] == (0, 1, [(2, 3, "C-V")])


def test_marks_of_the_treebank_are_written_out(tmp_path: Path) -> None:
    (doc,) = read_quietly(write(tmp_path, example("`` Lend '' -LRB- it -RRB-", ("1", "Lend")))).examples
    assert [token.text for token in doc] == ['"', "Lend", '"', "(", "it", ")"]


@pytest.mark.parametrize(
    ("place", "words"),
    [("9", "lent"), ("0", "lent"), ("?", "lent"), ("", ""), ("2", "*T*-1"), ("²", "lent"), ("9" * 5000, "lent")],
)
def test_an_example_without_its_predicate_is_left_out_and_reported(place: str, words: str, tmp_path: Path) -> None:
    good, bad = example("Lend it .", ("0", "Lend")), example("Ann lent *T*-1 .", (place, words))
    with pytest.warns(UserWarning, match=r"examples whose predicate .*: 1\..*lend\.xml: example 2 of 'lend\.01'"):
        assert len(read_frames(write(tmp_path, good, bad)).examples) == 1


@pytest.mark.parametrize(
    "argument",
    [
        ("ARG1", "1", "9", "it"),
        ("ARG1", "1", "0", "it"),
        ("ARG1", "x", "1", "it"),
        ("ARG1", "²", "1", "it"),
        ("ARG1", "1", "9" * 5000, "it"),
        ("ARG1", "2", "2", "it"),
        ("", "1", "1", "it"),
    ],
)
def test_an_argument_elsewhere_is_left_out_and_reported(argument: tuple[str, str, str, str], tmp_path: Path) -> None:
    lend = example("Lend it now .", ("0", "Lend"), argument, ("ARGM-TMP", "2", "2", "now"))
    with pytest.warns(UserWarning, match="arguments of examples that are not where they say: 1"):
        (doc,) = read_frames(write(tmp_path, lend)).examples
    assert get_frames(doc)[0].arguments == [(2, 3, "ARGM-TMP")]


def test_an_argument_that_is_there_twice_is_read_once_and_reported(tmp_path: Path) -> None:
    argument = ("ARG1", "1", "1", "it")
    with pytest.warns(UserWarning, match=r"arguments that are a second time in their frame: 1\..*example 1.*: ARG1"):
        (doc,) = read_frames(write(tmp_path, example("Lend it .", ("0", "Lend"), argument, argument))).examples
    assert get_frames(doc)[0].arguments == [(1, 2, "ARG1")]


def test_examples_without_annotation_are_none(tmp_path: Path) -> None:
    folder = write(tmp_path, "<example><text>Lend .</text></example>", "<example><text>A</text><propbank/></example>")
    assert not read_quietly(folder).examples


def test_a_damaged_file_loses_no_other(tmp_path: Path) -> None:
    write(tmp_path, name="rend", content="<roleset id=x>")
    with pytest.warns(UserWarning, match=r"frame files that are not XML: 1\..*rend\.xml: .*line 1"):
        assert [*read_frames(write(tmp_path)).lexicon] == ["lend.01"]


def test_a_roleset_that_comes_twice_is_read_once(tmp_path: Path) -> None:
    write(tmp_path, name="a")
    with pytest.warns(UserWarning, match=r"rolesets that come twice: 1\..*lend\.xml"):
        assert len(read_frames(write(tmp_path, example("Lend .", ("0", "Lend")))).examples) == 0


def test_of_roles_with_one_number_the_first_is_read(tmp_path: Path) -> None:
    twice = LEND.replace('n="2"', 'n="1"')
    with pytest.warns(UserWarning, match=r"roles with the number of another.*: 1\..*lend\.xml: 'lend\.01', ARG1: ''\."):
        (entry,) = read_frames(write(tmp_path, content=twice)).lexicon.values()
    assert {label: role["description"] for label, role in entry["roles"].items()} == {
        "ARG0": "lender",
        "ARG1": "thing lent",
    }


def test_no_example_is_a_sentence_of_certain_documents(tmp_path: Path) -> None:
    folder = write(tmp_path, example("Lend  me -LRB- it -RRB- .", ("0", "Lend")), example("Lend .", ("0", "Lend")))
    test = Doc(Vocab(), words=["No", ".", "lend", "me", "it"], sent_starts=[True, False, True, False, False])
    with pytest.warns(UserWarning, match=r"must not be taken from: 1\..*example 1"):
        assert [get_title(doc) for doc in read_frames(folder, without=[test]).examples] == ["lend.01 2"]


def test_files_are_needed(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"frames: no such folder.*Clone"):
        read_frames(tmp_path)
    write(tmp_path, content="<nothing/>")
    with pytest.raises(ValueError, match="found no document that can be read"):
        read_frames(tmp_path)
