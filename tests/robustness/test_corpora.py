"""Damaged corpora: they are read, or an error names the file; what is lost is said."""

import json
import re

import pytest
from hypothesis import strategies as st
from spacy.tokens import Doc

from spacy_span_selector import from_dict, to_dict

from .annotating import invoke
from .damage import Damage, places, several
from .fuzzing import fuzz
from .inventory import CONVERTED
from .odd_json import any_values, keys, put
from .sources import PINNED, SOURCES, format_of, read

sources = st.sampled_from(sorted(SOURCES))


def test_every_corpus_is_known() -> None:
    """A new one that `convert` reads needs a source here."""
    assert {format_of(source).name for source in SOURCES} == CONVERTED - PINNED


@pytest.mark.parametrize("source", SOURCES)
def test_sources_are_sound(source: str) -> None:
    with SOURCES[source].written() as path:
        docs, said = read(source, path)
    assert len(docs) > 1 and said == []


def check_docs(docs: list[Doc]) -> None:
    """Documents that were read can be saved."""
    for doc in docs:
        assert len(Doc(doc.vocab).from_bytes(doc.to_bytes())) == len(doc)


@fuzz(200, source=sources, harm=several)
def test_what_is_damaged_is_read_or_named(source: str, harm: list[Damage]) -> None:
    with SOURCES[source].written(harm) as path:
        check_docs(read(source, path)[0])


@fuzz(30, source=sources, harm=several)
def test_convert_writes_everything_or_nothing(source: str, harm: list[Damage]) -> None:
    format_ = format_of(source)
    with SOURCES[source].written(harm) as path:
        out = path.with_name("out.spacy")
        lang = ["--lang", "xx"] if format_.read_text else []
        status, said = invoke("convert", format_.name, path, out, *lang)
        assert status in (0, 1), said
        assert out.exists() == (not status)
        if status:
            names = {path.name, out.name, *SOURCES[source].titles}
            assert any(name in "".join(said.split()) for name in names), said  # lines are wrapped


@pytest.mark.parametrize("source", ["jsonlines", "label-studio"])
@fuzz(15, place=st.integers(0, 999), value=any_values, key=st.none() | st.none() | keys)
def test_odd_json_is_read_or_named(source: str, place: int, value: str, key: str | None) -> None:
    """An odd value, or an odd key with one, anywhere."""
    content = SOURCES[source].data.decode()
    records = [json.loads(content)] if source == "label-studio" else list(map(json.loads, content.splitlines()))
    chosen = place % len(records)
    lines = [json.dumps(record) if i != chosen else put(record, place, value, key) for i, record in enumerate(records)]
    with SOURCES[source].written() as path:
        path.write_text("\n".join(lines), encoding="utf-8", errors="surrogatepass")
        docs, _ = read(source, path)
    check_docs(docs)
    for doc in docs:
        from_dict(to_dict(doc, tokens=True), doc.vocab)


@pytest.mark.parametrize("source", [name for name, source in SOURCES.items() if source.numbered])
@fuzz(6, kind=st.sampled_from(["delete", "double", "swap", "move"]), place=places, other=places)
def test_rows_out_of_order_are_noticed(source: str, kind: str, place: int, other: int) -> None:
    """Wherever rows have the numbers of tokens, none but the last of a sentence is deleted unseen."""
    lines = SOURCES[source].data.decode().split("\n")
    is_row = [bool(line) and not line.startswith("#") for line in lines]
    firsts = [i for i in range(len(lines)) if is_row[i] and not is_row[i - 1]]
    first = firsts[place % len(firsts)]
    end = is_row.index(False, first)
    while re.match(r"\d+\.\d+\t", lines[end - 1]):  # an empty node, no word
        end -= 1
    at = first + other % (end - first - 1)  # not the last
    row = lines[at]
    match kind:
        case "delete":
            del lines[at]
        case "double":
            lines.insert(at, row)
        case "swap":
            lines[at], lines[at + 1] = lines[at + 1], row
        case "move":
            del lines[at]
            lines.insert(end - 1, row)
    with SOURCES[source].written() as path:
        path.write_text("\n".join(lines), encoding="utf-8")
        _, said = read(source, path)
    assert said
