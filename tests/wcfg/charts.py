"""Charts of scores to test grammars with."""

import hypothesis.strategies as st
import numpy as np
import torch
from torch import Tensor


def random_scores(*shape: int, dtype: torch.dtype = torch.float64, seed: int = 0, scale: float = 1.0) -> Tensor:
    """Normally distributed scores."""
    generator = torch.Generator().manual_seed(seed)
    return scale * torch.randn(*shape, dtype=dtype, generator=generator)


@st.composite
def charts(draw: st.DrawFn, longest: int, greatest: float = 12.0) -> tuple[Tensor, Tensor]:
    """A batch of one to three sentences, some spans forbidden, with NaN outside the sentences.

    longest (int): The greatest number of tokens.
    greatest (float): The greatest absolute score.
    """
    lengths = draw(st.lists(st.integers(1, longest), min_size=1, max_size=3))
    size = max(lengths) + draw(st.integers(0, 1))
    values = st.one_of(st.floats(-greatest, greatest), st.just(-np.inf))
    scores = torch.full((len(lengths), size, size), torch.nan, dtype=torch.float64)
    for sentence, length in enumerate(lengths):
        for start in range(length):
            for last in range(start, length):
                scores[sentence, start, last] = draw(values)
    return scores, torch.tensor(lengths)
