"""Copy the part of gold annotation that a pipeline may see to the document that it annotates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import cast

import numpy as np
from pydantic.dataclasses import dataclass
from spacy.tokens import Doc, Span
from spacy.training import Example
from spacy.training.alignment_array import AlignmentArray
from thinc.types import Ints2d

from ..annotation.clusters import CLUSTER_PREFIX, GIVEN_MENTIONS_KEY, get_clusters, has_clusters_annotated, set_mentions
from ..annotation.frames import FRAME_PREFIX, PREDICATES_KEY, get_frames, get_predicates, set_predicates
from ..annotation.structure import (
    get_counterparts,
    get_paragraphs,
    get_speakers,
    set_counterparts,
    set_paragraphs,
    set_speakers,
)
from ..annotation.titles import describe_doc, get_title, set_title
from ..signatures import CHECKED

LabelledSpan = tuple[int, int, str]


@dataclass(frozen=True, config=CHECKED)
class GivenAnnotation:
    """The annotation of a reference that the pipeline is given, besides title, paragraphs and counterparts.

    sentences (bool): Whether sentence boundaries are given.
    predicates (bool): Whether predicates are given: those of `predicates_key` or, without this group, those of the
        frames. A reference that is not annotated for frames gives none; an empty group means that there are none.
    mentions (bool): Whether the mentions of the clusters are given: the pipeline links these, and selects none. A
        reference that is not annotated for clusters gives none.
    speakers (bool): Whether speaker turns are given.
    prefix, predicates_key (str): Where frames and given predicates are kept in `doc.spans`.
    cluster_prefix, given_key (str): Where clusters and given mentions are kept.
    """

    sentences: bool = True
    predicates: bool = False
    mentions: bool = False
    speakers: bool = True
    prefix: str = FRAME_PREFIX
    predicates_key: str = PREDICATES_KEY
    cluster_prefix: str = CLUSTER_PREFIX
    given_key: str = GIVEN_MENTIONS_KEY

    def copy(self, example: Example) -> Counter[str]:
        """Copy what is given from the reference of an example to its predicted document.

        RETURNS (Counter[str]): The number of sentence starts, predicates, mentions and turns that do not align or have
            no tokens, by kind. They are left out.
        RAISES (ValueError): If the documents cannot be aligned, because their texts differ.
        """
        predicted, reference = example.predicted, example.reference
        lost: Counter[str] = Counter()
        if title := get_title(reference):
            set_title(predicted, title)
        if self.sentences and reference.has_annotation("SENT_START"):
            lost["start of a sentence"] = copy_sentences(example)
        if paragraphs := get_paragraphs(reference):
            spans, _ = _align_spans([(*span, "") for span in paragraphs], example)
            set_paragraphs(predicted, [span[:2] for span in spans])
        if counterparts := get_counterparts(reference):
            set_counterparts(predicted, _align_spans(counterparts, example)[0])
        predicates = get_predicates(reference, self.predicates_key)
        if predicates is None:
            predicates = [(frame.start, frame.end) for frame in get_frames(reference, self.prefix)] or None
        if self.predicates and predicates is not None:
            spans, lost["predicate"] = _align_spans([(*span, "") for span in predicates], example)
            set_predicates(predicted, [span[:2] for span in spans], self.predicates_key)
        if self.mentions and has_clusters_annotated(reference, self.cluster_prefix):
            mentions = sorted({span for cluster in get_clusters(reference, self.cluster_prefix) for span in cluster})
            spans, lost["mention"] = _align_spans([(*span, "") for span in mentions], example)
            set_mentions(predicted, [span[:2] for span in spans], None, self.given_key)
        turns = get_speakers(reference)
        if self.speakers and turns:
            spans, lost["turn of a speaker"] = _align_spans(turns, example)
            set_speakers(predicted, spans)
        return lost


def copy_sentences(example: Example) -> int:
    """Copy the sentence boundaries of a reference, which has some, to the predicted document; returns how many sentence
    starts do not align, and are left out."""
    reference = example.reference
    to_predicted = _to_predicted(example)
    if to_predicted is None:
        values, lost = reference.to_array("SENT_START"), 0
    else:
        # `get_aligned_sent_starts` fails where a sentence starts with white space that aligns with no token.
        sentences = [to_predicted[sentence.start : sentence.end] for sentence in reference.sents]
        starts = {int(tokens[0]) for tokens in sentences if len(tokens)}
        signed = np.full(len(example.predicted), -1)
        signed[list(starts)] = 1
        # spaCy asks for unsigned numbers and reads them as signed.
        values, lost = signed.astype(np.uint64), len(sentences) - len(starts)
    example.predicted.from_array("SENT_START", cast(Ints2d, values))
    return lost


def copy_words(doc: Doc) -> Doc:
    """A document of the same words, with their spacing if it is known, but without annotation."""
    return Doc(
        doc.vocab,
        words=[token.text for token in doc],
        spaces=None if doc.has_unknown_spaces else [bool(token.whitespace_) for token in doc],
    )


def without_extensions(doc: Doc) -> Doc:
    """Remove the values of extension attributes: transformers keep all that they compute in one."""
    doc.user_data = {key: value for key, value in doc.user_data.items() if isinstance(key, str)}
    return doc


def _align_spans(spans: Sequence[LabelledSpan], example: Example) -> tuple[list[LabelledSpan], int]:
    """Labelled spans of the reference in the predicted document, and the number of spans lost."""
    good = [span for span in spans if span[0] < span[1]]
    if _to_predicted(example) is None:
        return good, len(spans) - len(good)
    aligned = example.get_aligned_spans_y2x([Span(example.reference, *span) for span in good], allow_overlap=True)
    return [(span.start, span.end, span.label_) for span in aligned], len(spans) - len(aligned)


def _to_predicted(example: Example) -> AlignmentArray | None:
    """The predicted tokens that share characters with each token of the reference, None if the tokens are the same."""
    if np.array_equal(example.predicted.to_array("ORTH"), example.reference.to_array("ORTH")):
        return None
    try:
        return example.alignment.y2x
    except ValueError as error:
        raise ValueError(
            f"Can't align {describe_doc(example.reference)}: the pipeline's tokenizer changes its text. Set "
            "'gold_tokens' of the reader to true, or use another tokenizer."
        ) from error
