"""The names of a cluster: its representative mention, and the label and identifier of its entity."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from spacy.tokens import Doc, Span, Token

from ..annotation import LABELLED_KEY, Mention, get_scores
from ..annotation.groups import read_spans
from ..documents.visible import visible
from .mention_types import head_token, lower, mention_type, shown_text, without_clitic


def representative_mention(cluster: Sequence[Span]) -> Span:
    """The proper mention of a cluster that most proper ones speak for, else the longest nominal one, else the first.

    A proper mention speaks for each that has all of its names, its capitalized words: "Tom" and "Mr. Sawyer" for "Mr.
    Tom Sawyer". So a name that was linked wrongly does not stand for the cluster, however long it is. Of those that
    equally many speak for, the one with most names wins, then the usual wording: "Alice", not "poor Alice". Length is
    the number of tokens, without white space and a possessive ending. Among mentions of equal length, one without a
    possessive ending wins, then the first in the text.

    cluster (Sequence[Span]): Mentions, at least one.
    """
    types = [mention_type(mention) for mention in cluster]
    proper, nominal = (
        [mention for mention, found in zip(cluster, types, strict=True) if found == wanted]
        for wanted in ("proper", "nominal")
    )
    if proper:
        bare = [without_clitic(mention) for mention in proper]
        names, wordings = [_names(span) for span in bare], [shown_text(span) for span in bare]
        uses, wording_uses = Counter(names), Counter(wordings)
        votes = {name: sum(uses[other] for other in uses if other <= name) for name in uses}
        ranks = [
            (-votes[name], -len(name), -wording_uses[wording], *_order(*spans))
            for name, wording, *spans in zip(names, wordings, proper, bare, strict=True)
        ]
        return proper[ranks.index(min(ranks))]
    if nominal:
        return min(nominal, key=lambda mention: _order(mention, without_clitic(mention)))
    return min(cluster, key=lambda mention: (mention.start, mention.end))


def _order(mention: Span, bare: Span) -> tuple[int, bool, int]:
    """The sort key of a mention among those of its type, the longest first; `bare` is the mention without clitic."""
    return -sum(not token.is_space for token in bare), len(bare) < len(mention), mention.start


def _names(bare: Span) -> frozenset[str]:
    """The capitalized words of a proper mention, in lower case, without "The" and the like; if there are none, all."""
    names = frozenset(lower(token) for token in bare if visible(token.text)[:1].isupper() and not token.is_stop)
    return names or frozenset(lower(token) for token in bare)


def labels_by_span(doc: Doc, key: str = LABELLED_KEY) -> dict[Mention, dict[str, float]]:
    """The labels of the labelled spans of a document, by token offsets, each with its probability; 1 if unknown."""
    labels: dict[Mention, dict[str, float]] = {}
    for group, spans in read_spans(doc, [key] if key in doc.spans else ()):
        for span, score in zip(spans, get_scores(group) or [1.0] * len(spans), strict=True):
            if span.label_:
                labels.setdefault((span.start, span.end), {})[span.label_] = score
    return labels


def span_label(mentions: Iterable[Span], labels: Mapping[Mention, Mapping[str, float]]) -> str:
    """The label that most mentions of a cluster have as labelled spans, of equally frequent ones the first; "" if none
    has one. `labels` are what `labels_by_span` returns: a probable one counts more."""
    votes: dict[str, float] = {}
    for mention in mentions:
        for label, score in labels.get((mention.start, mention.end), {}).items():
            votes[label] = votes.get(label, 0.0) + score
    return max(votes, key=votes.__getitem__, default="")


INSIDE, BEGIN = 1, 3  # values of `Token.ent_iob`
IN_ENTITY = (INSIDE, BEGIN)


def entity_label(mentions: Iterable[Span]) -> str:
    """The label that most mentions have in `doc.ents`, of equally frequent ones the first; "" if none has one.

    mentions (Iterable[Span]): The mentions of a cluster. One has the label of the entity that its head is in: "the old
        Mr. Fezziwig" has that of "Fezziwig", "Ann's brother" has not that of "Ann".
    """
    return _most_frequent(head.ent_type_ for head in _heads_in_entities(mentions))


def entity_id(mentions: Iterable[Span]) -> str:
    """The identifier that most mentions have in `doc.ents`, in a knowledge base or else by an EntityRuler: `kb_id_`,
    `id_`; "" if none has one."""
    return _most_frequent(head.ent_kb_id_ or head.ent_id_ for head in _heads_in_entities(mentions))


def _heads_in_entities(mentions: Iterable[Span]) -> Iterator[Token]:
    """The heads that are in an entity which the mention contains. `doc.ents` is not asked, as it is made of the whole
    document each time."""
    for mention in mentions:
        if any(token.ent_iob in IN_ENTITY for token in mention):
            head = head_token(mention)
            doc, start, end = mention.doc, head.i, head.i + 1
            while start > mention.start and doc[start].ent_iob == INSIDE:
                start -= 1
            while end < len(doc) and end <= mention.end and doc[end].ent_iob == INSIDE:
                end += 1
            if head.ent_iob in IN_ENTITY and doc[start].ent_iob == BEGIN and end <= mention.end:
                yield head


def _most_frequent(names: Iterable[str]) -> str:
    counts = Counter(filter(None, names))
    return counts.most_common(1)[0][0] if counts else ""
