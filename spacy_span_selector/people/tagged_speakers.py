"""Speakers of two quotations in a row whose tags have two nouns or names: "said the farmer", "the miller said".

They are two persons in 60 of 63 such places of LitBank's training texts; pronouns apart, which tell nothing of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..annotation import Mention
from ..documents.cleaned import CleanDoc
from ..language import SOURCES, language_words
from .attribution.tags import TagReader
from .clustering import Form
from .co_arguments import CoArguments
from .scenes import NO_SUBJECTS, read_scene

TURN = ""
"""In place of a predicate: that the other mention says the quotation before."""


def with_tagged_speakers(
    cleaned: CleanDoc,
    quotations: Sequence[Mention],
    mentions: Sequence[Mention],
    forms: Sequence[Form],
    arguments: CoArguments,
    subjects: Mapping[int, int] = NO_SUBJECTS,
) -> CoArguments:
    """Keep the speaker of a quotation apart from that of the one before, if both have a tag.

    quotations, mentions, subjects: As `read_scene` takes them, of the document without white space.
    """
    if len(quotations) < 2:
        return arguments
    doc = cleaned.doc
    apart = {**arguments.apart}
    for pair in _speakers_in_a_row(cleaned, quotations, mentions, subjects):
        first, second = (doc[mentions[number][1] - 1].lower_ for number in pair)
        if first != second and not any(forms[number].is_pronoun for number in pair):
            apart[pair[1]] = {pair[0]: TURN, **apart.get(pair[1], {})}
    return arguments._replace(apart=apart)


def _speakers_in_a_row(
    cleaned: CleanDoc, quotations: Sequence[Mention], mentions: Sequence[Mention], subjects: Mapping[int, int]
) -> Iterator[tuple[int, int]]:
    """The mentions that the tags of each two quotations in a row name, the first before the second."""
    vocab = cleaned.doc.vocab
    scene = read_scene(cleaned, quotations, mentions, [""] * len(mentions), range(len(mentions)), subjects)
    reader = TagReader(scene, language_words(vocab, SOURCES))
    last: int | None = None
    for number in range(len(quotations)):
        tag = reader.read(number)
        if tag is not None and last is not None and last < tag.speaker and not scene.goes_on(number):
            yield last, tag.speaker
        last = tag.speaker if tag is not None else last if scene.goes_on(number) else None
