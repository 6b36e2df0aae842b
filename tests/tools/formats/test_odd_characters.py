"""Characters that nobody sees, and those that end a line somewhere, through every format: what is written is read back
the same but for white space, or is counted in a warning, or the document is refused before any of it is written."""

from __future__ import annotations

import json
import re
import unicodedata
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest
from spacy.lang.en import English
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from spacy_span_selector.annotation import (
    ENTITY_TYPE,
    Argument,
    Frame,
    cluster_groups,
    get_frames,
    get_speakers,
    get_title,
    set_clusters,
    set_frames,
    set_speakers,
)
from spacy_span_selector.tools.formats.bio import read_bio, write_bio
from spacy_span_selector.tools.formats.bracketed import parse_bracketed, write_bracketed
from spacy_span_selector.tools.formats.conll2012 import read_conll2012, write_conll2012
from spacy_span_selector.tools.formats.corefud import read_corefud, write_corefud
from spacy_span_selector.tools.formats.files import decode
from spacy_span_selector.tools.formats.jsonlines import read_jsonlines, write_jsonlines
from spacy_span_selector.tools.formats.label_studio import read_label_studio, write_label_studio
from spacy_span_selector.tools.formats.plain import from_dict, to_dict

NLP, NLP_OF_WORDS, VOCAB = English(), English(), Vocab()
NLP_OF_WORDS.tokenizer = lambda text: Doc(VOCAB, words=text.split(" ") if text else [])
ODD = [c for c in map(chr, range(0x10000)) if unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp", "Zs")]
SURROGATE = "\ud800"
PLACES = ("words", "title", "speaker", "name", "type", "role", "roleset")


def in_bio(doc: Doc, path: Path) -> Doc:
    path.write_text(write_bio([doc]), "utf-8", newline="")
    return read_bio(path, VOCAB)[0]


def in_bracketed(doc: Doc, path: Path) -> Doc:
    (back,) = parse_bracketed(decode(write_bracketed([doc]).encode(), "text"), NLP_OF_WORDS)
    return back


def in_conll2012(doc: Doc, path: Path) -> Doc:
    path.write_text(write_conll2012([doc]), "utf-8", newline="")
    return read_conll2012(path, VOCAB)[0]


def in_corefud(doc: Doc, path: Path) -> Doc:
    path.write_text(write_corefud([doc]), "utf-8", newline="")
    return read_corefud(path, VOCAB)[0]


def in_jsonlines(doc: Doc, path: Path) -> Doc:
    path.write_text(write_jsonlines([doc]), "utf-8", newline="")
    return read_jsonlines(path, VOCAB)[0]


def in_label_studio(doc: Doc, path: Path) -> Doc:
    path.write_bytes(write_label_studio([doc], annotations=True).encode())
    return read_label_studio(path, NLP)[0]


def in_plain(doc: Doc, path: Path) -> Doc:
    return from_dict(json.loads(json.dumps(to_dict(doc, tokens=True), ensure_ascii=False).encode()), VOCAB)


def in_doc_bin(doc: Doc, path: Path) -> Doc:
    return next(DocBin().from_bytes(DocBin(docs=[doc], store_user_data=True).to_bytes()).get_docs(VOCAB))


FORMATS: dict[Callable[[Doc, Path], Doc], set[str]] = {
    in_bio: {"words", "title"},
    in_bracketed: {*PLACES} - {"type"},
    in_conll2012: {*PLACES} - {"type", "name"},
    in_corefud: {"words", "title", "speaker", "type"},
    in_jsonlines: {"words", "title", "speaker", "name"},
    in_label_studio: {*PLACES},
    in_plain: {*PLACES},
    in_doc_bin: {*PLACES},
}
"""What a format holds, but for what its writer says that it changes."""
TEXTS = [in_bio, in_bracketed, in_conll2012, in_corefud]


def make_doc(**texts: str) -> Doc:
    """A document with texts in some places."""
    text = dict(zip(PLACES, ["word", "tale", "Ann", "ann", "person", "ARG0", "be.01"], strict=True)) | texts
    doc = Doc(VOCAB, words=["So", text["words"], "is", "."], spaces=[True, True, True, False])
    doc.user_data["title"] = text["title"]
    set_speakers(doc, [(0, 4, text["speaker"])])
    set_clusters(doc, [[(0, 1), (1, 2)]], names=[text["name"]], entity_types=[text["type"]])
    set_frames(doc, [Frame(2, 3, [Argument(0, 1, text["role"])], text["roleset"])])
    return doc


def texts_of(doc: Doc) -> dict[str, str]:
    """The texts in each place, white space being one space, as is what is written for it."""
    frames = get_frames(doc)
    texts = {
        "words": " ".join(token.text for token in doc),
        "title": re.sub("_0$", "", get_title(doc)),  # the part that CoNLL-2012 adds
        "speaker": "".join(dict.fromkeys(speaker for *_, speaker in get_speakers(doc))),
        "name": "".join(str(group.attrs.get("name") or "") for group in cluster_groups(doc)),
        "type": "".join(str(group.attrs.get(ENTITY_TYPE) or "") for group in cluster_groups(doc)),
        "role": "".join(argument.role for frame in frames for argument in frame.arguments),
        "roleset": "".join(frame.roleset or "" for frame in frames),
    }
    return {place: re.sub(r"[\s_]+", " ", text).strip() for place, text in texts.items()}


@pytest.mark.parametrize("through", FORMATS)
def test_what_is_read_back_is_the_same_or_counted(through: Callable[[Doc, Path], Doc], tmp_path: Path) -> None:
    for character in ODD:
        texts = dict.fromkeys(PLACES, f"a{character}b") | {"roleset": f"a{character}b.01"}
        if character == "\0" and through in TEXTS:
            continue
        doc = make_doc(**texts)
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            found, expected = texts_of(through(doc, tmp_path / "doc")), texts_of(doc)
        changed = {place for place in FORMATS[through] if found[place] != expected[place]}
        assert not changed or warned, (character, changed)


@pytest.mark.parametrize("through", TEXTS)
def test_what_no_text_can_hold_is_refused(through: Callable[[Doc, Path], Doc], tmp_path: Path) -> None:
    for place in FORMATS[through]:
        doc = make_doc(**{place: "a\0b.01"})
        if through is in_corefud and place == "type":  # which is written as in addresses
            assert texts_of(through(doc, tmp_path / "escaped"))[place] == "a\0b.01"
            continue
        with pytest.raises(
            ValueError, match=r"^Can't write document .*: found '\\x00' behind '.*a', which no text file"
        ):
            through(doc, tmp_path / "doc")
        assert not (tmp_path / "doc").exists()


@pytest.mark.parametrize("through", [in_bracketed, in_conll2012, in_corefud, in_label_studio])
def test_half_of_a_character_is_refused(through: Callable[[Doc, Path], Doc], tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"^Can't write document 'a\\ud800': found '\\ud800' behind "):
        through(make_doc(title=f"a{SURROGATE}"), tmp_path / "doc")


@pytest.mark.parametrize("through", [in_bracketed, in_conll2012, in_corefud])
@pytest.mark.parametrize("title", ["\n", " ", "\u2028"])
def test_a_title_without_a_word_is_none(through: Callable[[Doc, Path], Doc], title: str, tmp_path: Path) -> None:
    assert get_title(through(make_doc(title=title), tmp_path / "doc")) in ("document 1", "untitled_0")


@pytest.mark.parametrize("through", [in_bracketed, in_corefud])
def test_a_speaker_without_a_word_is_none(through: Callable[[Doc, Path], Doc], tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="speaker"):
        back = through(make_doc(speaker="\n"), tmp_path / "doc")
    assert get_speakers(back) == []
