"""The component `structured_coref`: which mentions of a text refer to the same entity."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, ClassVar

import torch
from pydantic import Field
from pydantic.dataclasses import dataclass as settings_class
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example, validate_get_examples
from thinc.api import Model

from ..annotation import (
    CLUSTER_PREFIX,
    GIVEN_MENTIONS_KEY,
    MENTIONS_KEY,
    Mention,
    Quotation,
    cluster_groups,
    set_clusters,
    set_quotations,
)
from ..documents.words import Words
from ..examples.gold_mentions import given_mentions, gold_mentions
from ..examples.lost import LostSpans
from ..examples.token_facts import token_facts
from ..extensions import register_extensions
from ..layers.coref.linker import Links
from ..layers.coref.loss import CorefOutput, GoldMentions
from ..layers.coref.network import CorefRequest
from ..layers.spans.layout import Runs, SpanLayout
from ..people.clustering import REACH
from ..people.consistent_clusters import consistent_clusters, describe_reasons
from ..people.scenes import attribute_quotations, find_in_words, learn_quotations, outer_quotations, quotations_of
from ..scoring.coref import COREFERENCE
from ..signatures import CHECKED, takes_settings
from .batches import docs_to_initialize
from .selector_pipe import MoveSpan, SelectorPipe, SpanPrediction
from .settings import NotNegative, NumberedGroupSettings, Share, default_model

DEFAULT_MODEL = default_model("spacy_span_selector.CorefModel.v1")

register_extensions()

ASSIGNED = (
    "doc._.coref_clusters",
    "doc._.characters",
    "doc._.resolved_text",
    "span._.coref_cluster",
    "span._.coref_score",
    "span._.coref_link_score",
    "span._.coref_antecedent",
    "token._.coref_clusters",
    "doc._.quotations",
)


@settings_class(frozen=True, kw_only=True, config=CHECKED)
class CorefPipeSettings(NumberedGroupSettings):
    """The settings of `structured_coref`.

    keep_singletons (bool): Whether a mention that corefers with nothing is a cluster of its own. The scorer
        follows it. May be changed after training. With singletons, annotation is complete by default, without them
        partial.
    mentions_key (str): Key of all selected spans in `doc.spans`.
    given_key (str): Key in `doc.spans` of mentions that a document is given. Where it is there, the component
        links these and selects no others. One that is wider than the model's `max_span_width` is linked, too, and
        has the probability 0; in a long sentence it is left out.
    link_threshold (float): The score of "no antecedent" at prediction: a mention is linked to its best antecedent if
        that scores more. Below 0 more mentions are linked than the model holds for right, above 0 fewer. The link
        probabilities that are written stay those of the model, in which "no antecedent" scores 0. Training does not
        use it, so it may be changed afterwards.
    consistent_clusters (bool): Whether clusters are made under agreement of the whole: names, gender, number, nesting,
        known speakers (docs/model.md). If not, each mention is linked to its best antecedent, whatever the others in
        its cluster are. May be changed after training.
    quotations (bool): Whether quotations are found, and who says them to whom; with `consistent_clusters`, "I" and
        "you" in them follow. May be changed after training.
    singleton_threshold (float): Least selection probability of a mention that is a cluster of its own. May be changed
        after training.
    link_non_mentions (float): What the loss is multiplied by that teaches spans which are no mentions to have no
        antecedent, as far as they are selected. Only with complete annotation.
    """

    candidate_ratio: NotNegative = 0.4
    keep_singletons: bool = True
    prefix: str = CLUSTER_PREFIX
    mentions_key: str = MENTIONS_KEY
    given_key: str = GIVEN_MENTIONS_KEY
    link_threshold: Annotated[float, Field(ge=-1e30, le=1e30)] = 0.0  # what scores of 32 bits hold
    consistent_clusters: bool = True
    quotations: bool = True
    singleton_threshold: Share = 0.0
    link_non_mentions: NotNegative = 0.0
    keys: ClassVar[tuple[str, ...]] = ("mentions_key", "given_key")
    selected: ClassVar[str] = "mentions_key"

    @property
    def marks_all(self) -> bool:
        return self.keep_singletons


@dataclass(frozen=True)
class CorefPrediction(SpanPrediction):
    """The prediction of the component for a document. Its spans are mentions.

    link_scores (list[float]): The probability of the antecedent that each was linked to, or of having none.
    clusters (list[list[Mention]]): The clusters, in the order of their first mentions.
    antecedents (list[int | None]): The number of the antecedent of each among the spans, None for having none.
    reasons (Sequence[str]): Why each was not linked as its best antecedent alone would have it, in words, "" if it was;
        empty without consistent clusters.
    quotations (Sequence[Quotation]): The quotations with their speakers.
    """

    link_scores: list[float] = field(default_factory=list)
    clusters: list[list[Mention]] = field(default_factory=list)
    antecedents: list[int | None] = field(default_factory=list)
    reasons: Sequence[str] = ()
    quotations: Sequence[Quotation] = ()

    def moved(self, move: MoveSpan) -> CorefPrediction:
        return replace(
            super().moved(move),
            clusters=[[move(*mention) for mention in c] for c in self.clusters],
            quotations=[quotation.moved(move) for quotation in self.quotations],
        )


@Language.factory(
    "structured_coref",
    assigns=["doc.spans", *ASSIGNED],
    requires=["token.is_sent_start"],
    default_config={
        "model": DEFAULT_MODEL,
        **CorefPipeSettings.defaults(),
        "scorer": {"@scorers": "spacy_span_selector.coref_scorer.v1"},
    },
    default_score_weights=COREFERENCE.score_weights(),
)
@takes_settings(CorefPipeSettings)
def make_structured_coref(
    nlp: Language,
    name: str,
    model: Model[Any, Any],
    scorer: Callable[..., dict[str, Any]] | None,
    settings: CorefPipeSettings,
) -> StructuredCoref:
    """Create the component. In a config, the fields of its settings are its arguments."""
    return StructuredCoref(nlp, model, name, settings, scorer=scorer)


class StructuredCoref(SelectorPipe[CorefPipeSettings, GoldMentions, CorefOutput, CorefPrediction]):
    """Select the mentions of each sentence as a non-crossing set of spans, and link them into clusters."""

    prediction_type = CorefPrediction
    gold_name = "gold mention"

    def initialize(self, get_examples: Callable[[], Iterable[Example]], *, nlp: Language | None = None) -> None:
        """Build the network, and learn from annotated quotations who speaks.

        get_examples (Callable[[], Iterable[Example]]): The training examples.
        nlp (Language | None): The pipeline.
        RAISES (ValueError): If no example has a cluster, or none has a token, or none has what the selector learns
            beside.
        """
        validate_get_examples(get_examples, "StructuredCoref.initialize")
        examples = list(get_examples())  # reading a corpus takes long, so only once
        prefix = self.settings.prefix
        if not any(cluster_groups(example.reference, prefix) for example in examples):
            raise ValueError(
                f"'{self.name}' found no cluster in any training example: no doc.spans key such as '{prefix}_1'. "
                "Convert the corpus with 'python -m spacy span-selector convert', or set 'prefix' to the one it uses."
            )
        self.selector.check_examples(examples, self.name)
        if self.settings.quotations:
            learn_quotations([example.reference for example in examples], self.vocab)
        self.model.initialize(X=docs_to_initialize(examples))
        self._look_through(examples)

    def _read_gold(
        self, examples: Sequence[Example], sentences: Sequence[Runs], device: torch.device
    ) -> tuple[GoldMentions, LostSpans]:
        settings = self.settings
        return gold_mentions(
            examples,
            sentences,
            prefix=settings.prefix,
            mentions_key=settings.mentions_key,
            max_width=self._max_span_width,
            device=device,
        )

    def _training_request(self, words: Sequence[Words], gold: GoldMentions) -> CorefRequest:
        return CorefRequest(token_facts(words, gold.annotated.device), self.training_strategy())

    def _prediction_request(self, words: Sequence[Words], layout: SpanLayout) -> CorefRequest:
        strategy, lost = given_mentions(words, layout, self.settings.given_key, self.prediction_strategy())
        self.lost.take_over(lost, self.name, "leaves out a given mention")
        device = layout.document.device
        given = torch.tensor([self.settings.given_key in document.source.spans for document in words], device=device)
        reach = REACH if self.settings.consistent_clusters else None
        return CorefRequest(token_facts(words, device), strategy, given, reach)

    def _loss_settings(self) -> dict[str, Any]:
        return {**super()._loss_settings(), "link_non_mentions": self.settings.link_non_mentions}

    def _predictions(
        self, words: Sequence[Words], layout: SpanLayout, request: CorefRequest, output: CorefOutput
    ) -> Iterator[CorefPrediction]:
        spans = output.selection.spans
        starts, ends = spans.starts.tolist(), spans.ends.tolist()
        scores = output.selection.probabilities().tolist()
        settings = self.settings
        of_spans = layout.document[spans.starts]
        edges = torch.searchsorted(of_spans, torch.arange(len(words) + 1, device=of_spans.device)).tolist()
        first_token = 0
        for document, begin, end in zip(words, edges, edges[1:], strict=False):
            doc = document.doc
            mentions = [(starts[i] - first_token, ends[i] + 1 - first_token) for i in range(begin, end)]
            links = Links(*(of_all[begin:end] for of_all in output.links))
            links = links._replace(antecedents=links.antecedents - begin)
            reasons: Sequence[str] = ()
            found = find_in_words(document) if settings.quotations else []
            outer = outer_quotations(found)
            if settings.consistent_clusters:
                clusters, antecedents, why, attributions = consistent_clusters(
                    document, mentions, links, settings.link_threshold, outer if settings.quotations else None
                )
                reasons = describe_reasons(doc, mentions, why)
            else:
                clusters, antecedents = _link(links, settings.link_threshold)
                attributions = attribute_quotations(document, outer, mentions, clusters)
            members: dict[int, list[Mention]] = {}
            for mention, cluster in zip(mentions, clusters, strict=True):
                members.setdefault(cluster, []).append(mention)
            singletons = self._singletons(doc, mentions, scores[begin:end], settings)
            kept = [cluster for cluster in members.values() if len(cluster) > 1 or cluster[0] in singletons]
            link_scores = _link_scores(links, antecedents)
            quotations = quotations_of(found, outer, attributions, mentions)
            yield CorefPrediction(mentions, scores[begin:end], link_scores, kept, antecedents, reasons, quotations)
            first_token += len(doc)

    def _annotate(self, doc: Doc, prediction: CorefPrediction, settings: CorefPipeSettings) -> None:
        if settings.quotations:
            set_quotations(doc, prediction.quotations)
        set_clusters(
            doc,
            prediction.clusters,
            prefix=settings.prefix,
            mentions_key=settings.mentions_key,
            scores=dict(zip(prediction.spans, prediction.scores, strict=True)),
            link_scores=dict(zip(prediction.spans, prediction.link_scores, strict=True)),
            reasons=dict(zip(prediction.spans, prediction.reasons, strict=True)) if prediction.reasons else None,
            antecedents={
                mention: None if antecedent is None else prediction.spans[antecedent]
                for mention, antecedent in zip(prediction.spans, prediction.antecedents, strict=True)
            },
        )

    def _singletons(
        self, doc: Doc, mentions: list[Mention], scores: list[float], settings: CorefPipeSettings
    ) -> set[Mention]:
        """The mentions that are clusters of their own if they are not linked: all that were selected or given.

        Of those that were selected, `singleton_threshold` may ask for more.
        """
        if not settings.keep_singletons:
            return set()
        if settings.given_key in doc.spans:
            return set(mentions)
        scored = zip(mentions, scores, strict=True)
        return {mention for mention, score in scored if score >= settings.singleton_threshold}


def _link(links: Links, threshold: float) -> tuple[list[int], list[int | None]]:
    """The cluster of each candidate, which is that of its best antecedent if this scores above the threshold and a new
    one otherwise; and this antecedent, or None."""
    antecedents, _, scores = links
    scores = torch.cat([scores.new_full((len(scores), 1), threshold), scores], dim=1)
    best = scores.argmax(dim=1, keepdim=True)  # "none" comes first, so it wins a tie
    clusters = list(range(len(antecedents)))
    linked = torch.nonzero(best.squeeze(1)).squeeze(1)
    chosen: list[int | None] = [None] * len(antecedents)
    best_antecedents = antecedents[linked, best[linked, 0] - 1]
    for mention, antecedent in zip(linked.tolist(), best_antecedents.tolist(), strict=True):
        clusters[mention] = clusters[antecedent]
        chosen[mention] = antecedent
    return clusters, chosen


def _link_scores(links: Links, antecedents: Sequence[int | None]) -> list[float]:
    """The probability that the model gives to the antecedent of each candidate, or to its having none; 0 for an
    antecedent that it did not score."""
    scores = torch.cat([links.scores.new_zeros(len(links.scores), 1), links.scores], dim=1)
    chosen = torch.tensor(
        [-1 if antecedent is None else antecedent for antecedent in antecedents], device=scores.device
    )
    is_chosen = torch.cat([chosen[:, None] < 0, (links.antecedents == chosen[:, None]) & links.possible], dim=1)
    return scores.softmax(dim=1).masked_fill(~is_chosen, 0.0).sum(dim=1).tolist()  # of one column: exact
