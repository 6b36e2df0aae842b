"""The base of components whose spans have labels: they are collected, checked, saved, and more can be learnt."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from spacy.tokens import Doc

from ..annotation import get_annotates, types_of
from .selector_pipe import Gold, Output, Prediction, SelectorPipe


class LabelledPipe(SelectorPipe[Gold, Output, Prediction]):
    """A component whose spans have labels.

    types (list[str] | None): The labels of which spans are predicted; None for all. Spans of others may still have been
        selected in their place. May be changed after training.
    """

    types: list[str] | None
    _labels: tuple[str, ...] = ()

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels, most frequent first."""
        return self._labels

    @property
    def label_data(self) -> list[str] | None:
        """The labels, as `initialize` takes them; None if there are none."""
        return list(self._labels) or None

    @property
    def numbers(self) -> dict[str, int]:
        """The number of each label."""
        return {label: number for number, label in enumerate(self._labels)}

    def take_labels(self, docs: Iterable[Doc], settings: Mapping[str, Any]) -> None:
        """Take over the labels of a corpus, or the `labels` of the settings, as for `initialize`.

        RAISES (ValueError): If labels have another form.
        """
        labels = settings.get("labels")
        labels = self._collect_labels(docs) if labels is None else labels
        _check_labels(self.name, labels)
        self._labels = tuple(labels)

    def add_label(self, label: str) -> int:
        """Add a label to a network that has been trained. It is predicted after further training.

        RETURNS (int): 1, or 0 if it is there already.
        RAISES (ValueError): If the label is no label, or the network has not been initialized.
        """
        return len(self._grow([label]))

    def add_labels(self, docs: Iterable[Doc]) -> dict[str, list[str]]:
        """Add the labels of a corpus to a network that has been trained, before it is trained further.

        What was learnt of other labels stays. Without this, new ones are left out of training.

        RETURNS (dict[str, list[str]]): The new "labels".
        RAISES (ValueError): As `add_label`.
        """
        return {"labels": self._grow(self._collect_labels(docs, self._labels))}

    def _grow(self, labels: list[str]) -> list[str]:
        _check_labels(self.name, labels)
        self._check_initialized()
        new = [label for label in labels if label not in self._labels]
        if new:
            self._labels = (*self._labels, *new)
            self.model.attrs["resize_output"](self.model, len(self._labels))
            self.model.attrs["sizes"] = self._sizes()
        return new

    def _collect_labels(self, docs: Iterable[Doc], known: Iterable[str] = ()) -> list[str]:
        """The labels of documents that are annotated, most frequent first, then others that these declare.

        "A|B" stands for one of two where a document declares its types, or where both are labels, or known ones.
        """
        found: Counter[str] = Counter()
        for doc in docs:
            if (labels := self._gold_labels(doc)) is not None:
                declared = get_annotates(doc)
                found.update(own for label in labels for own in ([label] if declared is None else types_of(label)))
                found.update(dict.fromkeys((own for label in declared or () for own in types_of(label)), 0))
        counts, names = Counter[str](), {*found, *known}
        for label, count in found.items():
            types = types_of(label)
            counts.update(dict.fromkeys(types if names.issuperset(types) else [label], count))
        return [label for label, _ in counts.most_common()]

    @abstractmethod
    def _gold_labels(self, doc: Doc) -> list[str] | None:
        """The label of each annotated span of a document that has one; None if the document is not annotated."""

    def _predicted_types(self) -> list[int] | None:
        """The numbers of the labels that are predicted; None for all."""
        if self.types is None:
            return None
        numbers = self.numbers
        for label in self.types:
            if label not in numbers:
                known = ", ".join(self._labels) or "none"
                raise ValueError(f"'types' of '{self.name}' has {label!r}; its labels are {known}.")
        return [numbers[label] for label in self.types]

    def _saved(self) -> dict[str, Any]:
        return {"labels": list(self._labels), **super()._saved()}

    def _take_over_more(self, content: dict[str, Any]) -> None:
        labels = content.get("labels", self._labels)
        _check_labels(self.name, labels)
        self._labels = tuple(labels)

    def _sizes(self) -> dict[str, int]:
        return {"labels": len(self._labels)}


def _check_labels(name: str, labels: Any) -> None:
    are_labels = isinstance(labels, list | tuple) and all(isinstance(label, str) and label for label in labels)
    if not are_labels or len({*labels}) < len(labels):
        raise ValueError(
            f"The labels of '{name}' are {str(labels)[:80]!r}; expected what 'python -m spacy init labels' writes: "
            "a list of strings, each once and none empty, such as ['PER', 'LOC']."
        )
