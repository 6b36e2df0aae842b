import io
import re
import tarfile
from pathlib import Path

import pytest
from spacy.tokens import Doc

from spacy_span_selector.annotation import Argument, Frame, get_frames, get_title, has_frames_annotated
from spacy_span_selector.tools.formats.ewt import read_ewt

SKELETONS = {
    "email/00/harbour": """\
f 0 0 [WORD] PRP  (TOP(S(NP*)    -          - (ARG0*)       *
f 0 1 [WORD] VBD         (VP* give give_up.08     (V*       *
f 0 2 [WORD] RP        (PRT*)    -          -      *)       *
f 0 3 [WORD] PRP$        (NP*    -          - (ARG1*  (ARG0*)
f 0 4 [WORD] NN           *))  call   call.02      *)    (V*)
f 0 5 [WORD] .            *))    -          -       *       *

f 1 0 [WORD] NNPS (TOP(S(NP*)    -          - (ARG1*)
f 1 1 [WORD] VBZ      (VP*)))  wait   wait.01    (V*)
""",
    "reviews/00/007": "f 0 0 [WORD] UH (TOP(INTJ*)) - -\n",
    "weblog/00/a-b.c": "f 0 0 [WORD] VB (TOP(VP*)) go go.01 (V*)\n",
}
WORDS = {
    "train": {
        "email-harbour": [
            "She/she/PRON/PRP gave/give/VERB/VBD up/up/ADP/RP her/her/PRON/PRP$ call/call/NOUN/NN~ ././PUNCT/.",
            "Bill/Bill/PROPN/NNP~ s/'s/PART/POS waits/wait/VERB/VBZ",
        ]
    },
    "dev": {"reviews-007": ["Wow/wow/INTJ/UH"], "reviews-left_out": ["Never/never/ADV/RB"]},
    "test": {"weblog-a-b.c": ["Go/go/VERB/VB"]},
}


def write_words(source: Path) -> None:
    folder = source / "UD_English-EWT"
    folder.mkdir(parents=True)
    for split, documents in WORDS.items():
        lines = []
        for name, sentences in documents.items():
            lines.append(f"# newdoc id = {name}")
            for sentence in sentences:
                for index, word in enumerate(sentence.split(), start=1):
                    columns = word.rstrip("~").split("/")
                    misc = "SpaceAfter=No" if word.endswith("~") else "_"
                    lines.append("\t".join([str(index), *columns, "_", "_", "_", "_", misc]))
                lines.append("")
        (folder / f"en_ewt-ud-{split}.conllu").write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A folder with three documents in both repositories and one that PropBank leaves out."""
    source = tmp_path / "ewt"
    write_words(source)
    for name, text in SKELETONS.items():
        path = source / f"propbank-release/data/google/ewt/{name}.xml.gold_skel"
        path.parent.mkdir(parents=True)
        path.write_text(text, encoding="utf-8")
    return source


@pytest.fixture
def archived(tmp_path: Path) -> Path:
    """The same with the skeletons in their archive."""
    source = tmp_path / "archived"
    write_words(source)
    (source / "propbank-release").mkdir()
    with tarfile.open(source / "propbank-release/data_google_ewt_gold_skel.tar.xz", "w:xz") as tar:
        for name, text in SKELETONS.items():
            data = text.encode("utf-8")
            member = tarfile.TarInfo(f"data/google/ewt/{name}.xml.gold_skel")
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    return source


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_documents_are_split_as_in_ud_without_those_that_are_not_annotated(source: Path):
    titles = {split: [get_title(doc) for doc in docs] for split, docs in read_ewt(source).items()}
    assert titles == {"train": ["email/harbour"], "dev": ["reviews/007"], "test": ["weblog/a-b.c"]}


def test_words_space_sentences_lemmas_and_parts_of_speech_are_those_of_ud(source: Path):
    (doc,) = read_ewt(source)["train"]
    assert [sentence.text for sentence in doc.sents] == ["She gave up her call.", "Bills waits"]
    assert [token.text for token in doc[6:]] == ["Bill", "s", "waits"]
    assert [token.lemma_ for token in doc[:3]] == ["she", "give", "up"]
    assert [token.tag_ for token in doc[:3]] == ["PRP", "VBD", "RP"]
    assert [token.pos_ for token in doc[:3]] == ["PRON", "VERB", "ADP"]


def test_spans_of_tokens_become_spans_of_words(source: Path):
    (doc,) = read_ewt(source)["train"]
    assert get_frames(doc) == [
        Frame(1, 3, [Argument(0, 1, "ARG0"), Argument(3, 5, "ARG1")], "give_up.08"),
        Frame(4, 5, [Argument(3, 4, "ARG0")], "call.02"),
        Frame(8, 9, [Argument(6, 8, "ARG1")], "wait.01"),
    ]
    assert [(span.start, span.end, span.label_) for span in doc.spans["constituents"]] == [
        (0, 6, "TOP"),
        (0, 6, "S"),
        (0, 1, "NP"),
        (1, 5, "VP"),
        (2, 3, "PRT"),
        (3, 5, "NP"),
        (6, 9, "TOP"),
        (6, 9, "S"),
        (6, 8, "NP"),
        (8, 9, "VP"),
    ]


def test_a_document_without_frames_counts_as_annotated(source: Path):
    (doc,) = read_ewt(source)["dev"]
    assert get_frames(doc) == []
    assert has_frames_annotated(doc)


def test_sentences_that_ud_split_are_joined(source: Path):
    skeleton = source / "propbank-release/data/google/ewt/email/00/harbour.xml.gold_skel"
    joined = skeleton.read_text(encoding="utf-8").replace("\n\nf 1 0 ", "\nf 0 6 ").replace("\nf 1 1 ", "\nf 0 7 ")
    rows = [line.split() for line in joined.splitlines()]
    cells = [row[8:] for row in rows]
    for row, own in zip(rows, cells, strict=True):
        row[8:] = [*own, "*"] if len(own) == 2 else ["*", "*", *own]
    skeleton.write_text("\n".join(" ".join(row) for row in rows), encoding="utf-8")
    (doc,) = read_ewt(source)["train"]
    assert [sentence.text for sentence in doc.sents] == ["She gave up her call. Bills waits"]
    assert get_frames(doc)[2] == Frame(8, 9, [Argument(6, 8, "ARG1")], "wait.01")


def describe(doc: Doc) -> list[object]:
    constituents = [(span.start, span.end, span.label_) for span in doc.spans["constituents"]]
    return [get_title(doc), doc.text, get_frames(doc), constituents]


def test_skeletons_are_read_from_the_archive(source: Path, archived: Path):
    unpacked, packed = read_ewt(source), read_ewt(archived)
    for split in unpacked:
        assert [describe(doc) for doc in packed[split]] == [describe(doc) for doc in unpacked[split]]
    assert [path.name for path in (archived / "propbank-release").iterdir()] == ["data_google_ewt_gold_skel.tar.xz"]


def test_missing_folders_are_named(source: Path, tmp_path: Path):
    with pytest.raises(FileNotFoundError, match=r"en_ewt-ud-train.conllu: no such file.*UniversalDependencies"):
        read_ewt(tmp_path)
    (source / "propbank-release").rename(source / "propbank")
    with pytest.raises(FileNotFoundError, match=r"data/google/ewt: no such folder.*propbank/propbank-release"):
        read_ewt(source)


def test_an_archive_that_is_cut_off_is_named(archived: Path):
    path = archived / "propbank-release/data_google_ewt_gold_skel.tar.xz"
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(ValueError, match=r"gold_skel.tar.xz: not a complete archive"):
        read_ewt(archived)


def test_files_of_another_encoding_are_named(source: Path):
    path = source / "UD_English-EWT/en_ewt-ud-dev.conllu"
    path.write_bytes("# newdoc id = café\n".encode("latin-1"))
    with pytest.raises(ValueError, match=r"en_ewt-ud-dev.conllu: byte 17 is not UTF-8"):
        read_ewt(source)


def read_damaged(source: Path) -> tuple[dict[str, list[str]], str]:
    """The documents of each part, and the warning."""
    with pytest.warns(UserWarning) as caught:
        docs = read_ewt(source)
    (warning,) = caught
    return {split: [get_title(doc) for doc in part] for split, part in docs.items()}, str(warning.message)


LEFT_OUT = "Left out documents that can't be read: 1. The first: "


def test_documents_that_ud_lacks_are_left_out(source: Path, monkeypatch: pytest.MonkeyPatch):
    edit(source / "UD_English-EWT/en_ewt-ud-test.conllu", "weblog-a-b.c", "weblog-a")
    titles, message = read_damaged(source)
    assert titles == {"train": ["email/harbour"], "dev": ["reviews/007"], "test": []}
    assert message.startswith(LEFT_OUT)
    assert "a-b.c.xml.gold_skel: UD_English-EWT has no document 'weblog/a-b.c'" in message
    monkeypatch.setattr("spacy_span_selector.tools.formats.ewt.MOST_UNKNOWN", 0)
    with pytest.raises(ValueError, match=r"has no document 'weblog/a-b.c'.* The same holds for 0 others"):
        read_ewt(source)


def test_an_incomplete_copy_of_propbank_is_an_error(source: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("spacy_span_selector.tools.formats.ewt.NOT_ANNOTATED", 1)
    assert len(read_ewt(source)["dev"]) == 1
    (source / "propbank-release/data/google/ewt/reviews/00/007.xml.gold_skel").unlink()
    titles, message = read_damaged(source)
    assert titles["dev"] == []
    assert (
        "2 documents of UD_English-EWT have no .xml.gold_skel file: reviews/007, reviews/left_out; expected" in message
    )
    monkeypatch.setattr("spacy_span_selector.tools.formats.ewt.MOST_UNKNOWN", 0)
    with pytest.raises(ValueError, match=r"2 documents of UD_English-EWT .* such as 'reviews/007'; expected at most 1"):
        read_ewt(source)


def test_malformed_skeletons_cost_no_other_document(source: Path):
    edit(source / "propbank-release/data/google/ewt/email/00/harbour.xml.gold_skel", "f 0 2 ", "f 0 3 ")
    titles, message = read_damaged(source)
    assert titles == {"train": [], "dev": ["reviews/007"], "test": ["weblog/a-b.c"]}
    assert message.startswith(LEFT_OUT)
    assert "harbour.xml.gold_skel:3: found sentence 0, token 3" in message


def test_malformed_words_cost_no_other_document(source: Path):
    edit(source / "UD_English-EWT/en_ewt-ud-dev.conllu", "1\tNever", "2\tNever")
    titles, message = read_damaged(source)
    assert titles == {"train": ["email/harbour"], "dev": ["reviews/007"], "test": ["weblog/a-b.c"]}
    assert "en_ewt-ud-dev.conllu:5: found 'Never' as word '2', expected word 1" in message
    edit(source / "UD_English-EWT/en_ewt-ud-dev.conllu", "1\tWow", "2\tWow")
    titles, message = read_damaged(source)
    assert titles == {"train": ["email/harbour"], "dev": [], "test": ["weblog/a-b.c"]}
    assert message.startswith("Left out documents that can't be read: 2.")


def test_without_a_document_that_can_be_read_there_is_an_error(source: Path):
    for split in WORDS:
        path = source / f"UD_English-EWT/en_ewt-ud-{split}.conllu"
        path.write_text(path.read_text(encoding="utf-8").replace("\n1\t", "\n2\t"), encoding="utf-8")
    with pytest.raises(ValueError, match=r"no document that can be read\. \S*en_ewt-ud-train.conllu:2: found 'She' as"):
        read_ewt(source)


def test_parts_of_speech_that_spacy_does_not_know_are_left_out(source: Path):
    edit(source / "UD_English-EWT/en_ewt-ud-dev.conllu", "INTJ", "EXCLAMATION")
    with pytest.warns(UserWarning, match=r"spaCy does not know: 1\. The first: \S*dev.conllu:2: found 'EXCLAMATION'"):
        (doc,) = read_ewt(source)["dev"]
    assert (doc[0].pos_, doc[0].tag_) == ("", "UH")


def test_documents_in_two_splits_are_reported(source: Path):
    words = source / "UD_English-EWT"
    text = (words / "en_ewt-ud-dev.conllu").read_text(encoding="utf-8").partition("# newdoc id = reviews-left")[0]
    with (words / "en_ewt-ud-test.conllu").open("a", encoding="utf-8") as file:
        file.write(text)
    titles, message = read_damaged(source)
    assert titles["dev"] == ["reviews/007"]
    assert titles["test"] == ["weblog/a-b.c", "reviews/007"]
    assert re.match(r"Found documents in two parts .*: 1\..* 'reviews/007' in dev and test\.", message)


def test_skeletons_that_come_twice_are_left_out(source: Path):
    path = source / "propbank-release/data/google/ewt/reviews/01/007.xml.gold_skel"
    path.parent.mkdir()
    path.write_text("damaged", encoding="utf-8")
    titles, message = read_damaged(source)
    assert titles["dev"] == ["reviews/007"]
    assert "reviews/01/007.xml.gold_skel: as " in message


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Wow\twow\tINTJ\tUH", "Wow\twow\tNOUN\tNN"),  # another part of speech
        ("Wow", "Wow\t_\tX\tUH\t_\t_\t_\t_\t_\n\n1\tWow\t_\tX\tUH\t_\t_\t_\t_\t_\n\n1\tWow"),  # three sentences
    ],
)
def test_sentences_that_do_not_fit_cost_no_other_document(source: Path, old: str, new: str):
    edit(source / "UD_English-EWT/en_ewt-ud-dev.conllu", old, new)
    titles, message = read_damaged(source)
    assert titles == {"train": ["email/harbour"], "dev": [], "test": ["weblog/a-b.c"]}
    assert message.startswith(LEFT_OUT)
    assert "document 'reviews/007': its 1 sentences in propbank-release do not fit its" in message
