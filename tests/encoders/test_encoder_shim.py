import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import srsly
import torch
from spacy.util import registry

from spacy_span_selector.encoders.transformer import build_transformer_model

from ..harmful import MakesFolder, as_by_default_before_torch_2_6, saved

Message = dict[str, Any]


@pytest.fixture
def shim(encoder: Path) -> Any:
    """The shim of an encoder with weights."""
    return built(str(encoder))


def built(name: str) -> Any:
    model = build_transformer_model(name=name, get_spans=registry.span_getters.get("spacy-transformers.doc_spans.v1")())
    if name != "nothing":
        model.initialize()
    return model.layers[0].shims[0]


def message_of(shim: Any) -> Message:
    message: Message = srsly.msgpack_loads(shim.to_bytes())
    return message


def load(shim: Any, message: Message) -> Any:
    return shim.from_bytes(srsly.msgpack_dumps(message))


@pytest.mark.parametrize("state", [b"", b"nothing", b"\xff" * 8])
def test_weights_in_another_format_are_an_error(shim: Any, state: bytes) -> None:
    with pytest.raises(ValueError, match="The weights of the pretrained encoder are not in an archive"):
        load(shim, {**message_of(shim), "state": state})


def test_no_code_in_weights_is_run(shim: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    as_by_default_before_torch_2_6(monkeypatch)
    harm = tmp_path / "harm"
    weights = {**shim._model.state_dict(), "more": MakesFolder(harm)}
    with pytest.raises(ValueError, match="The weights of the pretrained encoder hold something else than tensors"):
        load(shim, {**message_of(shim), "state": saved(weights)})
    assert not harm.exists()


@pytest.mark.parametrize("name", ["../harm", "/tmp/harm", "a/../../harm", "..\\harm", "C:harm", "", ".", "..", "a/b"])
def test_a_tokenizer_writes_no_file_elsewhere(shim: Any, name: str) -> None:
    message = message_of(shim)
    message["tokenizer"][name] = b"harm"
    with pytest.raises(ValueError, match=r"The tokenizer of the pretrained encoder has .* no name of one"):
        load(shim, message)


def test_a_tokenizer_runs_no_code_of_its_own(shim: Any, tmp_path: Path) -> None:
    message = message_of(shim)
    harm = tmp_path / "harm"
    code = f"import os; os.mkdir({str(harm)!r})\nfrom transformers import BertTokenizerFast as Own\n"
    message["tokenizer"]["own.py"] = code.encode()
    settings = json.loads(message["tokenizer"]["tokenizer_config.json"])
    settings |= {"auto_map": {"AutoTokenizer": ["own.Own", "own.Own"]}, "tokenizer_class": "Own"}
    message["tokenizer"]["tokenizer_config.json"] = json.dumps(settings).encode()
    with pytest.raises(ValueError, match=r"has the options \{.*trust_remote_code.*expected 'use_fast' alone"):
        load(shim, {**message, "tokenizer": {**message["tokenizer"], "kwargs": {"trust_remote_code": True}}})
    with suppress(ValueError):  # transformers 4 refuses it, 5 takes a tokenizer of its own instead
        load(shim, message)
    assert not harm.exists()


def test_a_config_runs_no_code_of_its_own(shim: Any) -> None:
    message = message_of(shim)
    message["config"] |= {"auto_map": {"AutoModel": "someone/model--own.Own"}, "model_type": "own"}
    with pytest.raises(ValueError, match=r"trust_remote_code|model type `own`"):
        load(shim, message)


def test_weights_of_another_encoder_are_an_error(shim: Any) -> None:
    message = message_of(shim)
    message["config"]["vocab_size"] += 1
    with pytest.raises(
        ValueError, match=r"The weights of the pretrained encoder do not fit its config: [\s\S]*size mismatch"
    ):
        load(shim, message)


def test_weights_that_are_missing_or_not_known_are_reported(shim: Any) -> None:
    weights = dict(shim._model.state_dict())
    name = next(iter(weights))
    expected = {**weights, "more": weights.pop(name)}
    with pytest.warns(
        UserWarning, match=rf"1 are missing, such as \['{name}'\], and 1 are not known, such as \['more'\]"
    ):
        load(shim, {**message_of(shim), "state": saved(weights | {"more": expected["more"]})})


def test_ranges_for_products_in_int8_that_were_saved_once_are_ignored(shim: Any) -> None:
    empty = built("nothing")
    load(empty, {**message_of(shim), "ranges": b"anything"})
    assert "ranges" not in message_of(empty)


def test_nothing_is_left_in_the_temporary_folder(shim: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    message = message_of(shim)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    load(shim, message)
    assert os.listdir(tmp_path) == []


def test_an_encoder_without_weights_can_be_saved(shim: Any) -> None:
    empty = built("nothing")
    assert empty.from_bytes(empty.to_bytes())._hfmodel.transformer is None
    loaded = empty.from_bytes(shim.to_bytes())
    torch.testing.assert_close(dict(loaded._model.state_dict()), dict(shim._model.state_dict()))
