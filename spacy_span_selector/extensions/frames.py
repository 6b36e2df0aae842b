"""The extension attribute for frames: `doc._.srl`."""

from __future__ import annotations

from typing import NamedTuple

from spacy.tokens import Doc, Span

from ..annotation import PREDICATE_LABEL, frame_groups


class SrlFrame(NamedTuple):
    """A predicate with its arguments; it prints as `give.01(ARG0=Tom, V=gave, ARG2=Mary)`.

    predicate (Span): The predicate.
    roleset (str | None): Its sense, such as "give.01", if known.
    arguments (dict[str, list[Span]]): The spans of each role, roles and spans in text order. Roles are kept as
        annotated: a continuation of an ARG1 has the key C-ARG1, a reference to it the key R-ARG1.
    """

    predicate: Span
    roleset: str | None
    arguments: dict[str, list[Span]]

    def __repr__(self) -> str:
        return f"{self.roleset or ''}({', '.join(f'{role}={span.text}' for span, role in self.labelled_spans())})"

    def labelled_spans(self) -> list[tuple[Span, str]]:
        """The predicate, with role V, and the arguments with their roles, in text order."""
        labelled = [(span, role) for role, spans in self.arguments.items() for span in spans]
        return sorted([(self.predicate, PREDICATE_LABEL), *labelled], key=lambda item: (item[0].start, item[0].end))


def doc_frames(doc: Doc) -> list[SrlFrame]:
    """The frames of a document, in the order of their predicates; arguments without tokens are left out, and predicates
    without tokens with their frames."""
    frames: list[SrlFrame] = []
    for group in frame_groups(doc):
        predicate, *spans = group
        if not len(predicate):
            continue
        arguments: dict[str, list[Span]] = {}
        for span in sorted(filter(len, spans), key=lambda span: (span.start, span.end)):
            arguments.setdefault(span.label_, []).append(span)
        frames.append(SrlFrame(predicate, group.attrs.get("roleset"), arguments))
    return frames
