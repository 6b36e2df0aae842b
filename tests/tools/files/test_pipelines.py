import json
import re
import shutil
import sys
from pathlib import Path

import pytest
import spacy

from spacy_span_selector.tools.files.pipelines import describe_pipeline, find_keys, load_pipeline, pipeline_folder

from ..annotate.conftest import model  # noqa: F401


def test_a_package_is_described_by_its_files(model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):  # noqa: F811
    package = tmp_path / "xx_tales"  # as 'spacy package' lays it out
    nlp = spacy.load(model)
    nlp.meta["name"] = "tales"
    package.mkdir()
    nlp.to_disk(package / "xx_tales-0.0.0")
    (package / "meta.json").write_bytes((package / "xx_tales-0.0.0/meta.json").read_bytes())
    (package / "__init__.py").touch()
    info = tmp_path / "xx_tales-0.0.0.dist-info/METADATA"
    info.parent.mkdir()
    info.write_text("Metadata-Version: 2.1\nName: xx_tales\nVersion: 0.0.0\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert pipeline_folder("xx_tales") == package / "xx_tales-0.0.0"
    before = describe_pipeline("xx_tales", None)
    assert before["name"] == "xx_tales"
    (package / "__pycache__").mkdir(exist_ok=True)  # which depends on the Python that imports it
    (package / "__pycache__/x.pyc").write_bytes(b"")
    assert describe_pipeline("xx_tales", None) == before
    del sys.modules["xx_tales"]


@pytest.mark.parametrize("name", ["no_such_model", "no/such/model"])
def test_a_pipeline_that_is_not_there_is_named(name: str):
    with pytest.raises(FileNotFoundError, match=f"{name}: no such folder with a pipeline, nor a package"):
        pipeline_folder(name)


@pytest.mark.parametrize("file", ["meta.json", "config.cfg", "vocab/strings.json"])
def test_a_damaged_pipeline_is_named(model: str, tmp_path: Path, file: str):  # noqa: F811
    damaged = tmp_path / "damaged"
    shutil.copytree(model, damaged)
    (damaged / file).write_bytes((damaged / file).read_bytes()[:40])
    with pytest.raises(ValueError, match=re.escape(f"{damaged}: can't be loaded (")):
        load_pipeline(str(damaged))


def test_weights_settings_and_code_make_other_pipelines(model: str, tmp_path: Path):  # noqa: F811
    code = tmp_path / "code.py"
    code.write_text("")
    found = [describe_pipeline(model, None), describe_pipeline(model, code)]
    spacy.load(model).to_disk(tmp_path / "other")
    (tmp_path / "other/tokenizer").write_bytes(b"")
    found.append(describe_pipeline(str(tmp_path / "other"), None))
    assert len({json.dumps(description) for description in found}) == 3


def test_the_first_component_says_where_annotation_is():
    nlp = spacy.blank("en")
    nlp.add_pipe("structured_coref", config={"prefix": "people", "mentions_key": "found"})
    nlp.add_pipe("structured_srl", config={"prefix": "roles", "spans_key": "chosen"})
    nlp.add_pipe("structured_spancat", name="nested", config={"spans_key": "mine"})
    nlp.add_pipe("structured_spancat", name="others")
    assert find_keys(nlp) == {
        "cluster_prefix": "people",
        "mentions_key": "found",
        "frame_prefix": "roles",
        "predicates_key": "srl_predicates",
        "spans_key": "chosen",
        "labelled_key": "mine",
    }
