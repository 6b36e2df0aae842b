"""What named-entity recognition knows of a cluster: the label and the identifier of its entity."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from spacy.tokens import Span, Token

from .mention_types import head_token

INSIDE, BEGIN = 1, 3  # values of `Token.ent_iob`
IN_ENTITY = (INSIDE, BEGIN)


def entity_label(mentions: Iterable[Span]) -> str:
    """The label that most mentions have in `doc.ents`, of equally frequent ones the first; "" if none has one.

    mentions (Iterable[Span]): The mentions of a cluster. One has the label of the entity that its head is in: "the old
        Mr. Fezziwig" has that of "Fezziwig", "Ann's brother" has not that of "Ann".
    """
    return _most_frequent(head.ent_type_ for head in _heads_in_entities(mentions))


def entity_id(mentions: Iterable[Span]) -> str:
    """The identifier in a knowledge base, `kb_id_`, that most mentions have in `doc.ents`; "" if none has one."""
    return _most_frequent(head.ent_kb_id_ for head in _heads_in_entities(mentions))


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
