"""Spans that property tests draw."""

from hypothesis import strategies as st

N_TOKENS = 8
drawn_offsets = st.tuples(st.integers(0, N_TOKENS - 1), st.integers(0, N_TOKENS - 1)).map(
    lambda ends: (min(ends), max(ends) + 1)
)
