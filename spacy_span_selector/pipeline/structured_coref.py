"""The component `structured_coref`: the mentions of a text, and the antecedent that each is linked to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any

import numpy as np
import torch
from numpy.typing import NDArray
from pydantic import Field
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example, validate_get_examples
from thinc.api import Model

from ..annotation import (
    CLUSTER_PREFIX,
    ENTITY_TYPE,
    GIVEN_MENTIONS_KEY,
    MENTIONS_KEY,
    Mention,
    cluster_groups,
    get_text,
    has_clusters_annotated,
)
from ..annotation.scored_mentions import ScoredMentions, links_of_kept, set_scored_mentions
from ..documents.cleaned import CleanDoc
from ..examples.gold_mentions import given_mentions, gold_mentions
from ..examples.lost import LostSpans
from ..examples.token_facts import token_facts
from ..extensions import register_extensions
from ..layers.coref.linker import Links, follow_links
from ..layers.coref.loss import CorefOutput, GoldMentions
from ..layers.coref.network import CorefRequest
from ..layers.selection.candidates import Decoding
from ..layers.selection.sampling import Annotation, Widths
from ..layers.spans.layout import Lengths, SpanLayout
from ..scoring.coref import COREFERENCE
from .labelled_pipe import LabelledPipe
from .selector_pipe import Scorer, SpanPrediction
from .settings import Count, NotNegative, Share, default_model

DEFAULT_MODEL = default_model("spacy_span_selector.CorefModel.v1")

REACH = 300
"""How many mentions back an antecedent may be: training documents have about so many, and the network has learnt
nothing of greater distances. It would find the antecedent of "he" chapters away."""

register_extensions()


@dataclass(frozen=True)
class CorefPrediction(SpanPrediction):
    """The prediction of the component for a document. Its spans are mentions.

    antecedents (NDArray[np.int64]): All that the network scored, by number. Shape: (mentions, antecedents)
    links (NDArray[np.float32]): Their scores, -inf where there is none. Shape: (mentions, antecedents)
    linked (list[int | None]): The number of the antecedent that each mention is linked to, None for none.
    link_scores (list[float]): The probability of this antecedent, or of having none.
    types (dict[str, NDArray[np.float32]]): The probability of each mention with each type. Shape: (mentions,)
    """

    antecedents: NDArray[np.int64] = field(default_factory=lambda: np.zeros((0, 0), dtype=np.int64))
    links: NDArray[np.float32] = field(default_factory=lambda: np.zeros((0, 0), dtype=np.float32))
    linked: list[int | None] = field(default_factory=list)
    link_scores: list[float] = field(default_factory=list)
    types: dict[str, NDArray[np.float32]] = field(default_factory=dict)

    def only(self, numbers: Sequence[int]) -> CorefPrediction:
        if [*numbers] == [*range(len(self.spans))]:
            return self
        new = np.full(len(self.spans), -1)
        new[numbers] = np.arange(len(numbers))
        antecedents, links = links_of_kept(self.antecedents, self.links, numbers)
        clusters = follow_links(self.linked)
        last: dict[int, int] = {}  # of each cluster the mention before, which stands for an antecedent that is left out
        linked = []
        for i in numbers:
            own = self.linked[i]
            is_left = own is not None and 0 <= new[own] < new[i]
            linked.append(int(new[own]) if is_left else last.get(clusters[i]))
            last[clusters[i]] = int(new[i])
        return replace(
            super().only(numbers),
            antecedents=antecedents,
            links=links,
            linked=linked,
            link_scores=[self.link_scores[i] for i in numbers],
            types={label: column[list(numbers)] for label, column in self.types.items()},
        )


@Language.factory(
    "structured_coref",
    assigns=[
        "doc.spans",
        "doc._.coref_clusters",
        "span._.coref_cluster",
        "span._.coref_score",
        "span._.coref_link_score",
        "span._.coref_antecedent",
        "token._.coref_clusters",
    ],
    requires=["token.is_sent_start"],
    default_config={"model": DEFAULT_MODEL, "scorer": {"@scorers": "spacy_span_selector.coref_scorer.v1"}},
    default_score_weights=COREFERENCE.score_weights(),
)
class StructuredCoref(LabelledPipe[GoldMentions, CorefOutput, CorefPrediction]):
    """Select the mentions of each sentence as a non-crossing set of spans, and link each to an antecedent.

    keep_singletons (bool): Whether a mention that corefers with nothing is a cluster of its own. The scorer
        follows it. May be changed after training. With singletons, annotation is complete by default, without them
        partial.
    singleton_threshold (float): Least selection probability of a mention that is a cluster of its own. May be changed
        after training.
    link_threshold (float): The score of "no antecedent" at prediction: a mention is linked to its best antecedent if
        that scores more. Below 0 more mentions are linked than the model holds for right, above 0 fewer. Link
        probabilities stay those of the model, in which "no antecedent" scores 0. May be changed after training.
    reach (int | None): How many mentions back an antecedent may be at prediction. Names are joined over any distance by
        `entity_resolver`. No limit if None; then time grows with the square of the mentions of a document.
    prefix (str): Prefix of the keys of clusters in `doc.spans`.
    mentions_key (str): Key of all selected spans in `doc.spans`.
    given_key (str): Key in `doc.spans` of mentions that a document is given. Where it is there, the component
        links these and selects no others. One that is wider than the model's `max_span_width` is linked, too, and
        has the probability 0; in a long sentence it is left out.
    """

    prediction_type = CorefPrediction
    gold_name = "gold mention"
    selected = "mentions_key"
    keys = ("mentions_key", "given_key")
    former = ("consistent_clusters", "quotations", "link_non_mentions")

    def __init__(
        self,
        nlp: Language,
        model: Model[Any, CorefOutput],
        name: str = "structured_coref",
        *,
        decoding: Decoding = "marginal",
        threshold: Share = 0.4,
        keep_singletons: bool = True,
        singleton_threshold: Share = 0.0,
        link_threshold: Annotated[float, Field(ge=-1e30, le=1e30)] = 0.0,  # what scores of 32 bits hold
        reach: Count | None = REACH,
        annotation: Annotation | None = None,
        candidate_ratio: NotNegative = 0.4,
        negatives: NotNegative | None = None,
        negative_widths: Widths | None = None,
        learn_rate_factor: NotNegative = 1.0,
        max_sentence_words: Count | None = 500,
        types: list[str] | None = None,
        prefix: str = CLUSTER_PREFIX,
        mentions_key: str = MENTIONS_KEY,
        given_key: str = GIVEN_MENTIONS_KEY,
        consistent_clusters: bool | None = None,
        quotations: bool | None = None,
        link_non_mentions: float | None = None,
        scorer: Scorer | None = None,
    ) -> None:
        """Initialize the component.

        consistent_clusters, quotations, link_non_mentions (None): Settings of earlier pipelines.
        RAISES (ValueError): If one of these has a value.
        """
        if any(value is not None for value in (consistent_clusters, quotations, link_non_mentions)):
            cure = f"Leave {', '.join(self.former)} out of its config, and add an 'entity_resolver' behind it"
            raise ValueError(f"'{name}' was saved by an earlier version. {cure}.")
        super().__init__(nlp, model, name, scorer)
        self.decoding, self.threshold = decoding, threshold
        self.annotation = annotation
        self.candidate_ratio = candidate_ratio
        self.negatives, self.negative_widths = negatives, negative_widths
        self.learn_rate_factor, self.max_sentence_words = learn_rate_factor, max_sentence_words
        self.keep_singletons, self.singleton_threshold = keep_singletons, singleton_threshold
        self.link_threshold = link_threshold
        self.reach = reach
        self.types = types
        self.prefix, self.mentions_key, self.given_key = prefix, mentions_key, given_key
        self._remember_settings()

    @property
    def learnt_annotation(self) -> Annotation:
        return self.annotation or ("complete" if self.keep_singletons else "partial")

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Language | None = None,
        labels: list[str] | None = None,
    ) -> None:
        """Collect the types of mentions, which are those of their clusters, and build the network.

        labels (list[str] | None): Types as `init labels` writes them; by default they are collected from the examples,
            and there are none if clusters have none.
        RAISES (ValueError): If no example has a cluster, or none has a token, or none has what the selector learns
            beside.
        """
        validate_get_examples(get_examples, "StructuredCoref.initialize")
        examples = list(get_examples())  # reading a corpus takes long, so only once
        if not any(cluster_groups(example.reference, self.prefix) for example in examples):
            raise ValueError(
                f"'{self.name}' found no cluster in any training example: no doc.spans key such as '{self.prefix}_1'. "
                "Convert the corpus with 'python -m spacy span-selector convert', or set 'prefix' to the one it uses."
            )
        self._build(examples, {"labels": labels})

    def _read_gold(
        self, examples: Sequence[Example], sentences: Sequence[Lengths], device: torch.device
    ) -> tuple[GoldMentions, LostSpans]:
        return gold_mentions(
            examples,
            sentences,
            prefix=self.prefix,
            mentions_key=self.mentions_key,
            types=self.numbers,
            max_width=self.network_settings.max_span_width,
            device=device,
        )

    def _training_request(self, cleaned: Sequence[CleanDoc], gold: GoldMentions) -> CorefRequest:
        return CorefRequest(token_facts(cleaned, gold.annotated.device), self.training_strategy())

    def _prediction_request(self, cleaned: Sequence[CleanDoc], layout: SpanLayout) -> CorefRequest:
        strategy, lost = given_mentions(cleaned, layout, self.given_key, self.prediction_strategy())
        self.lost.take_over(lost, self.name, "leaves out a given mention")
        device = layout.document.device
        given = torch.tensor([self.given_key in document.source.spans for document in cleaned], device=device)
        return CorefRequest(token_facts(cleaned, device), strategy, given, self.reach, self._predicted_types())

    def _predictions(
        self, cleaned: Sequence[CleanDoc], layout: SpanLayout, request: CorefRequest, output: CorefOutput
    ) -> Iterator[CorefPrediction]:
        spans = output.selection.spans
        starts, ends = spans.starts.tolist(), spans.ends.tolist()
        scores = output.selection.probabilities().tolist()
        types = output.selection.type_probabilities().float().cpu().numpy()
        of_spans = layout.document[spans.starts]
        edges = torch.searchsorted(of_spans, torch.arange(len(cleaned) + 1, device=of_spans.device)).tolist()
        first_token = 0
        for document, begin, end in zip(cleaned, edges, edges[1:], strict=False):
            mentions = [(starts[i] - first_token, ends[i] + 1 - first_token) for i in range(begin, end)]
            links = Links(*(of_all[begin:end] for of_all in output.links))
            links = links._replace(antecedents=links.antecedents - begin)
            linked = links.best(self.link_threshold)
            yield CorefPrediction(
                mentions,
                scores[begin:end],
                links.antecedents.cpu().numpy(),
                links.scores.float().cpu().numpy(),
                linked,
                links.probabilities(linked),
                {label: types[begin:end, number] for label, number in self.numbers.items()},
            )
            first_token += len(document.doc)

    def _annotate(self, doc: Doc, prediction: CorefPrediction) -> None:
        scored = ScoredMentions(
            prediction.spans,
            prediction.scores,
            prediction.antecedents,
            prediction.links,
            self.link_threshold,
            self._singletons(doc, prediction),
            self.mentions_key,
            prediction.types,
            self.given_key in doc.spans,
        )
        linked = prediction.linked
        scored.write_clusters(doc, self.prefix, follow_links(linked), linked, prediction.link_scores)
        set_scored_mentions(doc, self.prefix, scored)

    def _singletons(self, doc: Doc, prediction: CorefPrediction) -> set[Mention]:
        """The mentions that are clusters of their own if they are not linked: all that were selected or given.

        Of those that were selected, `singleton_threshold` may ask for more.
        """
        if not self.keep_singletons:
            return set()
        if self.given_key in doc.spans:
            return set(prediction.spans)
        scored = zip(prediction.spans, prediction.scores, strict=True)
        return {mention for mention, score in scored if score >= self.singleton_threshold}

    def _gold_labels(self, doc: Doc) -> list[str] | None:
        if not has_clusters_annotated(doc, self.prefix, self.mentions_key):
            return None
        groups = [(get_text(group, ENTITY_TYPE), len(group)) for group in cluster_groups(doc, self.prefix)]
        return [label for label, mentions in groups if label for _ in range(mentions)]
