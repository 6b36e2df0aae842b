"""Scores of `structured_coref`: its scorer, and the task that names its scores.

`docs/scores.md` lists the scores. No name is longer than 13 characters, the limit of spaCy's training log.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from spacy import registry
from spacy.tokens import Doc, Span
from spacy.training import Example

from ..annotation import (
    CLUSTER_PREFIX,
    ENTITY_TYPE,
    MENTIONS_KEY,
    as_declared,
    cluster_groups,
    cluster_keys,
    get_annotates,
    get_text,
    has_clusters_annotated,
    read_group,
)
from .metrics.coreference import CorefScores
from .metrics.counts import Counts
from .task import Task, check_same_text


@registry.scorers("spacy_span_selector.coref_scorer.v1")
def make_coref_scorer() -> Callable[..., dict[str, Any]]:
    """Create the scorer of the component: `score_coref`, to which the component passes its settings."""
    return score_coref


def score_coref(
    examples: Iterable[Example],
    *,
    prefix: str = CLUSTER_PREFIX,
    mentions_key: str = MENTIONS_KEY,
    keep_singletons: bool = True,
    **cfg: Any,
) -> dict[str, float | None]:
    """Score predicted clusters against gold ones, over all examples together.

    Mentions match if they cover the same characters, however each side is tokenised. A reference with neither clusters
    nor the key of the selected spans is ignored; one with this key alone is annotated as having no mentions. Spans
    without tokens do not count, nor, where a reference is annotated for some types, clusters of others.

    RETURNS (dict[str, float | None]): Scores by name, from 0 to 1, except that `coref_density` counts spans per
        token and has no upper limit; all None if no reference is annotated.
    RAISES (ValueError): If the texts of an annotated reference and its prediction differ.
    """
    scores = CorefScores(keep_singletons=keep_singletons)
    n_annotated = n_spans = n_tokens = 0
    for example in examples:
        if not _add(example, scores, prefix, mentions_key):
            continue
        n_annotated += 1
        n_spans += _count_selected_spans(example.predicted, prefix, mentions_key)
        n_tokens += len(example.predicted)
    named = _name_scores(scores) | {"coref_density": n_spans / n_tokens if n_tokens else 0.0}
    return dict(named) if n_annotated else dict.fromkeys(named)


def count_coref(
    example: Example,
    *,
    prefix: str = CLUSTER_PREFIX,
    mentions_key: str = MENTIONS_KEY,
    keep_singletons: bool = True,
    **cfg: Any,
) -> tuple[Counts, ...] | None:
    """The counts of one document for MUC, B3 and CEAF-phi4, the mean of whose F1 is the CoNLL score, by settings as for
    `score_coref`; None if the reference is not annotated."""
    scores = CorefScores(keep_singletons=keep_singletons)
    return (scores.muc, scores.b_cubed, scores.ceaf_phi4) if _add(example, scores, prefix, mentions_key) else None


def _add(example: Example, scores: CorefScores, prefix: str, mentions_key: str) -> bool:
    """Add a document to scores if its reference is annotated. RETURNS (bool): True if it is."""
    gold, predicted = example.reference, example.predicted
    if not has_clusters_annotated(gold, prefix, mentions_key):
        return False
    check_same_text(gold, predicted)
    annotates = get_annotates(gold)
    scores.add_document(*(_clusters_by_character(doc, prefix, annotates) for doc in (gold, predicted)))
    return True


def _clusters_by_character(
    doc: Doc, prefix: str, annotates: Sequence[str] | None = None
) -> list[list[tuple[int, int]]]:
    """The clusters of a document, without those that are known to have another type than some."""
    groups = (
        group
        for group in cluster_groups(doc, prefix)
        if not (kind := get_text(group, ENTITY_TYPE)) or as_declared(kind, annotates) is not None
    )
    return [[(span.start_char, span.end_char) for span in group if len(span)] for group in groups]


def _count_selected_spans(doc: Doc, prefix: str, mentions_key: str) -> int:
    if mentions_key in doc.spans:
        return sum(1 for span in read_group(doc, mentions_key) if len(span))
    return len({mention for cluster in _clusters_by_character(doc, prefix) for mention in cluster})


def _name_scores(scores: CorefScores) -> dict[str, float]:
    named = {"coref_f": scores.conll_f1, "coref_p": scores.conll_precision, "coref_r": scores.conll_recall}
    by_metric = {
        "muc": scores.muc,
        "b3": scores.b_cubed,
        "ceaf": scores.ceaf_phi4,
        "lea": scores.lea,
        "ment": scores.mentions,
    }
    for metric, counts in by_metric.items():
        named |= {f"coref_{metric}_{part}": score for part, score in counts.scores().items()}
    return named


def _gold_spans(doc: Doc, settings: Any) -> list[Span] | None:
    """The mentions of the clusters of a gold or predicted document; None if it is not annotated."""
    if not has_clusters_annotated(doc, settings.prefix, settings.mentions_key):
        return None
    least = 1 if settings.keep_singletons else 2
    return [span for group in cluster_groups(doc, settings.prefix) if len(group) >= least for span in group]


COREFERENCE = Task(
    factory="structured_coref",
    title="Coreference",
    span="mention",
    group="cluster",
    main_score="coref_f",
    main_title="CoNLL F1",
    scores={
        "coref": "CoNLL",
        "coref_muc": "MUC",
        "coref_b3": "B3",
        "coref_ceaf": "CEAF-phi4",
        "coref_lea": "LEA",
        "coref_ment": "Mentions",
    },
    unlogged=("coref_lea",),
    density="coref_density",
    reader_settings={"cluster_prefix": "prefix", "given_key": "given_key"},
    main_counts=count_coref,
    gold_spans=_gold_spans,
    groups=lambda doc, settings: cluster_groups(doc, settings.prefix),
    can_learn=lambda doc, settings: bool(cluster_keys(doc, settings.prefix)),
)
