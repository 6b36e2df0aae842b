from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
import spacy
from spacy.language import Language

from spacy_span_selector.tools.annotate import Job
from spacy_span_selector.tools.annotate.pipelines import (
    Precision,
    describe_pipeline,
    find_keys,
    load_for,
    pipeline_folder,
    precision_settings,
)

from . import components


def package(folder: Path, model: str) -> None:
    """Install a pipeline as 'spacy package' lays it out."""
    nlp = spacy.load(model)
    nlp.meta["name"] = "tales"
    (folder / "xx_tales").mkdir()
    nlp.to_disk(folder / "xx_tales/xx_tales-0.0.0")
    meta = folder / "xx_tales/xx_tales-0.0.0/meta.json"
    (folder / "xx_tales/meta.json").write_text(meta.read_text())
    (folder / "xx_tales/__init__.py").write_text("")
    info = folder / "xx_tales-0.0.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: xx_tales\nVersion: 0.0.0\n")


def test_a_package_is_described_by_its_files(model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    package(tmp_path, model)
    monkeypatch.syspath_prepend(str(tmp_path))
    assert pipeline_folder("xx_tales") == tmp_path / "xx_tales/xx_tales-0.0.0"
    before = describe_pipeline(Job(model="xx_tales"))
    assert before["name"] == "xx_tales"
    (tmp_path / "xx_tales/__pycache__").mkdir(exist_ok=True)  # which depends on the Python that imports it
    (tmp_path / "xx_tales/__pycache__/x.pyc").write_bytes(b"")
    assert describe_pipeline(Job(model="xx_tales")) == before
    del sys.modules["xx_tales"]


@pytest.mark.parametrize("model", ["no_such_model", "no/such/model"])
def test_a_pipeline_that_is_not_there_is_named(model: str):
    with pytest.raises(FileNotFoundError, match=f"{model}: no such folder with a pipeline, nor a package"):
        pipeline_folder(model)


def test_weights_settings_and_code_make_other_pipelines(model: str, tmp_path: Path):
    code = tmp_path / "code.py"
    code.write_text("")
    found = [describe_pipeline(Job(model=model)), describe_pipeline(Job(model=model, code=code))]
    spacy.load(model).to_disk(tmp_path / "other")
    (tmp_path / "other/tokenizer").write_bytes(b"")
    found.append(describe_pipeline(Job(model=str(tmp_path / "other"))))
    assert len({json.dumps(description) for description in found}) == 3


def test_code_is_imported_before_the_pipeline_is_loaded(model: str, tmp_path: Path):
    code = tmp_path / "code.py"
    code.write_text("raise OSError('imported')")
    with pytest.raises(ValueError, match=r"code.py: this code can't be run \(OSError: imported\)"):
        load_for(Job(model=model, code=code))
    assert load_for(Job(model=model, code=Path(components.__file__))).pipe_names[-1] == "rules_of_tests"


def with_encoder(**settings: Any) -> Language:
    """A pipeline with an encoder that is not initialized."""
    nlp = spacy.blank("en")
    spans = {"@span_getters": "spacy-transformers.doc_spans.v1"}
    encoder = {
        "@architectures": "spacy_span_selector.TransformerModel.v1",
        "name": "none",
        "get_spans": spans,
        "tokenizer_config": {},
        **settings,
    }
    nlp.add_pipe("transformer", config={"model": encoder})
    return nlp


OF_ENCODERS = {"float32": {"bfloat16": False}, "bfloat16": {"bfloat16": "prediction"}}


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_precision_is_set_wherever_there_is_an_encoder(precision: Precision, tmp_path: Path):
    pytest.importorskip("spacy_transformers", reason="needs the extra 'transformers'")
    nlp = with_encoder()
    expected = {"components": {"transformer": {"model": OF_ENCODERS[precision]}}}
    assert precision_settings(nlp, "m", precision) == expected
    nlp.to_disk(tmp_path / "model")
    for given, settings in ((precision, OF_ENCODERS[precision]), (None, {"bfloat16": "prediction"})):
        model = load_for(Job(model=str(tmp_path / "model"), precision=given)).config["components"]["transformer"][
            "model"
        ]
        assert {name: model[name] for name in settings} == settings


def test_an_encoder_within_a_component_is_found(monkeypatch: pytest.MonkeyPatch):
    encoder = {"@architectures": "spacy_span_selector.Tok2VecTransformer.v1", "bfloat16": False}
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    monkeypatch.setattr(nlp, "get_pipe_config", lambda name: {"model": {"tok2vec": encoder}})
    expected = {"components": {"sentencizer": {"model": {"tok2vec": OF_ENCODERS["bfloat16"]}}}}
    assert precision_settings(nlp, "m", "bfloat16") == expected


@pytest.mark.parametrize("component", ["structured_coref", "structured_srl", "structured_spancat"])
@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_bfloat16_is_set_for_the_networks_of_components_too(component: str, precision: Precision):
    nlp = spacy.blank("en")
    nlp.add_pipe(component)
    expected = {"components": {component: {"model": {"bfloat16": precision == "bfloat16"}}}}
    assert precision_settings(nlp, "m", precision) == expected


def test_without_an_encoder_a_precision_is_an_error(model: str):
    match = r"--precision bfloat16 needs an encoder .* there is none \(sentencizer, rules_of_tests\)"
    with pytest.raises(ValueError, match=match):
        load_for(Job(model=model, precision="bfloat16"))


def test_labelled_spans_are_found_where_the_first_component_puts_them():
    nlp = spacy.blank("en")
    nlp.add_pipe("structured_spancat", name="nested", config={"spans_key": "mine"})
    nlp.add_pipe("structured_spancat", name="others")
    assert find_keys(nlp) == {"labelled_key": "mine"}
