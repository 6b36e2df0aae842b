"""Who says what to whom: `doc._.quotations`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from spacy.tokens import Doc, Span, Token

from ..annotation import QUOTATION_PREFIX, Mention, get_quotations
from ..documents.dashes import DASHES
from ..documents.quotations import MARKS
from ..extensions.clusters import Cluster, Entity, doc_clusters, entities_by_mention
from ..extensions.mention_types import shown_text, without_clitic, without_space
from ..extensions.tables import probability, table


@dataclass(frozen=True)
class DocQuotation:
    """A quotation; it prints as `Ann Lee: "Go away!"`.

    span (Span): The words that are quoted, with their marks.
    speaker_mention, addressee_mention (Span | None): A mention of who speaks, and of who is spoken to, where known.
    cue (Span | None): The words that introduce it, such as "said the elder", where there are some.
    score (float | None): The probability of the speaker, where it is known.
    speaker_entity, addressee_entity (Entity | None): The clusters of these mentions, with their numbers.
    inside (DocQuotation | None): The quotation that it lies in.
    """

    span: Span
    speaker_mention: Span | None = None
    addressee_mention: Span | None = None
    cue: Span | None = None
    score: float | None = None
    speaker_entity: Entity | None = None
    addressee_entity: Entity | None = None
    inside: DocQuotation | None = None

    def __repr__(self) -> str:
        return f"{self.speaker_name or '?'}: {self.span.text}"

    @property
    def text(self) -> str:
        """The words without their marks."""
        words = [token.i for token in without_space(self.span)]
        first, last = words[0], words[-1]
        first += _is_mark(self.span.doc[first]) or self.span.doc[first].text in DASHES
        last -= first <= last and _is_mark(self.span.doc[last])
        return self.span.doc[first : last + 1].text.strip()

    @property
    def speaker(self) -> Cluster | None:
        """The cluster of who speaks."""
        return None if self.speaker_entity is None else self.speaker_entity.cluster

    @property
    def addressee(self) -> Cluster | None:
        """The cluster of who is spoken to."""
        return None if self.addressee_entity is None else self.addressee_entity.cluster

    @property
    def speaker_name(self) -> str | None:
        """The representative mention of the speaker, else the mention that is known; None if nobody is."""
        return _name(self.speaker_entity, self.speaker_mention)

    @property
    def addressee_name(self) -> str | None:
        """The same of who is spoken to."""
        return _name(self.addressee_entity, self.addressee_mention)

    @property
    def level(self) -> int:
        """The number of quotations that it lies in."""
        return 0 if self.inside is None else self.inside.level + 1

    def row(self) -> dict[str, Any]:
        """The quotation as a row of a table: `pandas.DataFrame(quotation.row() for quotation in doc._.quotations)`.
        Every row has the same columns."""
        return {
            "text": self.text,
            "speaker": self.speaker_name,
            "speaker_cluster": _number(self.speaker_entity),
            "addressee": self.addressee_name,
            "addressee_cluster": _number(self.addressee_entity),
            "cue": None if self.cue is None else self.cue.text,
            "score": self.score,
            "level": self.level,
            "start": self.span.start_char,
            "end": self.span.end_char,
        }

    def _repr_html_(self) -> str:
        return DocQuotations([self])._repr_html_()


class DocQuotations(list[DocQuotation]):
    """The quotations of a document: a list that notebooks show as a table."""

    def _repr_html_(self) -> str:
        rows = [
            (
                escape(one.speaker_name or ""),
                escape(one.text),
                escape(one.addressee_name or ""),
                "" if one.cue is None else escape(one.cue.text),
                probability(one.score),
            )
            for one in self
        ]
        return table(["speaker", "says", "addressee", "cue", "probability"], rows)


def doc_quotations(doc: Doc, prefix: str = QUOTATION_PREFIX, cluster_prefix: str | None = None) -> DocQuotations:
    """The quotations of a document, in the order of the text, outer ones first."""
    return find_quotations(doc, doc_clusters(doc, cluster_prefix), prefix)


def find_quotations(doc: Doc, clusters: Sequence[Cluster], prefix: str = QUOTATION_PREFIX) -> DocQuotations:
    """The quotations of a document whose clusters are known. Those without tokens are left out.

    clusters (Sequence[Cluster]): Its clusters. Their places are the numbers of speakers and addressees.
    """
    found = DocQuotations()
    stored = [quotation for quotation in get_quotations(doc, prefix) if quotation.start < quotation.end]
    entities = entities_by_mention(clusters) if stored else {}
    around: list[DocQuotation] = []
    for quotation in sorted(stored, key=lambda quotation: (quotation.start, -quotation.end)):
        span = doc[quotation.start : quotation.end]
        while around and (around[-1].span.end < span.end or around[-1].span == span):
            around.pop()
        speaker, addressee, cue = (_span(doc, place) for place in quotation[2:5])
        one = DocQuotation(
            span,
            speaker,
            addressee,
            cue,
            quotation.score,
            quotation.speaker and entities.get(quotation.speaker),
            quotation.addressee and entities.get(quotation.addressee),
            around[-1] if around else None,
        )
        found.append(one)
        around.append(one)
    return found


def _span(doc: Doc, place: Mention | None) -> Span | None:
    return None if place is None or place[0] >= place[1] else doc[place[0] : place[1]]


def _is_mark(token: Token) -> bool:
    return token.is_quote or token.text in MARKS


def _name(entity: Entity | None, mention: Span | None) -> str | None:
    if entity is not None:
        return entity.name
    return None if mention is None else shown_text(without_clitic(mention))


def _number(entity: Entity | None) -> int | None:
    return None if entity is None else entity.number
