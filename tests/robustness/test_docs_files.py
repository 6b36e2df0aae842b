"""Damaged `.spacy` files, for every command that reads them: an error names the file, or what is read can be used."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import spacy
import srsly
from hypothesis import strategies as st
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from spacy_span_selector import to_dict
from spacy_span_selector.examples.corpus import create_corpus

from ..tools.formats.plain.documents import full_doc
from .annotating import Where, annotate, check_good, good_line, invoke
from .damage import Damage, damage, damages
from .fuzzing import fuzz
from .inventory import COMMANDS, OUTPUTS
from .pipelines import saved

FIELDS = ("version", "attrs", "tokens", "spaces", "lengths", "strings", "cats", "flags", "user_data", "span_groups")
VALUES: tuple[object, ...] = (
    *(None, b"", [], {}, 0, -1, 2**63, "x", b"\xff" * 64, b"\0" * 1000),
    *([b"\xc0", b"\x93"], [[], []], ["", "\0"]),
)
Harm = tuple[str, Any]  # where a file is damaged, and how
few = st.lists(damages, min_size=1, max_size=3)
fields = st.sampled_from(FIELDS)
harms: st.SearchStrategy[Harm] = st.one_of(
    st.tuples(st.sampled_from(["file", "inside"]), few),
    st.tuples(st.just("strings"), st.integers(0, 99)),
    st.tuples(st.just("field"), st.tuples(fields, st.sampled_from(VALUES))),
    st.tuples(st.just("bytes of a field"), st.tuples(fields, few)),
)


def harmed(data: bytes, where: str, detail: Any) -> bytes:
    """A damaged file: its bytes, those that are compressed in it, a string that it lacks, or a field in these."""
    if where == "file":
        return _damaged(data, detail)
    inside = zlib.decompress(data)
    if where == "inside":
        return zlib.compress(_damaged(inside, detail))
    fields = srsly.msgpack_loads(inside)
    if where == "strings":
        del fields["strings"][detail % len(fields["strings"])]
    elif where == "field":
        fields[detail[0]] = detail[1]
    else:
        name, harm = detail
        if isinstance(fields[name], bytes):
            fields[name] = _damaged(fields[name], harm)
        elif fields[name] and isinstance(fields[name][0], bytes):
            fields[name][0] = _damaged(fields[name][0], harm)
        else:
            fields[name] = fields[name][1:]
    return zlib.compress(srsly.msgpack_dumps(fields))


def _damaged(data: bytes, harm: Sequence[Damage]) -> bytes:
    for kind, place, detail in harm:
        data = damage(data, kind, place, detail)
    return data


READERS: dict[str, Callable[[Path, Path], list[object]]] = {
    "check": lambda docs, folder: [docs],
    "evaluate": lambda docs, folder: [saved("structured_coref"), docs, "--predictions", folder / "out.spacy"],
    "render": lambda docs, folder: [docs, folder / "out"],
    **{name: lambda docs, folder: [docs, folder / "out"] for name in COMMANDS if name.startswith("export ")},
}
"""The arguments of each command that reads a `.spacy` file, which is either read or named."""
OTHERS = {"annotate", "finetune", "train"}  # these have tests of their own
NONE = {"compact", "serve"}  # these read none


def test_every_command_is_known() -> None:
    """A new one that reads `.spacy` files gets damaged ones here."""
    assert {name for name in COMMANDS if not name.startswith("convert ")} == {*READERS} | OTHERS | NONE


DOCS = DocBin(docs=[full_doc(Vocab())] * 2, store_user_data=True).to_bytes()


@contextmanager
def damaged(harm: Harm) -> Iterator[Path]:
    with TemporaryDirectory() as name:
        path = Path(name) / "damaged.spacy"
        path.write_bytes(harmed(DOCS, *harm))
        yield path


@fuzz(10, command=st.sampled_from(sorted(READERS)), harm=harms)
def test_commands(command: str, harm: Harm) -> None:
    with damaged(harm) as path:
        status, said = invoke(*command.split(), *READERS[command](path, path.parent))
        assert status in (0, 1), said
        if status and "damaged" not in "".join(said.split()):
            assert "no semantic roles" in said, said  # it is read, and has nothing to export


@pytest.mark.parametrize("format_", OUTPUTS)
@fuzz(2, harm=harms, where=st.sampled_from(["here", "there"]))
def test_annotate(format_: str, harm: Harm, where: Where) -> None:
    with damaged(harm) as path:
        good = path.with_name("good.jsonl")
        good.write_text(good_line("good"), encoding="utf-8")
        found = annotate(format_, [path, good], where)
    check_good(found, format_, "good")
    assert len(found.docs) + len(found.errors) >= 2, found.said
    assert all("damaged.spacy" in error["source"] for error in found.errors)


@fuzz(15, harm=harms)
def test_training(harm: Harm) -> None:
    with damaged(harm) as path:
        try:
            examples = list(create_corpus(path)(spacy.blank("xx")))
        except (ValueError, OSError) as error:
            assert path.name in str(error), f"nameless: {error!r}"
            return
    for example in examples:
        to_dict(Doc(example.reference.vocab).from_bytes(example.reference.to_bytes()))
