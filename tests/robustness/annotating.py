"""Run `annotate` on odd inputs, read back its output in each format, and collect what it says of the rest."""

import json
import pickle
import re
import warnings
from collections.abc import Iterable, Sequence
from functools import cache
from html import unescape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal, NamedTuple
from unittest.mock import patch

import spacy

from spacy_span_selector import from_dict, to_dict
from spacy_span_selector.tools.annotate import run
from spacy_span_selector.tools.formats.registry import formats

from .. import commands
from ..tools.annotate import components  # noqa: F401  registers what the pipeline is made of
from .pipelines import FOLDER

Where = Literal["here", "there"]
in_this_process = run.in_this_process
GOOD = "Ann saw Bob. Then Ann left, and Bob saw her."  # in which something is found
NLP = spacy.blank("xx")


class Back(NamedTuple):
    """A document that was read back: its name, its text, and what else the format holds of it."""

    id: str
    text: str
    found: Any


def read_back(format_: str, path: Path) -> list[Back]:
    if format_ == "html":
        articles = path.read_text(encoding="utf-8").split("<article ")[1:]
        parts = [article.split("<h2>", 1)[1].split("</h2>", 1) for article in articles]
        numbers = re.compile(r'(?<=")[\w-]*\d[\w-]*(?=")')  # of articles, clusters and mentions
        return [Back(unescape(title), "", numbers.sub("", rest.split("</article>")[0])) for title, rest in parts]
    if format_ == "jsonl":
        docs = [from_dict(json.loads(line), NLP) for line in path.read_bytes().splitlines()]
    elif format_ == "parquet":
        docs = [from_dict(row, NLP) for row in rows_of_plain_data(path)]
    else:
        docs = [*formats.get(format_).read_docs(path, NLP)]
    return [Back(str(data.get("id", "")), doc.text, data) for doc in docs for data in [to_dict(doc)]]


def rows_of_plain_data(path: Path) -> list[dict[str, Any]]:
    """Without columns that are passed on, which may have what Python can't hold."""
    import pyarrow.parquet

    from spacy_span_selector.tools.annotate.formats import plain_schema

    file = pyarrow.parquet.ParquetFile(path)
    names = [name for name in file.schema_arrow.names if name in plain_schema().names]
    return [row for batch in file.iter_batches(columns=names) for row in batch.to_pylist()]


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


class Outcome(NamedTuple):
    """The output of a run: its exit status, what it has printed, the documents, and what could not be annotated."""

    status: int
    said: str
    docs: list[Back]
    errors: list[dict[str, Any]]


def invoke(*arguments: object) -> tuple[int, str]:
    """Run a command, which ends by itself and shows no traceback, and return its status and what it has printed."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = commands.run(*arguments)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    said = "\n".join([result.output, *(str(warning.message) for warning in caught)])
    assert "Traceback" not in said, said
    return result.exit_code, said


def annotate(format_: str, inputs: Sequence[object], where: Where = "here", lang: str = "xx") -> Outcome:
    """Annotate files.

    where (Where): "there" for this process with all that travels to another one.
    """
    with TemporaryDirectory() as name:
        out = Path(name) / "out"
        arguments = ["annotate", model(lang), *inputs, out, "--format", format_, "--part-words", 200]
        backend = in_this_process if where == "here" else pickled
        with patch("spacy_span_selector.tools.annotate.run.in_this_process", backend):
            status, said = invoke(*arguments)
        parts = sorted(out.glob(f"part-*{formats.get(format_).suffixes[0]}")) if out.is_dir() else []
        docs = [doc for part in parts for doc in read_back(format_, part)]
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
