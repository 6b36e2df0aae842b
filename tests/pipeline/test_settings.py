import json
from typing import Any

import pytest
import spacy
from spacy.util import registry

from spacy_span_selector.layers.selection.sampling import Negatives
from spacy_span_selector.pipeline.settings import default_model, read_saved
from spacy_span_selector.pipeline.structured_coref import DEFAULT_MODEL

FACTORIES = ("structured_coref", "structured_srl", "structured_spancat")


def make(factory: str, **settings: Any) -> Any:
    return spacy.blank("xx").add_pipe(factory, config=settings)


@pytest.mark.parametrize(
    ("factory", "settings", "annotation"),
    [
        ("structured_coref", {}, "complete"),
        ("structured_coref", {"keep_singletons": False}, "partial"),
        ("structured_coref", {"keep_singletons": False, "annotation": "complete"}, "complete"),
        ("structured_srl", {}, "complete"),
        ("structured_spancat", {}, "complete"),
    ],
)
def test_annotation_is_complete_with_singletons_unless_it_is_given(
    factory: str, settings: dict[str, Any], annotation: str
) -> None:
    assert make(factory, **settings).learnt_annotation == annotation


@pytest.mark.parametrize("factory", FACTORIES)
@pytest.mark.parametrize("annotation", ["complete", "partial"])
def test_one_negative_of_any_width_is_sampled_per_token_unless_others_are_given(factory: str, annotation: str) -> None:
    assert make(factory, annotation=annotation).sampled_negatives == Negatives(1.0, "all")
    for widths in ("all", "gold"):
        pipe = make(factory, negatives=0.0, negative_widths=widths)
        assert pipe.sampled_negatives == Negatives(0.0, widths)


@pytest.mark.parametrize(
    ("saved", "problem"),
    [
        (b"{", "Can't load 'who': a/cfg is not JSON: .* Save the pipeline again"),
        (b"[1, 2]", r"Can't load 'who': a/cfg has \[1, 2\]; expected a JSON object"),
    ],
)
def test_other_files_are_errors_that_name_them(saved: bytes, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        read_saved(saved, "who", "a/cfg", ["kind", "threshold"])


def test_the_default_model_has_a_tok2vec_of_its_own_and_each_component_its_copy() -> None:
    nlp = spacy.blank("en")
    model = registry.resolve({"model": DEFAULT_MODEL})["model"]
    (vectors,) = model.get_ref("tok2vec").initialize(X=[nlp("Ann left.")]).predict([nlp("He slept.")])
    assert vectors.shape == (3, 96)
    one, other = (default_model("x") for _ in range(2))
    one["tok2vec"]["embed"]["width"] = 1
    assert other["tok2vec"]["embed"]["width"] == 96


def test_a_list_that_is_changed_in_place_is_saved() -> None:
    pipe, other = make("structured_srl", unique_roles=["ARG0"]), make("structured_srl", unique_roles=["ARG0"])
    pipe.unique_roles.append("ARG1")
    other._take_over(json.dumps(pipe._saved()), "the bytes")
    assert other.unique_roles == ["ARG0", "ARG1"]


def test_keys_are_checked_together_where_one_is_set() -> None:
    pipe = make("structured_coref")
    with pytest.raises(ValueError, match="would read what it has written"):
        pipe.mentions_key = pipe.given_key
    assert pipe.mentions_key == "coref_mentions"
