"""Every kind of file that commands take, given something else: one message that names it, and exit status 1."""

from __future__ import annotations

import random
import shutil
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
import spacy
import srsly
from spacy.tokens import Doc, DocBin
from spacy.training import Example
from spacy.vocab import Vocab
from typer.testing import CliRunner

from spacy_span_selector.annotation import set_clusters
from spacy_span_selector.tools.cli import app

RUBBISH = random.Random(0).randbytes(2_000)


def make_docs() -> bytes:
    doc = Doc(Vocab(), words=["Ann", "left", "."], sent_starts=[True, False, False])
    set_clusters(doc, [[(0, 1)]])
    return DocBin(docs=[doc], store_user_data=True).to_bytes()


DOCS = make_docs()
FIELDS = srsly.msgpack_loads(zlib.decompress(DOCS))


def pack(content: object) -> bytes:
    return zlib.compress(srsly.msgpack_dumps(content))


NO_TEXT: dict[str, bytes | None] = {
    "missing": None,
    "folder": None,
    "unreadable": None,
    "empty": b"",
    "rubbish": RUBBISH,
    "zeros": b"\0" * 500,
    "utf-16": "Ann left.\n".encode("utf-16"),
    "latin-1": "Zoë left.\n".encode("latin-1"),
    "line ends": b"\r\r\n\n",
    "docs": DOCS,
}
"""What no text format can be. Damage within such files is drawn by tests/robustness."""

NO_DOCS: dict[str, bytes | None] = {
    **{kind: content for kind, content in NO_TEXT.items() if kind != "docs"},
    "half": DOCS[: len(DOCS) // 2],
    "zip": b"PK\3\4" + RUBBISH,
    "json": b'{"words": []}',
    "list": pack([]),
    "number": pack(5),
    "object": pack({"words": []}),
    "nested": zlib.compress(b"\x91" * 100_000),
    "strings": pack(FIELDS | {"strings": 5}),
    "attributes": pack(FIELDS | {"attrs": []}),
    "spans": pack(FIELDS | {"span_groups": [b"Ann"]}),
    "no spans": pack(FIELDS | {"span_groups": []}),
    "user data": pack(FIELDS | {"user_data": [b"\xc1"]}),
}

FEW = {kind: NO_DOCS[kind] for kind in ("missing", "folder", "unreadable", "empty", "half", "object", "spans")}
"""For commands that open documents as others do."""

Case = tuple[tuple[str, ...], str, str, bytes | None]
"""A command with FILE, the name of the file, and what is in its place: a kind and a content."""


def cases() -> Iterator[Case]:
    exported = ("bio", "conll2012", "corefud", "label-studio")
    for command, name, kinds in (
        (("convert", "bio", "FILE", "out.spacy"), "a.bio", NO_TEXT),
        (("convert", "bracketed", "FILE", "out.spacy"), "a.txt", NO_TEXT),
        (("convert", "conll2012", "FILE", "out.spacy"), "a.conll", NO_TEXT),
        (("convert", "jsonlines", "FILE", "out.spacy"), "a.jsonl", NO_TEXT),
        (("convert", "corefud", "FILE", "out.spacy"), "a.conllu", NO_TEXT),
        (("convert", "label-studio", "FILE", "out.spacy"), "a.json", NO_TEXT),
        (("export", "corefud", "good.spacy", "out", "--into", "FILE"), "a.conllu", NO_TEXT),
        (("render", "FILE", "out"), "a.txt", NO_TEXT),
        (("export", "jsonlines", "FILE", "out"), "a.spacy", NO_DOCS),
        (("evaluate", "MODEL", "FILE"), "a.spacy", NO_DOCS),
        (("render", "FILE", "out"), "a.spacy", FEW),
        *((("export", name, "FILE", "out"), "a.spacy", FEW) for name in exported),
    ):
        yield from ((command, name, kind, content) for kind, content in kinds.items())


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A pipeline without training, and without the exceptions of a language, which take long to load."""
    nlp = spacy.blank("xx")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("structured_coref")
    doc = nlp.make_doc("Ann left.")
    set_clusters(doc, [[(0, 1), (1, 2)]])
    nlp.initialize(lambda: [Example(nlp.make_doc(doc.text), doc)])
    path = tmp_path_factory.mktemp("model") / "pipeline"
    nlp.to_disk(path)
    return path


@pytest.mark.parametrize("file", ["meta.json", "config.cfg", "structured_coref/model", "vocab/strings.json"])
@pytest.mark.parametrize("command", ["evaluate", "render"])
def test_a_damaged_pipeline_is_named(model: Path, tmp_path: Path, command: str, file: str):
    damaged = tmp_path / "damaged"
    shutil.copytree(model, damaged)
    (damaged / file).write_bytes((model / file).read_bytes()[:40])
    (tmp_path / "gold.spacy").write_bytes(DOCS)
    gold, page = str(tmp_path / "gold.spacy"), str(tmp_path / "page.html")
    arguments = {"evaluate": [str(damaged), gold], "render": [gold, page, "--model", str(damaged)]}
    result = CliRunner().invoke(app, [command, *arguments[command]])
    assert isinstance(result.exception, SystemExit), repr(result.exception)
    assert f"{damaged}: can't be loaded (" in " ".join(result.output.split())


@pytest.mark.parametrize("case", cases(), ids=lambda case: f"{'-'.join(case[0][:2])}-{case[1]}-{case[2]}")
def test_what_is_no_such_file_is_named(model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: Case):
    command, name, kind, content = case
    monkeypatch.chdir(tmp_path)
    Path("good.spacy").write_bytes(DOCS)
    if kind == "folder":
        Path(name).mkdir()
    elif kind == "unreadable":
        if not Path("/proc/self/mem").exists():
            pytest.skip("needs a file that nobody can read")
        Path(name).symlink_to("/proc/self/mem")
    elif content is not None:
        Path(name).write_bytes(content)
    result = CliRunner().invoke(app, [{"FILE": name, "MODEL": str(model)}.get(part, part) for part in command])
    assert isinstance(result.exception, SystemExit), repr(result.exception)
    assert result.exit_code == 1
    assert name in " ".join(result.output.split())
    assert not list(Path().glob("out*"))
