"""Arguments as entities: whose mention an argument is, and the members of one that is a coordination.

An argument belongs to a cluster if it is a mention of it, prepositions before it and words after its noun phrase apart:
"to the captain", "the captain, who was late". It may end before the mention does: "the boy" of "the boy who left". A
mention inside of an argument is not the argument: in "the captain's son", "the captain" is somebody else.
"""

from __future__ import annotations

from bisect import bisect
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property

from spacy.attrs import LOWER, ORTH, POS, TAG
from spacy.tokens import Doc, Span, Token

from ..annotation import Mention
from ..extensions.clusters import Cluster, Entity, entities_by_mention
from ..extensions.english import BE, POSSESSIVES, RELATIVES, VERBS
from ..extensions.frames import MODIFIERS, SrlFrame
from ..extensions.mention_types import head_token, is_clitic, mention_type, part_of_speech
from ..language import TITLES, language_table
from .clustering.forms import read_words

BEFORE_MENTION = frozenset({"ADP", "SCONJ", "PART", "PUNCT", "SPACE"})
CORRELATIVES = frozenset({"both", "either", "neither"})
TOPIC = "ARG1"
ATTRIBUTES = {"be.01": "ARG2", "become.01": "ARG2", "remain.01": "ARG3"}
"""Of copulas, the role of what is said of the ARG1: "an engineer" of "Ada is an engineer"."""
REACH = 30
"""How many words back a noun phrase may start whose relative clause begins with a pronoun."""
DEICTICS = frozenset({"it", "this", "that", "these", "those", "there", "here"})
"""Subjects that introduce a predicate noun rather than have it said of them: "this is my brother"."""
ARTICLES = frozenset({"a", "an", "the"})
CLOSING = frozenset({",", ".", ";", ":", "!", "?", "—", "–", "--", ")"})
"""What may stand behind an apposition."""


class EntityFinder:
    """Finds the clusters of arguments."""

    def __init__(self, clusters: Sequence[Cluster], frames: Sequence[SrlFrame] = ()) -> None:
        """Take frames of the document, too, which tell noun phrases from clauses."""
        self.exact = entities_by_mention(clusters)
        self.by_start: dict[int, list[Span]] = {}
        for cluster in clusters:
            for mention in cluster:
                self.by_start.setdefault(mention.start, []).append(mention)
        self.frames = frames
        self.by_predicate = {frame.predicate.start: frame for frame in frames}
        self.joining: list[int] | None = None

    def __call__(self, argument: Span) -> Entity | None:
        """The cluster of an argument; None without one, as a coordination is unless it is a mention as a whole."""
        for start in noun_phrase_starts(argument):
            found = self.exact.get((start, argument.end)) or self._with_same_head(argument.doc[start : argument.end])
            if found:
                return found
        return None

    def of_reference(self, pronoun: Span) -> Entity | None:
        """The cluster of the mention whose relative clause begins with a pronoun, or else of the pronoun itself."""
        for start in range(pronoun.start - 1, max(pronoun.start - REACH, -1), -1) if len(pronoun) == 1 else ():
            for mention in self.by_start.get(start, ()):
                if mention.end > pronoun.end or mention.end == pronoun.start:
                    return self.exact[start, mention.end]
        return self(pronoun)

    def is_said(self, cluster: Cluster) -> bool:
        """Check whether a cluster has nothing but what is said of another: predicate nouns and appositions."""
        return all((mention.start, mention.end) in self._said for mention in cluster)

    def is_attribute(self, frame: SrlFrame, role: str, entity: Entity) -> bool:
        """Check whether an entity is no participant of its own in a role of a copula, but said of the subject."""
        topics = frame.arguments.get(TOPIC, ())
        return role == attribute_role(frame) and (
            self.is_said(entity.cluster) or any(self(one) is entity for one in topics)
        )

    @cached_property
    def _said(self) -> set[Mention]:
        said: list[Span] = []
        for frame in self.frames:
            topics, attributes = frame.arguments.get(TOPIC), frame.arguments.get(attribute_role(frame))
            if topics and attributes and not any(topic.text.lower() in DEICTICS for topic in topics):
                said += [one for span in attributes for one in (span, *self.members(span))]
        nouns = {(one.start, one.end) for one in said if self._is_mention(one) and mention_type(one) == "nominal"}
        return nouns.union(*map(self._in_apposition, self.exact))

    @cached_property
    def _starts_by_end(self) -> defaultdict[int, list[int]]:
        starts: defaultdict[int, list[int]] = defaultdict(list)
        for start, end in self.exact:
            starts[end].append(start)
        return starts

    def _in_apposition(self, place: Mention) -> list[Mention]:
        """The mentions that say of a name who it is: "a baker" of "Ann Lee, a baker, left", if it is that, and of the
        name and the whole, where these are two, what is mentioned less often."""
        start, end = place
        doc = self.exact[place].cluster[0].doc
        if start < 2 or doc[start - 1].text != "," or doc[start].lower_ not in ARTICLES:
            return []
        after = [token.lower_ for token in doc[end : end + 2]] or ["."]
        before = [(first, start - 1) for first in self._starts_by_end[start - 1]]
        names = [one for one in before if mention_type(doc[slice(*one)]) == "proper"]
        if not names or after[0] not in CLOSING or after[1:] in (["and"], ["or"]):
            return []
        name = min(names)
        wholes = [(one.start, one.end) for one in self.by_start[name[0]] if one.end >= end]
        same = sorted({name, *wholes}, key=lambda one: (-len(self.exact[one].cluster), one))
        return [place, *same[1:]]

    def _is_mention(self, span: Span) -> bool:
        return (span.start, span.end) in self.exact

    def _with_same_head(self, noun_phrase: Span) -> Entity | None:
        """The entity of the longest mention that a noun phrase begins with, or else of the shortest that begins so."""
        starting = self.by_start.get(noun_phrase.start)
        if not starting or len(self.members(noun_phrase)) > 1:
            return None
        end, head, after = noun_phrase.end, head_token(noun_phrase), noun_phrase.doc[noun_phrase.end :][:1]
        heads = {one.end: head_token(one) for one in starting}
        joints = {joint.start for one in (noun_phrase, *starting) for joint in self._joints(one)}
        within = [other for other in heads if other < end and other not in joints and heads[other] == head]
        is_clause = any(map(self._is_participle, after))
        beyond = [other for other in heads if other > end not in joints and (is_clause or heads[other] == head)]
        return self.exact[noun_phrase.start, max(within) if within else min(beyond)] if within or beyond else None

    def _is_participle(self, token: Token) -> bool:
        return token.i in self.by_predicate and (token.lower_.endswith(("ed", "ing")) or token.lower_ in VERBS)

    def members(self, argument: Span, *, only_mentions: bool = False) -> list[Span]:
        """The members of an argument that is a coordination of noun phrases, without prepositions.

        only_mentions (bool): Whether each of them must be a mention.
        RETURNS (list[Span]): Two or more; the argument itself if it is no coordination, is a mention as a whole and has
            others in its cluster or members that are none, or may as well be something else, as "an old and rusty
            clock" and "Anna and Ben's house" are.
        """
        doc = argument.doc
        if self.joining is None:
            self.joining = _joining(doc)
        place = bisect(self.joining, argument.start)
        if place == len(self.joining) or self.joining[place] >= argument.end:
            return [argument]
        starts = [*noun_phrase_starts(argument)]
        joints = self._joints(doc[starts[-1] : argument.end])
        edges = [starts[-1], *(edge for joint in joints for edge in (joint.start, joint.end)), argument.end]
        parts = [doc[i:j] for i, j in zip(edges[::2], edges[1::2], strict=True)]
        wholes = [self.exact[start, argument.end] for start in starts if (start, argument.end) in self.exact]
        if not joints or not all(parts) or any(len(whole.cluster) > 1 for whole in wholes):
            return [argument]
        members = [doc[[*noun_phrase_starts(part)][-1] : part.end] for part in parts]
        members[0] = members[0][members[0][0].lower_ in CORRELATIVES and len(members[0]) > 1 :]
        are_members = all(map(self._is_mention if only_mentions or wholes else self._is_member, members))
        return (
            members if are_members and not any(self._shares(one, members[-1]) for one in members[:-1]) else [argument]
        )

    def _joints(self, noun_phrase: Span) -> list[Span]:
        """What coordinates the members of a noun phrase, the last of it a conjunction; none within a member."""
        doc, places = noun_phrase.doc, range(noun_phrase.start, noun_phrase.end)
        ends = {place: end for place in places[1:] if (end := _end_of_joint(doc, place)) > place}
        if not ends or any(token.is_quote for token in noun_phrase):
            return []
        inner = [one for place in places for one in self.by_start.get(place, ())]
        frames = [self.by_predicate[place] for place in places if place in self.by_predicate]
        inner += [one for frame in frames for spans in frame.arguments.values() for one in spans]
        inner = [one for one in inner if one.start in places and one.end <= noun_phrase.end and len(one) < len(places)]
        joints: list[Span] = []
        for start, end in ends.items():
            if not any(one.start <= start < one.end for one in inner):
                joined = joints.pop().start if joints and joints[-1].end == start else start
                joints.append(doc[joined:end])
        return joints if joints and joints[-1].text not in (",", ";") else []

    def _is_member(self, part: Span) -> bool:
        """Check whether a part of a coordination is a noun phrase, as far as words and frames can tell."""
        titles = language_table(part.doc.vocab, TITLES)
        if is_clitic(part[-1]) or all(token.is_title and token.lower_.rstrip(".") in titles for token in part):
            return False
        end = next((token.i for token in part if token.lower_ in RELATIVES), part.end)
        main = part.doc[part.start : end]
        is_clause = any(part_of_speech(token) == "AUX" or self._is_verb(token, part) for token in main)
        return self._is_mention(part) or not is_clause

    def _is_verb(self, token: Token, part: Span) -> bool:
        """Check whether a token is the predicate of a clause: with an argument before it, or the first of its part."""
        frame = self.by_predicate.get(token.i)
        roles = (
            {} if frame is None else {role: spans for role, spans in frame.arguments.items() if role not in MODIFIERS}
        )
        if token.i == part.start:
            return bool(roles)
        arguments = (one for spans in roles.values() for one in spans if one.start <= part.start < one.end <= token.i)
        return any(not is_clitic(one[-1]) and one[-1].lower_ not in POSSESSIVES | {"her"} for one in arguments)

    def _shares(self, part: Span, last: Span) -> bool:
        """Check whether a member may have a possession, a complement or a noun in common with the last one."""
        is_owned = any(map(is_clitic, last)) and not any(map(is_clitic, part))  # "Anna and Ben's house"
        if part.text == last.text or (is_owned and _is_bare(part) == _is_bare(last)):
            return True
        common = {token.lower_ for token in part if part_of_speech(token) == "ADP"} - {token.lower_ for token in last}
        return not self._is_mention(part) and (bool(common) or _may_modify(part, last))


def noun_phrase_starts(argument: Span) -> Iterator[int]:
    """Where the noun phrase of an argument may start: at its start, and behind each preposition there."""
    yield argument.start
    for token in argument[:-1]:
        if part_of_speech(token) not in BEFORE_MENTION:
            return
        yield token.i + 1


def attribute_role(frame: SrlFrame) -> str:
    """The role of what a copula says of its subject, "" of other frames."""
    return ATTRIBUTES.get(frame.roleset or ("be.01" if frame.predicate.text.lower() in BE else ""), "")


def parts_of_speech(doc: Doc) -> list[str]:
    """The part of speech of each token; of equal tokens one is read, which takes less time."""
    keys = [*zip(*doc.to_array([ORTH, POS, TAG]).T.tolist(), strict=True)]
    parts = {key: part_of_speech(doc[place]) for key, place in dict(zip(keys, range(len(keys)), strict=True)).items()}
    return [parts[key] for key in keys]


def _joining(doc: Doc) -> list[int]:
    """The places of all words that may coordinate."""
    words = zip(read_words(doc, LOWER), parts_of_speech(doc), strict=True)
    return [place for place, (word, part) in enumerate(words) if word in (",", ";", "&", "as") or part == "CCONJ"]


def _end_of_joint(doc: Doc, place: int) -> int:
    """Where what may coordinate at a place ends: a comma, "and", "as well as"; the place itself if nothing does."""
    token, before, after = doc[place], doc[place - 1], doc[min(place + 1, len(doc) - 1)]
    if token.ent_iob_ == "I":  # of "Marks & Spencer"
        return place
    if [word.lower_ for word in doc[place : place + 3]] == ["as", "well", "as"]:
        return place + 3
    if token.text in (",", ";"):
        return place + (after.lower_ not in RELATIVES and not after.like_num)
    is_one = before.lower_ == after.lower_ or (before.like_num and after.like_num)  # "more and more", "five or six"
    joins = token.text == "&" or (part_of_speech(token) == "CCONJ" and token.lower_ != "but")
    return place + (joins and not is_one)


def _is_bare(part: Span) -> bool:
    """Check whether a noun phrase starts with an ordinary word: with no name, article, number or pronoun."""
    return part_of_speech(part[0]) not in ("DET", "PRON", "NUM") and not part[0].is_title


def _may_modify(part: Span, last: Span) -> bool:
    """Check whether a part may share the noun of the last one: "an old" and "rusty clock", "French" and "Thai food"."""
    head, word = head_token(part), head_token(part).lower_
    if len(last) == 1 or part_of_speech(last[1]) == "ADP":
        return False
    if head.pos or head.tag:
        return part_of_speech(head) not in ("NOUN", "PROPN", "PRON")
    if word.endswith("s") and not word.endswith(("ss", "us")):
        return False
    return _is_bare(last) or (len(part) == 1 and last[0].is_title and not last[-1].is_title)
