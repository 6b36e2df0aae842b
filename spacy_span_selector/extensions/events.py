"""Frames whose arguments are entities: who did what to whom, resolved. `doc._.events`.

An argument belongs to a cluster if it is a mention of it, prepositions before it and words after its noun phrase apart:
"to the captain", "the captain, who was late". A mention inside of an argument is not the argument: in "the captain's
son", "the captain" is somebody else.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from typing import Any, NamedTuple

from spacy.tokens import Doc, Span

from .clusters import Cluster, doc_clusters
from .entities import entity_id, entity_label
from .frames import SrlFrame, doc_frames
from .mention_types import head_token, part_of_speech, without_clitic
from .plain import span_to_dict

NEGATION, MODAL = "ARGM-NEG", "ARGM-MOD"
REFERENCE, CONTINUATION = "R-", "C-"
REST_OF_PREDICATE = "C-V"
BEFORE_MENTION = frozenset({"ADP", "SCONJ", "PART", "PUNCT", "SPACE"})
AUXILIARIES = frozenset({"be.03", "have.01", "do.01"})
"""Rolesets of verbs that only help others: PropBank marks them as predicates without arguments."""
CORE = "ARG"
ADJUNCT = "ARGM"


class Triple(NamedTuple):
    """Two participants of an event and what relates them, for a knowledge graph.

    subject (str): The name of the first core participant.
    relation (str): The roleset, or else the predicate; "not " stands before it where the event is negated.
    object (str): The name of another participant.
    role (str): The role of the object.
    """

    subject: str
    relation: str
    object: str
    role: str


@dataclass(frozen=True)
class Entity:
    """A cluster, for all participants that are it: what it is called takes a look at all of its mentions.

    cluster (Cluster): The cluster.
    number (int): Its place in `doc._.coref_clusters`.
    """

    cluster: Cluster
    number: int

    @cached_property
    def name(self) -> str:
        return without_clitic(self.cluster.representative).text

    @cached_property
    def label(self) -> str:
        return self.cluster.entity_label

    @cached_property
    def id(self) -> str:
        return self.cluster.entity_id


@dataclass(frozen=True)
class Participant:
    """An argument of an event.

    role (str): Its role, such as ARG0 or ARGM-LOC.
    span (Span): The argument.
    rest (list[Span]): Its continuations, further spans of the same argument.
    description (str | None): What the role is to the roleset, such as "giver", where it is known.
    entity (Entity | None): The cluster that it is a mention of.
    """

    role: str
    span: Span
    rest: list[Span] = field(default_factory=list)
    description: str | None = None
    entity: Entity | None = None

    @property
    def cluster(self) -> Cluster | None:
        """The cluster of the argument."""
        return None if self.entity is None else self.entity.cluster

    @property
    def number(self) -> int | None:
        """The place of this cluster in `doc._.coref_clusters`, from 0."""
        return None if self.entity is None else self.entity.number

    @property
    def name(self) -> str:
        """The representative mention of its cluster, else its own text, without a possessive ending."""
        return without_clitic(self.span).text if self.entity is None else self.entity.name

    @property
    def entity_label(self) -> str:
        """The label of its entity in `doc.ents`, "" without one."""
        return entity_label([self.span]) if self.entity is None else self.entity.label

    @property
    def entity_id(self) -> str:
        """The identifier of its entity in a knowledge base, "" without one."""
        return entity_id([self.span]) if self.entity is None else self.entity.id

    def to_dict(self) -> dict[str, Any]:
        """The participant as plain data."""
        known = {
            "description": self.description,
            "cluster": self.number,
            "entity_label": self.entity_label or None,
            "entity_id": self.entity_id or None,
            "continuations": [span_to_dict(span) for span in self.rest] or None,
        }
        given = {key: value for key, value in known.items() if value is not None}
        return {"role": self.role, "name": self.name, **given, **span_to_dict(self.span)}


@dataclass(frozen=True)
class Event:
    """A predicate with its participants; it prints as `give.01(ARG0=Tom Sawyer, ARG2=Aunt Polly)`.

    predicate (Span): The predicate.
    roleset (str | None): Its sense, such as "give.01", where it is known.
    roleset_name (str | None): What that means, such as "transfer", where it is known.
    negated (bool): Whether it is said not to happen: it has an argument ARGM-NEG.
    modal (str | None): Its modal verb, such as "might": its argument ARGM-MOD.
    participants (list[Participant]): All other arguments, in the order of the text.
    """

    predicate: Span
    roleset: str | None
    roleset_name: str | None
    negated: bool
    modal: str | None
    participants: list[Participant]

    def __repr__(self) -> str:
        who = ", ".join(f"{participant.role}={participant.name}" for participant in self.participants)
        return f"{self.relation}({who})"

    @property
    def relation(self) -> str:
        """The roleset, or else the predicate; with "not " before it if it is negated."""
        return f"{'not ' if self.negated else ''}{self.roleset or self.predicate.text}"

    def triples(self) -> list[Triple]:
        """The first core participant with each other one; nothing if there is none, or no other."""
        core = [one for one in self.participants if one.role.startswith(CORE) and not one.role.startswith(ADJUNCT)]
        subject = min(core, key=lambda one: one.role, default=None)
        others = [one for one in self.participants if one is not subject]
        if subject is None:
            return []
        return [Triple(subject.name, self.relation, other.name, other.role) for other in others]

    def to_dict(self) -> dict[str, Any]:
        """The event as plain data, which `json.dumps` takes."""
        known = {"roleset": self.roleset, "roleset_name": self.roleset_name, "modal": self.modal}
        return {
            "predicate": span_to_dict(self.predicate),
            **{key: value for key, value in known.items() if value},
            "negated": self.negated,
            "participants": [participant.to_dict() for participant in self.participants],
        }

    def rows(self) -> list[dict[str, Any]]:
        """One row for each participant, for a table: `pandas.DataFrame(row for event in doc._.events for row in
        event.rows())`. Every row has the same columns."""
        return [
            {
                "predicate": self.predicate.text,
                "roleset": self.roleset,
                "roleset_name": self.roleset_name,
                "negated": self.negated,
                "modal": self.modal,
                "role": participant.role,
                "description": participant.description,
                "name": participant.name,
                "cluster": participant.number,
                "entity_label": participant.entity_label or None,
                "entity_id": participant.entity_id or None,
                "text": participant.span.text,
                "start": participant.span.start_char,
                "end": participant.span.end_char,
                "predicate_start": self.predicate.start_char,
            }
            for participant in self.participants
        ]


def doc_events(doc: Doc, cluster_prefix: str | None = None, frame_prefix: str | None = None) -> list[Event]:
    """The events of a document, in the order of their predicates; auxiliaries without participants are none.

    doc (Doc): The document.
    cluster_prefix, frame_prefix (str | None): Where its clusters and frames are, as for `doc_clusters`.
    """
    find = _Finder(doc_clusters(doc, cluster_prefix))
    events = (_event(frame, find) for frame in doc_frames(doc, frame_prefix))
    return [event for event in events if event.participants or event.roleset not in AUXILIARIES]


def _event(frame: SrlFrame, find: _Finder) -> Event:
    modal = frame.arguments.get(MODAL, [])
    return Event(
        predicate=frame.predicate,
        roleset=frame.roleset,
        roleset_name=frame.roleset_name,
        negated=NEGATION in frame.arguments,
        modal=modal[0].text if modal else None,
        participants=sorted(_participants(frame, find), key=lambda one: (one.span.start, one.span.end)),
    )


def _participants(frame: SrlFrame, find: _Finder) -> Iterator[Participant]:
    """The arguments of a frame. One that is only referred to is its reference; one that only continues, its rest."""
    for role in {role.removeprefix(REFERENCE).removeprefix(CONTINUATION): None for role in frame.arguments}:
        if role in (NEGATION, MODAL, REST_OF_PREDICATE.removeprefix(CONTINUATION)):
            continue
        rest = frame.arguments.get(CONTINUATION + role, [])
        spans = frame.arguments.get(role) or frame.arguments.get(REFERENCE + role) or rest[:1]
        for i, span in enumerate(spans):
            continued = [other for other in rest if other is not span] if i == len(spans) - 1 else []
            yield Participant(role, span, continued, frame.description(role) or None, find(span))


class _Finder:
    """Finds the cluster of an argument.

    clusters (list[Cluster]): The clusters of the document.
    """

    def __init__(self, clusters: list[Cluster]) -> None:
        self.exact: dict[tuple[int, int], Entity] = {}
        self.by_start: dict[int, list[tuple[Span, Entity]]] = {}
        for entity in map(Entity, clusters, count()):
            for mention in entity.cluster:
                self.exact.setdefault((mention.start, mention.end), entity)
                self.by_start.setdefault(mention.start, []).append((mention, entity))

    def __call__(self, argument: Span) -> Entity | None:
        """The cluster; None without one."""
        start = argument.start
        while True:
            found = self.exact.get((start, argument.end)) or self._with_same_head(argument.doc[start : argument.end])
            if found:
                return found
            if start + 1 >= argument.end or part_of_speech(argument.doc[start]) not in BEFORE_MENTION:
                return None
            start += 1

    def _with_same_head(self, noun_phrase: Span) -> Entity | None:
        starting = [item for item in self.by_start.get(noun_phrase.start, ()) if item[0].end < noun_phrase.end]
        if not starting:
            return None
        head = head_token(noun_phrase)
        same = [(mention, found) for mention, found in starting if head_token(mention) == head]
        return max(same, key=lambda item: item[0].end)[1] if same else None
