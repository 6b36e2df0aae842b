"""A small, invented file of every format that is read from files, apart from the corpora that `project.yml` pins."""

import gzip
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import spacy
from spacy.tokens import Doc

from spacy_span_selector.tools.formats.registry import Format, formats

from .damage import Damage, damage

PINNED = {"litbank", "ontogum", "ewt", "frames"}
NLP = spacy.blank("xx")


class Source(NamedTuple):
    """A file of a format. In some a row has the number of a token; errors may name a document instead of the file."""

    name: str
    data: bytes
    numbered: bool = False
    titles: tuple[str, ...] = ()

    @contextmanager
    def written(self, harm: Iterable[Damage] = ()) -> Iterator[Path]:
        """The file, maybe damaged, in a folder of its own."""
        with TemporaryDirectory() as folder:
            path = Path(folder) / self.name
            path.write_bytes(self.data)
            for kind, place, detail in harm:
                if kind in ("remove", "folder"):
                    if path.is_file():
                        path.unlink()
                    if kind == "folder":
                        path.mkdir(exist_ok=True)
                elif path.is_file():
                    path.write_bytes(damage(path.read_bytes(), kind, place, detail))
            yield path


def format_of(source: str) -> Format:
    return formats.get(source.split()[0])


def read(source: str, path: Path) -> tuple[list[Doc], list[str]]:
    """The documents, and what was said about them: warnings, and the error instead of documents."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            docs = [*format_of(source).read_docs(path, NLP)]
        except (ValueError, OSError) as error:
            assert any(name in str(error) for name in (path.name, *SOURCES[source].titles)), f"nameless: {error!r}"
            return [], [str(error)]
    return docs, [str(warning.message) for warning in said]


WORDS = ("Ann", "gave", "her", "brother", "a", "key", ".")
MENTIONS = ("(0)", "-", "(1|(0)", "1)", "(2", "2)", "-")
PARSES = ("(TOP(S(NP*)", "(VP*", "(NP*", "*)", "(NP*", "*))", "*))")
TAGS = ("B-PER", "O", "B-PER", "I-PER", "O", "O", "O")
ROLES = ("(ARG0*)", "(V*)", "(ARG2*", "*)", "(ARG1*", "*)", "*")
ENTITIES = ("(e1-person-1-)", "", "(e2-person-2-(e1-person-1-)", "e2)", "(e3--2-", "e3)", "")


def conll2012() -> bytes:
    rows = []
    for i, (word, *columns) in enumerate(zip(WORDS, PARSES, ROLES, MENTIONS, strict=True)):
        sense = ("give", "01") if i == 1 else ("-", "-")
        rows.append("  ".join(["bc/a", "0", str(i), word, "XX", columns[0], *sense, "-", "Ann", "*", *columns[1:]]))
    lines = ["#begin document (bc/a); part {}", *rows, "", *rows, "", "#end document", ""]
    return "".join("\n".join(lines).format(part) for part in ("000", "001")).encode()


def corefud() -> bytes:
    lines = ["# newdoc id = {}", "# global.Entity = eid-etype-head-other", "# speaker = Leo"]
    for i, (word, cell) in enumerate(zip(WORDS, ENTITIES, strict=True), start=1):
        misc = f"Entity={cell}|SpaceAfter=No" if cell else "_"
        lines.append("\t".join([str(i), word, word.lower(), "X", "XX", *"____", misc]))
    lines += ["\t".join(["7.1", *"________", "CopyOf=1"]), "", ""]
    return "".join("\n".join(lines).format(name) for name in "ab").encode()


def bio() -> bytes:
    tags = "".join(f"{word}\t{tag}\tO\n" for word, tag in zip(WORDS, TAGS, strict=True))
    return f"-DOCSTART- (a)\n\n{tags}\n{tags}\n-DOCSTART- (b)\n\n{tags}\n".encode()


JSONLINES = """\
{"doc_key": "a", "sentences": [["Ann", "left", "."], ["She", "ran"]], "speakers": [["Ann", "Ann", "Ann"], ["-", "-"]], \
"clusters": [[[0, 0], [3, 3]]], "ner": [[0, 0, "PER"]], "constituents": [[0, 2, "S"]], "cluster_names": ["ann"], \
"spaces": [[true, false, true], [true, false]], "turns": [[0, 2, "Ann"]]}
{"document_id": "b", "part_id": 0, "cased_words": ["Ann", "left"], "sent_id": [0, 0], "speaker": ["x", "x"], \
"clusters": [[[0, 1]]]}
{"doc_key": "c", "sentences": [["Rain", "."]], "ner": [[[0, 0, "X"]]], "constituents": [[[0, 1, "S"], [0, 0, "NP"]]]}
"""
LABEL_STUDIO = """\
[{"id": 1, "data": {"text": "Ann gave her brother a key.", "title": "a"}, "annotations": [{"result": [
{"id": "a", "type": "labels", "value": {"start": 0, "end": 3, "text": "Ann", "labels": ["Person"]}},
{"id": "b", "type": "labels", "value": {"start": 9, "end": 12, "text": "her", "labels": ["Person"]}},
{"id": "c", "type": "labels", "value": {"start": 4, "end": 8, "labels": ["Predicate"]}, "meta": {"text": ["x"]}},
{"id": "d", "from_name": "labelled", "type": "labels", "value": {"start": 0, "end": 12, "labels": ["Event"]}},
{"type": "relation", "from_id": "b", "to_id": "a", "direction": "right", "labels": ["coreferent"]},
{"type": "relation", "from_id": "c", "to_id": "a", "direction": "right", "labels": ["ARG0"]}]}]},
{"id": 2, "data": {"text": "Leo left."}, "annotations": [{"result": []}, {"was_cancelled": true}]}]
"""
BRACKETED = """\
# invented
=== the station
[Ann Lee|ann] gave [[her|ann] brother|tom] [a key].
> [ARG0 Ann Lee] [V=give.01 gave] [ARG2 her brother] [ARG1 a key].
@Ann Lee: [I|ann] left, he said \\[so\\].
>
< [ann I left,] he said \\[so\\].
=== the hat
[Leo] lost [a hat|hat] 日本語.
[] [PERSON Leo] lost [THING [THING a] hat] 日本語.
[] Leo [EVENT lost a] hat 日本語.
"""
SOURCES = {
    "bio gz": Source("tales.bio.gz", gzip.compress(bio())),
    "conll2012": Source("ferry.v4_gold_conll", conll2012(), numbered=True),
    "corefud": Source("tales.conllu", corefud(), numbered=True, titles=("a", "b")),
    "jsonlines": Source("texts.jsonl", JSONLINES.encode()),
    "label-studio": Source("export.json", LABEL_STUDIO.encode()),
    "bracketed": Source("texts.txt", BRACKETED.encode()),
    "bio": Source("tales.bio", bio()),
}
