"""Find gold annotation that components would drop in training, with the cure for each reason."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from spacy.tokens import Doc

from ...annotation import describe_doc, get_clusters
from ...examples import alignment, gold_frames, gold_labels, gold_mentions
from ...pipeline import batches
from .problems import Kind, Pipe, Problem, tokens
from .trainings import Training

FALL_APART = Kind(
    "documents whose clusters fall apart, because 'max_words' of the reader cuts them",
    "whole documents, where clusters are learnt",
    "Set 'max_words' of the reader of this corpus to null.",
)

OF_LABELS = "of the training corpus, or of the labels in [initialize]"
WRITE_LABELS = "train on documents that have it, or write the labels again with 'init labels'."
GIVE_LEXICON = "Correct its name, train on documents that have it, or give a lexicon (docs/train.md)."
UNSEEN: Mapping[str, tuple[str, str]] = {
    gold_frames.UNKNOWN_ROLE: (f"a role {OF_LABELS}", f"Correct its name, {WRITE_LABELS}"),
    gold_labels.UNKNOWN_LABEL: (f"a label {OF_LABELS}", f"Correct it, {WRITE_LABELS}"),
    gold_frames.UNKNOWN_ROLESET: ("a roleset of the training corpus, or of the lexicon", GIVE_LEXICON),
    gold_frames.UNSEEN_ROLESET: ("a roleset that training corpus or lexicon have for this word", GIVE_LEXICON),
}
"""The reasons for which nothing is lost in training, where a document is not trained on; each as in `CURES`."""

IN_ONE_SENTENCE = "a span in one sentence"
CURES: Mapping[str, tuple[str, str]] = {
    alignment.MISALIGNED: (
        "a span that starts and ends with tokens of the pipeline's tokenizer",
        "Set 'gold_tokens' of the reader to true, or correct the span.",
    ),
    alignment.CROSSES_SENTENCES: (
        IN_ONE_SENTENCE,
        "Correct the span or the sentence boundaries; 'sentences = true' of the reader gives those of the corpus.",
    ),
    alignment.EMPTY: ("a span of some tokens", "Remove it."),
    alignment.WHITE_SPACE: ("a span with a word", "Remove it."),
    alignment.TOO_WIDE: ("a narrower span", "Raise 'max_span_width' of the model if there are many, or correct it."),
    gold_mentions.REPEATED: ("each span in one cluster", "Merge the clusters, or remove it from one."),
    gold_mentions.TWICE: ("each span once in its cluster", "Remove one of the two."),
    gold_frames.OTHER_SENTENCE: (IN_ONE_SENTENCE + ", that of its predicate", "Correct the span or the boundaries."),
    gold_frames.TOO_FAR: ("an argument nearer to its predicate", "Correct the span or the sentence boundaries."),
    gold_labels.OTHER_LABEL: ("one label for each span", "Remove one, or set 'label_hidden_width' of the model."),
    gold_labels.NO_LABEL: ("a span with a label", "Label it, or remove it."),
    **UNSEEN,
    batches.TOO_LONG: (
        "shorter sentences",
        "Correct the sentence boundaries, or raise 'max_sentence_words': no span crosses a cut.",
    ),
    batches.MORE_THAN_A_BATCH: ("shorter sentences", "Correct the sentence boundaries: no span crosses a cut."),
}
"""For each reason to lose a span: the span expected instead, and the cure."""


def find_losses(
    doc: Doc, file: Path, training: Training, pipes: Mapping[str, Pipe], *, trains: bool
) -> Iterator[Problem]:
    """Find what some components of a training would lose of a document; a ValueError says that it would stop there."""
    examples = list(training.examples(doc, file))
    for name, pipe in pipes.items():
        if training.tasks[name].group == "cluster":
            prefix = pipe.prefix
            links, kept = _count_links(doc, prefix), sum(_count_links(e.reference, prefix) for e in examples)
            if kept < links:
                found = f"{links - kept:,} of {links:,} links between mentions of a cluster"
                yield Problem(FALL_APART, str(file), describe_doc(doc), found=found)
        for example in examples:
            document = describe_doc(example.reference)
            for what, lost in pipe.find_lost([example]).items():
                for reason, place, offsets in lost.spans:
                    loses = trains or reason not in UNSEEN
                    does = what if loses else f"can't find, in files that it is not trained on, a {pipe.gold_name}"
                    expected, cure = CURES.get(reason, ("", ""))
                    kind = Kind(f"'{name}' {does} that {reason}", expected, cure, loses)
                    where = "" if offsets is None else tokens(*offsets)
                    yield Problem(kind, str(file), document, where, place.removesuffix(f" in {document}"))


def _count_links(doc: Doc, prefix: str) -> int:
    return sum(len(cluster) - 1 for cluster in get_clusters(doc, prefix) if cluster)
