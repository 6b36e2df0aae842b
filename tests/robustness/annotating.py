"""Run `annotate` on odd inputs, read back its output in each format, and collect what it says of the rest."""

from __future__ import annotations

import json
import pickle
import re
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from html import unescape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal, NamedTuple
from unittest.mock import patch

import spacy
from typer.testing import CliRunner

from spacy_span_selector import from_dict, to_dict
from spacy_span_selector.examples.corpus import read_docs
from spacy_span_selector.tools.annotate import run
from spacy_span_selector.tools.cli import app
from spacy_span_selector.tools.formats.bracketed import read_bracketed
from spacy_span_selector.tools.formats.registry import formats

from ..tools.annotate import components
from .pipelines import FOLDER

Where = Literal["here", "there", "processes"]
in_this_process = run.in_this_process

GOOD = "Ann saw Bob. Then Ann left, and Bob saw her."
"""A text in which something is found."""

NLP = spacy.blank("xx")


class Back(NamedTuple):
    """A document that was read back.

    id, text (str): Its name and its text.
    found (Any): What else the format holds of it.
    """

    id: str
    text: str
    found: Any


def _from_data(data: dict[str, Any]) -> Back:
    doc = from_dict(data, NLP)
    return Back(data["id"], doc.text, to_dict(doc))


def read_jsonl(path: Path) -> list[Back]:
    return [_from_data(json.loads(line)) for line in path.read_bytes().splitlines()]


def read_parquet(path: Path) -> list[Back]:
    import pyarrow.parquet

    return [_from_data(row) for batch in pyarrow.parquet.ParquetFile(path).iter_batches() for row in _plain_rows(batch)]


def _plain_rows(batch: Any) -> list[dict[str, Any]]:
    """The rows of plain data: columns that are passed on may have what Python can't hold."""
    names = [name for name in batch.schema.names if name in components_of_plain_data()]
    rows: list[dict[str, Any]] = batch.select(names).to_pylist()
    return rows


def components_of_plain_data() -> set[str]:
    from spacy_span_selector.tools.annotate.formats import plain_schema

    return {*plain_schema().names}


def read_spacy(path: Path) -> list[Back]:
    docs = list(read_docs(path, NLP.vocab))
    return [Back(str(data.get("id", "")), doc.text, data) for doc in docs for data in [to_dict(doc)]]


def read_html(path: Path) -> list[Back]:
    articles = path.read_text(encoding="utf-8").split("<article ")[1:]
    parts = [article.split("<h2>", 1)[1].split("</h2>", 1) for article in articles]
    numbers = re.compile(r'(?<=")[\w-]*\d[\w-]*(?=")')  # of articles, clusters and mentions
    return [Back(unescape(title), "", numbers.sub("", rest.split("</article>")[0])) for title, rest in parts]


def read_bracketed_text(path: Path) -> list[Back]:
    docs = read_bracketed(path, NLP)
    return [Back(str(data.get("id", "")), doc.text, data) for doc in docs for data in [to_dict(doc)]]


READ_BACK: dict[str, Callable[[Path], list[Back]]] = {
    "jsonl": read_jsonl,
    "parquet": read_parquet,
    "spacy": read_spacy,
    "html": read_html,
    "bracketed": read_bracketed_text,
}
"""The reader of each format."""


def pickled(job: Any, parts: Iterable[Any], tick: Any) -> Any:
    """Annotate in this process what has travelled as to another one, and back."""
    annotate = run.Annotator(job)
    for part in parts:
        yield pickle.loads(pickle.dumps(annotate(pickle.loads(pickle.dumps(part)), tick)))


@cache
def model(lang: str) -> str:
    """A pipeline on disk that annotates by rule."""
    nlp = spacy.blank(lang)
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("rules_of_tests")
    folder = Path(FOLDER.name) / f"rules-{lang}"
    nlp.to_disk(folder)
    return str(folder)


@dataclass
class Outcome:
    """The output of a run.

    status (int): Its exit status.
    said (str): What it has printed.
    docs (list[Back]): The documents.
    errors (list[dict[str, Any]]): What could not be annotated.
    """

    status: int
    said: str
    docs: list[Back]
    errors: list[dict[str, Any]]


def invoke(*arguments: object) -> tuple[int, str]:
    """Run a command. RETURNS (tuple[int, str]): Its exit status, and what it has printed.

    RAISES (AssertionError): If it ends in any other way than with one of the documented ones, or shows a traceback.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    said = "\n".join([result.output, *(str(warning.message) for warning in caught)])
    assert "Traceback" not in said, said
    return result.exit_code, said


def annotate(format_: str, inputs: Sequence[object], where: Where = "here", lang: str = "xx") -> Outcome:
    """Annotate files.

    format_ (str): The format to write.
    inputs (Sequence[object]): The inputs.
    where (Where): "there" for this process with all that travels to another one; "processes" for two others.
    lang (str): The language of the pipeline.
    """
    with TemporaryDirectory() as name:
        out = Path(name) / "out"
        arguments = ["annotate", model(lang), *inputs, out, "--format", format_, "--part-words", 200]
        if where == "processes":
            arguments += ["--n-process", 2, "--code", components.__file__]
        backend = in_this_process if where == "here" else pickled
        with patch("spacy_span_selector.tools.annotate.run.in_this_process", backend):
            status, said = invoke(*arguments)
        parts = sorted(out.glob(f"part-*.{formats.get(format_).suffix}")) if out.is_dir() else []
        docs = [doc for part in parts for doc in READ_BACK[format_](part)]
        errors = out / "errors.jsonl"
        lines = errors.read_bytes().splitlines() if errors.is_file() else []
        found = Outcome(status, said, docs, [json.loads(line) for line in lines])
    check_status(found)
    return found


@cache
def alone(format_: str, title: str) -> Back:
    """Annotate a good record by itself."""
    with TemporaryDirectory() as name:
        path = Path(name) / "good.jsonl"
        path.write_text(good_line(title), encoding="utf-8")
        (doc,) = annotate(format_, [path]).docs
    return doc


def good_line(name: str) -> str:
    return json.dumps({"id": name, "text": GOOD}) + "\n"


def check_status(found: Outcome) -> None:
    """The exit status is the documented one, and every error says which record it is, and why."""
    if found.docs:
        assert found.status == (3 if found.errors else 0), found.said
    else:
        assert found.status == 1, found.said
    for error in found.errors:
        assert error["source"] and error["reason"] and error["id"], error


def check_good(found: Outcome, format_: str, *names: str) -> None:
    """The good records are there, each once, as they are alone."""
    good = [doc for doc in found.docs if doc.id in names]
    assert good == [alone(format_, name) for name in names], found.said
