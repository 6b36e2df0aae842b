"""Mentions that are arguments of one frame: two entities, unless a reflexive says that they are one.

"She trusted her" has two women, "she trusted herself" one. Objects of prepositions are arguments, too ("smiled at
him"), and so is the subject of a small clause ("made him laugh"). Arguments that a frame lacks are added: the object
pronoun behind a verb, and the subject that a coordinated verb shares. No such pair are

- possessives, where an argument has lost its noun: "her" of "her hand";
- the subject of a copula or of a verb that names, and what is said of it, but it and a possessive in that are two: "he
  is his cousin" (31 of 31 in gold);
- objects of prepositions that may well stand for the subject: "she looked about her", "he brought a dog with him".

In LitBank's training documents, with the frames that a pipeline finds in them, 96 % of the pairs that are left are two
entities in gold; most others are of wrong frames. Of the reflexives, 95 % are their subjects.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from spacy.attrs import IS_PUNCT, LOWER, SENT_START
from spacy.tokens import Doc, Span

from ..annotation import Mention
from ..extensions.english import AUXILIARY_FORMS, BE, BESIDE_SUBJECT, NAMING, NO_NOUN, words_of_form
from ..extensions.frames import MODAL, SrlFrame
from ..extensions.mention_types import RECIPROCALS
from ..language import CLITICS, PRONOUNS, language_table
from .arguments import BEFORE_MENTION, DEICTICS, TOPIC, attribute_role, parts_of_speech
from .clustering.forms import read_words

SUBJECT = "ARG0"
PARTICIPANTS = frozenset({SUBJECT, "ARG1", "ARG2", "ARG3", "ARG4", "ARGM-DIR", "ARGM-GOL"})
NEAR = 8
"""How many words behind a verb its objects are looked for."""
PREDICATIVE = frozenset({"ARG1", "ARG2", "ARG3"})
OPENS_CLAUSE = frozenset({"CCONJ", "SCONJ", "VERB", "AUX"})


class CoArguments(NamedTuple):
    """What frames tell of pairs of mentions, by number.

    apart (dict[int, dict[int, str]]): The mentions that are arguments of one predicate with each, and the predicate.
    bound (dict[int, int]): From a reflexive to its subject.
    said (dict[int, int]): From a predicate noun to its subject: "a lawyer" of "she is a lawyer".
    """

    apart: dict[int, dict[int, str]]
    bound: dict[int, int]
    said: dict[int, int]

    def set_apart(self, first: int, second: int, frame: SrlFrame) -> None:
        for one, other in ((first, second), (second, first)):
            self.apart.setdefault(one, {})[other] = frame.predicate.text


NOTHING = CoArguments({}, {}, {})


class _Argument(NamedTuple):
    role: str
    mention: int
    preposition: str


def find_co_arguments(doc: Doc, frames: Iterable[SrlFrame], mentions: Sequence[Mention]) -> CoArguments:
    """Find the mentions that frames have as two, and as one; none in a language without a table of pronouns.

    mentions (Sequence[Mention]): Token offsets, in the order of the text.
    """
    found = CoArguments({}, {}, {})
    finder = _Finder(doc, frames, mentions)
    for frame in finder.frames:
        arguments = [*{one.mention: one for one in finder.participants(frame)}.values()]
        for first, second in combinations(arguments, 2):
            reflexives = [one for one in (first, second) if finder.is_reflexive(one)]
            if reflexives:
                subject = second if reflexives[0] is first else first
                if subject.role == SUBJECT and len(reflexives) == 1 and subject.mention < reflexives[0].mention:
                    found.bound[reflexives[0].mention] = subject.mention
            elif finder.is_said(frame, first, second):
                found.said[second.mention] = first.mention
                possessor = finder.possessor(second)
                if possessor is not None:
                    found.set_apart(first.mention, possessor, frame)
            elif finder.are_two(frame, first, second):
                found.set_apart(first.mention, second.mention, frame)
    return found


class _Finder:
    def __init__(self, doc: Doc, frames: Iterable[SrlFrame], mentions: Sequence[Mention]) -> None:
        table, self.words = language_table(doc.vocab, PRONOUNS), read_words(doc, LOWER)
        uses = defaultdict(str, {word: table[word].get("use", "") for word in {*self.words} if word in table})
        self.frames = [frame for frame in frames if not frame.is_auxiliary] if table else []
        written = zip(read_words(doc), self.words, strict=True)
        self.uses = ["her" if text == "her" else uses[word] for text, word in written]
        self.parts = parts_of_speech(doc) if self.frames else []
        opens, is_mark = (doc.to_array([SENT_START, IS_PUNCT]).reshape(-1, 2) == 1).T
        self.sentences, self.ends_clause = np.cumsum(opens).tolist(), (opens | is_mark).tolist()
        self.mentions = mentions
        self.numbers = {mention: number for number, mention in enumerate(mentions)}
        self.openers = {start for start, end in mentions if end > start + 1}
        self.within = {place for start, end in mentions for place in range(start + 1, min(end, start + NEAR))}
        self.places = {frame.predicate.start: number for number, frame in enumerate(self.frames)}
        self.predicates = {frame.predicate.start for frame in self.frames if not frame.is_bare}
        arguments = [(role, spans) for frame in self.frames for role, spans in frame.arguments.items()]
        self.starts = {span.start for role, spans in arguments if role[:2] != "C-" or role == "C-V" for span in spans}
        self.subjects: defaultdict[int, list[tuple[SrlFrame, Span]]] = defaultdict(list)
        for frame in self.frames:
            for span in frame.arguments.get(SUBJECT, []) + frame.arguments.get(TOPIC, []):
                self.subjects[span.start].append((frame, span))

    def participants(self, frame: SrlFrame) -> Iterator[_Argument]:
        """The arguments of a frame that are mentions, without their prepositions; subjects of small clauses, too."""
        yield from self._objects(frame.predicate.end)
        for role, spans in self._with_subject(frame).items():
            for span in spans if role in PARTICIPANTS else ():
                start = self._start_of_mention(span)
                if start is None:
                    yield from self._small_clause(role, span)
                elif not self._is_possessive(start, span.end):
                    before = self.words[start - 1] if start > span.start else ""
                    yield _Argument(role, self.numbers[start, span.end], before)

    def are_two(self, frame: SrlFrame, first: _Argument, second: _Argument) -> bool:
        """Check whether two arguments of a frame are two entities, if none is reflexive."""
        (start, end), (other_start, other_end) = self.mentions[first.mention], self.mentions[second.mention]
        if start < other_end and other_start < end:
            return False
        if self._use(start, end) == self._use(other_start, other_end) == "subject":  # one of another clause
            return False
        roles = {first.role, second.role}
        if roles <= PREDICATIVE and NAMING & {self._verb(frame), *words_of_form(self._form(frame))}:
            return False
        prepositions = {first.preposition, second.preposition}
        return not prepositions & BESIDE_SUBJECT and ("with" not in prepositions or len(frame.arguments) < 3)

    def is_said(self, frame: SrlFrame, topic: _Argument, noun: _Argument) -> bool:
        """Check whether a noun is said of the subject of a copula, which introduces no other: "it is a boy"."""
        is_attribute = (topic.role, noun.role) == (TOPIC, attribute_role(frame))
        subject, (start, end) = self.mentions[topic.mention], self.mentions[noun.mention]
        introduces = {*self.words[slice(*subject)]} <= DEICTICS
        return is_attribute and subject < (start, end) and not (introduces or noun.preposition or self._use(start, end))

    def possessor(self, noun: _Argument) -> int | None:
        """The possessive of a noun: "his" of "his cousin", but not of "his own master" or "his firm's head"."""
        start, end = self.mentions[noun.mention]
        if self._use(start, start + 1) not in ("possessive", "her") or self.words[start + 1] == "own":
            return None
        return self.numbers.get((start, start + 1)) if CLITICS.isdisjoint(self.words[start + 1 : end]) else None

    def is_reflexive(self, argument: _Argument) -> bool:
        start, end = self.mentions[argument.mention]
        return self._use(start, end) == "reflexive" or tuple(self.words[start:end]) in RECIPROCALS

    def _use(self, start: int, end: int) -> str:
        """The use of a pronoun, such as "object"; "her", as it is written, of "her", which has two; or else ""."""
        return self.uses[start] if end == start + 1 else ""

    def _start_of_mention(self, argument: Span) -> int | None:
        """Where the mention starts that an argument is, apart from prepositions before it; None if it is none."""
        for start in range(argument.start, argument.end):
            if (start, argument.end) in self.numbers:
                return start
            if self.parts[start] not in BEFORE_MENTION:
                break
        return None

    def _is_possessive(self, start: int, end: int) -> bool:
        """Check whether an argument is nothing but the possessive of one: "her" of "her hand"."""
        if self.words[start:end] != ["her"] or end == len(self.words):
            return self._use(start, end) == "possessive"
        opens = start in self.openers
        if self.parts[end] == "DET" or (not opens and end in self.starts):
            return False
        return opens or (self.parts[end] in ("NOUN", "PROPN", "ADJ") and not NO_NOUN.search(self.words[end]))

    def _small_clause(self, role: str, clause: Span) -> Iterator[_Argument]:
        """The subject of an argument that is a clause without a finite verb: "him" of "him laugh"."""
        for frame, span in self.subjects.get(clause.start, ()):
            is_inside = (span.start, span.end) in self.numbers and frame.predicate.start < clause.end
            if is_inside and (self._is_object(span.start, span.end) or self._is_before_verb(span, frame)):
                yield _Argument(role, self.numbers[span.start, span.end], "")
                return

    def _is_before_verb(self, her: Span, frame: SrlFrame) -> bool:
        """Check whether "her" is the subject of the word behind it, a verb, since this has an object: "her find it"."""
        end = frame.predicate.end
        if self._use(her.start, her.end) != "her" or her.end != frame.predicate.start or her.start in self.openers:
            return False
        has_argument = any(span.start == end for spans in frame.arguments.values() for span in spans)
        return has_argument and self.parts[end] not in ("ADP", "SCONJ", "PART")

    def _objects(self, end: int) -> Iterator[_Argument]:
        """Pronouns behind a verb, and prepositions behind it, that it has as objects although its frame lacks them."""
        for place in range(end, min(end + NEAR, len(self.words))):
            if self.ends_clause[place] or self.parts[place] in OPENS_CLAUSE or place in self.predicates:
                return
            if (place, place + 1) not in self.numbers or place in self.within:
                continue
            if (place == end or self.parts[place - 1] == "ADP") and self._is_object(place, place + 1):
                preposition = self.words[place - 1] if place > end else ""
                yield _Argument("ARG2", self.numbers[place, place + 1], preposition)

    def _is_object(self, start: int, end: int) -> bool:
        return self._use(start, end) in ("object", "reflexive", "her") and not self._is_possessive(start, end)

    def _with_subject(self, frame: SrlFrame) -> dict[str, list[Span]]:
        """The arguments of a frame, with the subject of the verb before it if it is coordinated and has none, or that
        of a verb that is not finite, as it is: "saw the boy take it and called"."""
        arguments, place = frame.arguments, frame.predicate.start
        first = [arguments[role][0] for role in (SUBJECT, TOPIC) if role in arguments]
        own = next((span for span in first if span.start < place), None)
        if own is not None and (len(self.subjects[own.start]) == 1 or not self._is_past(frame)):
            return arguments
        start = self._start_of_verb(frame)
        if start == 0 or self.parts[start - 1] != "CCONJ":
            return arguments
        before = self._clauses_before(place, start)
        if own is not None:
            lender = self._main_verb(own, before)
        else:
            lender = next((one for one in before if not self._is_oblique(one.arguments[SUBJECT][0])), None)
        if lender is None:
            return arguments
        return {**arguments, TOPIC if own is None and SUBJECT in arguments else SUBJECT: lender.arguments[SUBJECT]}

    def _clauses_before(self, place: int, start: int) -> Iterator[SrlFrame]:
        """The frames with a subject in a sentence before a verb that begins at `start`, the nearest first."""
        for frame in reversed(self.frames[: self.places[place]]):
            if self.sentences[frame.predicate.start] < self.sentences[place - 1]:
                return
            if SUBJECT in frame.arguments and frame.predicate.start < start:
                yield frame

    def _main_verb(self, own: Span, before: Iterable[SrlFrame]) -> SrlFrame | None:
        """The frame of the verb before `own`, where this is the subject of one that is not finite: "Ann saw him go"."""
        is_borrowed = False
        for frame in before:
            subject = frame.arguments[SUBJECT][0]
            if subject.start == own.start:
                is_finite = self._is_past(frame) or MODAL in frame.arguments
                is_borrowed = not is_finite and self._use(subject.start, subject.end) != "subject"
            elif frame.predicate.start < own.start and not self._is_oblique(subject):
                return frame if is_borrowed else None
        return None

    def _is_oblique(self, span: Span) -> bool:
        """Check whether a pronoun is the subject of no finite verb, as "her" of "her visits" is."""
        return self._use(span.start, span.end) in ("object", "possessive", "her")

    def _start_of_verb(self, frame: SrlFrame) -> int:
        """Where a verb begins with its auxiliaries and the modifiers between them: "was then" of "was then found"."""
        place = frame.predicate.start
        starts = {one.end: one.start for role, spans in frame.arguments.items() if role[:4] == "ARGM" for one in spans}
        while place in starts or (place and self.words[place - 1] in AUXILIARY_FORMS):
            place = starts[place] if place in starts else place - 1
        return place

    def _is_past(self, frame: SrlFrame) -> bool:
        """Check whether a verb is neither "taking" nor "take"."""
        form = self._form(frame)
        return form[-3:] != "ing" and form != self._verb(frame)

    def _form(self, frame: SrlFrame) -> str:
        return self.words[frame.predicate.start] if len(frame.predicate) == 1 else frame.predicate.text.lower()

    def _verb(self, frame: SrlFrame) -> str:
        return "be" if self._form(frame) in BE else (frame.roleset or "").rpartition(".")[0]
