"""The component `structured_spancat`: labelled spans, such as nested named entities, that never cross."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example, validate_get_examples
from thinc.api import Model

from ..annotation import (
    LABELLED_KEY,
    describe_doc,
    get_labelled_spans,
    has_labelled_spans_annotated,
    set_labelled_spans,
)
from ..documents.cleaned import CleanDoc
from ..examples.gold_labels import gold_labels
from ..examples.lost import LostSpans
from ..layers.selection.candidates import Decode, Decoding, Undecoded
from ..layers.selection.sampling import Annotation, Widths
from ..layers.selection.selectors import MOST_SPANS
from ..layers.spancat.network import GoldLabels, SpancatOutput, SpancatRequest, SpancatSettings
from ..layers.spans.layout import Lengths, SpanLayout
from ..models.torch_head import HeadInput
from ..scoring.spancat import LABELLED_SPANS
from .labelled_pipe import LabelledPipe
from .selector_pipe import Scorer, SpanPrediction, Teacher
from .settings import Count, NotNegative, Share, default_model

DEFAULT_MODEL = default_model("spacy_span_selector.SpancatModel.v1")


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
    default_config={"model": DEFAULT_MODEL, "scorer": {"@scorers": "spacy_span_selector.spancat_scorer.v1"}},
    default_score_weights=LABELLED_SPANS.score_weights(),
)
class StructuredSpancat(LabelledPipe[GoldLabels, SpancatOutput, SpancatPrediction]):
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
        types: list[str] | None = None,
        spans_key: str = LABELLED_KEY,
        scorer: Scorer | None = None,
    ) -> None:
        super().__init__(nlp, model, name, scorer)
        self.decoding, self.threshold = decoding, threshold
        self.annotation = annotation
        self.candidate_ratio = candidate_ratio
        self.negatives, self.negative_widths = negatives, negative_widths
        self.learn_rate_factor, self.max_sentence_words = learn_rate_factor, max_sentence_words
        self.spans_key, self.types = spans_key, types
        self._remember_settings()

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
        self._build(examples, {"labels": labels})

    def take_labels(self, docs: Iterable[Doc], settings: Mapping[str, Any]) -> None:
        super().take_labels(docs, settings)
        if not self.labels:
            raise ValueError(
                f"'{self.name}' found no labelled span in any training example: no span with a label in "
                f"doc.spans['{self.spans_key}']. Set 'spans_key' to the key that the corpus uses, or label its spans."
            )

    def _gold_labels(self, doc: Doc) -> list[str] | None:
        if not has_labelled_spans_annotated(doc, self.spans_key):
            return None
        return [span.label for span in get_labelled_spans(doc, self.spans_key) if span.label]

    def _read_gold(
        self, examples: Sequence[Example], sentences: Sequence[Lengths], device: torch.device
    ) -> tuple[GoldLabels, LostSpans]:
        gold, lost = gold_labels(
            examples,
            sentences,
            spans_key=self.spans_key,
            labels=self.numbers,
            max_width=self.network_settings.max_span_width,
            device=device,
            exclusive=not self._has_classifier,
        )
        if self._has_classifier and gold.declared is not None:
            doc = examples[int((~gold.declared.all(dim=1)).nonzero()[0])].reference
            raise ValueError(
                f"'{self.name}' can't learn from {describe_doc(doc)}, which is annotated for some of the labels alone, "
                "as its classifier may give a span several. Set its 'label_hidden_width' to null: then a span has one."
            )
        return gold, lost

    def _unannotated_request(self, read: HeadInput, teacher: Teacher) -> SpancatRequest:
        return replace(read.request, labelled=None)

    @property
    def _has_classifier(self) -> bool:
        settings = self.network_settings
        return isinstance(settings, SpancatSettings) and settings.label_hidden_width is not None

    def _training_request(self, cleaned: Sequence[CleanDoc], gold: GoldLabels) -> SpancatRequest:
        return SpancatRequest(self.training_strategy(), gold.spans)

    def _prediction_request(self, cleaned: Sequence[CleanDoc], layout: SpanLayout) -> SpancatRequest:
        strategy = self.prediction_strategy()
        if self._has_classifier and isinstance(strategy, Decode):
            strategy = Undecoded(strategy, MOST_SPANS)
        return SpancatRequest(strategy, types=self._predicted_types())

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
