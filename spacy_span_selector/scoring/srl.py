"""Scores of `structured_srl`: its scorer, and the task that names its scores.

`docs/scores.md` lists the scores. No name is longer than 13 characters, the limit of spaCy's training log.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from spacy import registry
from spacy.tokens import Doc
from spacy.tokens import Span as DocSpan
from spacy.training import Example

from ..annotation import (
    FRAME_PREFIX,
    PREDICATES_KEY,
    SELECTED_KEY,
    annotates_all_predicates,
    frame_groups,
    get_frames,
    has_frames_annotated,
    read_group,
)
from .metrics.counts import Counts
from .metrics.srl import PREDICATE_ROLE, Proposition, Span, SrlScores, argument_spans, count_matches
from .task import Task, check_same_text


@registry.scorers("spacy_span_selector.srl_scorer.v1")
def make_srl_scorer() -> Callable[..., dict[str, Any]]:
    """Create the scorer of the component: `score_srl`, to which the component passes its settings."""
    return score_srl


def score_srl(
    examples: Iterable[Example],
    *,
    prefix: str = FRAME_PREFIX,
    predicates_key: str = PREDICATES_KEY,
    spans_key: str = SELECTED_KEY,
    **cfg: Any,
) -> dict[str, Any]:
    """Score predicted frames against gold ones, over all examples together.

    Spans match if they cover the same characters, however each side is tokenised. A reference with neither frames nor
    an empty group of predicates is ignored. So are arguments without tokens, and predicates with their frames.

    predicates_key (str): Key of given predicates in `doc.spans`; an empty group in a reference without predicates.
    RETURNS (dict[str, Any]): Scores by name, from 0 to 1, except that `srl_density` counts spans per token and has
        no upper limit, and that `srl_per_role` is a dictionary of scores. `srl_sense_acc` is None without a gold or
        without a predicted roleset, `srl_kept_p`, `_r` and `_f` are None if no prediction has the key of the kept
        spans, and all are None if no reference is annotated.
    RAISES (ValueError): If the texts of an annotated reference and its prediction differ.
    """
    scores = SrlScores()
    kept = Counts()
    n_annotated = n_with_kept = n_spans = n_tokens = 0
    for example in examples:
        both = _both_sides(example, prefix, predicates_key)
        if both is None:
            continue
        gold, predicted = both
        predicted_doc = example.predicted
        scores.add_document(gold, predicted)
        spans = argument_spans(predicted)
        if spans_key in predicted_doc.spans:
            spans = {(span.start_char, span.end_char) for span in read_group(predicted_doc, spans_key) if len(span)}
            kept += count_matches(argument_spans(gold), spans)
            n_with_kept += 1
        n_annotated += 1
        n_spans += len(spans)
        n_tokens += len(predicted_doc)
    named = _name_scores(scores, kept if n_with_kept else None)
    named["srl_density"] = n_spans / n_tokens if n_tokens else 0.0
    return named if n_annotated else dict.fromkeys(named)


def count_srl(
    example: Example, *, prefix: str = FRAME_PREFIX, predicates_key: str = PREDICATES_KEY, **cfg: Any
) -> tuple[Counts, ...] | None:
    """The counts of the arguments of one document, whose F1 is the main score, by settings as for `score_srl`; None if
    the reference is not annotated."""
    both = _both_sides(example, prefix, predicates_key)
    if both is None:
        return None
    scores = SrlScores()
    scores.add_document(*both)
    return (scores.labelled,)


def _both_sides(
    example: Example, prefix: str, predicates_key: str
) -> tuple[list[Proposition], list[Proposition]] | None:
    """The gold and the predicted propositions of a document; None if the reference is not annotated. Where it has the
    frames of some predicates only, others are left out."""
    gold, predicted = example.reference, example.predicted
    if not has_frames_annotated(gold, prefix, predicates_key):
        return None
    check_same_text(gold, predicted)
    both = _propositions(gold, prefix), _propositions(predicted, prefix)
    if not annotates_all_predicates(gold, predicates_key):
        known = {proposition.predicate for proposition in both[0]}
        both = both[0], [proposition for proposition in both[1] if proposition.predicate in known]
    return both


def _propositions(doc: Doc, prefix: str) -> list[Proposition]:
    def characters(start: int, end: int) -> Span:
        span = doc[start:end]
        return span.start_char, span.end_char

    return [
        Proposition(
            characters(frame.start, frame.end),
            [(characters(start, end), role) for start, end, role in frame.arguments if start < end],
            frame.roleset,
        )
        for frame in get_frames(doc, prefix)
        if frame.start < frame.end
    ]


def _name_scores(scores: SrlScores, kept: Counts | None) -> dict[str, Any]:
    named: dict[str, Any] = {}
    by_metric = {"srl": scores.labelled, "srl_span": scores.unlabelled, "srl_pred": scores.predicates, "srl_kept": kept}
    for metric, counts in by_metric.items():
        parts = dict.fromkeys("prf") if counts is None else counts.scores()
        named |= {f"{metric}_{part}": score for part, score in parts.items()}
    senses = scores.rolesets
    comparable = senses.recall_denominator and senses.precision_denominator
    named["srl_sense_acc"] = senses.recall if comparable else None
    named["srl_per_role"] = {role: counts.scores() for role, counts in sorted(scores.per_role.items())}
    return named


def _gold_spans(doc: Doc, settings: Any) -> list[DocSpan] | None:
    """The arguments of the frames of a gold or predicted document; None if it is not annotated."""
    if not has_frames_annotated(doc, settings.prefix, settings.predicates_key):
        return None
    arguments = (argument for group in frame_groups(doc, settings.prefix) for argument in list(group)[1:])
    return [argument for argument in arguments if argument.label_ != PREDICATE_ROLE]


SEMANTIC_ROLES = Task(
    factory="structured_srl",
    title="Semantic roles",
    span="argument",
    group="frame",
    main_score="srl_f",
    main_title="F1 of arguments",
    scores={"srl": "Arguments", "srl_span": "Unlabelled", "srl_pred": "Predicates", "srl_kept": "Kept spans"},
    unlogged=("srl_kept",),
    density="srl_density",
    accuracies={"srl_sense_acc": "Roleset accuracy"},
    per_label="srl_per_role",
    reader_settings={"prefix": "prefix", "predicates_key": "predicates_key"},
    main_counts=count_srl,
    gold_spans=_gold_spans,
    groups=lambda doc, settings: frame_groups(doc, settings.prefix),
    # A predicate and an argument.
    can_learn=lambda doc, settings: any(len(group) > 1 for group in frame_groups(doc, settings.prefix)),
)
