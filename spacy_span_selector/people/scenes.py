"""The quotations of a document, and what is known of it when they are attributed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
from spacy.tokens import Doc
from spacy.vocab import Vocab

from ..annotation import Quotation, get_clusters, get_quotations, has_quotations_annotated, paragraph_numbers
from ..documents.cleaned import CleanDoc, clean_doc
from ..documents.quotations import FoundQuotation, find_quotations
from ..examples.token_facts import sentence_numbers
from ..extensions.frames import SrlFrame
from ..language import QUOTATION_WEIGHTS, SPEECH_VERBS, language_words
from .attribution import Attribution, Attributor, Scene
from .attribution.fitting import Attributed, fit_weights
from .attribution.scene import Range
from .clustering import read_forms
from .clustering.forms import read_words

NO_SUBJECTS: Mapping[int, int] = {}
FEWEST = 200
"""With fewer annotated quotations, the weights of the language serve better."""


def find_in_words(cleaned: CleanDoc) -> list[FoundQuotation]:
    """The quotations of a document, as token offsets of it without white space."""
    found = []
    for quotation in find_quotations(cleaned.source):
        start, end = np.searchsorted(cleaned.places, quotation[:2]).tolist()
        if start < end:
            found.append(quotation._replace(start=start, end=end))
    return found


def outer_quotations(found: Sequence[FoundQuotation]) -> list[Range]:
    """The quotations that are in no other; those that overlap one before are left out."""
    outer: list[Range] = []
    for quotation in found:
        if quotation.level == 0 and (not outer or quotation.start >= outer[-1][1]):
            outer.append((quotation.start, quotation.end))
    return outer


def read_scene(
    cleaned: CleanDoc,
    quotations: Sequence[Range],
    mentions: Sequence[Range],
    evidence: Sequence[str],
    clusters: Sequence[int | None],
    subjects: Mapping[int, int] = NO_SUBJECTS,
) -> Scene:
    """Collect the facts of a document, as token offsets of it without white space.

    clusters (Sequence[int | None]): The cluster of each; None if it is not known yet.
    subjects (Mapping[int, int]): As `find_subjects` returns them.
    """
    paragraphs = paragraph_numbers(cleaned.source)
    return Scene(
        words=read_words(cleaned.doc),
        sentences=sentence_numbers(cleaned.doc).tolist(),
        paragraphs=None if paragraphs is None else paragraphs[cleaned.places].tolist(),
        quotations=quotations,
        mentions=mentions,
        evidence=evidence,
        clusters=clusters,
        verbs=language_words(cleaned.doc.vocab, SPEECH_VERBS),
        subjects=subjects,
    )


def find_subjects(cleaned: CleanDoc, frames: Iterable[SrlFrame]) -> dict[int, int]:
    """From a predicate to the first word of its agent, as frames of the source have them: as `Scene` takes them."""
    agents = [(frame.predicate.start, one.start) for frame in frames for one in frame.arguments.get("ARG0", ())]
    return dict(np.searchsorted(cleaned.places, np.reshape(agents, (-1, 2))).tolist())


def attribute_quotations(
    cleaned: CleanDoc, quotations: Sequence[Range], mentions: Sequence[Range], clusters: Sequence[int | None]
) -> Sequence[Attribution]:
    """Who says each of the outer quotations of a document, all of whose clusters are known."""
    if not quotations:
        return []
    evidence = [form.evidence for form in read_forms(cleaned.doc, mentions)]
    return Attributor(cleaned.doc.vocab).attribute(read_scene(cleaned, quotations, mentions, evidence, clusters))


def quotations_of(
    found: Sequence[FoundQuotation],
    outer: Sequence[Range],
    attributions: Sequence[Attribution],
    mentions: Sequence[Range],
) -> list[Quotation]:
    """The quotations as a document holds them. Those that are no speech are left out; nested ones have no speaker."""
    known = dict(zip(outer, attributions, strict=True))
    spoken: list[Quotation] = []
    spoken_until = 0
    for start, end, level in found:
        attribution = known.get((start, end))
        if level:
            if end <= spoken_until:
                spoken.append(Quotation(start, end))
        elif attribution is not None and (
            attribution.is_speech or attribution.speaker is not None or attribution.mention is not None
        ):
            spoken_until = end
            speaker, addressee = attribution.mention, attribution.addressee_mention
            spoken.append(
                Quotation(
                    start,
                    end,
                    speaker=None if speaker is None else mentions[speaker],
                    addressee=None if addressee is None else mentions[addressee],
                    cue=attribution.cue,
                    score=None if attribution.speaker is None else attribution.speakers[attribution.speaker],
                )
            )
    return spoken


def learn_quotations(docs: Sequence[Doc], vocab: Vocab) -> None:
    """Fit the weights of quotations to documents with gold clusters, if enough are annotated for quotations, and keep
    them as a table of the vocabulary."""
    if sum(len(get_quotations(doc)) for doc in docs) < FEWEST:
        return
    weights = fit_weights(gold_attributions(docs))
    if vocab.lookups.has_table(QUOTATION_WEIGHTS):
        vocab.lookups.remove_table(QUOTATION_WEIGHTS)
    vocab.lookups.add_table(QUOTATION_WEIGHTS, weights)


def gold_attributions(docs: Iterable[Doc]) -> Iterator[Attributed]:
    """Read quotations, to fit weights to: each document that is annotated for some, with its paragraphs and without."""
    for doc in docs:
        if not has_quotations_annotated(doc):
            continue
        cleaned = clean_doc(doc)
        clusters = {mention: number for number, cluster in enumerate(get_clusters(cleaned.doc)) for mention in cluster}
        mentions = sorted(clusters)
        evidence = [form.evidence for form in read_forms(cleaned.doc, mentions)]
        outer = outer_quotations(find_in_words(cleaned))
        scene = read_scene(cleaned, outer, mentions, evidence, [clusters[mention] for mention in mentions])
        gold = get_quotations(cleaned.doc)
        speakers = [_gold_speaker(quotation, gold, clusters) for quotation in outer]
        yield Attributed(scene, speakers)
        yield Attributed(replace(scene, paragraphs=None), speakers)


def _gold_speaker(found: Range, gold: Sequence[Quotation], clusters: Mapping[Range, int]) -> int | Literal[""] | None:
    """The cluster of the speaker of a quotation that was found; None if it is no speech, "" if nobody knows."""
    start, end = found
    best = max(gold, key=lambda quotation: min(end, quotation.end) - max(start, quotation.start), default=None)
    if best is None or 2 * (min(end, best.end) - max(start, best.start)) <= min(end - start, best.end - best.start):
        return None
    return "" if best.speaker is None else clusters.get(best.speaker, "")
