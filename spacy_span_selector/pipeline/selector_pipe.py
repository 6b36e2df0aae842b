"""The base of every component: prediction, training, saving. A component adds its network, its loss, its output."""

from __future__ import annotations

import math
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar, cast
from weakref import WeakSet

import srsly
import torch
from spacy.language import Language
from spacy.pipeline import TrainablePipe
from spacy.tokens import Doc
from spacy.training import Example, validate_examples
from thinc.api import Model, Optimizer, set_dropout_rate

from ..annotation import cluster_keys, cluster_prefixes, describe_doc, set_mentions
from ..documents.cleaned import CleanDoc, clean_doc, clean_docs
from ..documents.other_languages import ShortTexts, describe_other_language, other_language
from ..examples.alignment import with_words
from ..examples.lost import LostSpans, level_of_caller
from ..examples.sentences import lacks_boundaries, sentence_lengths, take_gold_sentences
from ..layers.selection.candidates import CandidateStrategy, Decoding
from ..layers.selection.network import NetworkSettings
from ..layers.selection.sampling import Annotation, Negatives, Widths
from ..layers.selection.selectors import Selection, Selector
from ..layers.spans.layout import Lengths, SpanLayout
from ..models.finite import NotFinite, discard_gradients, first_not_finite, model_gradients
from ..models.torch_head import DOCS_READER, DocsReader, HeadInput, compute_alone_if_forked, head_device, head_module
from .batches import MORE_THAN_A_BATCH, MOST_WORDS, PREDICT_WORDS, batch_by_words, cut_long_sentences
from .settings import CFG, HasSettings, naming_what_is_loaded
from .shared_encoders import check_listeners

if TYPE_CHECKING:
    from typing_extensions import Self


@dataclass(frozen=True)
class SpanPrediction:
    """The prediction of a component for a document: the selected spans, end exclusive, in the order of the text, and
    their selection probabilities."""

    spans: list[tuple[int, int]] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)

    def in_source(self, document: CleanDoc) -> Self:
        """The same prediction for the document as it is."""
        kept = self.only(document.whole_spans(self.spans, self.scores, self.kinds))
        return replace(kept, spans=[document.to_source(*span) for span in kept.spans])

    @property
    def kinds(self) -> list[str]:
        """The kind of each span: there is one of each kind in one place."""
        return [""] * len(self.spans)

    def only(self, numbers: Sequence[int]) -> Self:
        """The prediction with these of its spans, in order."""
        return replace(self, spans=[self.spans[i] for i in numbers], scores=[self.scores[i] for i in numbers])


class SelectionOutput(Protocol):
    """The output of a network that selects spans."""

    @property
    def selection(self) -> Selection: ...

    def tensors(self) -> list[torch.Tensor]:
        """The tensors that the loss is computed from."""

    def taught_loss(self, told: Any, layout: SpanLayout, labels: Sequence[int]) -> torch.Tensor:
        """The loss by what a teacher says of the same spans, which gives each label another number."""


class GoldAnnotation(Protocol):
    """The gold annotation of a batch as tensors."""

    @property
    def annotated(self) -> torch.Tensor:
        """Which documents are annotated; the others are ignored in training. Shape: (documents,)"""


class Teacher(Protocol):
    """Says of each batch what a component learns beside gold annotation, or where there is none."""

    share: float
    """How much that counts beside gold annotation, from 0 to 1."""

    def output(self, learner: Any, read: HeadInput, candidates: torch.Tensor) -> Any:
        """What the network of the same component says of chosen spans of a batch."""

    def loss(self, learner: Any, read: HeadInput, output: Any) -> torch.Tensor:
        """The loss of what a learner makes of a batch."""


Gold = TypeVar("Gold", bound=GoldAnnotation)
Output = TypeVar("Output", bound=SelectionOutput)
Prediction = TypeVar("Prediction", bound=SpanPrediction)

Gradients = list[tuple[torch.Tensor, torch.Tensor]]
"""Tensors of the network's output, each with its gradient."""

Scorer = Callable[..., dict[str, Any]]

INITIALIZE_DOCS = 10
"""Documents with tokens that a model sees to find out its sizes."""
CUTS = "cuts a sentence"
LEAVES_OUT = "leaves out a"
"""Verbs of messages: what a component does with a sentence that is too long, and with gold annotation."""


class SelectorPipe(HasSettings, TrainablePipe, ABC, Generic[Gold, Output, Prediction]):
    """A trainable component with a `torch_head` model that has a selector.

    decoding (str): "marginal" keeps the set of spans with the greatest expected number of correct ones, each
        costing `threshold`; "map" the most probable tree, as the paper does, or the most probable set.
    threshold (float): Least selection probability of a span that is kept; not used by "map".
    annotation (str | None): "complete" if the corpus marks every span of interest, "partial" if an unmarked span may
        be one. None for what the component's other settings say.
    candidate_ratio (float): Spans per token, the most probable ones, that are linked or classified in training.
    negatives (float | None): Spans per token sampled in training from those that are not gold. If None, 1.0.
    negative_widths (str | None): "all" samples them from all spans, most of which are wide, "gold" with the widths of
        gold spans. If None, "all".
    learn_rate_factor (float): Multiplies the optimizer's learning rate for this component's own network, not for its
        tok2vec.
    max_sentence_words (int | None): The greatest number of words of a sentence. A longer one is cut, at the end of a
        line or at punctuation if possible, as time grows with the cube of its length; no span crosses the cut. Not used
        where time grows with the length only: with `max_span_width` and a selector that leaves out wide spans.
    """

    prediction_type: ClassVar[type[SpanPrediction]]
    gold_name: ClassVar[str]
    """The name of a piece of gold annotation in messages."""
    selected: ClassVar[str]
    """The setting that is the key of all selected spans."""

    decoding: Decoding
    threshold: float
    annotation: Annotation | None
    candidate_ratio: float
    negatives: float | None
    negative_widths: Widths | None
    learn_rate_factor: float
    max_sentence_words: int | None
    teacher: Teacher | None = None
    """Whom the component learns from beside gold annotation, and also where there is none; not saved."""

    def __init__(self, nlp: Language, model: Model[Any, Any], name: str, scorer: Scorer | None) -> None:
        """Initialize all but the settings, which may be changed afterwards, most of them with effect."""
        self.vocab = nlp.vocab
        self.model = model
        self.name = name
        self.scorer = scorer
        self.lost = LostSpans()
        model.attrs[DOCS_READER] = DocsReader(self._read_docs)

    @property
    def network_settings(self) -> NetworkSettings:
        """The settings of the network, as the model was configured."""
        return self.model.attrs["settings"]

    @property
    def selector(self) -> Selector:
        """The selector that the model was configured with."""
        return self.network_settings.selector

    @property
    def selected_key(self) -> str:
        """The key of all selected spans in `doc.spans`."""
        return getattr(self, self.selected)

    @property
    def learnt_annotation(self) -> Annotation:
        """The annotation that training assumes where `annotation` is None: complete."""
        return self.annotation or "complete"

    def prediction_strategy(self) -> CandidateStrategy:
        """The strategy that keeps spans at prediction, by selector and settings."""
        return self.selector.prediction_strategy(self.decoding, self.threshold)

    def training_strategy(self) -> CandidateStrategy:
        """The strategy that chooses the spans to link or classify in training, by selector and settings."""
        return self.selector.training_strategy(self.candidate_ratio)

    def predict(self, docs: Iterable[Doc]) -> list[Prediction]:
        """Annotate a batch of documents, without modifying them.

        RAISES (ValueError): If a document has no sentence boundaries, or the encoder that the component listens to has
            not run on it, or a token vector, a weight or a number among the settings is NaN or infinite.
        """
        compute_alone_if_forked()
        predictions: list[Prediction] = []
        for batch in batch_by_words(docs, PREDICT_WORDS):
            warn_of_other_languages(batch)
            predictions += self._predict_batch(batch)
        return predictions

    def set_annotations(self, docs: Iterable[Doc], scores: Sequence[Prediction]) -> None:
        """Write predictions to documents, in place of any that are there."""
        for doc, prediction in zip(docs, scores, strict=True):
            set_mentions(doc, prediction.spans, prediction.scores, key=self.selected_key)
            self._annotate(doc, prediction)

    def update(
        self,
        examples: Iterable[Example],
        *,
        drop: float = 0.0,
        sgd: Optimizer | None = None,
        losses: dict[str, float] | None = None,
    ) -> dict[str, float]:
        """Learn from a batch of examples.

        examples (Iterable[Example]): The batch. Predicted documents without sentence boundaries get those of their
            references; references that are not annotated are ignored.
        drop (float): Dropout of the tok2vec. The network has its own, set in its architecture.
        sgd (Optimizer | None): The optimizer; gradients are only accumulated without one.
        losses (dict[str, float] | None): The loss is added to the entry of the component's name.
        RAISES (NotFinite): If the loss, a gradient or a token vector is NaN or infinite. The optimizer is not called,
            and the component's gradients, which may have been accumulated over several calls, are forgotten.
        """
        losses = {} if losses is None else losses
        losses.setdefault(self.name, 0.0)
        examples = list(examples)
        validate_examples(examples, f"{type(self).__name__}.update")
        if not any(len(example.predicted) for example in examples):
            return losses
        set_dropout_rate(self.model, drop)
        read, gold, own_gold = self._read_examples(examples)
        if not read.layout.size:  # nothing but white space
            return losses
        docs = [document.source for document in read.docs]
        check_listeners(self.model, docs, self.name, is_train=True)
        try:
            output, backprop = self.model.begin_update(read)
            loss, gradient = self._loss_and_gradient(output, gold, own_gold, read)
            if not math.isfinite(loss):
                raise NotFinite("the loss")
            backprop(gradient)
            name = first_not_finite(model_gradients(self.model.get_ref("tok2vec")))
            if name:
                raise NotFinite(f"the gradient of {name}")
        except NotFinite as error:
            discard_gradients(self.model)
            raise NotFinite(
                f"'{self.name}' can't learn from a batch: there is NaN or infinity in {error}. Its weights are as they "
                "were before. Lower the learning rate, or warm it up for longer; if this happens in the first steps, "
                "check the vectors and weights of the encoder, and turn off its mixed_precision. The batch is "
                f"{', '.join(map(describe_doc, docs))}."
            ) from error
        if sgd not in (None, False):
            self.finish_update(sgd)
        losses[self.name] += loss
        return losses

    def get_loss(self, examples: Iterable[Example], scores: Any) -> tuple[float, Gradients]:
        """The loss of a batch, and its gradient.

        RETURNS (tuple): The loss, and (output tensor, gradient) pairs for the model's backprop.
        """
        read, gold, own_gold = self._read_examples(list(examples))
        return self._loss_and_gradient(scores, gold, own_gold, read)

    def take_labels(self, docs: Iterable[Doc], settings: Mapping[str, Any]) -> None:
        """Take over what the component must know of a corpus before its network is built, if anything; from its
        settings in `[initialize.components]`, or else from documents with gold annotation."""

    def _build(self, examples: Sequence[Example], settings: Mapping[str, Any]) -> None:
        """Take over what must be known of a corpus (`take_labels`), and build the network for it."""
        self.selector.check_examples(examples, self.name)
        self.take_labels((example.reference for example in examples), settings)
        self.model.attrs["sizes"] = self._sizes()
        with_tokens = (example.predicted for example in examples if len(example.predicted))
        self.model.initialize(X=list(islice(with_tokens, INITIALIZE_DOCS)))
        for what, lost in self.find_lost(examples).items():
            self.lost.take_over(lost, self.name, what)
        self.lost.start_again()  # training counts by itself

    def find_lost(self, examples: Iterable[Example]) -> dict[str, LostSpans]:
        """Count gold annotation that training would drop; needs no network, and modifies nothing. Examples of which
        neither side has sentence boundaries are skipped.

        RETURNS (dict[str, LostSpans]): Spans of the references by what is done with them, as messages say it.
        """
        known = [
            Example(example.predicted.copy(), example.reference) if lacks_boundaries(example.predicted) else example
            for example in examples
            if not (lacks_boundaries(example.predicted) and lacks_boundaries(example.reference))
        ]
        take_gold_sentences(known)
        cleaned = clean_docs(example.predicted for example in known)
        sentences, cut = self._cut_sentences(cleaned)
        _, lost = self._read_gold([*map(with_words, known, cleaned)], sentences, head_device(self.model))
        return {CUTS: cut, f"{LEAVES_OUT} {self.gold_name}": lost}

    def finish_update(self, sgd: Optimizer) -> None:
        """Update the weights: the network's own at `learn_rate_factor` times the optimizer's rate."""
        self.model.get_ref("tok2vec").finish_update(sgd)
        scaled = partial(sgd, lr_scale=self.learn_rate_factor)
        self.model.get_ref("head").finish_update(cast(Optimizer, scaled))

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """Serialize the component without "cfg", "vocab" or "model" if they are in `exclude`, as spaCy does."""
        exclude = list(exclude)
        content = srsly.msgpack_loads(super().to_bytes(exclude=[*exclude, CFG]))
        if CFG not in exclude:
            content = {CFG: srsly.json_dumps(self._saved()), **content}
        return srsly.msgpack_dumps(content)

    def from_bytes(self, bytes_data: bytes, *, exclude: Iterable[str] = ()) -> SelectorPipe[Any, Any, Any]:
        """Load the component from bytes, as spaCy does, but check its settings first, and the sizes of its weights."""
        exclude = list(exclude)
        with naming_what_is_loaded(self.name, "the bytes"):
            saved = dict(srsly.msgpack_loads(bytes_data))
        if CFG in saved and CFG not in exclude:
            self._take_over(saved[CFG], "the bytes")
        with naming_what_is_loaded(self.name, "the bytes"):
            super().from_bytes(bytes_data, exclude=[*exclude, CFG])
        self._check_sizes()
        return self

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
        """Save the component to a folder, as `to_bytes` does."""
        exclude = list(exclude)
        super().to_disk(path, exclude=[*exclude, CFG])
        if CFG not in exclude:
            srsly.write_json(Path(path) / CFG, self._saved())

    def from_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> SelectorPipe[Any, Any, Any]:
        """Load the component from a folder, as `from_bytes` does."""
        exclude = list(exclude)
        file = Path(path) / CFG
        if CFG not in exclude and file.is_file():
            self._take_over(file.read_bytes(), str(file))
        with naming_what_is_loaded(self.name, str(path)):
            super().from_disk(path, exclude=[*exclude, CFG])
        self._check_sizes()
        return self

    def _sizes(self) -> dict[str, int]:
        """The sizes of the network that the settings tell."""
        return {}

    def _check_initialized(self) -> None:
        """Raise a ValueError unless there is a network, which can get more labels."""
        if head_module(self.model) is None:
            raise ValueError(
                f"'{self.name}' can't get more labels before it has been initialized. Initialization collects them: "
                "nlp.initialize(get_examples)."
            )

    def _check_sizes(self) -> None:
        """Raise a ValueError unless the network has the sizes that the settings tell."""
        module = head_module(self.model)
        if module is None:
            return
        sizes = cast(dict[str, int], module.sizes)
        for name, expected in self._sizes().items():
            if sizes[name] != expected:
                raise ValueError(
                    f"Can't load '{self.name}': its weights are for {sizes[name]} {name}, its settings ('cfg') name "
                    f"{expected}. Load both from the same pipeline."
                )

    @abstractmethod
    def _read_gold(
        self, examples: Sequence[Example], sentences: Sequence[Lengths], device: torch.device
    ) -> tuple[Gold, LostSpans]:
        """The gold annotation of a batch as tensors, and what of it cannot be learnt."""

    @abstractmethod
    def _training_request(self, cleaned: Sequence[CleanDoc], gold: Gold) -> Any:
        """The request to the network in training."""

    @abstractmethod
    def _prediction_request(self, cleaned: Sequence[CleanDoc], layout: SpanLayout) -> Any:
        """The request to the network at prediction."""

    @abstractmethod
    def _predictions(
        self, cleaned: Sequence[CleanDoc], layout: SpanLayout, request: Any, output: Output
    ) -> Iterable[Prediction]:
        """The output of the network for a batch, document by document, as offsets of its words without white space."""

    @abstractmethod
    def _annotate(self, doc: Doc, prediction: Prediction) -> None:
        """Write a prediction to a document, except for the selected spans."""

    def _read_docs(self, docs: Sequence[Doc]) -> HeadInput:
        """Make the model's input of documents at prediction."""
        # No component reads clusters, and copying thousands of groups takes long.
        clusters = ([key for one in cluster_prefixes(doc) for key in cluster_keys(doc, one)] for doc in docs)
        cleaned = [*map(clean_doc, docs, clusters)]
        layout = self._lay_out(self._sentences(cleaned))
        return HeadInput(cleaned, layout, self._prediction_request(cleaned, layout))

    def _predict_batch(self, docs: list[Doc]) -> list[Prediction]:
        """The predictions; the network does not run without sentences."""
        read = self._read_docs(docs)
        if not read.layout.size:
            return [cast(Prediction, self.prediction_type()) for _ in docs]
        check_listeners(self.model, docs, self.name)
        try:
            output: Output = self.model.predict(read)
        except NotFinite as error:
            raise NotFinite(
                f"'{self.name}' can't annotate: there is NaN or infinity in {error}. Check the vectors and weights of "
                "the encoder, and turn off its mixed_precision."
            ) from error
        found = self._predictions(read.docs, read.layout, read.request, output)
        return [
            prediction.in_source(document) if document.is_changed else prediction
            for document, prediction in zip(read.docs, found, strict=True)
        ]

    def _sentences(self, cleaned: Sequence[CleanDoc]) -> list[Lengths]:
        """The sentences of documents; the longest are cut if need be, and the first cut is reported."""
        sentences, cut = self._cut_sentences(cleaned)
        self.lost.take_over(cut, self.name, CUTS)
        return sentences

    def _cut_sentences(self, cleaned: Sequence[CleanDoc]) -> tuple[list[Lengths], LostSpans]:
        whole = sentence_lengths([document.doc for document in cleaned], self.name)
        if self.network_settings.band_width is not None:
            return cut_long_sentences(cleaned, whole, MOST_WORDS, MORE_THAN_A_BATCH)
        return cut_long_sentences(cleaned, whole, self.max_sentence_words)

    def _read_examples(self, examples: Sequence[Example]) -> tuple[HeadInput, Gold | None, Any]:
        """The model's input of a batch in training, the gold annotation, None where a teacher alone says what is right,
        and what the selector itself reads of it; the first loss of each kind is reported."""
        take_gold_sentences(examples)
        cleaned = clean_docs(example.predicted for example in examples)
        sentences = self._sentences(cleaned)
        examples, device = [*map(with_words, examples, cleaned)], head_device(self.model)
        gold, lost = self._read_gold(examples, sentences, device)
        self.lost.take_over(lost, self.name, f"{LEAVES_OUT} {self.gold_name}")
        own_gold = self.selector.read_gold(examples, sentences, self.network_settings.max_span_width, device)
        read = HeadInput(cleaned, self._lay_out(sentences), self._training_request(cleaned, gold))
        if self.teacher is None or gold.annotated.any() or not read.layout.size:
            return read, gold, own_gold
        return replace(read, request=self._unannotated_request(read, self.teacher)), None, own_gold

    def _lay_out(self, sentences: Sequence[Lengths]) -> SpanLayout:
        return SpanLayout.build(sentences, head_device(self.model), self.network_settings.band_width)

    @property
    def sampled_negatives(self) -> Negatives:
        """The spans that are not gold to sample in training."""
        return Negatives(1.0 if self.negatives is None else self.negatives, self.negative_widths or "all")

    def _loss(self, output: Output, gold: Gold | None, own_gold: Any, read: HeadInput) -> torch.Tensor:
        settings = {"annotation": self.learnt_annotation, "negatives": self.sampled_negatives}
        if self.teacher is None:
            return self.selector.loss(output, gold, own_gold, read.layout, **settings)
        taught = self.teacher.loss(self, read, output)
        if gold is None:
            return taught / 2
        share = self.teacher.share
        return share * taught + (1 - share) * self.selector.loss(output, gold, own_gold, read.layout, **settings)

    def _unannotated_request(self, read: HeadInput, teacher: Teacher) -> Any:
        """The request to the network in training where a teacher alone says what is right."""
        return read.request

    def request_to_teacher(self, read: HeadInput, candidates: torch.Tensor, learner: Any) -> Any:
        """The request to the network of a teacher, of the spans that a learner has chosen, by the request to that."""
        return replace(learner, choose=lambda *_: candidates)

    def _loss_and_gradient(
        self, output: Output, gold: Gold | None, own_gold: Any, read: HeadInput
    ) -> tuple[float, Gradients]:
        loss, tensors = self._loss(output, gold, own_gold, read), output.tensors()
        gradients = torch.autograd.grad(loss, tensors, materialize_grads=True)
        return loss.item(), list(zip(tensors, gradients, strict=True))


LOOKED_AT: WeakSet[Doc] = WeakSet()
"""The documents whose language was guessed, which the next component need not do again."""
SHORT_TEXTS = ShortTexts()
WARNED_OF: set[str] = set()
"""The languages that were warned of, once in a process."""


def warn_of_other_languages(docs: Iterable[Doc]) -> None:
    """Warn of the first document in each language that is not that of its pipeline."""
    for doc in docs:
        if doc in LOOKED_AT:
            continue
        LOOKED_AT.add(doc)
        language = other_language(doc) or SHORT_TEXTS.add(doc)
        if language is not None and language not in WARNED_OF:
            WARNED_OF.add(language)
            warnings.warn(
                f"{describe_other_language(language)} This is {describe_doc(doc)}; further ones are not named.",
                stacklevel=level_of_caller(),
            )
