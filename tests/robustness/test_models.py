"""Saved pipelines that were tampered with: an error says so, or the pipeline works."""

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import spacy
from hypothesis import strategies as st
from spacy.language import Language

from ..pipeline.components import annotation, network
from .damage import Damage, damage, damages
from .fuzzing import fuzz
from .pipelines import each_component, pipeline, saved
from .strategies import json_values

TEXT = "Ann gave her brother a key. He left it there."
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
