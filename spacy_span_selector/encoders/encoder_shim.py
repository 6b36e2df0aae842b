"""The model and the shim of a pretrained encoder of spacy-transformers, whose files may come from anyone.

The shim of spacy-transformers, whose files these are, leaves it to torch whether a pickle among them runs, writes the
tokenizer's files wherever their names say, and passes any option to the tokenizer, `trust_remote_code` among them.
"""

from __future__ import annotations

import json
import warnings
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PureWindowsPath
from tempfile import TemporaryDirectory
from typing import Any

import srsly
from spacy.tokens import Doc, Span
from spacy.util import SimpleFrozenDict
from spacy_transformers.data_classes import HFObjects
from spacy_transformers.layers import TransformerModel
from spacy_transformers.layers.hf_shim import HFShim
from thinc.api import get_torch_default_device
from transformers import MODEL_MAPPING

from ..models.torch_head import AveragedShim
from ..models.weights import load_weights, save_weights
from .sentence_windows import SentenceWindows
from .without_white_space import run_without_white_space

OWNER = "the pretrained encoder"
LOCAL = {"trust_remote_code": False, "local_files_only": True}
"""No code and no file from elsewhere: all that an encoder needs is saved with it."""


class EncoderShim(AveragedShim, HFShim):
    """A pretrained encoder that is loaded without running anything that its files hold."""

    def to_bytes(self) -> bytes:
        """The encoder and its tokenizer, as spacy-transformers writes them, but with weights as `stored_as` says."""
        message = srsly.msgpack_loads(super().to_bytes())
        if self._model is not None:
            message["state"] = save_weights(self._model)  # version 2 of spacy-transformers has another format
        return srsly.msgpack_dumps(message)

    def from_bytes(self, bytes_data: bytes) -> EncoderShim:
        """Load the encoder and its tokenizer from what `to_bytes` returned, here or in spacy-transformers 1."""
        message = srsly.msgpack_loads(bytes_data)
        if not message["config"]:  # saved before it was initialized: there is nothing but settings
            super().from_bytes(bytes_data)
            return self
        files, options = _check_tokenizer(message["tokenizer"])
        device = get_torch_default_device()
        weights = load_weights(message["state"], device, OWNER)
        with TemporaryDirectory() as folder:
            for name, content in {**files, "config.json": json.dumps(message["config"]).encode()}.items():
                (Path(folder) / name).write_bytes(content)
            config = self.config_cls.from_pretrained(folder, **LOCAL)
            tokenizer = self.tokenizer_cls.from_pretrained(folder, **options, **LOCAL)
        # What AutoModel.from_config does, which first imports all architectures of transformers to look for this one.
        encoder = MODEL_MAPPING[type(config)](config)  # type: ignore[operator]
        _set_weights(encoder, weights)
        vocabulary = files.get(tokenizer.vocab_files_names["vocab_file"]) if hasattr(tokenizer, "vocab_file") else None
        self._hfmodel = HFObjects(tokenizer, encoder, vocabulary, SimpleFrozenDict(), SimpleFrozenDict())
        self._model = encoder.to(device)
        return self


def _check_tokenizer(saved: dict[str, Any]) -> tuple[dict[str, bytes], dict[str, bool]]:
    """The files of a tokenizer, and its options."""
    files = {name: content for name, content in saved.items() if name != "kwargs"}
    options = saved.get("kwargs", {})
    cure = "Get the pipeline again from where it was trained, and from nobody else."
    for name, content in files.items():
        is_name = isinstance(name, str) and name not in ("", "..") and PureWindowsPath(name).name == name
        if not is_name or not isinstance(content, bytes):
            raise ValueError(f"The tokenizer of {OWNER} has {name!r} among its files, which is no name of one. {cure}")
    if not {"use_fast"} >= options.keys() or not all(isinstance(value, bool) for value in options.values()):
        raise ValueError(f"The tokenizer of {OWNER} has the options {options}; expected 'use_fast' alone. {cure}")
    return files, options


def _set_weights(encoder: Any, weights: dict[str, Any]) -> None:
    try:
        missing, unexpected = encoder.load_state_dict(weights, strict=False)
    except RuntimeError as error:
        raise ValueError(f"The weights of {OWNER} do not fit its config: {error}") from error
    if missing or unexpected:
        warnings.warn(
            f"This version of transformers expects other weights of {OWNER}: {len(missing)} are missing, such as "
            f"{missing[:3]}, and {len(unexpected)} are not known, such as {unexpected[:3]}. It may predict something "
            "else than it was trained to: install the version that it was saved with.",
            stacklevel=2,
        )


@dataclass
class ModelWindows:
    """Windows for one encoder, whose tokenizer is not there before it is initialized or loaded."""

    windows: SentenceWindows
    model: TransformerModel

    def __call__(self, docs: list[Doc]) -> list[list[Span]]:
        return self.windows.cut(docs, self.model.tokenizer)


class WordsTransformer(TransformerModel):
    """A pretrained encoder that does not see white space, and whose windows may be those of `SentenceWindows`."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._func = partial(run_without_white_space, self._func)
        if isinstance(self.attrs["get_spans"], SentenceWindows):
            self.attrs["get_spans"] = ModelWindows(self.attrs["get_spans"], self)

    def copy(self) -> Any:
        copied = super().copy()
        copied._func = self._func
        if isinstance(self.attrs["get_spans"], ModelWindows):
            copied.attrs["get_spans"] = ModelWindows(self.attrs["get_spans"].windows, copied)
        return copied
