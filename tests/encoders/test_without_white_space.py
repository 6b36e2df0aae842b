from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc
from spacy.util import fix_random_seed, registry
from thinc.api import Model

from spacy_span_selector.encoders.without_white_space import without_white_space

from ..tok2vec import TOK2VEC, TRANSFORMER_LISTENER

NLP = spacy.blank("en")
PLAIN = "the quick brown fox jumps over a lazy dog ."
WRAPPED = ["the quick brown\nfox jumps over\na lazy dog .", "\n\n the  quick brown fox jumps over a lazy \ndog .\n\n"]


def make_tok2vec() -> Model[list[Doc], list[Any]]:
    fix_random_seed(0)
    model: Any = registry.resolve({"model": TOK2VEC})["model"]
    return model


@pytest.fixture
def pipeline(encoder: Path) -> Any:
    """A shared transformer and a listener, which is the model of a tagger."""
    architecture = {
        "@architectures": "spacy_span_selector.TransformerModel.v1",
        "name": str(encoder),
        "get_spans": {"@span_getters": "spacy-transformers.strided_spans.v1", "window": 4, "stride": 3},
        "tokenizer_config": {"use_fast": True},
    }
    nlp = spacy.blank("en")
    nlp.add_pipe("transformer", config={"model": architecture})
    nlp.add_pipe("tagger", config={"model": {"@architectures": "spacy.Tagger.v2", "tok2vec": TRANSFORMER_LISTENER}})
    nlp.get_pipe("tagger").add_label("X")  # type: ignore[attr-defined]
    nlp.initialize()
    return nlp


def of_words(doc: Doc, vectors: np.ndarray) -> np.ndarray:
    assert len(vectors) == len(doc)
    return vectors[[not token.is_space for token in doc]]


@pytest.mark.parametrize("text", WRAPPED)
def test_a_tok2vec_gives_words_the_vectors_of_the_text_on_one_line(text: str) -> None:
    model = without_white_space(make_tok2vec())
    model.initialize(X=[NLP(PLAIN)])
    assert model.get_dim("nO") == TOK2VEC["width"]
    docs = [NLP(text), NLP(PLAIN), NLP(""), NLP(" \n")]
    wrapped, plain, empty, blank = model.predict(docs)
    np.testing.assert_array_equal(of_words(docs[0], wrapped), plain)
    assert not wrapped[[token.is_space for token in docs[0]]].any()
    assert empty.shape == (0, TOK2VEC["width"])
    assert blank.shape == (1, TOK2VEC["width"])


def test_a_tok2vec_gets_the_gradients_of_words() -> None:
    gradients = []
    for text in (PLAIN, WRAPPED[0]):
        model = without_white_space(make_tok2vec())
        model.initialize(X=[NLP(PLAIN)])
        doc = NLP(text)
        (vectors,), backprop = model.begin_update([doc])
        is_word = np.array([[not token.is_space] for token in doc])
        backprop([np.where(is_word, vectors, 1e6).astype("f")])
        gradients.append([node.get_grad(name) for node in model.walk() for name in node.grad_names])
    for one, other in zip(*gradients, strict=True):
        np.testing.assert_array_equal(one, other)
    assert any(gradient.any() for gradient in gradients[0])


def token_vectors(nlp: Any) -> Callable[[list[Doc]], list[np.ndarray]]:
    """Annotates documents by the transformer, and returns what its listener makes of them."""
    listener = nlp.get_pipe("tagger").model.get_ref("tok2vec")

    def vectors(docs: list[Doc]) -> list[np.ndarray]:
        transformer = nlp.get_pipe("transformer")
        transformer.set_annotations(docs, transformer.predict(docs))
        found: list[np.ndarray] = listener.predict(docs)
        return found

    return vectors


@pytest.mark.parametrize("text", WRAPPED)
def test_a_transformer_gives_words_the_vectors_of_the_text_on_one_line(pipeline: Any, text: str) -> None:
    vectors = token_vectors(pipeline)
    doc = pipeline.make_doc(text)
    (plain,), (wrapped,) = vectors([pipeline.make_doc(PLAIN)]), vectors([doc])
    np.testing.assert_array_equal(of_words(doc, wrapped), plain)
    assert not wrapped[[token.is_space for token in doc]].any()


def test_documents_of_a_batch_do_not_mix(pipeline: Any) -> None:
    docs = [pipeline.make_doc(text) for text in ("a dog .", WRAPPED[0], "", " \n", WRAPPED[1], "the fox")]
    together, vectors = token_vectors(pipeline)(docs), token_vectors(pipeline)
    for doc, found in zip(docs, together, strict=True):
        assert len(found) == len(doc)
        if len(doc):  # a listener of spacy-transformers fails on a batch of empty documents
            np.testing.assert_allclose(found, vectors([doc])[0], atol=1e-5)


def test_windows_are_spans_of_the_document(pipeline: Any) -> None:
    doc = pipeline.make_doc(WRAPPED[1])
    (spans,) = pipeline.get_pipe("transformer").predict([doc]).spans
    assert {span.doc for span in spans} == {doc}
    assert {token for span in spans for token in range(span.start, span.end)} == set(range(len(doc)))


def test_a_copy_in_place_of_a_listener_does_the_same(pipeline: Any) -> None:
    doc = pipeline.make_doc(WRAPPED[0])
    (shared,) = token_vectors(pipeline)([doc])
    pipeline.replace_listeners("transformer", "tagger", ["model.tok2vec"])
    (own,) = pipeline.get_pipe("tagger").model.get_ref("tok2vec").predict([doc])
    np.testing.assert_array_equal(own, shared)


def test_the_pipeline_loads(pipeline: Any, tmp_path: Path) -> None:
    doc = pipeline.make_doc(WRAPPED[0])
    (before,) = token_vectors(pipeline)([doc])
    pipeline.to_disk(tmp_path / "pipeline")
    (after,) = token_vectors(spacy.load(tmp_path / "pipeline"))([doc])
    np.testing.assert_array_equal(after, before)
