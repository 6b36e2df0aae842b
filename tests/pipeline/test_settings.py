from __future__ import annotations

from typing import Any

import pytest
import spacy
from spacy.util import registry

from spacy_span_selector.layers.selection.sampling import Negatives
from spacy_span_selector.pipeline.settings import PipeSettings, default_model, read_saved
from spacy_span_selector.pipeline.structured_coref import CorefPipeSettings
from spacy_span_selector.pipeline.structured_spancat import SpancatPipeSettings
from spacy_span_selector.pipeline.structured_srl import SrlPipeSettings
from spacy_span_selector.signatures import naming


def test_keys_of_their_own_are_accepted() -> None:
    CorefPipeSettings(prefix="group", given_key="given", mentions_key="group_of_1")


@pytest.mark.parametrize("keys", [{"given_key": "a", "mentions_key": "a"}, {"given_key": "x+_12"}])
def test_keys_of_the_same_groups_are_errors_that_name_them(keys: dict[str, str]) -> None:
    problem = r"^'who' would read what it has written: 'prefix' 'x\+' and '\w+_key' '.*' name"
    with pytest.raises(ValueError, match=problem), naming("'who'"):
        CorefPipeSettings(prefix="x+", **keys)


@pytest.mark.parametrize(
    ("settings", "annotation"),
    [
        (CorefPipeSettings(), "complete"),
        (CorefPipeSettings(keep_singletons=False), "partial"),
        (CorefPipeSettings(keep_singletons=False, annotation="complete"), "complete"),
        (SrlPipeSettings(), "complete"),
        (SpancatPipeSettings(), "complete"),
    ],
)
def test_annotation_is_complete_with_singletons_unless_it_is_given(settings: PipeSettings, annotation: str) -> None:
    assert settings.learnt_annotation == annotation


@pytest.mark.parametrize("settings", [CorefPipeSettings, SpancatPipeSettings, SrlPipeSettings])
@pytest.mark.parametrize("annotation", ["complete", "partial"])
def test_one_negative_of_any_width_is_sampled_per_token(settings: Any, annotation: Any) -> None:
    assert settings(annotation=annotation).sampled_negatives == Negatives(1.0, "all")


@pytest.mark.parametrize("annotation", ["complete", "partial"])
@pytest.mark.parametrize("widths", ["all", "gold"])
def test_negatives_that_are_given_are_drawn(annotation: Any, widths: Any) -> None:
    settings = CorefPipeSettings(annotation=annotation, negatives=0.0, negative_widths=widths)
    assert settings.sampled_negatives == Negatives(0.0, widths)


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
    model = registry.resolve({"model": default_model("spacy_span_selector.SrlModel.v1")})["model"]
    (vectors,) = model.get_ref("tok2vec").initialize(X=[nlp("Ann left.")]).predict([nlp("He slept.")])
    assert vectors.shape == (3, 96)


def test_each_component_has_a_configuration_of_its_own() -> None:
    one, other = (default_model("spacy_span_selector.SrlModel.v1") for _ in range(2))
    one["tok2vec"]["embed"]["width"] = 1
    assert other["tok2vec"]["embed"]["width"] == 96
