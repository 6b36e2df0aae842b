"""Damaged `.spacy` files, for every command that reads them: an error names the file, or what is read can be used."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import spacy
from hypothesis import strategies as st
from spacy.tokens import Doc, DocBin

from spacy_span_selector import to_dict
from spacy_span_selector.annotation import Quotation, set_labelled_spans, set_quotations
from spacy_span_selector.examples.corpus import create_corpus

from .annotating import annotate, check_good, good_line, invoke
from .fuzzing import fuzz
from .inventory import COMMANDS, OUTPUTS
from .odd_docs import Harm, harmed, harms
from .pipelines import FOLDER, pipeline
from .sources import SOURCES


def saved_pipeline() -> str:
    folder = Path(FOLDER.name) / "structured_coref"
    if not folder.is_dir():
        pipeline("structured_coref", "cnn").to_disk(folder)
    return str(folder)


def frames_folder(folder: Path) -> Path:
    SOURCES["frames"].write(folder / "frames-source")
    return folder / "frames-source"


READERS: dict[str, Callable[[Path, Path], list[object]]] = {
    "check": lambda docs, folder: [docs],
    "evaluate": lambda docs, folder: [saved_pipeline(), docs, "--predictions", folder / "out.spacy"],
    "render": lambda docs, folder: [docs, folder / "out"],
    "convert frames": lambda docs, folder: [frames_folder(folder), folder / "out", "--without", docs],
    **{" ".join(path): lambda docs, folder: [docs, folder / "out"] for path in COMMANDS if path[0] == "export"},
}
"""The arguments of each command that reads a `.spacy` file, which is either read or named."""
OTHERS = {"annotate", "finetune", "train"}
"""These have tests of their own: the first two go on with other files, the last has a reader."""
NONE = {"compact", "serve"}
"""These read none."""


def test_every_command_is_known() -> None:
    """A new one that reads `.spacy` files gets damaged ones here."""
    converted = {" ".join(path) for path in COMMANDS if path[0] == "convert"}
    assert {" ".join(path) for path in COMMANDS} - converted == {*READERS} - converted | OTHERS | NONE


@pytest.fixture(scope="module")
def docs_file(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Documents with all annotation."""
    folder = tmp_path_factory.mktemp("docs")
    SOURCES["conll2012"].write(folder)
    docs = SOURCES["conll2012"].read(folder)
    for doc in docs:
        set_quotations(doc, [Quotation(2, 5, (0, 1))])
        set_labelled_spans(doc, [(0, 1, "PERSON"), (0, 5, "SPEECH")], [0.5, 0.5])
    return DocBin(docs=docs, store_user_data=True).to_bytes()


@contextmanager
def damaged(data: bytes, harm: Harm) -> Iterator[Path]:
    with TemporaryDirectory() as name:
        path = Path(name) / "damaged.spacy"
        path.write_bytes(harmed(data, *harm))
        yield path


@fuzz(12, command=st.sampled_from(sorted(READERS)), harm=harms)
def test_commands(docs_file: bytes, command: str, harm: Harm) -> None:
    with damaged(docs_file, harm) as path:
        status, said = invoke(*command.split(), *READERS[command](path, path.parent))
        assert status in (0, 1), said
        if status and "damaged" not in "".join(said.split()):
            assert "no semantic roles" in said, said  # it is read, and has nothing to export


@pytest.mark.parametrize("format_", OUTPUTS)
@fuzz(2, harm=harms, where=st.sampled_from(["here", "there"]))
def test_annotate(docs_file: bytes, format_: str, harm: Harm, where: str) -> None:
    with damaged(docs_file, harm) as path:
        good = path.with_name("good.jsonl")
        good.write_text(good_line("good"), encoding="utf-8")
        found = annotate(format_, [path, good], where)  # type: ignore[arg-type]
    check_good(found, format_, "good")
    assert len(found.docs) + len(found.errors) >= 2, found.said
    assert all("damaged.spacy" in error["source"] for error in found.errors)


@fuzz(15, harm=harms)
def test_training(docs_file: bytes, harm: Harm) -> None:
    with damaged(docs_file, harm) as path:
        try:
            examples = list(create_corpus(path)(spacy.blank("xx")))
        except (ValueError, OSError) as error:
            assert path.name in str(error), f"nameless: {error!r}"
            return
    for example in examples:
        to_dict(Doc(example.reference.vocab).from_bytes(example.reference.to_bytes()))
