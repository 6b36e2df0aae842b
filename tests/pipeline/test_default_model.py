from __future__ import annotations

import spacy
from spacy.util import registry

from spacy_span_selector.pipeline.default_model import default_model


def test_the_default_model_has_a_tok2vec_of_its_own() -> None:
    nlp = spacy.blank("en")
    model = registry.resolve({"model": default_model("spacy_span_selector.SrlModel.v1")})["model"]
    (vectors,) = model.get_ref("tok2vec").initialize(X=[nlp("Ann left.")]).predict([nlp("He slept.")])
    assert vectors.shape == (3, 96)


def test_each_component_has_a_configuration_of_its_own() -> None:
    one, other = (default_model("spacy_span_selector.SrlModel.v1") for _ in range(2))
    one["tok2vec"]["embed"]["width"] = 1
    assert other["tok2vec"]["embed"]["width"] == 96
