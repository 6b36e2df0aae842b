"""Odd records and tables beside good ones, in every format that `annotate` writes: each is annotated, or is an error
of its own, and the good ones are as they are alone."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import strategies as st

from .annotating import GOOD, Outcome, Where, annotate, check_good, good_line
from .fuzzing import fuzz
from .inventory import INPUTS, OUTPUTS
from .odd_json import NESTED, records

pytest.importorskip("pyarrow", reason="needs the extra 'parquet'")

import pyarrow as pa

from .odd_tables import COLUMNS, ROWS, content

each_format = pytest.mark.parametrize("format_", OUTPUTS)
numbers = st.integers(0, 10**6)
odd_lines = st.lists(numbers.flatmap(lambda number: records(f"Tom saw {number}.")), min_size=4, max_size=10)
where = st.sampled_from(["here", "there"])


def test_every_kind_of_file_is_known() -> None:
    """A new one that is read needs odd inputs here."""
    assert {"txt", "jsonl", "parquet", "spacy"} == INPUTS


def annotate_files(files: Mapping[str, bytes], format_: str, where: Where) -> Outcome:
    with TemporaryDirectory() as name:
        for file, data in files.items():
            (Path(name) / file).write_bytes(data)
        return annotate(format_, [Path(name) / file for file in files], where)


def squeezed(text: str) -> str:
    return "".join(text.split())


def named(line: str) -> tuple[str, str] | None:
    """The name and the text of a record, if it has both; tables have whole numbers as fractions."""
    try:
        data = json.loads(line.removeprefix("\ufeff"))
        name = data["id"]
        return str(int(name) if isinstance(name, float) and name.is_integer() else name), squeezed(data["text"])
    except (ValueError, RecursionError, LookupError, TypeError, AttributeError):
        return None


def check_lines(format_: str, lines: Sequence[str], where: Where) -> None:
    content = good_line("good 0") + "\n".join(lines) + "\n" + good_line("good 1")
    found = annotate_files({"odd.jsonl": content.encode("utf-8", "surrogatepass")}, format_, where)
    check_good(found, format_, "good 0", "good 1")
    assert len(found.docs) + len(found.errors) == sum(bool(line.strip()) for line in content.split("\n")), found.said
    if format_ in ("html", "bracketed"):
        return
    expected = {pair for line in lines if (pair := named(line))}
    for doc in found.docs:
        assert "odd.jsonl:" in doc.id or doc.id.startswith("good") or (doc.id, squeezed(doc.text)) in expected, doc


@each_format
@fuzz(2, lines=odd_lines, where=where)
def test_odd_lines(format_: str, lines: list[str], where: Where) -> None:
    check_lines(format_, lines, where)


@each_format
def test_nested_lines(format_: str) -> None:
    """At any depth, in the middle of a run."""
    lines = [f'{{"id":"d{i}","text":"Tom saw {i}.","x":{value}}}' for i, value in enumerate(NESTED)]
    check_lines(format_, lines, "there")


@each_format
def test_every_type_of_a_column(format_: str) -> None:
    texts = [f"Tom saw {row}." for row in range(ROWS)]
    odd = {f"{i}.parquet": content(pa.table({"text": texts, name: COLUMNS[name]})) for i, name in enumerate(COLUMNS)}
    good = content(pa.table({"id": ["good 0"], "text": [GOOD]}))
    found = annotate_files({**odd, "good.parquet": good}, format_, "there")
    check_good(found, format_, "good 0")
    assert len(found.docs) + len(found.errors) == ROWS * len(COLUMNS) + 1, found.said
    assert found.docs[ROWS:], "no type is passed on"
