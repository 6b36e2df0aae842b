"""A small, invented source of every format: its files, and how it is read and converted."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import spacy
from spacy.tokens import Doc

from spacy_span_selector.tools.formats.bio import read_bio
from spacy_span_selector.tools.formats.bracketed import read_bracketed
from spacy_span_selector.tools.formats.conll2012 import read_conll2012
from spacy_span_selector.tools.formats.corefud import read_corefud
from spacy_span_selector.tools.formats.jsonlines import read_jsonlines
from spacy_span_selector.tools.formats.label_studio import read_label_studio

PINNED = {"litbank", "ontogum", "ewt", "frames"}
"""Corpora whose files `project.yml` pins, so that none is damaged."""
NLP = spacy.blank("xx")


@dataclass(frozen=True)
class Source:
    """A source.

    files (Mapping[str, bytes]): Content by path.
    read (Callable): Reads all documents of the folder that has the files.
    command (tuple[str, ...]): What `convert` is given: its sub-command, and paths in the folder.
    outputs (tuple[str, ...]): The files that it writes: the last of these arguments, or those in it.
    numbered (tuple[str, ...]): The files in which a row has the number of a token.
    titles (tuple[str, ...]): Names of documents that errors may name instead of files.
    """

    files: Mapping[str, bytes]
    read: Callable[[Path], list[Doc]]
    command: tuple[str, ...]
    outputs: tuple[str, ...] = ("out.spacy",)
    numbered: tuple[str, ...] = ()
    titles: tuple[str, ...] = ()

    def write(self, folder: Path) -> None:
        for name, data in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)

    def names(self) -> set[str]:
        """The names of a file in an error: its own, that of its folder, or that of its document."""
        paths = [PurePosixPath(name) for name in self.files]
        files_and_folders = {name for path in paths for name in (path.name, path.parent.as_posix()) if len(name) > 1}
        return files_and_folders | {*self.titles}


WORDS = ("Ann", "gave", "her", "brother", "a", "key", ".")
MENTIONS = ("(0)", "-", "(1|(0)", "1)", "(2", "2)", "-")
PARSES = ("(TOP(S(NP*)", "(VP*", "(NP*", "*)", "(NP*", "*))", "*))")
TAGS = ("B-PER", "O", "B-PER", "I-PER", "O", "O", "O")
ROLES = ("(ARG0*)", "(V*)", "(ARG2*", "*)", "(ARG1*", "*)", "*")


def conll2012() -> Source:
    rows = []
    for i, (word, *columns) in enumerate(zip(WORDS, PARSES, ROLES, MENTIONS, strict=True)):
        sense = ("give", "01") if i == 1 else ("-", "-")
        rows.append("  ".join(["bc/a", "0", str(i), word, "XX", columns[0], *sense, "-", "Ann", "*", *columns[1:]]))
    documents = [
        "\n".join([f"#begin document (bc/a); part {part}", *rows, "", *rows, "", "#end document", ""])
        for part in ("000", "001")
    ]
    name = "ferry.v4_gold_conll"
    return Source(
        {name: "".join(documents).encode()},
        lambda folder: read_conll2012(folder / name),
        ("conll2012", name, "out.spacy"),
        numbered=(name,),
    )


def jsonlines() -> Source:
    lines = """\
{"doc_key": "a", "sentences": [["Ann", "left", "."], ["She", "ran"]], "speakers": [["Ann", "Ann", "Ann"], ["-", "-"]], \
"clusters": [[[0, 0], [3, 3]]], "ner": [[0, 0, "PER"]], "constituents": [[0, 2, "S"]], "cluster_names": ["ann"], \
"spaces": [[true, false, true], [true, false]], "turns": [[0, 2, "Ann"]]}
{"document_id": "b", "part_id": 0, "cased_words": ["Ann", "left"], "sent_id": [0, 0], "speaker": ["x", "x"], \
"clusters": [[[0, 1]]]}
{"doc_key": "c", "sentences": [["Rain", "."]], "ner": [[[0, 0, "X"]]], "constituents": [[[0, 1, "S"], [0, 0, "NP"]]]}
"""
    return Source(
        {"texts.jsonl": lines.encode()},
        lambda folder: read_jsonlines(folder / "texts.jsonl"),
        ("jsonlines", "texts.jsonl", "out.spacy"),
    )


def bio(*, packed: bool = False) -> Source:
    tags = "".join(f"{word}\t{tag}\tO\n" for word, tag in zip(WORDS, TAGS, strict=True))
    text = f"-DOCSTART- (a)\n\n{tags}\n{tags}\n-DOCSTART- (b)\n\n{tags}\n"
    name, data = ("tales.bio.gz", gzip.compress(text.encode())) if packed else ("tales.bio", text.encode())
    return Source({name: data}, lambda folder: read_bio(folder / name), ("bio", name, "out.spacy"))


def bracketed() -> Source:
    text = """\
# invented
=== the station
[Ann Lee|ann] gave [[her|ann] brother|tom] [a key].
> [ARG0 Ann Lee] [V=give.01 gave] [ARG2 her brother] [ARG1 a key].
@Ann Lee: [I|ann] left, he said \\[so\\].
>
=== the hat
[Leo] lost [a hat|hat] 日本語.
[] [PERSON Leo] lost [THING [THING a] hat] 日本語.
[] Leo [EVENT lost a] hat 日本語.
"""
    return Source(
        {"texts.txt": text.encode()},
        lambda folder: read_bracketed(folder / "texts.txt", NLP),
        ("bracketed", "texts.txt", "out.spacy", "--lang", "xx"),
    )


def corefud() -> Source:
    cells = ("(e1-person-1-)", "", "(e2-person-2-(e1-person-1-)", "e2)", "(e3--2-", "e3)", "")
    documents = []
    for name in ("a", "b"):
        lines = [f"# newdoc id = {name}", "# global.Entity = eid-etype-head-other", "# speaker = Leo"]
        for i, (word, cell) in enumerate(zip(WORDS, cells, strict=True), start=1):
            misc = f"Entity={cell}|SpaceAfter=No" if cell else "_"
            lines.append("\t".join([str(i), word, word.lower(), "X", "XX", "_", "_", "_", "_", misc]))
        lines.append("\t".join(["7.1", *"________", "CopyOf=1"]))
        documents.append("\n".join([*lines, "", ""]))
    name = "tales.conllu"
    return Source(
        {name: "".join(documents).encode()},
        lambda folder: read_corefud(folder / name),
        ("corefud", name, "out.spacy"),
        numbered=(name,),
        titles=("a", "b"),
    )


def label_studio() -> Source:
    text = """\
[{"id": 1, "data": {"text": "Ann gave her brother a key.", "title": "a"}, "annotations": [{"result": [
{"id": "a", "type": "labels", "value": {"start": 0, "end": 3, "text": "Ann", "labels": ["Person"]}},
{"id": "b", "type": "labels", "value": {"start": 9, "end": 12, "text": "her", "labels": ["Person"]}},
{"id": "c", "type": "labels", "value": {"start": 4, "end": 8, "labels": ["Predicate"]}, "meta": {"text": ["x"]}},
{"id": "d", "from_name": "labelled", "type": "labels", "value": {"start": 0, "end": 12, "labels": ["Event"]}},
{"type": "relation", "from_id": "b", "to_id": "a", "direction": "right", "labels": ["coreferent"]},
{"type": "relation", "from_id": "c", "to_id": "a", "direction": "right", "labels": ["ARG0"]}]}]},
{"id": 2, "data": {"text": "Leo left."}, "annotations": [{"result": []}, {"was_cancelled": true}]}]
"""
    return Source(
        {"export.json": text.encode()},
        lambda folder: read_label_studio(folder / "export.json", NLP),
        ("label-studio", "export.json", "out.spacy", "--lang", "xx"),
    )


SOURCES = {
    "bio gz": bio(packed=True),
    "conll2012": conll2012(),
    "corefud": corefud(),
    "jsonlines": jsonlines(),
    "label-studio": label_studio(),
    "bracketed": bracketed(),
    "bio": bio(),
}
