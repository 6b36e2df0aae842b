from __future__ import annotations

from typing import Any

import pytest
import spacy
from spacy.util import registry

from spacy_span_selector.layers.selection.sampling import Negatives
from spacy_span_selector.pipeline.settings import read_model, read_saved
from spacy_span_selector.pipeline.structured_coref import DEFAULT_MODEL

FACTORIES = ("structured_coref", "structured_srl", "structured_spancat")


def make(factory: str, **settings: Any) -> Any:
    return spacy.blank("xx").add_pipe(factory, config=settings)


def test_keys_of_their_own_are_accepted() -> None:
    make("structured_coref", prefix="group", given_key="given", mentions_key="group_of_1")


@pytest.mark.parametrize("keys", [{"given_key": "a", "mentions_key": "a"}, {"given_key": "x+_12"}])
def test_keys_of_the_same_groups_are_errors_that_name_them(keys: dict[str, str]) -> None:
    problem = r"^'structured_coref' would read what it has written: 'prefix' 'x\+' and '\w+_key' '.*' name"
    with pytest.raises(ValueError, match=problem):
        make("structured_coref", prefix="x+", **keys)
    with pytest.raises(ValueError, match=problem):
        make("structured_coref", prefix="x+").configure(**keys)


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
def test_one_negative_of_any_width_is_sampled_per_token(factory: str, annotation: str) -> None:
    assert make(factory, annotation=annotation).sampled_negatives == Negatives(1.0, "all")


@pytest.mark.parametrize("widths", ["all", "gold"])
def test_negatives_that_are_given_are_drawn(widths: Any) -> None:
    pipe = make("structured_coref", negatives=0.0, negative_widths=widths)
    assert pipe.sampled_negatives == Negatives(0.0, widths)


@pytest.mark.parametrize(
    "set_it", [lambda pipe: setattr(pipe, "threshold", 7), lambda pipe: pipe.configure(threshold=7)]
)
def test_a_setting_is_checked_wherever_it_is_set(set_it: Any) -> None:
    pipe = make("structured_srl")
    with pytest.raises(ValueError, match="'threshold' of 'structured_srl' is 7; it must be less than or equal to 1"):
        set_it(pipe)
    assert pipe.threshold == 0.4


def test_of_several_settings_none_is_changed_if_one_is_wrong() -> None:
    pipe = make("structured_srl")
    with pytest.raises(ValueError, match="negatives"):
        pipe.configure(threshold=0.6, negatives=-1.0)
    assert pipe.threshold == 0.4


def test_saved_settings_are_read() -> None:
    assert read_saved(b'{"threshold": 0.5}', "who", "a/cfg", ["kind", "threshold"]) == {"threshold": 0.5}


@pytest.mark.parametrize(
    ("saved", "problem"),
    [
        (b"{", "Can't load 'who': a/cfg is not JSON: .* Save the pipeline again"),
        (b"[1, 2]", r"Can't load 'who': a/cfg has \[1, 2\]; expected a JSON object"),
        (
            b'{"size": 1}',
            "Can't load 'who' from a/cfg: there is no setting 'size'; expected some of kind, threshold. A ne",
        ),
    ],
)
def test_other_files_are_errors_that_name_them(saved: bytes, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        read_saved(saved, "who", "a/cfg", ["kind", "threshold"])


def test_the_default_model_has_a_tok2vec_of_its_own() -> None:
    nlp = spacy.blank("en")
    model = registry.resolve({"model": DEFAULT_MODEL})["model"]
    (vectors,) = model.get_ref("tok2vec").initialize(X=[nlp("Ann left.")]).predict([nlp("He slept.")])
    assert vectors.shape == (3, 96)


def test_each_component_has_a_configuration_of_its_own() -> None:
    one, other = (read_model("[model]\nx = 1") for _ in range(2))
    one["tok2vec"]["embed"]["width"] = 1
    assert other["tok2vec"]["embed"]["width"] == 96
