"""The quotations of a document in its text: each in a tint of the colour of who speaks, with the number of the speaker.

A quotation may be longer than a sentence, and a sentence is a line of its own: so it is shown in parts.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from html import escape
from typing import NamedTuple

from spacy.tokens import Span

from ...extensions import Cluster
from ...people.quotations import DocQuotation, find_quotations
from .boxes import Part
from .clusters import SINGLETON, ShownMention, find_mention


class QuotedWords(NamedTuple):
    """The words of a quotation in a sentence.

    number (int): The number of the quotation in its document.
    quotation (DocQuotation): The quotation.
    speaker, addressee (ShownMention | None): The mentions of who speaks and who is spoken to, if they are shown.
    continued (bool): Whether other words of the quotation are shown before these.
    """

    number: int
    quotation: DocQuotation
    speaker: ShownMention | None
    addressee: ShownMention | None
    continued: bool

    def open_box(self, height: int, resumed: bool) -> str:
        """The opening tag of their box, with what the script of the page must know."""
        look = self.speaker.shown.look if self.speaker else SINGLETON
        score = self.quotation.score
        data = {
            "q": str(self.number),
            "by": str(self.speaker.shown.number) if self.speaker else "",
            "m": str(self.speaker.place) if self.speaker else "",
            "speaker": escape(self.quotation.speaker_name or ""),
            "to": str(self.addressee.shown.number) if self.addressee else "",
            "addressee": escape(self.quotation.addressee_name or ""),
            "score": "" if score is None else f"{score:.3f}",
        }
        known = " ".join(f'data-{name}="{value}"' for name, value in data.items() if value)
        more = " more" if resumed or self.continued else ""
        return f'<mark class="quote {look}{more}" {known}>'


def shown_quotations(
    sentences: Sequence[Span], starting: Mapping[int, Sequence[ShownMention]], clusters: Sequence[Cluster]
) -> dict[int, list[Part[QuotedWords]]]:
    """The quotations in some sentences.

    sentences (Sequence[Span]): The sentences that are shown, in the order of the text.
    starting (Mapping[int, Sequence[ShownMention]]): The mentions that are shown, by their first tokens.
    clusters (Sequence[Cluster]): The clusters of the document.
    RETURNS (dict[int, list[Part[QuotedWords]]]): Their words in each sentence, by its first token.
    """
    parts: dict[int, list[Part[QuotedWords]]] = {}
    starts = [sentence.start for sentence in sentences]
    quotations = find_quotations(sentences[0].doc, clusters) if sentences else []
    for number, quotation in enumerate(quotations):
        speaker, addressee = (
            None if mention is None else find_mention(mention, starting)
            for mention in (quotation.speaker_mention, quotation.addressee_mention)
        )
        start, end = quotation.span.start, quotation.span.end
        continued = False
        for sentence in sentences[max(0, bisect_right(starts, start) - 1) : bisect_left(starts, end)]:
            first, last = max(start, sentence.start), min(end, sentence.end)
            if first < last:
                words = QuotedWords(number, quotation, speaker, addressee, continued)
                parts.setdefault(sentence.start, []).append((first, last, words))
                continued = True
    return parts
