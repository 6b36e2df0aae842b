"""Frames whose arguments are entities: who did what to whom, resolved. `doc._.events`.

Which argument is whose mention, and which are several participants, tells `arguments.py`.

Semantic roles end with the sentence, and a quotation need not. So a predicate that introduces a quotation gets all of
it as an argument, and who says it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from spacy.tokens import Doc, Span

from ..annotation.frames import PREDICATE_LABEL
from ..extensions.clusters import Cluster, Entity, doc_clusters
from ..extensions.frames import MODAL, NEGATION, SrlFrame, doc_frames
from ..extensions.mention_types import shown_text, without_clitic
from ..extensions.representative import entity_id, entity_label
from ..extensions.tables import span_to_dict
from .arguments import EntityFinder
from .quotations import DocQuotation, find_quotations

REFERENCE, CONTINUATION = "R-", "C-"
SPEAKER, WORDS, ADDRESSEE = "ARG0", "ARG1", "ARG2"
"""The roles of a predicate that introduces a quotation. Of "answer" and the like, PropBank has the words as ARG2."""
ADDRESSED = frozenset({"say.01", "tell.01"})
"""Rolesets whose ARG2 is who is spoken to."""
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
class Participant:
    """An argument of an event, or a member of one that is a coordination.

    role (str): Its role, such as ARG0 or ARGM-LOC.
    span (Span): The argument, or the member.
    rest (list[Span]): Its continuations, further spans of the same argument.
    description (str | None): What the role is to the roleset, such as "giver", where it is known.
    entity (Entity | None): The cluster that it is a mention of; None where it is said of the subject: "Ada is a nurse".
    argument (Span | None): Of a member, all of the argument.
    """

    role: str
    span: Span
    rest: list[Span] = field(default_factory=list)
    description: str | None = None
    entity: Entity | None = None
    argument: Span | None = None

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
        return shown_text(without_clitic(self.span)) if self.entity is None else self.entity.name

    @property
    def entity_label(self) -> str:
        """The label of its cluster, or else that of its entity in `doc.ents`, "" without one."""
        return entity_label([self.span]) if self.entity is None else self.entity.label

    @property
    def entity_id(self) -> str:
        """The identifier of its cluster, or else that of its entity in `doc.ents`, "" without one."""
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
        """Those of the first core role with each other participant; nothing if there are none, or no others."""
        roles = {one.role for one in self.participants if one.role.startswith(CORE)}
        first = min((role for role in roles if not role.startswith(ADJUNCT)), default=None)
        subjects = [one for one in self.participants if one.role == first]
        others = [one for one in self.participants if one.role != first]
        return [Triple(one.name, self.relation, other.name, other.role) for one in subjects for other in others]

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
                **self.row(),
                "role": participant.role,
                "description": participant.description,
                "name": participant.name,
                "cluster": participant.number,
                "entity_label": participant.entity_label,
                "entity_id": participant.entity_id,
                "text": participant.span.text,
                "start": participant.span.start_char,
                "end": participant.span.end_char,
            }
            for participant in self.participants
        ]

    def row(self) -> dict[str, Any]:
        """What all rows of the event have: what is known of its predicate."""
        return {
            "predicate": self.predicate.text,
            "predicate_start": self.predicate.start_char,
            "roleset": self.roleset,
            "roleset_name": self.roleset_name,
            "negated": self.negated,
            "modal": self.modal,
        }


def doc_events(
    doc: Doc, cluster_prefix: str | None = None, frame_prefix: str | None = None, auxiliaries: bool = False
) -> list[Event]:
    """The events of a document, in the order of their predicates.

    A quotation is the ARG1 of the predicate that introduces it, unless this has an argument within it, in its place.
    Where the predicate has no ARG0, it is the speaker, and the ARG2 of "say" and "tell" is the addressee, where known.
    """
    return find_events(doc, doc_clusters(doc, cluster_prefix), frame_prefix, auxiliaries)


def find_events(
    doc: Doc, clusters: Sequence[Cluster], frame_prefix: str | None = None, auxiliaries: bool = False
) -> list[Event]:
    """The events of a document whose clusters are known, as `doc_events` returns them."""
    frames = doc_frames(doc, frame_prefix)
    find = EntityFinder(clusters, frames)
    events = [_event(frame, find) for frame in frames]
    for number, said in _introduced(events, find_quotations(doc, clusters), find).items():
        participants = _with_quotations(events[number], frames[number], said, find)
        events[number] = replace(events[number], participants=_in_order(participants))
    return [
        event
        for event, frame in zip(events, frames, strict=True)
        if auxiliaries or event.participants or not frame.is_bare
    ]


def _event(frame: SrlFrame, find: EntityFinder) -> Event:
    modal = frame.arguments.get(MODAL, [])
    return Event(
        predicate=frame.predicate,
        roleset=frame.roleset,
        roleset_name=frame.roleset_name,
        negated=NEGATION in frame.arguments,
        modal=modal[0].text if modal else None,
        participants=_in_order(_participants(frame, find)),
    )


def _in_order(participants: Iterable[Participant]) -> list[Participant]:
    return sorted(participants, key=lambda one: (one.span.start, one.span.end))


def _participants(frame: SrlFrame, find: EntityFinder) -> Iterator[Participant]:
    """The arguments of a frame. One that is only referred to is its reference; one that only continues, its rest."""
    for role in {role.removeprefix(REFERENCE).removeprefix(CONTINUATION): None for role in frame.arguments}:
        if role in (NEGATION, MODAL, PREDICATE_LABEL):
            continue
        rest = frame.arguments.get(CONTINUATION + role, [])
        spans = frame.arguments.get(role) or frame.arguments.get(REFERENCE + role) or rest[:1]
        of_span = find if role in frame.arguments else find.of_reference
        members = [(one, span) for span in spans for one in find.members(span, only_mentions=role.startswith(ADJUNCT))]
        for i, (one, span) in enumerate(members):
            continued = [other for other in rest if other is not span] if i == len(members) - 1 else []
            entity = of_span(one)
            entity = None if entity and find.is_attribute(frame, role, entity) else entity
            whole = None if one is span else span
            yield Participant(role, one, continued, frame.description(role) or None, entity, whole)


def _introduced(
    events: Sequence[Event], quotations: Sequence[DocQuotation], find: EntityFinder
) -> dict[int, list[DocQuotation]]:
    """The quotations that an event introduces, by its number: of those whose predicates lie in the cue and lack the
    words, the one next to them. So it is "said" of "said Alice, getting tired"."""
    with_cue: dict[tuple[int, int], list[DocQuotation]] = {}
    for quotation in quotations:
        if quotation.cue is not None:
            with_cue.setdefault((quotation.cue.start, quotation.cue.end), []).append(quotation)
    starting: dict[int, list[int]] = {}
    for number, event in enumerate(events):
        starting.setdefault(event.predicate.start, []).append(number)
    introduced = {}
    for (start, end), said in with_cue.items():
        numbers = [number for token in range(start, end) for number in starting.get(token, ())]
        lacking = [number for number in numbers if _lacks_words(events[number], said, find)]
        if lacking:
            introduced[min(lacking, key=lambda number: _distance(events[number].predicate, said))] = said
    return introduced


def _lacks_words(event: Event, said: Sequence[DocQuotation], find: EntityFinder) -> bool:
    """Check whether an event has only the words of quotations; the speaker may replace them: "cried the elder"."""
    has_speaker = any(one.role == SPEAKER for one in event.participants)
    return all(
        _is_part(one, said) or (not has_speaker and _is_speaker(one, said[0], find))
        for one in event.participants
        if one.role == WORDS
    )


def _with_quotations(
    event: Event, frame: SrlFrame, said: Sequence[DocQuotation], find: EntityFinder
) -> Iterator[Participant]:
    """The participants of an event with the quotations that it introduces, and who says them to whom."""
    parts = [one for one in event.participants if _is_part(one, said)]
    role_of_words = parts[0].role if parts else WORDS
    known = {SPEAKER: said[0].speaker_mention}
    if event.roleset in ADDRESSED:
        known[ADDRESSEE] = said[0].addressee_mention
    for one in event.participants:
        if one in parts or (one.role == WORDS and _is_speaker(one, said[0], find)):
            continue  # the speaker is found again
        known.pop(one.role, None)
        yield one
    spans = [quotation.span for quotation in said]
    yield Participant(role_of_words, spans[0], spans[1:], frame.description(role_of_words) or None)
    for role, mention in known.items():
        if mention is not None and role != role_of_words:
            yield Participant(role, mention, [], frame.description(role) or None, find(mention))


def _is_part(one: Participant, said: Sequence[DocQuotation]) -> bool:
    """Check whether a participant is the part of a quotation that lies in the sentence."""
    return one.role in (WORDS, ADDRESSEE) and any(
        quotation.span.start <= one.span.start and one.span.end <= quotation.span.end for quotation in said
    )


def _is_speaker(one: Participant, quotation: DocQuotation, find: EntityFinder) -> bool:
    mention = quotation.speaker_mention
    return mention is not None and (one.span == mention or (one.entity is not None and one.entity is find(mention)))


def _distance(predicate: Span, said: Sequence[DocQuotation]) -> int:
    """The number of words between a predicate and the quotation next to it."""
    spans = [quotation.span for quotation in said]
    return min(max(span.start - predicate.end, predicate.start - span.end) for span in spans)
