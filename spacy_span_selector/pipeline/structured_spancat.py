"""The component `structured_spancat`: labelled spans, such as nested named entities, that never cross."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example, validate_get_examples
from thinc.api import Model

from ..annotation import LABELLED_KEY, get_labelled_spans, set_labelled_spans
from ..documents.cleaned import CleanDoc
from ..examples.gold_labels import gold_labels
from ..examples.lost import LostSpans
from ..layers.selection.candidates import Decode, Decoding, Undecoded
from ..layers.selection.sampling import Annotation, Widths
from ..layers.selection.selectors import MOST_SPANS
from ..layers.spancat.network import GoldLabels, SpancatOutput, SpancatRequest
from ..layers.spans.layout import Lengths, SpanLayout
from ..scoring.spancat import LABELLED_SPANS
from .batches import docs_to_initialize
from .selector_pipe import Scorer, SelectorPipe, SpanPrediction
from .settings import Count, NotNegative, Share, read_model

DEFAULT_MODEL = read_model("""
[model]
@architectures = "spacy_span_selector.SpancatModel.v1"
""")


@dataclass(frozen=True)
class SpancatPrediction(SpanPrediction):
    """The prediction of the component for a document: a span is there once for each of its labels.

    labels (list[str]): The label of each span.
    """

    labels: list[str] = field(default_factory=list)

    @property
    def kinds(self) -> list[str]:
        return self.labels

    def only(self, numbers: Sequence[int]) -> SpancatPrediction:
        return replace(super().only(numbers), labels=[self.labels[i] for i in numbers])


@Language.factory(
    "structured_spancat",
    assigns=["doc.spans"],
    requires=["token.is_sent_start"],
    default_config={"model": DEFAULT_MODEL, "scorer": {"@scorers": "spacy.spancat_scorer.v1"}},
    default_score_weights=LABELLED_SPANS.score_weights(),
)
class StructuredSpancat(SelectorPipe[GoldLabels, SpancatOutput, SpancatPrediction]):
    """Select the spans of each sentence as a non-crossing set, and give each its labels.

    spans_key (str): Key of the labelled spans in `doc.spans`, in the annotation that is learnt and in the prediction.
    """

    prediction_type = SpancatPrediction
    gold_name = "gold span"
    selected = "spans_key"
    keys = ("spans_key",)

    def __init__(
        self,
        nlp: Language,
        model: Model[Any, SpancatOutput],
        name: str = "structured_spancat",
        *,
        decoding: Decoding = "marginal",
        threshold: Share = 0.4,
        annotation: Annotation | None = "complete",
        candidate_ratio: NotNegative = 0.4,
        negatives: NotNegative | None = None,
        negative_widths: Widths | None = None,
        learn_rate_factor: NotNegative = 1.0,
        max_sentence_words: Count | None = 500,
        spans_key: str = LABELLED_KEY,
        scorer: Scorer | None = None,
    ) -> None:
        super().__init__(
            nlp,
            model,
            name,
            decoding=decoding,
            threshold=threshold,
            annotation=annotation,
            candidate_ratio=candidate_ratio,
            negatives=negatives,
            negative_widths=negative_widths,
            learn_rate_factor=learn_rate_factor,
            max_sentence_words=max_sentence_words,
            scorer=scorer,
        )
        self.spans_key = spans_key
        self._labels: tuple[str, ...] = ()
        self._remember_settings()

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels, most frequent first."""
        return self._labels

    @property
    def label_data(self) -> list[str]:
        """The labels, as `initialize` takes them."""
        return list(self._labels)

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Language | None = None,
        labels: list[str] | None = None,
    ) -> None:
        """Collect labels, and build the network.

        labels (list[str] | None): Labels as `init labels` writes them; by default they are collected from the examples.
        RAISES (ValueError): If no example has a labelled span, or none has a token, or none has what the selector
            learns beside, or if labels have another form.
        """
        validate_get_examples(get_examples, "StructuredSpancat.initialize")
        examples = list(get_examples())  # reading a corpus takes long, so only once
        self.selector.check_examples(examples, self.name)
        self.take_labels((example.reference for example in examples), {"labels": labels})
        self.model.attrs["sizes"] = self._sizes()
        self.model.initialize(X=docs_to_initialize(examples))
        self._look_through(examples)

    def take_labels(self, docs: Iterable[Doc], settings: Mapping[str, Any]) -> None:
        """Take over the labels of a corpus, or those of the settings.

        docs (Iterable[Doc]): Documents with gold annotation, from which they are collected if they are not given.
        settings (Mapping[str, Any]): `labels`, as for `initialize`.
        RAISES (ValueError): If no document has a labelled span, or labels have another form.
        """
        labels = settings.get("labels")
        labels = self._collect_labels(docs) if labels is None else labels
        _check_labels(self.name, labels)
        if not labels:
            raise ValueError(
                f"'{self.name}' found no labelled span in any training example: no span of "
                f"doc.spans['{self.spans_key}']. Set 'spans_key' to the key that the corpus uses."
            )
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

        docs (Iterable[Doc]): Documents with gold annotation.
        RETURNS (dict[str, list[str]]): The new "labels".
        RAISES (ValueError): If a label is no label, or the network has not been initialized.
        """
        return {"labels": self._grow(self._collect_labels(docs))}

    def _grow(self, labels: list[str]) -> list[str]:
        _check_labels(self.name, labels)
        self._check_initialized()
        new = [label for label in labels if label not in self._labels]
        if new:
            self._labels = (*self._labels, *new)
            self.model.attrs["resize_output"](self.model, len(self._labels))
            self.model.attrs["sizes"] = self._sizes()
        return new

    def _collect_labels(self, docs: Iterable[Doc]) -> list[str]:
        """The labels of gold documents, most frequent first."""
        key = self.spans_key
        counts = Counter(span.label for doc in docs for span in get_labelled_spans(doc, key))
        return [label for label, _ in counts.most_common()]

    def _saved(self) -> dict[str, Any]:
        return {"labels": list(self._labels), **super()._saved()}

    def _take_over_more(self, content: dict[str, Any]) -> None:
        labels = content.get("labels", self._labels)
        _check_labels(self.name, labels)
        self._labels = tuple(labels)

    def _sizes(self) -> dict[str, int]:
        return {"labels": len(self._labels)}

    def _read_gold(
        self, examples: Sequence[Example], sentences: Sequence[Lengths], device: torch.device
    ) -> tuple[GoldLabels, LostSpans]:
        return gold_labels(
            examples,
            sentences,
            spans_key=self.spans_key,
            labels={label: number for number, label in enumerate(self._labels)},
            max_width=self._max_span_width,
            device=device,
        )

    def _training_request(self, cleaned: Sequence[CleanDoc], gold: GoldLabels) -> SpancatRequest:
        return SpancatRequest(self.training_strategy(), gold.spans)

    def _prediction_request(self, cleaned: Sequence[CleanDoc], layout: SpanLayout) -> SpancatRequest:
        strategy = self.prediction_strategy()
        return SpancatRequest(Undecoded(strategy, MOST_SPANS) if isinstance(strategy, Decode) else strategy)

    def _predictions(
        self, cleaned: Sequence[CleanDoc], layout: SpanLayout, request: SpancatRequest, output: SpancatOutput
    ) -> Iterator[SpancatPrediction]:
        found = output.decode(self.selector, self.decoding, self.threshold)
        numbers = layout.document[found.starts].tolist()
        rows = list(zip(numbers, *(column.tolist() for column in found), strict=True))
        of_document: list[list[tuple[int, int, int, float]]] = [[] for _ in cleaned]
        for number, *row in rows:
            of_document[number].append((row[0], row[1], row[2], row[3]))
        offset = 0
        for document, own in zip(cleaned, of_document, strict=True):
            spans = [(start - offset, end + 1 - offset) for start, end, _, _ in own]
            labels = [self._labels[label] for _, _, label, _ in own]
            yield SpancatPrediction(spans, [score for *_, score in own], labels)
            offset += len(document.doc)

    def _annotate(self, doc: Doc, prediction: SpancatPrediction) -> None:
        labelled = [(*span, label) for span, label in zip(prediction.spans, prediction.labels, strict=True)]
        set_labelled_spans(doc, labelled, prediction.scores, key=self.spans_key)


def _check_labels(name: str, labels: Any) -> None:
    are_labels = isinstance(labels, list | tuple) and all(isinstance(label, str) and label for label in labels)
    if not are_labels or len({*labels}) < len(labels):
        raise ValueError(
            f"The labels of '{name}' are {str(labels)[:80]!r}; expected what 'python -m spacy init labels' writes: "
            "a list of strings, each once and none empty, such as ['PER', 'LOC']."
        )
