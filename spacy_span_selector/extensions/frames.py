"""The extension attribute for frames: `doc._.srl`."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, NamedTuple

from spacy.tokens import Doc, Span

from ..annotation.frames import PREDICATE_LABEL, find_frame_prefix, frame_keys
from ..annotation.groups import get_scores, read_spans
from .english import AUXILIARIES, AUXILIARY_FORMS, POSSESSIVES
from .mention_types import part_of_speech
from .tables import in_list, probability, table

if TYPE_CHECKING:
    from typing_extensions import Self

NEGATION, MODAL = "ARGM-NEG", "ARGM-MOD"
MODIFIERS = frozenset({NEGATION, MODAL})


class _Parts(NamedTuple):
    predicate: Span
    roleset: str | None
    arguments: dict[str, list[Span]]


class SrlFrame(_Parts):
    """A predicate with its arguments; it prints as `give.01(ARG0=Tom, V=gave, ARG2=Mary)`.

    roleset (str | None): Its sense, such as "give.01", if known.
    arguments (dict[str, list[Span]]): The spans of each role, roles and spans in text order. Roles are kept as
        annotated: a continuation of an ARG1 has the key C-ARG1, a reference to it the key R-ARG1.
    scores (list[float] | None): The probability of each of `labelled_spans()`, if known: of the predicate, that it is
        one; of an argument, that of its role. Not a part of the tuple.
    roleset_name (str | None): What the roleset means, such as "transfer", if a lexicon knows. Not a part of the tuple.
    descriptions (dict[str, str]): What its roles are, such as "giver" for ARG0; those that are known. Not a part of the
        tuple.
    """

    scores: list[float] | None = None
    roleset_name: str | None = None
    descriptions: dict[str, str]

    def __new__(
        cls, predicate: Span, roleset: str | None, arguments: dict[str, list[Span]], scores: list[float] | None = None
    ) -> Self:
        frame = super().__new__(cls, predicate, roleset, arguments)
        frame.scores = scores
        frame.descriptions = {}
        return frame

    def __repr__(self) -> str:
        return f"{self.roleset or ''}({', '.join(f'{role}={span.text}' for span, role in self.labelled_spans())})"

    def labelled_spans(self) -> list[tuple[Span, str]]:
        """The predicate, with role V, and the arguments with their roles, in text order."""
        labelled = [(span, role) for role, spans in self.arguments.items() for span in spans]
        return sorted([(self.predicate, PREDICATE_LABEL), *labelled], key=lambda item: (item[0].start, item[0].end))

    @property
    def is_auxiliary(self) -> bool:
        """Whether it is "be", "have" or "do" without arguments, negations and modals apart: PropBank marks auxiliaries
        as predicates, too. Of 4,809 such frames in the training part of
        its English Web Treebank, 4,804 are auxiliaries or "have to"."""
        if not MODIFIERS.issuperset(self.arguments):
            return False
        if roleset := _text(self.roleset):
            return roleset.rpartition(".")[0] in AUXILIARIES
        return self.predicate.text.lower().replace("’", "'") in AUXILIARY_FORMS

    @property
    def is_bare(self) -> bool:
        """Whether it is an auxiliary, or a noun without arguments: "the war". Without tags only a word behind a
        determiner or a possessive is a noun, as 662 of 668 such words in the training part of the same corpus are."""
        if self.is_auxiliary or not MODIFIERS.issuperset(self.arguments):
            return self.is_auxiliary
        word = self.predicate[0]
        if word.pos or word.tag:
            return part_of_speech(word) in ("NOUN", "PROPN")
        before = word.doc[word.i - 1] if word.i else word
        return before.lower_ in POSSESSIVES or part_of_speech(before) == "DET"

    @property
    def title(self) -> str:
        """Its roleset or, if that is unknown, its predicate."""
        return _text(self.roleset) or self.predicate.text

    @property
    def meaning(self) -> str:
        """The meaning of its roleset, "" if unknown."""
        return _text(self.roleset_name)

    def description(self, role: str) -> str:
        """Describe a role of this roleset; "" if unknown."""
        return _text(self.descriptions.get(role)) if isinstance(self.descriptions, dict) else ""

    def _repr_html_(self) -> str:
        """A table of the predicate and the arguments, which notebooks show."""
        labelled = self.labelled_spans()
        scores = self.scores if self.scores and len(self.scores) == len(labelled) else [None] * len(labelled)
        rows = [
            (escape(role), escape(span.text), probability(score), escape(self.description(role)))
            for (span, role), score in zip(labelled, scores, strict=True)
        ]
        caption = f"{self.title}: {self.meaning}" if self.meaning else self.title
        return table(["role", "span", "probability", "description"], rows, caption)


class Frames(list[SrlFrame]):
    """The frames of a document: a list that notebooks show as a table."""

    def _repr_html_(self) -> str:
        rows = [
            (
                escape(_text(frame.roleset)),
                escape(frame.meaning),
                escape(frame.predicate.text),
                ", ".join(f"<small>{escape(role)}</small> {in_list(spans)}" for role, spans in frame.arguments.items()),
            )
            for frame in self
        ]
        return table(["roleset", "meaning", "predicate", "arguments"], rows)


def doc_frames(doc: Doc, prefix: str | None = None) -> Frames:
    """The frames of a document, in the order of their predicates; arguments without tokens are left out, and predicates
    without tokens with their frames. An argument that is there twice counts once.

    prefix (str | None): As for `doc_clusters`.
    """
    frames = Frames()
    for group, spans in read_spans(doc, frame_keys(doc, find_frame_prefix(doc) if prefix is None else prefix)):
        if not spans or not len(spans[0]):
            continue
        predicate, *others = spans
        arguments: dict[str, list[Span]] = {}
        once = {(span.start, span.end, span.label): span for span in others if len(span)}
        for _, span in sorted(once.items(), key=lambda item: item[0][:2]):
            arguments.setdefault(span.label_, []).append(span)
        frame = SrlFrame(predicate, group.attrs.get("roleset"), arguments)
        frame.roleset_name = group.attrs.get("roleset_name")
        descriptions = group.attrs.get("descriptions")
        frame.descriptions = descriptions if isinstance(descriptions, dict) else {}
        if (scores := get_scores(group)) is not None:
            score_of = {id(span): score for span, score in zip(spans, scores, strict=True)}
            frame.scores = [score_of[id(span)] for span, _ in frame.labelled_spans()]
        frames.append(frame)
    return frames


def _text(value: object) -> str:
    """A value of `attrs` if it is a text: they may hold anything."""
    return value if isinstance(value, str) else ""
