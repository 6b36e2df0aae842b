"""The component `structured_srl`: who did what to whom."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby
from typing import Any

import torch
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example, validate_get_examples
from thinc.api import Model

from ..annotation import (
    FRAME_PREFIX,
    PREDICATE_LABEL,
    PREDICATES_KEY,
    SELECTED_KEY,
    Argument,
    Frame,
    get_frames,
    get_predicates,
    set_frames,
    set_mentions,
)
from ..extensions import register_extensions
from ..layers.selection.candidates import CandidateStrategy, TopPerSentence
from ..layers.selection.selectors import GreedySelector
from ..layers.spans.layout import SpanLayout, Spans
from ..layers.srl.gold import GoldFrames
from ..layers.srl.network import SrlOutput, SrlRequest
from ..layers.srl.predicates import BEGIN, FindPredicates
from ..models.torch_head import HeadInput, head_device
from .batches import PREDICT_WORDS, batch_by_words, docs_to_initialize
from .default_model import default_model
from .gold_frames import gold_frames
from .lost import LostSpans
from .rolesets import LookUpSenses, RolesetCounts, count_rolesets, number_rolesets
from .selector_pipe import SelectorPipe
from .sentences import sentence_lengths
from .settings import check_choice, check_keys, check_range
from .workers import use_one_thread_after_fork

DEFAULT_MODEL = default_model("spacy_span_selector.SrlModel.v1")

register_extensions()
use_one_thread_after_fork()


@dataclass(frozen=True)
class SrlPrediction:
    """What the component says of a document.

    frames (list[Frame]): The predicates with their arguments, in the order of the text.
    spans (list[tuple[int, int]]): Every selected span as token offsets, in the order of the text.
    scores (list[float]): Their selection probabilities.
    """

    frames: list[Frame]
    spans: list[tuple[int, int]]
    scores: list[float]


@Language.factory(
    "structured_srl",
    assigns=["doc.spans"],
    requires=["token.is_sent_start"],
    default_config={
        "model": DEFAULT_MODEL,
        "decoding": "marginal",
        "threshold": 0.4,
        "annotation": "complete",
        "candidate_ratio": 0.8,
        "add_gold": False,
        "negatives": 1.0,
        "learn_rate_factor": 1.0,
        "predict_rolesets": True,
        "prefix": FRAME_PREFIX,
        "predicates_key": PREDICATES_KEY,
        "spans_key": SELECTED_KEY,
        "scorer": {"@scorers": "spacy_span_selector.srl_scorer.v1"},
    },
    default_score_weights={
        "srl_f": 1.0,
        "srl_p": None,
        "srl_r": None,
        "srl_span_p": None,
        "srl_span_r": None,
        "srl_span_f": 0.0,
        "srl_pred_p": None,
        "srl_pred_r": None,
        "srl_pred_f": 0.0,
        "srl_kept_p": None,
        "srl_kept_r": None,
        "srl_kept_f": None,
        "srl_sense_acc": 0.0,
        "srl_density": 0.0,
        "srl_per_role": None,
    },
)
def make_structured_srl(
    nlp: Language,
    name: str,
    model: Model[Any, Any],
    decoding: str,
    threshold: float,
    annotation: str,
    candidate_ratio: float,
    add_gold: bool,
    negatives: float,
    learn_rate_factor: float,
    predict_rolesets: bool,
    prefix: str,
    predicates_key: str,
    spans_key: str,
    scorer: Callable[..., dict[str, Any]] | None,
) -> StructuredSrl:
    """Create the component; the arguments are those of `StructuredSrl`."""
    return StructuredSrl(
        nlp,
        model,
        name,
        decoding=decoding,
        threshold=threshold,
        annotation=annotation,
        candidate_ratio=candidate_ratio,
        add_gold=add_gold,
        negatives=negatives,
        learn_rate_factor=learn_rate_factor,
        predict_rolesets=predict_rolesets,
        prefix=prefix,
        predicates_key=predicates_key,
        spans_key=spans_key,
        scorer=scorer,
    )


class StructuredSrl(SelectorPipe):
    """Find the predicates of each sentence, select argument spans that do not cross, and say which role each has."""

    def __init__(
        self,
        nlp: Language,
        model: Model[Any, Any],
        name: str = "structured_srl",
        *,
        decoding: str = "marginal",
        threshold: float = 0.4,
        annotation: str = "complete",
        candidate_ratio: float = 0.8,
        add_gold: bool = False,
        negatives: float = 1.0,
        learn_rate_factor: float = 1.0,
        predict_rolesets: bool = True,
        prefix: str = FRAME_PREFIX,
        predicates_key: str = PREDICATES_KEY,
        spans_key: str = SELECTED_KEY,
        scorer: Callable[..., dict[str, Any]] | None = None,
    ) -> None:
        """Initialize the component.

        nlp (Language): The pipeline.
        model (Model[HeadInput, SrlOutput]): See `spacy_span_selector.SrlModel.v1`.
        name (str): Name of the component, used for its losses.
        decoding (str): "marginal" keeps the set of spans with the greatest expected number of right ones, each
            costing `threshold`; "map" keeps the single most probable tree, as the paper does. Only the structured
            selector has trees.
        threshold (float): Selection probability from which a span is worth keeping; not used by "map", nor by the
            greedy selector and the tagger.
        annotation (str): "complete" if the corpus marks every argument, "partial" if an unmarked span may be one.
        candidate_ratio (float): Spans per token, the most probable ones, that are classified in training. The greedy
            selector has a ratio of its own.
        add_gold (bool): Whether gold spans that are not among them are classified, too; not used by the greedy
            selector.
        negatives (float): Spans per token sampled in training from those that are not gold.
        learn_rate_factor (float): Multiplies the optimizer's learning rate for this component's own network, its
            tok2vec left out.
        predict_rolesets (bool): Whether to say in which sense a predicate is meant, where the corpus does.
        prefix (str): Prefix of the keys of the frames in `doc.spans`.
        predicates_key (str): Key in `doc.spans` of the predicates that a document is given. Where it is there,
            the component finds arguments for these and looks for no others.
        spans_key (str): Key of all selected spans in `doc.spans`.
        scorer (Callable | None): The scoring method.
        RAISES (ValueError): If a setting is not one of those named, or out of range.
        """
        check_choice(name, "decoding", decoding, ("marginal", "map"))
        check_choice(name, "annotation", annotation, ("complete", "partial"))
        check_range(name, "threshold", threshold, 0.0, 1.0)
        for setting, value in (
            ("candidate_ratio", candidate_ratio),
            ("negatives", negatives),
            ("learn_rate_factor", learn_rate_factor),
        ):
            check_range(name, setting, value, 0.0)
        check_keys(name, prefix, predicates_key=predicates_key, spans_key=spans_key)
        self.vocab = nlp.vocab
        self.model = model
        self.name = name
        self.scorer = scorer
        self.cfg: dict[str, Any] = {
            "labels": [],
            "rolesets": {},
            "decoding": decoding,
            "threshold": threshold,
            "annotation": annotation,
            "candidate_ratio": candidate_ratio,
            "add_gold": add_gold,
            "negatives": negatives,
            "learn_rate_factor": learn_rate_factor,
            "predict_rolesets": predict_rolesets,
            "prefix": prefix,
            "predicates_key": predicates_key,
            "spans_key": spans_key,
        }
        self.lost = LostSpans()
        self._numbered: tuple[RolesetCounts, dict[str, int]] = ({}, {})

    @property
    def labels(self) -> tuple[str, ...]:
        """The roles, most frequent first."""
        return tuple(self.cfg["labels"])

    @property
    def label_data(self) -> dict[str, Any]:
        """The roles, and how often each form and lemma was seen with each roleset, as `initialize` takes them."""
        return {"roles": list(self.labels), "rolesets": self.cfg["rolesets"]}

    def predict(self, docs: Iterable[Doc], *, choose: CandidateStrategy | None = None) -> list[SrlPrediction]:
        """Find the frames of a batch of documents, without modifying them.

        docs (Iterable[Doc]): The documents, with sentence boundaries.
        choose (CandidateStrategy | None): Which spans to classify; by default those that selector and settings choose.
        RETURNS (list[SrlPrediction]): One for each document.
        RAISES (ValueError): If a document has no sentence boundaries.
        """
        choose = choose or self.prediction_strategy()
        predictions: list[SrlPrediction] = []
        for batch in batch_by_words(docs, PREDICT_WORDS):
            layout = SpanLayout.build(sentence_lengths(batch, self.name), head_device(self.model))
            if len(layout.document):
                find_predicates = self._given_predicates(batch, layout)
                request = SrlRequest(find_predicates, self._senses(batch), choose)
                output = self.model.predict(HeadInput(batch, layout, request))
                predictions += self._to_predictions(batch, find_predicates.closed, output)
            else:
                predictions += [SrlPrediction([], [], []) for _ in batch]
        return predictions

    def set_annotations(self, docs: Iterable[Doc], scores: Sequence[SrlPrediction]) -> None:
        """Write predictions to documents, in place of any that are there.

        docs (Iterable[Doc]): The documents.
        scores (Sequence[SrlPrediction]): What `predict` returned for them.
        """
        for doc, prediction in zip(docs, scores, strict=True):
            set_mentions(doc, prediction.spans, prediction.scores, key=self.cfg["spans_key"])
            set_frames(doc, prediction.frames, prefix=self.cfg["prefix"], predicates_key=None)

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Language | None = None,
        labels: dict[str, Any] | None = None,
    ) -> None:
        """Collect roles and rolesets, and build the network.

        get_examples (Callable[[], Iterable[Example]]): The training examples.
        nlp (Language | None): The pipeline.
        labels (dict[str, Any] | None): Roles and rolesets as `init labels` writes them; by default they are
            collected from the examples.
        RAISES (ValueError): If no example has an argument, or none has a token, or if labels have another form.
        """
        validate_get_examples(get_examples, "StructuredSrl.initialize")
        examples = get_examples()
        if labels is None:
            examples = list(examples)  # reading a corpus takes long, so only once
            labels = self._collect_labels(example.reference for example in examples)
        _check_labels(self.name, labels)
        if not labels["roles"]:
            raise ValueError(
                f"'{self.name}' found no argument in any training example: no doc.spans key such as "
                f"'{self.cfg['prefix']}_1' whose group has a span with a label behind the predicate. "
                "Convert the corpus with 'python -m spacy span-selector convert', or set 'prefix' to the one it uses."
            )
        self.cfg["labels"] = list(labels["roles"])
        self.cfg["rolesets"] = labels["rolesets"] if self.cfg["predict_rolesets"] else {}
        self.model.attrs["sizes"] = {"roles": len(self.labels), "rolesets": len(self._roleset_numbers())}
        self.model.initialize(X=docs_to_initialize(examples))

    def _collect_labels(self, docs: Iterable[Doc]) -> dict[str, Any]:
        """The roles of gold documents, most frequent first, and their rolesets."""
        docs = list(docs)
        prefix = self.cfg["prefix"]
        roles = Counter(
            argument.role for doc in docs for frame in get_frames(doc, prefix) for argument in frame.arguments
        )
        return {"roles": [role for role, _ in roles.most_common()], "rolesets": count_rolesets(docs, prefix)}

    def _greedy_strategy(self, selector: GreedySelector) -> TopPerSentence:
        assert selector.ratio is not None  # the architecture has filled it in
        return TopPerSentence(selector.ratio)

    def _senses(self, docs: Sequence[Doc]) -> LookUpSenses:
        counts: RolesetCounts = self.cfg["rolesets"] if self.cfg["predict_rolesets"] else {}
        return LookUpSenses(docs, counts, self._roleset_numbers())

    def _roleset_numbers(self) -> dict[str, int]:
        counts: RolesetCounts = self.cfg["rolesets"]
        if self._numbered[0] is not counts:  # they come with initialization, and when a pipeline is loaded
            self._numbered = (counts, number_rolesets(counts))
        return self._numbered[1]

    def _given_predicates(self, docs: Sequence[Doc], layout: SpanLayout) -> FindPredicates:
        """The predicates that documents are given; a given span without tokens is left out."""
        rows: list[tuple[int, int]] = []
        closed: list[bool] = []
        for doc, offset in zip(docs, accumulate(map(len, docs), initial=0), strict=False):
            given = get_predicates(doc, self.cfg["predicates_key"])
            closed.append(given is not None)
            rows += [(offset + start, offset + end - 1) for start, end in given or () if start < end]
        device = layout.document.device
        spans = torch.tensor(rows, dtype=torch.long, device=device).view(-1, 2)
        return FindPredicates(Spans(spans[:, 0], spans[:, 1]), torch.tensor(closed, dtype=torch.bool, device=device))

    def _layout_and_gold(self, examples: Sequence[Example]) -> tuple[SpanLayout, GoldFrames]:
        """The sentences and the gold frames of a batch; the first loss of each kind is reported."""
        lengths = sentence_lengths([example.predicted for example in examples], self.name)
        device = head_device(self.model)
        gold, lost = gold_frames(
            examples,
            lengths,
            prefix=self.cfg["prefix"],
            predicates_key=self.cfg["predicates_key"],
            roles={role: i for i, role in enumerate(self.labels)},
            rolesets=self._roleset_numbers(),
            max_width=self.model.attrs["max_span_width"],
            device=device,
        )
        self.lost.take_over(lost, self.name, "gold predicate or argument")
        return SpanLayout.build(lengths, device), gold

    def _training_request(self, docs: Sequence[Doc], gold: GoldFrames) -> SrlRequest:
        every = torch.ones(len(docs), dtype=torch.bool, device=gold.annotated.device)
        find_predicates = FindPredicates(gold.predicates, closed=every)
        return SrlRequest(find_predicates, self._senses(docs), self._training_strategy(gold))

    def _loss(self, output: SrlOutput, gold: GoldFrames, layout: SpanLayout) -> tuple[torch.Tensor, list[torch.Tensor]]:
        loss = output.loss(gold, layout, annotation=self.cfg["annotation"], negatives=self.cfg["negatives"])
        return loss, output.tensors()

    def _to_predictions(self, docs: Sequence[Doc], given: torch.Tensor, output: SrlOutput) -> Iterator[SrlPrediction]:
        """Take the output of a batch apart, document by document."""
        names = [*self._roleset_numbers(), None]  # the last one for -1
        labels = self.labels
        starts, ends = output.predicates.starts.tolist(), output.predicates.ends.tolist()
        rolesets = output.rolesets.decode()
        probabilities = output.log_tags[output.predicates.starts, BEGIN].exp().tolist()
        arguments = {i: list(group) for i, group in groupby(output.arguments.decode(), lambda found: found.predicate)}
        selected = output.arguments.selected()
        is_given = given.tolist()
        offset = 0
        for number, doc in enumerate(docs):
            after = offset + len(doc)
            frames = []
            for i in range(bisect_left(starts, offset), bisect_left(starts, after)):
                found = arguments.get(i, [])
                frames.append(
                    Frame(
                        starts[i] - offset,
                        ends[i] + 1 - offset,
                        [Argument(a.start - offset, a.end + 1 - offset, labels[a.role]) for a in found],
                        names[rolesets[i]],
                        [1.0 if is_given[number] else probabilities[i], *(a.score for a in found)],
                    )
                )
            own = selected[bisect_left(selected, (offset,)) : bisect_left(selected, (after,))]
            spans = [(start - offset, end + 1 - offset) for start, end, _ in own]
            yield SrlPrediction(frames, spans, [score for _, _, score in own])
            offset = after


def _check_labels(name: str, labels: Any) -> None:
    if not isinstance(labels, dict) or not {"roles", "rolesets"} <= labels.keys():
        raise ValueError(
            f"The labels of '{name}' are {str(labels)[:80]!r}; expected what 'python -m spacy init labels' writes: "
            '{"roles": ["ARG1", ...], "rolesets": {"gave": {"give.01": 3}, ...}}.'
        )
    for role in (PREDICATE_LABEL, ""):
        if role in labels["roles"]:
            raise ValueError(
                f"'{name}' found arguments with the role {role!r}. The first span of a frame's group in doc.spans is "
                "its predicate, and each further one is an argument, labelled with its role."
            )
