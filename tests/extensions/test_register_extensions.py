import importlib
import pickle
from collections.abc import Iterator
from typing import Any

import pytest
import spacy
from spacy.tokens import Doc, Span, Token

from spacy_span_selector.annotation import set_clusters
from spacy_span_selector.extensions import attributes, clusters, register_extensions
from spacy_span_selector.extensions.clusters import doc_clusters

from ..untrained import pipeline_of

OWNERS: dict[str, Any] = {"doc": Doc, "span": Span, "token": Token}


@pytest.fixture(autouse=True)
def own_extensions_again() -> Iterator[None]:
    """Whatever a test registers is gone after it."""
    register_extensions()
    yield
    for attribute in attributes():
        owner, _, name = attribute.split(".")
        if OWNERS[owner].has_extension(name):
            OWNERS[owner].remove_extension(name)
    register_extensions()


def others_count(doc: Doc) -> int:
    """An attribute of another package."""
    return len(doc)


@pytest.mark.parametrize("other", [{"getter": others_count}, {"default": 3}], ids=["getter", "default"])
def test_an_attribute_of_another_package_stays(other: dict[str, Any]) -> None:
    Doc.set_extension("coref_clusters", force=True, **other)
    with pytest.warns(
        UserWarning, match=r"^doc\._\.coref_clusters is registered already.*doc_clusters\(doc\)"
    ) as caught:
        register_extensions()
    assert len(caught) == 1
    assert spacy.blank("en")("Ann saw her.")._.coref_clusters in (4, 3)


@pytest.mark.filterwarnings("error")
def test_the_cure_of_the_warning_works() -> None:
    Doc.set_extension("coref_clusters", default=None, force=True)
    doc = spacy.blank("en")("Ann saw her.")
    set_clusters(doc, [[(0, 1), (2, 3)]])
    assert doc_clusters(doc) == [[doc[0:1], doc[2:3]]]
    Doc.remove_extension("coref_clusters")
    register_extensions()
    assert doc._.coref_clusters == [[doc[0:1], doc[2:3]]]


def test_the_name_of_who_registered_an_attribute_is_told() -> None:
    Span.set_extension("coref_cluster", getter=others_count, force=True)
    with pytest.warns(UserWarning, match=rf"span\._\.coref_cluster .*by {__name__}\.others_count"):
        register_extensions()


@pytest.mark.filterwarnings("error")
def test_a_module_that_was_loaded_again_is_the_same_package() -> None:
    importlib.reload(clusters)
    Doc.set_extension("coref_clusters", getter=clusters.doc_clusters, force=True)
    register_extensions()


def test_every_attribute_is_assigned_by_a_factory() -> None:
    nlp = spacy.blank("en")
    assigned: set[str] = set()
    for factory in ("structured_coref", "structured_srl", "entity_resolver"):
        assigned |= {*nlp.get_factory_meta(factory).assigns}
    assert assigned == {"doc.spans", *attributes()}
    for attribute in attributes():
        owner, _, name = attribute.split(".")
        assert OWNERS[owner].has_extension(name)


def test_an_attribute_can_be_sent_to_another_process() -> None:
    for getter in attributes().values():
        assert pickle.loads(pickle.dumps(getter)).place == getter.place


def test_pipelines_are_analysed_by_what_they_need() -> None:
    nlp = pipeline_of("en", "structured_coref", "structured_srl")
    problems: Any = nlp.analyze_pipes()
    assert problems["problems"] == {name: ["token.is_sent_start"] for name in nlp.pipe_names}
    nlp.add_pipe("word_sentencizer", first=True)
    problems = nlp.analyze_pipes()
    assert not any(problems["problems"].values())
