"""The same annotation however a pipeline runs: in threads, in processes, in batches, and after it was saved.

Every combination of component and encoder is tried, with dropout in both encoder and network: it is for training alone.
"""

from __future__ import annotations

import pickle
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import spacy
from spacy.language import Language

from ..pipeline.components import Annotation, annotation, assert_same
from .pipelines import build, each_component, each_encoder, pipeline

# No text repeats itself: among antecedents of equal scores, rounding decides which are kept.
TEXTS = (
    "Ann Lee met her brother at the station. He thanked Ann, and left.",
    "Leo lost a hat. Ruth found it near her house. Leo picked up the hat that Ruth left there, and gave it a key.",
    "Yes.",
    "",
    "Tom left a key there yesterday. Ann gave it her brother",
    "  \n ",
    'He said: "I left." She did not. Then Tom gave up, and so did her brother.',
    "Go",
    "Ann gave Leo a key, a hat, a house, a station and her brother, and he left them there, where Ruth found them.",
)
THREADS = 8

EQUAL = 0.0
ROUNDING = 1e-5
"""How far probabilities may differ if others are computed beside them: sums are rounded after each addition, and their
order depends on the shape of the matrices. In float32 this costs up to 2e-6 here."""


def alone(nlp: Language, texts: tuple[str, ...] = TEXTS) -> list[Annotation]:
    return [annotation(nlp(text)) for text in texts]


@each_component
@each_encoder
def test_threads(factory: str, encoder: str) -> None:
    nlp = pipeline(factory, encoder)
    texts = TEXTS * 8
    expected = alone(nlp) * 8
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(THREADS) as pool:
            found = list(pool.map(lambda text: annotation(nlp(text)), texts))
    finally:
        sys.setswitchinterval(interval)
    assert found == expected


@each_component
@each_encoder
def test_processes(factory: str, encoder: str) -> None:
    nlp = pipeline(factory, encoder)
    found = [annotation(doc) for doc in nlp.pipe(TEXTS * 2, n_process=2, batch_size=3)]
    assert_same(found, alone(nlp) * 2, ROUNDING)


@each_component
@each_encoder
@pytest.mark.parametrize("batch_size", [1, 7, 64])
def test_batches(factory: str, encoder: str, batch_size: int) -> None:
    nlp = pipeline(factory, encoder)
    found = [annotation(doc) for doc in nlp.pipe(TEXTS * 2, batch_size=batch_size)]
    assert_same(found, alone(nlp) * 2, EQUAL if batch_size == 1 else ROUNDING)


def through_bytes(nlp: Language, factory: str, encoder: str, folder: Path) -> Language:
    return build(factory, encoder).from_bytes(nlp.to_bytes())


def through_disk(nlp: Language, factory: str, encoder: str, folder: Path) -> Language:
    nlp.to_disk(folder)
    return spacy.load(folder)


def through_pickle(nlp: Language, factory: str, encoder: str, folder: Path) -> Language:
    loaded: Language = pickle.loads(pickle.dumps(nlp))
    return loaded


@each_component
@each_encoder
@pytest.mark.parametrize("through", [through_bytes, through_disk, through_pickle])
def test_serialization(factory: str, encoder: str, through: object, tmp_path: Path) -> None:
    nlp = pipeline(factory, encoder)
    loaded = through(nlp, factory, encoder, tmp_path)  # type: ignore[operator]
    assert alone(loaded) == alone(nlp)
