from __future__ import annotations

import catalogue
import pytest
from spacy.tokens import Doc
from spacy.vocab import Vocab

from lab.benchmarks.keeping import CODECS, STEPS, WAYS, annotated_doc, find_codecs, main, make_steps
from spacy_span_selector.annotation import cluster_keys, frame_keys

from .conftest import rows, run


def test_every_way_has_a_row_for_each_size():
    table = rows(run(main, "--groups", "4,10", "--repeats", 2))
    assert [(row["codecs"], row["groups"]) for row in table] == [(way, size) for size in ("4", "10") for way in WAYS]
    assert all(row[f"{step}, ms"].count("to") == 1 for row in table for step in STEPS)


def test_half_of_the_groups_are_frames():
    doc = annotated_doc(Vocab(), 10)
    assert (len(cluster_keys(doc)), len(frame_keys(doc))) == (5, 5)


def test_what_is_loaded_is_what_was_saved():
    _, to_bytes, from_bytes, _, load = make_steps(4)
    [loaded] = load()  # type: ignore[misc]
    read = from_bytes()
    assert isinstance(read, Doc) and read.to_bytes() == to_bytes()
    assert loaded.spans.to_bytes() == read.spans.to_bytes()


@pytest.mark.parametrize("way", WAYS)
def test_a_way_is_left_as_it_was_found(way: str):
    with find_codecs(way):
        assert [codecs.entry_points for codecs in CODECS] == [way == WAYS[0]] * 2
        assert all((type(codecs) is not catalogue.Registry) == (way == WAYS[2]) for codecs in CODECS)
    assert all(type(codecs) is catalogue.Registry and not codecs.entry_points for codecs in CODECS)
