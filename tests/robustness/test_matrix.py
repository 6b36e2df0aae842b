"""The same annotation however a pipeline runs: in threads, in processes and in batches.

Every combination of component and encoder is tried, with dropout in both encoder and network: it is for training alone.
"""

import sys
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import pytest

from ..pipeline.components import Annotation, annotation, assert_same
from .pipelines import each_component, each_encoder, pipeline

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
# How far probabilities may differ if others are computed beside them: sums are rounded after each addition, and their
# order depends on the shape of the matrices. In float32 this costs up to 2e-6 here.
ROUNDING = 1e-5


@cache
def alone(factory: str, encoder: str) -> list[Annotation]:
    return [annotation(pipeline(factory, encoder)(text)) for text in TEXTS]


@each_component
@each_encoder
def test_threads(factory: str, encoder: str) -> None:
    nlp, times = pipeline(factory, encoder), 4
    expected = alone(factory, encoder) * times
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(THREADS) as pool:
            found = list(pool.map(lambda text: annotation(nlp(text)), TEXTS * times))
    finally:
        sys.setswitchinterval(interval)
    assert found == expected


@each_component
@each_encoder
@pytest.mark.parametrize(("processes", "batch_size"), [(2, 3), (1, 1), (1, 7), (1, 64)])
def test_batches(factory: str, encoder: str, processes: int, batch_size: int) -> None:
    docs = pipeline(factory, encoder).pipe(TEXTS, n_process=processes, batch_size=batch_size)
    assert_same([*map(annotation, docs)], alone(factory, encoder), EQUAL if batch_size == 1 else ROUNDING)
