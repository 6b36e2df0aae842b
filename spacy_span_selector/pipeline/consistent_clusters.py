"""Clusters of a document that are consistent as a whole, from what the network scored."""

from __future__ import annotations

from collections.abc import Sequence

from spacy.tokens import Doc

from ..clustering import Clustering, EntityTypes, NameReader, Reason, Scored, cluster_mentions, read_forms
from ..layers.coref.linker import Links
from .token_facts import sentence_numbers, speaker_numbers


def consistent_clusters(doc: Doc, mentions: Sequence[tuple[int, int]], links: Links, threshold: float) -> Clustering:
    """Cluster the mentions of a document.

    doc (Doc): The document.
    mentions (Sequence[tuple[int, int]]): Token offsets, end exclusive, in the order of the text.
    links (Links): Their antecedents, by number, and their scores.
    threshold (float): The score of having no antecedent.
    RETURNS (Clustering): The cluster of each mention, its antecedent, and why this is not what the network alone would
        have.
    """
    starts = [start for start, _ in mentions]
    scored = Scored(
        mentions=mentions,
        sentences=sentence_numbers(doc)[starts].tolist(),
        speakers=speaker_numbers(doc)[starts].tolist(),
        antecedents=links.antecedents.cpu().numpy(),
        scores=links.scores.float().cpu().numpy(),
    )
    forms = read_forms(doc, mentions)
    return cluster_mentions(forms, scored, NameReader(doc.vocab), EntityTypes(doc.vocab), threshold)


WHY = {
    "name": "has a name of the same entity",
    "speaker": "is the same speaker",
    "other name": "is someone of another name",
    "type": "differs in gender or number",
    "nested": "one is inside the other",
    "whole": "another reading of the whole is likelier",
}


def describe_reasons(doc: Doc, mentions: Sequence[tuple[int, int]], reasons: Sequence[Reason | None]) -> list[str]:
    """Say in words why mentions were kept apart from the antecedents that the network prefers, or joined without one.

    doc (Doc): The document.
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
