from pathlib import Path
from xml.sax.saxutils import escape

import pytest
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_span_selector.annotation import annotates_all_predicates, get_frames, get_title
from spacy_span_selector.tools.formats.frames import read_frames

from .gum import write

pytestmark = pytest.mark.filterwarnings("ignore:.*not the copy that project.yml pins")

LEND = """<frameset><predicate lemma="lend"><roleset id="lend.01" name="give for a time">
<aliases><alias pos="v">lend</alias><alias pos="n">lending</alias><alias pos="v">lend_out</alias></aliases>
<roles><role descr="lender" f="PAG" n="0"/><role descr="thing lent" f="ppt " n="1"/><role descr="" f="-" n="2"/>
<role descr="when" f="TMP" n="m"/><role descr="another" f="PAG" n="1"/></roles>{examples}
</roleset></predicate></frameset>"""


def example(text: str, rel: str, *args: str) -> str:
    """The XML of an example. `rel` is "PLACES: WORDS", an argument "ROLE FIRST LAST: WORDS"."""
    (places, words), cells = rel.split(": "), [arg.split(": ") for arg in args]
    elements = [f"<rel relloc='{places}'>{words}</rel>"]
    for (role, first, last), words in ((place.split(), words) for place, words in cells):
        elements.append(f"<arg type='{role}' start='{first}' end='{last}'>{escape(words)}</arg>")
    return f"<example><text>{escape(text)}</text><propbank>{''.join(elements)}</propbank></example>"


def write_lend(folder: Path, *examples: str, name: str = "lend") -> Path:
    write(folder / f"frames/{name}.xml", LEND.format(examples="".join(examples)))
    return folder


def read_examples(folder: Path, *examples: str) -> list[Doc]:
    return read_frames(write_lend(folder, *examples))[1]


def test_a_roleset_has_its_name_words_and_core_roles(tmp_path: Path) -> None:
    write(tmp_path / "frames/rend.xml", "<roleset id=x>")  # it is no XML
    write_lend(tmp_path, name="again")
    with pytest.warns(
        UserWarning, match="found 0 documents of 0 words, expected 23,263 documents of 467,122 words: not"
    ):
        lexicon, _ = read_frames(write_lend(tmp_path))
    roles = {"ARG0": ("lender", "PAG"), "ARG1": ("thing lent", "PPT"), "ARG2": ("", "")}
    entries = {role: {"description": description, "tag": tag} for role, (description, tag) in roles.items()}
    entry = {"name": "give for a time", "words": ["lend", "lend out", "lending"], "roles": entries}
    assert lexicon == {"lend.01": entry}


def test_an_example_is_a_sentence_with_one_annotated_predicate(tmp_path: Path) -> None:
    lent = example("`` Ann lent him '' -LRB- hats -RRB-", "2: lent", "ARG0 1 1: Ann", "ARG1 5 7: -LRB- hats -RRB-")
    (doc,) = read_examples(tmp_path, "<example><text>Lend .</text></example>", lent)
    assert [token.text for token in doc] == ['"', "Ann", "lent", "him", '"', "(", "hats", ")"]
    assert len([*doc.sents]) == 1
    assert get_title(doc) == "lend.01 2"
    (frame,) = get_frames(doc)
    assert frame[:4] == (2, 3, [(1, 2, "ARG0"), (5, 8, "ARG1")], "lend.01")
    assert not annotates_all_predicates(doc)


def test_empty_categories_are_no_words(tmp_path: Path) -> None:
    text = "Hats *T*-1 were lent *-2 [*-3] out *PRO* * today ."
    (doc,) = read_examples(tmp_path, example(text, "6 3: out lent", "ARG1 0 1: Hats *T*-1", "ARG0 7 7: *PRO*"))
    assert [token.text for token in doc] == ["Hats", "were", "lent", "out", "*", "today", "."]
    assert get_frames(doc)[0][:3] == (2, 4, [(0, 1, "ARG1")])


def test_the_rest_of_a_predicate_that_is_not_together_continues_it(tmp_path: Path) -> None:
    (doc,) = read_examples(tmp_path, example("Lend it out .", "0 2: Lend out", "ARGM 0 2: Lend it out"))
    assert get_frames(doc)[0][:3] == (0, 1, [(2, 3, "C-V")])


def test_what_is_not_where_it_says_is_left_out(tmp_path: Path) -> None:
    args = [f"ARG1 {places}: it" for places in ("1 9", "1 0", "2 2", "? ?", "1 4")]
    bad = [example("Ann lent it .", f"{place}: lent") for place in "90?"]
    (doc,) = read_examples(tmp_path, *bad, example("Lend it now .", "0: Lend", *args, "ARG2 1 1: it"))
    assert get_frames(doc)[0].arguments == [(1, 2, "ARG2")]


def test_no_example_is_a_sentence_of_certain_documents_and_files_are_needed(tmp_path: Path) -> None:
    folder = write_lend(tmp_path, example("Lend  me -LRB- it -RRB- .", "0: Lend"), example("Lend .", "0: Lend"))
    test = Doc(Vocab(), words=["No", ".", "lend", "me", "it"], sent_starts=[True, False, True, False, False])
    assert [get_title(doc) for doc in read_frames(folder, without=[test])[1]] == ["lend.01 2"]
    with pytest.raises(FileNotFoundError, match=r"frames: no such folder.*Expected a copy of"):
        read_frames(tmp_path / "nowhere")
