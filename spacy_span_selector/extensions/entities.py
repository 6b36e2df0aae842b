"""What named-entity recognition knows of a cluster: the label and the identifier of its entity."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from spacy.tokens import Span

from .mention_types import head_token


def entity_label(mentions: Iterable[Span]) -> str:
    """The label that most mentions have in `doc.ents`, of equally frequent ones the first; "" if none has one.

    mentions (Iterable[Span]): The mentions of a cluster. One has the label of the entity that its head is in: "the old
        Mr. Fezziwig" has that of "Fezziwig", "Ann's brother" has not that of "Ann".
    """
    return _most_frequent(entity.label_ for entity in _entities(mentions))


def entity_id(mentions: Iterable[Span]) -> str:
    """The identifier in a knowledge base, `kb_id_`, that most mentions have in `doc.ents`; "" if none has one."""
    return _most_frequent(entity.kb_id_ for entity in _entities(mentions))


def _entities(mentions: Iterable[Span]) -> Iterator[Span]:
    for mention in mentions:
        if not mention.doc.has_annotation("ENT_IOB"):
            continue
        entities = [entity for entity in mention.ents if mention.start <= entity.start and entity.end <= mention.end]
        if entities:
            head = head_token(mention).i
            yield from (entity for entity in entities if entity.start <= head < entity.end)


def _most_frequent(names: Iterable[str]) -> str:
    counts = Counter(filter(None, names))
    return counts.most_common(1)[0][0] if counts else ""
