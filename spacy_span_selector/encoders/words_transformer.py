"""The model of spacy-transformers, which needs that package, for documents without white space."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from spacy.tokens import Doc, Span
from spacy_transformers.layers import TransformerModel

from .sentence_windows import SentenceWindows
from .without_white_space import read_without_white_space


@dataclass
class ModelWindows:
    """Windows for one encoder, whose tokenizer is not there before it is initialized or loaded."""

    windows: SentenceWindows
    model: TransformerModel

    def __call__(self, docs: list[Doc]) -> list[list[Span]]:
        return self.windows.cut(docs, self.model.tokenizer)


class WordsTransformer(TransformerModel):
    """A pretrained encoder that does not see white space, and whose windows may be those of `SentenceWindows`.

    Its arguments are those of `TransformerModel`.
    """

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._func = read_without_white_space(self._func)
        if isinstance(self.attrs["get_spans"], SentenceWindows):
            self.attrs["get_spans"] = ModelWindows(self.attrs["get_spans"], self)

    def copy(self) -> Any:
        copied = super().copy()
        copied._func = self._func
        if isinstance(self.attrs["get_spans"], ModelWindows):
            copied.attrs["get_spans"] = ModelWindows(self.attrs["get_spans"].windows, copied)
        return copied
