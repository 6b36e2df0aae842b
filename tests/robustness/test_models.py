"""Saved pipelines that were tampered with: an error says so, or the pipeline works; nothing in them is run."""

from __future__ import annotations

import io
import json
import pickle
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import spacy
import srsly
import torch
from hypothesis import strategies as st
from spacy.language import Language

from spacy_span_selector.pipeline.settings import defaults

from ..pipeline.components import annotation, component, network
from .damage import Damage, damage, damages
from .fuzzing import fuzz
from .pipelines import CLASSES, each_component, pipeline, saved
from .strategies import json_values

TEXT = "Ann gave her brother a key. He left it there."
LABELS = {"structured_srl": ("labels", "rolesets"), "structured_spancat": ("labels",)}  # sizes of the network
CALLED = {("structured_srl", "labels"): "roles"}  # in errors
SETTINGS = [
    (factory, name) for factory, kind in CLASSES.items() for name in (*defaults(kind), *LABELS.get(factory, ()))
]
FILES = ("{}/model", "{}/cfg", "config.cfg")
SETTING = re.compile(r"(?!factory)\w+ = ")
# Errors that say what Python did, not what is wrong with the pipeline.
VAGUE = (IndexError, AttributeError, UnboundLocalError, ZeroDivisionError, AssertionError, RecursionError)


@contextmanager
def copied(factory: str) -> Iterator[Path]:
    """A copy of it."""
    with TemporaryDirectory() as folder:
        yield shutil.copytree(saved(factory), Path(folder) / "pipeline")


def check_loading(factory: str, folder: Path) -> Language | str:
    """The pipeline, which annotates, or what the error says."""
    try:
        nlp = spacy.load(folder)
        _, scores = annotation(nlp(TEXT))
    except VAGUE:
        raise
    except Exception as error:
        assert str(error).strip(), repr(error)
        return str(error)
    assert all(0 <= score <= 1 for score in scores), scores
    return nlp


@each_component
@fuzz(16, file=st.sampled_from(FILES), harm=damages)
def test_damaged_files(factory: str, file: str, harm: Damage) -> None:
    with copied(factory) as folder:
        path = folder / file.format(factory)
        path.write_bytes(damage(path.read_bytes(), *harm))
        check_loading(factory, folder)


@fuzz(50, place=st.sampled_from(SETTINGS), value=json_values)
def test_settings_that_were_changed(place: tuple[str, str], value: str) -> None:
    """An odd value is an error that names the setting, or it counts; labels are those of the network."""
    factory, setting = place
    is_label = setting in LABELS.get(factory, ())
    with copied(factory) as folder:
        path = folder / factory / "cfg"
        before = {} if is_label else {setting: getattr(component(pipeline(factory, "cnn")), setting)}
        changed = json.loads(path.read_text(encoding="utf-8")) | {setting: json.loads(value), "configured": before}
        path.write_text(json.dumps(changed), encoding="utf-8")
        loaded = check_loading(factory, folder)
    if isinstance(loaded, str):
        assert factory in loaded and CALLED.get(place, setting) in loaded, loaded
    else:
        assert not is_label
        found = getattr(component(loaded), setting)
        assert ([*found] if isinstance(found, tuple) else found) == json.loads(value)


@each_component
@fuzz(16, place=st.integers(0, 99), value=json_values)
def test_a_config_that_was_changed(factory: str, place: int, value: str) -> None:
    with copied(factory) as folder:
        path = folder / "config.cfg"
        before, heading, own = path.read_text(encoding="utf-8").partition(f"[components.{factory}]\n")
        own, *after = re.split(r"^(?=\[(?!components))", own, flags=re.MULTILINE)
        lines = own.split("\n")
        settings = [i for i, line in enumerate(lines) if SETTING.match(line)]
        at = settings[place % len(settings)]
        lines[at] = f"{lines[at].split(' = ')[0]} = {value}"
        path.write_text("".join([before, heading, "\n".join(lines), *after]), encoding="utf-8")
        check_loading(factory, folder)


@each_component
@fuzz(12, place=st.integers(0, 9), size=st.integers(-1, 40))
def test_sizes_that_were_changed(factory: str, place: int, size: int) -> None:
    nlp = pipeline(factory, "cnn")
    head = network(nlp)
    name = [*head.sizes][place % len(head.sizes)]
    own = head.sizes[name]
    with TemporaryDirectory() as folder:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(head, "sizes", {**head.sizes, name: size})
            nlp.to_disk(folder)
        loaded = check_loading(factory, Path(folder))
    assert isinstance(loaded, str) or size == own


@each_component
@pytest.mark.parametrize("file", FILES)
def test_a_missing_file(factory: str, file: str) -> None:
    """An error names the file or the component, or the pipeline does the same without it."""
    with copied(factory) as folder:
        (folder / file.format(factory)).unlink()
        loaded = check_loading(factory, folder)
    if isinstance(loaded, str):
        assert factory in loaded or Path(file).name in loaded
    else:
        assert annotation(loaded(TEXT)) == annotation(pipeline(factory, "cnn")(TEXT))


class Bomb:
    """Leaves a trace where it is unpickled."""

    def __init__(self, trace: Path) -> None:
        self.trace = trace

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return Path.touch, (self.trace,)


def pack(bomb: Bomb, kind: str) -> bytes:
    if kind == "pickle":
        return pickle.dumps(bomb)
    buffer = io.BytesIO()
    torch.save({"weight": bomb}, buffer, _use_new_zipfile_serialization=kind == "torch")
    return buffer.getvalue()


PLACES = ("weights", "module", "{}/model")


@each_component
@pytest.mark.parametrize(
    ("place", "kind"),
    [
        *((place, kind) for place in PLACES for kind in ("pickle", "torch", "old torch")),
        *((file, "pickle") for file in ("{}/cfg", "config.cfg", "meta.json")),
    ],
)
def test_nothing_is_unpickled(factory: str, place: str, kind: str, tmp_path: Path) -> None:
    """A pickle in place of the weights, of the module that has them, or of a file."""
    trace = tmp_path / "trace"
    bomb = pack(Bomb(trace), kind)
    with copied(factory) as folder:
        path = folder / f"{factory}/model" if place in PLACES else folder / place.format(factory)
        path.write_bytes(packed_in(path.read_bytes(), place, bomb) if place in ("weights", "module") else bomb)
        assert isinstance(check_loading(factory, folder), str)
    assert not trace.exists()
    (pickle.loads(bomb) if kind == "pickle" else torch.load(io.BytesIO(bomb), weights_only=False))
    assert trace.exists(), "the bomb is one"


def packed_in(model: bytes, place: str, bomb: bytes) -> bytes:
    """The bytes of a model with a bomb in the place of its weights, or of its module."""
    content = srsly.msgpack_loads(model)
    shims = next(shims for shims in content["shims"] if shims)
    shim = srsly.msgpack_loads(shims[0])
    module = srsly.msgpack_loads(shim["state"])
    shim["state"] = srsly.msgpack_dumps({**module, "weights": bomb}) if place == "weights" else bomb
    shims[0] = srsly.msgpack_dumps(shim)
    packed: bytes = srsly.msgpack_dumps(content)
    return packed
