"""Each component and its trained pipeline, as tests of components have them."""

from ...pipeline.conftest import case, trained

__all__ = ["case", "trained"]
