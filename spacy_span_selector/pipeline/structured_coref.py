"""The component `structured_coref`: who is the same as whom."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example, validate_get_examples
from thinc.api import Model

from ..annotation import (
    CLUSTER_PREFIX,
    CONSTITUENTS_KEY,
    GIVEN_MENTIONS_KEY,
    MENTIONS_KEY,
    Mention,
    cluster_groups,
    set_clusters,
    set_mentions,
)
from ..extensions import register_extensions
from ..layers.coref.gold import GoldMentions
from ..layers.coref.loss import coref_loss
from ..layers.coref.network import CorefOutput
from ..layers.selection.candidates import CandidateStrategy, TopNonCrossing
from ..layers.selection.selectors import GreedySelector, MultitaskSelector
from ..layers.spans.layout import SpanLayout
from ..models.torch_head import HeadInput, head_device
from .batches import PREDICT_WORDS, batch_by_words, docs_to_initialize
from .default_model import default_model
from .given_mentions import given_mentions
from .gold_constituents import gold_constituents, has_constituents
from .gold_mentions import gold_mentions
from .lost import LostSpans
from .selector_pipe import SelectorPipe
from .sentences import sentence_lengths
from .settings import check_choice, check_keys, check_range
from .workers import use_one_thread_after_fork

DEFAULT_MODEL = default_model("spacy_span_selector.CorefModel.v1")

register_extensions()
use_one_thread_after_fork()


@dataclass(frozen=True)
class CorefPrediction:
    """What the component says of a document.

    mentions (list[Mention]): Every selected span as token offsets, in the order of the text.
    scores (list[float]): Their selection probabilities.
    link_scores (list[float]): The probability of the antecedent that each was linked to, or of having none.
    clusters (list[list[Mention]]): Which of them are the same, in the order of their first mentions.
    """

    mentions: list[Mention]
    scores: list[float]
    link_scores: list[float]
    clusters: list[list[Mention]]


@Language.factory(
    "structured_coref",
    assigns=["doc.spans"],
    requires=["token.is_sent_start"],
    default_config={
        "model": DEFAULT_MODEL,
        "decoding": "marginal",
        "threshold": 0.4,
        "keep_singletons": True,
        "annotation": None,
        "candidate_ratio": 0.4,
        "add_gold": False,
        "negatives": None,
        "learn_rate_factor": 1.0,
        "prefix": CLUSTER_PREFIX,
        "mentions_key": MENTIONS_KEY,
        "given_key": GIVEN_MENTIONS_KEY,
        "scorer": {"@scorers": "spacy_span_selector.coref_scorer.v1"},
    },
    default_score_weights={
        "coref_f": 1.0,
        "coref_p": None,
        "coref_r": None,
        "coref_muc_p": None,
        "coref_muc_r": None,
        "coref_muc_f": 0.0,
        "coref_b3_p": None,
        "coref_b3_r": None,
        "coref_b3_f": 0.0,
        "coref_ceaf_p": None,
        "coref_ceaf_r": None,
        "coref_ceaf_f": 0.0,
        "coref_lea_p": None,
        "coref_lea_r": None,
        "coref_lea_f": None,
        "coref_ment_p": None,
        "coref_ment_r": None,
        "coref_ment_f": 0.0,
        "coref_density": 0.0,
    },
)
def make_structured_coref(
    nlp: Language,
    name: str,
    model: Model[Any, Any],
    decoding: str,
    threshold: float,
    keep_singletons: bool,
    annotation: str | None,
    candidate_ratio: float,
    add_gold: bool,
    negatives: float | None,
    learn_rate_factor: float,
    prefix: str,
    mentions_key: str,
    given_key: str,
    scorer: Callable[..., dict[str, Any]] | None,
) -> StructuredCoref:
    """Create the component; the arguments are those of `StructuredCoref`."""
    return StructuredCoref(
        nlp,
        model,
        name,
        decoding=decoding,
        threshold=threshold,
        keep_singletons=keep_singletons,
        annotation=annotation,
        candidate_ratio=candidate_ratio,
        add_gold=add_gold,
        negatives=negatives,
        learn_rate_factor=learn_rate_factor,
        prefix=prefix,
        mentions_key=mentions_key,
        given_key=given_key,
        scorer=scorer,
    )


class StructuredCoref(SelectorPipe):
    """Select the mentions of each sentence as a non-crossing set of spans, and link them into clusters."""

    def __init__(
        self,
        nlp: Language,
        model: Model[Any, Any],
        name: str = "structured_coref",
        *,
        decoding: str = "marginal",
        threshold: float = 0.4,
        keep_singletons: bool = True,
        annotation: str | None = None,
        candidate_ratio: float = 0.4,
        add_gold: bool = False,
        negatives: float | None = None,
        learn_rate_factor: float = 1.0,
        prefix: str = CLUSTER_PREFIX,
        mentions_key: str = MENTIONS_KEY,
        given_key: str = GIVEN_MENTIONS_KEY,
        scorer: Callable[..., dict[str, Any]] | None = None,
    ) -> None:
        """Initialize the component.

        nlp (Language): The pipeline.
        model (Model[HeadInput, CorefOutput]): See `spacy_span_selector.CorefModel.v1`.
        name (str): Name of the component, used for its losses.
        decoding (str): "marginal" keeps the set of spans with the greatest expected number of right ones, each
            costing `threshold`; "map" keeps the single most probable tree, as the paper does. Only the structured
            selector has trees.
        threshold (float): Selection probability from which a span is worth keeping; not used by "map". The greedy
            selectors keep as many spans as they are told to; of these, it decides which are singletons.
        keep_singletons (bool): Whether a mention that corefers with nothing is a cluster of its own. The scorer
            follows it. May be changed after training.
        annotation (str | None): "complete" if the corpus marks every mention, "partial" if an unmarked span may
            be a mention. By default complete with singletons and partial without.
        candidate_ratio (float): Spans per token, the most probable ones, that are linked in training. The greedy
            selectors have a ratio of their own.
        add_gold (bool): Whether gold spans that are not among them are linked, too; not used by the greedy selectors.
        negatives (float | None): Spans per token sampled in training from those that are not gold. By default 1.0
            with complete annotation, where all of them are negative, and 0.1 with partial, as in the paper. Not used
            by the greedy selectors.
        learn_rate_factor (float): Multiplies the optimizer's learning rate for this component's own network, its
            tok2vec left out: the paper trains the network 30 times as fast as the encoder.
        prefix (str): Prefix of the keys of the clusters in `doc.spans`.
        mentions_key (str): Key of all selected spans in `doc.spans`.
        given_key (str): Key in `doc.spans` of mentions that a document is given. Where it is there, the component
            links these and selects no others. One that is wider than the model's `max_span_width` is linked, too, and
            has the probability 0.
        scorer (Callable | None): The scoring method.
        RAISES (ValueError): If a setting is not one of those named, or out of range.
        """
        check_choice(name, "decoding", decoding, ("marginal", "map"))
        check_choice(name, "annotation", annotation, ("complete", "partial", None))
        if annotation is None:
            annotation = "complete" if keep_singletons else "partial"
        if negatives is None:
            negatives = 1.0 if annotation == "complete" else 0.1
        check_range(name, "threshold", threshold, 0.0, 1.0)
        for setting, value in (
            ("candidate_ratio", candidate_ratio),
            ("negatives", negatives),
            ("learn_rate_factor", learn_rate_factor),
        ):
            check_range(name, setting, value, 0.0)
        check_keys(name, prefix, mentions_key=mentions_key, given_key=given_key)
        self.vocab = nlp.vocab
        self.model = model
        self.name = name
        self.scorer = scorer
        self.cfg: dict[str, Any] = {
            "decoding": decoding,
            "threshold": threshold,
            "keep_singletons": keep_singletons,
            "annotation": annotation,
            "candidate_ratio": candidate_ratio,
            "add_gold": add_gold,
            "negatives": negatives,
            "learn_rate_factor": learn_rate_factor,
            "prefix": prefix,
            "mentions_key": mentions_key,
            "given_key": given_key,
        }
        self.lost = LostSpans()

    def predict(self, docs: Iterable[Doc], *, choose: CandidateStrategy | None = None) -> list[CorefPrediction]:
        """Find the mentions and clusters of a batch of documents, without modifying them.

        docs (Iterable[Doc]): The documents, with sentence boundaries.
        choose (CandidateStrategy | None): Which spans to link where mentions are not given; by default those that
            selector and settings choose.
        RETURNS (list[CorefPrediction]): One for each document.
        RAISES (ValueError): If a document has no sentence boundaries.
        """
        choose = choose or self.prediction_strategy()
        predictions: list[CorefPrediction] = []
        for batch in batch_by_words(docs, PREDICT_WORDS):
            layout = SpanLayout.build(sentence_lengths(batch, self.name), head_device(self.model))
            if layout.size:
                strategy, lost = given_mentions(batch, layout, self.cfg["given_key"], choose)
                self.lost.take_over(lost, self.name, "given mention")
                output = self.model.predict(HeadInput(batch, layout, strategy))
                predictions += self._to_predictions(batch, layout, output)
            else:
                predictions += [CorefPrediction([], [], [], []) for _ in batch]
        return predictions

    def set_annotations(self, docs: Iterable[Doc], scores: Sequence[CorefPrediction]) -> None:
        """Write predictions to documents, in place of any that are there.

        docs (Iterable[Doc]): The documents.
        scores (Sequence[CorefPrediction]): What `predict` returned for them.
        """
        for doc, prediction in zip(docs, scores, strict=True):
            scores_of = dict(zip(prediction.mentions, prediction.scores, strict=True))
            link_scores = dict(zip(prediction.mentions, prediction.link_scores, strict=True))
            set_mentions(doc, prediction.mentions, prediction.scores, key=self.cfg["mentions_key"])
            set_clusters(
                doc,
                prediction.clusters,
                prefix=self.cfg["prefix"],
                mentions_key=self.cfg["mentions_key"],
                scores=scores_of,
                link_scores=link_scores,
            )

    def initialize(self, get_examples: Callable[[], Iterable[Example]], *, nlp: Language | None = None) -> None:
        """Build the network.

        get_examples (Callable[[], Iterable[Example]]): The training examples.
        nlp (Language | None): The pipeline.
        RAISES (ValueError): If no example has a cluster, or none has a token, or none has the constituents that the
            multitask selector learns from.
        """
        validate_get_examples(get_examples, "StructuredCoref.initialize")
        prefix = self.cfg["prefix"]
        if not any(cluster_groups(example.reference, prefix) for example in get_examples()):
            raise ValueError(
                f"'{self.name}' found no cluster in any training example: no doc.spans key such as '{prefix}_1'. "
                "Convert the corpus with 'python -m spacy span-selector convert', or set 'prefix' to the one it uses."
            )
        if isinstance(self.selector, MultitaskSelector) and not any(map(has_constituents, get_examples())):
            raise ValueError(
                f"'{self.name}' found no constituent in any training example: no group "
                f"doc.spans['{CONSTITUENTS_KEY}']. The multitask selector learns from them: take a corpus that has "
                "trees, such as OntoGUM, or another selector."
            )
        self.model.initialize(X=docs_to_initialize(get_examples()))

    def _greedy_strategy(self, selector: GreedySelector) -> TopNonCrossing:
        assert selector.ratio is not None  # the architecture has filled it in
        return TopNonCrossing(selector.ratio)

    def _layout_and_gold(self, examples: Sequence[Example]) -> tuple[SpanLayout, GoldMentions]:
        """The sentences and the gold mentions of a batch; the first loss of each kind is reported."""
        lengths = sentence_lengths([example.predicted for example in examples], self.name)
        device = head_device(self.model)
        gold, lost = gold_mentions(
            examples,
            lengths,
            prefix=self.cfg["prefix"],
            mentions_key=self.cfg["mentions_key"],
            max_width=self.model.attrs.get("max_span_width"),
            device=device,
        )
        self.lost.take_over(lost, self.name, "gold mention")
        if isinstance(self.selector, MultitaskSelector):
            gold = replace(gold, constituents=gold_constituents(examples, lengths, device))
        return SpanLayout.build(lengths, device), gold

    def _training_request(self, docs: Sequence[Doc], gold: GoldMentions) -> CandidateStrategy:
        return self._training_strategy(gold)

    def _loss(
        self, output: CorefOutput, gold: GoldMentions, layout: SpanLayout
    ) -> tuple[torch.Tensor, list[torch.Tensor]]:
        loss = coref_loss(
            output,
            gold,
            layout,
            annotation=self.cfg["annotation"],
            negatives=self.cfg["negatives"],
            constituent_weight=self.selector.weight if isinstance(self.selector, MultitaskSelector) else 0.0,
        )
        return loss, output.tensors()

    def _to_predictions(
        self, docs: Sequence[Doc], layout: SpanLayout, output: CorefOutput
    ) -> Iterator[CorefPrediction]:
        """Take the output of a batch apart, document by document."""
        starts, ends = output.starts.tolist(), output.ends.tolist()
        if output.marginals is None:
            scores = output.scores[output.candidates].sigmoid().tolist()
        else:
            scores = output.marginals.selected[output.candidates].exp().tolist()
        clusters, link_scores = _link(output)
        document = layout.document[output.starts]
        edges = torch.searchsorted(document, torch.arange(len(docs) + 1, device=document.device)).tolist()
        first_token = 0
        for doc, begin, end in zip(docs, edges, edges[1:], strict=False):
            mentions = [(starts[i] - first_token, ends[i] + 1 - first_token) for i in range(begin, end)]
            members: dict[int, list[Mention]] = {}
            for mention, cluster in zip(mentions, clusters[begin:end], strict=True):
                members.setdefault(cluster, []).append(mention)
            doc_scores = scores[begin:end]
            singletons = self._singletons(doc, mentions, doc_scores) if self.cfg["keep_singletons"] else set()
            kept = [cluster for cluster in members.values() if len(cluster) > 1 or cluster[0] in singletons]
            yield CorefPrediction(mentions, doc_scores, link_scores[begin:end], kept)
            first_token += len(doc)

    def _singletons(self, doc: Doc, mentions: list[Mention], scores: list[float]) -> set[Mention]:
        """The mentions that are clusters of their own if nothing is linked to them: all that were selected or given.

        Greedy pruning keeps far more spans than there are mentions, so there the score decides.
        """
        if isinstance(self.selector, GreedySelector) and self.cfg["given_key"] not in doc.spans:
            scored = zip(mentions, scores, strict=True)
            return {mention for mention, score in scored if score > self.cfg["threshold"]}
        return set(mentions)


def _link(output: CorefOutput) -> tuple[list[int], list[float]]:
    """The cluster of each candidate, that of its best antecedent if it scores above "none", otherwise a new one; and
    the probability of what was chosen."""
    antecedents, _, scores = output.links
    scores = torch.cat([scores.new_zeros(len(scores), 1), scores], dim=1)
    best = scores.argmax(dim=1, keepdim=True)  # "none" comes first, so it wins a tie
    probabilities = scores.softmax(dim=1).gather(1, best).squeeze(1)
    clusters = list(range(len(antecedents)))
    linked = torch.nonzero(best.squeeze(1)).squeeze(1)
    chosen = antecedents[linked, best[linked, 0] - 1]
    for mention, antecedent in zip(linked.tolist(), chosen.tolist(), strict=True):
        clusters[mention] = clusters[antecedent]
    return clusters, probabilities.tolist()
