from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import catalogue
import pytest
import spacy
import srsly
from catalogue import Registry
from spacy.tokens import Doc

from spacy_span_selector.annotation import codecs, get_clusters, set_clusters
from spacy_span_selector.annotation.codecs import CODECS, cache_codecs, skip_absent_entry_points

CLUSTERS = [[(i, i + 1), (i + 1, i + 2)] for i in range(0, 100, 2)]


@pytest.fixture
def registries() -> Iterator[None]:
    """Puts srsly's registries back as they were."""
    before = [(codecs.__class__, codecs.entry_points) for codecs in CODECS]
    registered = dict(catalogue.REGISTRY)
    yield
    for registry, (kind, entry_points) in zip(CODECS, before, strict=True):
        registry.__class__, registry.entry_points = kind, entry_points
    catalogue.REGISTRY.clear()
    catalogue.REGISTRY.update(registered)


def make_doc() -> Doc:
    doc = Doc(spacy.blank("en").vocab, words=["word"] * 101)
    set_clusters(doc, CLUSTERS, scores={mention: 0.5 for cluster in CLUSTERS for mention in cluster})
    return doc


def count_calls(monkeypatch: pytest.MonkeyPatch, name: str) -> list[str]:
    """Counts the calls of a method of all registries."""
    calls: list[str] = []
    method = getattr(Registry, name)

    def call(self: Registry) -> Any:
        calls.append(name)
        return method(self)

    monkeypatch.setattr(Registry, name, call)
    return calls


def test_entry_points_are_not_searched_for_a_group(monkeypatch: pytest.MonkeyPatch):
    doc = make_doc()
    calls = count_calls(monkeypatch, "get_entry_points")
    assert get_clusters(Doc(doc.vocab).from_bytes(doc.to_bytes())) == CLUSTERS
    assert not calls


def test_entry_points_that_there_are_stay(monkeypatch: pytest.MonkeyPatch, registries: None):
    CODECS[0].entry_points = CODECS[1].entry_points = True
    monkeypatch.setattr(CODECS[0], "get_entry_points", lambda: {"mine": print})
    skip_absent_entry_points()
    assert [registry.entry_points for registry in CODECS] == [True, False]


def test_cached_codecs_are_collected_once(monkeypatch: pytest.MonkeyPatch, registries: None):
    doc = make_doc()
    before = doc.to_bytes()
    cache_codecs()
    calls = count_calls(monkeypatch, "get_all")
    assert doc.to_bytes() == before
    assert get_clusters(Doc(doc.vocab).from_bytes(before)) == CLUSTERS
    assert len(calls) == len(CODECS)


class Colour:
    name = "red"


def encode_colour(value: Any, chain: Any = None) -> Any:
    if isinstance(value, Colour):
        return value.name
    return value if chain is None else chain(value)


@pytest.mark.parametrize("decorate", [True, False])
def test_a_codec_that_is_registered_later_is_used(registries: None, decorate: bool):
    cache_codecs()
    srsly.msgpack_dumps("collected")
    if decorate:
        assert srsly.msgpack_encoders("colour")(encode_colour) is encode_colour
    else:
        assert srsly.msgpack_encoders.register("colour", func=encode_colour) is encode_colour
    assert srsly.msgpack_loads(srsly.msgpack_dumps({"of": Colour()})) == {"of": "red"}


def test_a_config_may_ask_for_it(registries: None):
    callback = {"@callbacks": "spacy_span_selector.cache_codecs.v1"}
    nlp = spacy.blank("en", config={"nlp": {"after_creation": callback}})
    assert all(type(registry) is codecs._CachedRegistry for registry in CODECS)
    assert nlp.config["nlp"]["after_creation"] == callback  # and is saved
