"""The model of spacy-transformers, which needs that package, for documents without white space."""

from __future__ import annotations

from typing import Any

from spacy_transformers.layers import TransformerModel

from .without_white_space import read_without_white_space


class WordsTransformer(TransformerModel):
    """A pretrained encoder that does not see white space. Its arguments are those of `TransformerModel`."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._func = read_without_white_space(self._func)

    def copy(self) -> Any:
        copied = super().copy()
        copied._func = self._func
        return copied
