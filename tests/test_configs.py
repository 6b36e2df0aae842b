from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from spacy.util import load_config, walk_dict

from spacy_span_selector.layers.coref.network import CorefSettings
from spacy_span_selector.layers.spancat.network import SpancatSettings
from spacy_span_selector.layers.srl.roles import SrlSettings
from spacy_span_selector.pipeline.settings import defaults
from spacy_span_selector.pipeline.structured_coref import StructuredCoref
from spacy_span_selector.pipeline.structured_spancat import StructuredSpancat
from spacy_span_selector.pipeline.structured_srl import StructuredSrl

ROOT = Path(__file__).parents[1]


RECOMMENDED = {
    "structured_coref": (StructuredCoref, CorefSettings),
    "structured_srl": (StructuredSrl, SrlSettings),
    "structured_spancat": (StructuredSpancat, SpancatSettings),
}
TRAINED = {"learn_rate_factor", "dropout"}
"""Settings that go with the encoder and its learning rate."""
OWN = {
    "coref_cpu.cfg": {  # a small network, which learns without a pretrained encoder
        *("candidate_ratio", "negatives", "hidden_width", "linker_width", "linker_hidden_width"),
        *("distance", "pair_features", "bfloat16"),
    },
    # The sizes and the sampling of the paper.
    "coref_trf.cfg": {"negatives", "hidden_width", "linker_width", "linker_hidden_width", "distance", "pair_features"},
    "srl_trf.cfg": {"hidden_width", "pair_width", "pair_hidden_width", "roleset_vectors"},
    "spancat_trf.cfg": {"hidden_width", "label_hidden_width"},
    "srl_cpu.cfg": {"bfloat16"},
    "spancat_cpu.cfg": {"bfloat16"},
}
OWN["joint_trf.cfg"] = OWN["coref_trf.cfg"] | OWN["srl_trf.cfg"]
"""Settings in which a config differs from the defaults for a reason."""


@pytest.mark.parametrize("path", sorted(ROOT.glob("configs/*.cfg")), ids=lambda path: path.name)
def test_defaults_are_what_the_configs_recommend(path: Path):
    components = load_config(path, interpolate=False)["components"]
    different: set[str] = set()
    for factory, (settings, network) in RECOMMENDED.items():
        if factory in components:
            model = components[factory]["model"]
            assert model["selector"]["@misc"] == f"spacy_span_selector.{type(network.selector).__name__}.v1"
            of_network = {field.name: field.default for field in fields(network) if field.name != "selector"}
            for own, stated in ((defaults(settings), components[factory]), (of_network, model)):
                assert own.keys() <= stated.keys(), f"{path.name} leaves out {own.keys() - stated.keys()}"
                different |= {key for key, value in own.items() if stated[key] != _plain(value)}
    assert different - TRAINED == OWN.get(path.name, set())


def _plain(value: Any) -> Any:
    return [*value] if isinstance(value, tuple) else value


def test_the_published_pipeline_is_trained_as_the_joint_config_trains() -> None:
    """But for texts of further genres, where it computes in bfloat16, layers that a larger encoder would have, labels
    that LitBank does not annotate, widths, and dashes."""
    joint, published = (
        {".".join(keys): value for keys, value in walk_dict(load_config(ROOT / path, interpolate=False))}
        for path in ("configs/joint_minilm.cfg", "pipelines/en_span_selector_sm.cfg")
    )
    different = {key for key in joint.keys() | published.keys() if joint.get(key) != published.get(key)}
    assert {key for key in different if ".genres." not in key and not key.endswith(".hidden_width")} == {
        "components.structured_spancat.model.label_hidden_width",
        "components.transformer.model.bfloat16",
        "components.transformer.model.transformer_config.num_hidden_layers",
        "nlp.after_creation.@callbacks",
        "training.eval_frequency",
    }


def test_the_published_pipeline_goes_on_as_it_was_trained() -> None:
    """But for texts and words of a teacher, and a schedule that is shorter and gentler."""
    trained, taught = (
        {".".join(keys): value for keys, value in walk_dict(load_config(ROOT / path, interpolate=False))}
        for path in ("pipelines/en_span_selector_sm.cfg", "pipelines/en_span_selector_taught.cfg")
    )
    components = {key: value for key, value in taught.items() if key.startswith("components.")}
    pipes = load_config(ROOT / "pipelines/en_span_selector_sm.cfg", interpolate=False)["components"]
    assert components == {f"components.{name}.source": "${paths.trained}" for name in pipes}
    different = {key for key in trained.keys() | taught.keys() if trained.get(key) != taught.get(key)}
    different -= {key for key in different if key.startswith(("paths.", "components.", "initialize.components."))}
    assert {key for key in different if ".free." not in key} == {
        "training.before_update.@callbacks",
        "training.before_update.path",
        "training.eval_frequency",
        *(f"training.optimizer.learn_rate.{name}" for name in ("warmup_steps", "total_steps", "initial_rate")),
    }
