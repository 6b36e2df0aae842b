from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from spacy.tokens import Doc, SpanGroup
from spacy.vocab import Vocab

from spacy_span_selector.annotation import get_antecedents, get_scores

DOC = Doc(Vocab(), words=["Ann", "saw", "her", "dog"])


def group(*spans: tuple[int, int], **attrs: Any) -> SpanGroup:
    return SpanGroup(DOC, spans=[DOC[start:end] for start, end in spans], attrs=attrs)


@pytest.mark.parametrize("scores", [[0.5, 1.0], (0.5, 1), np.asarray([0.5, 1.0], dtype=np.float32)])
def test_scores_are_numbers_of_any_kind(scores: Any):
    found = get_scores(group((0, 1), (2, 3), scores=scores))
    assert found == [0.5, 1.0] and [*map(type, found)] == [float, float]


@pytest.mark.parametrize("scores", [None, 7, "ab", [0.5], [0.5, None], [0.5, "1"], [0.5, True], [0.5, float("inf")]])
def test_other_scores_are_none(scores: Any):
    assert get_scores(group((0, 1), (2, 3), scores=scores)) is None


def test_scores_have_a_name():
    assert get_scores(group((0, 1), scores=[0.5], link_scores=[1.0]), "link_scores") == [1.0]
    assert get_scores(group((0, 1))) is None


def test_antecedents_are_earlier_mentions():
    assert get_antecedents(group((0, 1), (2, 3), (2, 4), antecedents=[None, 0, 1])) == [None, 0, 1]
    assert get_antecedents(group((2, 3), (0, 1), antecedents=[1, None])) == [1, None]


@pytest.mark.parametrize(
    "antecedents",
    [None, 0, "ab", [None], [None, 1], [1, None], [None, 2], [None, -2], [None, "0"], [None, False], [0, 0]],
)
def test_other_antecedents_are_none(antecedents: Any):
    assert get_antecedents(group((0, 1), (2, 3), antecedents=antecedents)) is None
