"""Clusters of a document that are consistent as a whole, from what the network scored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from spacy.tokens import Doc

from ..annotation import find_labelled_key
from ..documents.words import Words
from ..examples.token_facts import number_speakers, sentence_numbers
from ..extensions import entity_label, labels_by_span
from ..layers.coref.linker import Links
from .attribution import Attribution, Attributor
from .clustering import Clustering, EntityTypes, NameReader, Reason, Scored, cluster_mentions, read_forms
from .scenes import attribute_quotations, clusters_of_speakers, find_turns, quotation_of_words, read_scene


def consistent_clusters(
    words: Words,
    mentions: Sequence[tuple[int, int]],
    links: Links,
    threshold: float,
    quotations: Sequence[tuple[int, int]] | None = None,
) -> Clustering:
    """Cluster the mentions of a document.

    words (Words): The document. Its labelled spans, or else its entities, tell persons from places and other things.
    mentions (Sequence[tuple[int, int]]): Token offsets, end exclusive, in the order of the text.
    links (Links): Their antecedents, by number, and their scores.
    threshold (float): The score of having no antecedent.
    quotations (Sequence[tuple[int, int]] | None): Those to attribute, outer ones, in order. Where the document has
        turns of speakers, "you" follows these. None to attribute nothing.
    RETURNS (Clustering): The cluster of each mention, its antecedent, why this is not what the network alone would
        have, and who says each quotation.
    """
    doc = words.doc
    starts = [start for start, _ in mentions]
    forms = read_forms(doc, mentions)
    evidence = [form.evidence for form in forms]

    speakers, names = number_speakers(doc)
    turns = [] if quotations is None else find_turns(speakers)
    utterances = turns or quotations or []

    def attribute(clusters: Sequence[int | None]) -> Sequence[Attribution]:
        scene = read_scene(words, utterances, mentions, evidence, clusters)
        if not turns:
            return Attributor(doc.vocab).attribute(scene)
        known = clusters_of_speakers(scene, speakers)
        return Attributor(doc.vocab).address(scene, [known.get(speakers[start]) for start, _ in turns])

    scored = Scored(
        mentions=mentions,
        sentences=sentence_numbers(doc)[starts].tolist(),
        speakers=speakers[starts].tolist(),
        quotations=quotation_of_words(utterances, len(doc))[starts].tolist(),
        antecedents=links.antecedents.cpu().numpy(),
        scores=links.scores.float().cpu().numpy(),
        speaker_names=names,
        labels=_labels(doc, mentions),
    )
    reader, types = NameReader(doc.vocab), EntityTypes(doc.vocab)
    found = cluster_mentions(forms, scored, reader, types, threshold, attribute if utterances else None)
    if turns:
        found = found._replace(attributions=attribute_quotations(words, quotations or [], mentions, found.clusters))
    return found


ENTITY_TRUST = 0.5
"""How probable the label of an entity of `doc.ents` is, which has no probability. spaCy's pipelines of news are often
wrong of characters: with more trust, clusters of LitBank get worse."""


def _labels(doc: Doc, mentions: Sequence[tuple[int, int]]) -> Sequence[Mapping[str, float]]:
    """The labels of each mention, with their probabilities; empty if nothing in the document is labelled."""
    if labels := labels_by_span(doc, find_labelled_key(doc)):
        return [labels.get(mention, {}) for mention in mentions]
    if not doc.has_annotation("ENT_IOB"):
        return ()
    found = (entity_label([doc[start:end]]) for start, end in mentions)
    return [{label: ENTITY_TRUST} if label else {} for label in found]


WHY = {
    "name": "has a name of the same entity",
    "speaker": "is who speaks",
    "addressee": "is who is spoken to",
    "other name": "is someone of another name",
    "type": "differs in gender, number or label",
    "nested": "one is inside the other",
    "whole": "another reading of the whole is likelier",
}


def describe_reasons(doc: Doc, mentions: Sequence[tuple[int, int]], reasons: Sequence[Reason | None]) -> list[str]:
    """Say in words why mentions were kept apart from the antecedents that the network prefers, or joined without one.

    doc (Doc): The document without white space, so that a reason is the same wherever lines end.
    mentions (Sequence[tuple[int, int]]): Token offsets of its mentions.
    reasons (Sequence[Reason | None]): The reason of each.
    RETURNS (list[str]): Such as 'not "Mr. Elton": is someone of another name'; "" for None.
    """
    texts = []
    for reason in reasons:
        if reason is None:
            texts.append("")
        elif reason.refused is None:
            texts.append(WHY[reason.why])
        else:
            start, end = mentions[reason.refused]
            texts.append(f'not "{doc[start:end].text}": {WHY[reason.why]}')
    return texts
