"""The clusters and quotations of a document in its text.

A colour sets few clusters apart, and fewer to some eyes; so a cluster has one of `COLORS` colours and of `LINES` kinds
of line, thin for things, and each mention has its number. A quotation has a tint of the colour of who speaks.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from itertools import count
from typing import NamedTuple

from spacy.tokens import Span

from ...annotation import Mention
from ...extensions import Cluster
from ...people.characters import Character, find_entities, is_thing
from ...people.quotations import DocQuotation, find_quotations
from .boxes import BOXED_LINES, Part, TextMarkup, boxed, data

COLORS = 8  # page.css has the classes
LINES = 4
HEIGHTS = 6
MOST_NAMES = 5  # of a person, beside the main one
SINGLETON = "single"


class ShownCluster(NamedTuple):
    """A cluster with its number on the page, the classes of its look, and the number of each of its mentions."""

    number: int
    look: str
    cluster: Cluster
    numbers: dict[Mention, int]


class ShownMention(NamedTuple):
    """A mention: its cluster, its number there, counted from 0, and the token that it ends before."""

    shown: ShownCluster
    number: int
    end: int

    @property
    def data(self) -> str:
        """Attributes with what the script of the page must know."""
        cluster, number = self.shown.cluster, self.number
        antecedent = cluster.antecedents and cluster.antecedents[number]
        return data(
            n=self.shown.number,
            m=number,
            score=cluster.scores[number] if cluster.scores else None,
            link=cluster.link_scores[number] if cluster.link_scores else None,
            antecedent=self.shown.numbers[antecedent.start, antecedent.end] if antecedent else None,
            reason=cluster.reasons[number] if cluster.reasons else None,
        )

    def open_box(self, height: int, resumed: bool) -> str:
        more = " more" if resumed else ""
        return f'<mark class="mention {self.shown.look} h{min(height, HEIGHTS)}{more}"{self.data}>'


Mentions = Mapping[int, Sequence[ShownMention]]  # those that are shown, by their first tokens


class QuotedWords(NamedTuple):
    """The words of a quotation in a sentence, with the mentions of who speaks to whom, if they are shown."""

    number: int  # that of the quotation in its document
    quotation: DocQuotation
    speaker: ShownMention | None
    addressee: ShownMention | None
    continued: bool  # whether other words of the quotation are shown before these

    def open_box(self, height: int, resumed: bool) -> str:
        look = self.speaker.shown.look if self.speaker else SINGLETON
        more = " more" if resumed or self.continued else ""
        known = data(
            q=self.number,
            by=self.speaker.shown.number if self.speaker else None,
            m=self.speaker.number if self.speaker else None,
            speaker=self.quotation.speaker_name,
            to=self.addressee.shown.number if self.addressee else None,
            addressee=self.quotation.addressee_name,
            score=self.quotation.score,
        )
        return f'<mark class="quote {look}{more}"{known}>'


def number_clusters(clusters: Sequence[Cluster], within: Span, singletons: bool) -> list[ShownCluster]:
    """The clusters with a mention in a part of a document, numbered in the order of their first mentions."""
    shown: list[ShownCluster] = []
    looks = {False: count(), True: count()}  # things have their own
    for cluster in clusters:
        if not any(mention.start < within.end and within.start < mention.end for mention in cluster):
            continue
        if len(cluster) > 1 or singletons:
            thing = is_thing(cluster)
            look = cluster_look(next(looks[thing])) + " thing" * thing if len(cluster) > 1 else SINGLETON
            numbers = {(mention.start, mention.end): number for number, mention in enumerate(cluster)}
            shown.append(ShownCluster(len(shown) + 1, look, cluster, numbers))
    return shown


def cluster_look(index: int) -> str:
    """The classes of the colour and of the line of a cluster; those of neighbouring indices differ clearly."""
    return f"k{index % COLORS} line{index // COLORS % LINES}"


def shown_mentions(clusters: Iterable[ShownCluster]) -> Mentions:
    starting: dict[int, list[ShownMention]] = {}
    for shown in clusters:
        for number, mention in enumerate(shown.cluster):
            starting.setdefault(mention.start, []).append(ShownMention(shown, number, mention.end))
    return starting


def find_mention(span: Span | None, mentions: Mentions) -> ShownMention | None:
    """The mention that a span is, None if it is none that is shown."""
    if span is None:
        return None
    return next((mention for mention in mentions.get(span.start, ()) if mention.end == span.end), None)


def shown_quotations(
    sentences: Sequence[Span], mentions: Mentions, clusters: Sequence[Cluster]
) -> dict[int, list[Part]]:
    """The words of quotations in each sentence that is shown, by its first token, with the clusters of the document."""
    parts: dict[int, list[Part]] = {}
    starts = [sentence.start for sentence in sentences]
    quotations = find_quotations(sentences[0].doc, clusters) if sentences else []
    for number, quotation in enumerate(quotations):
        speaker = find_mention(quotation.speaker_mention, mentions)
        addressee = find_mention(quotation.addressee_mention, mentions)
        start, end = quotation.span.start, quotation.span.end
        continued = False
        for sentence in sentences[max(0, bisect_right(starts, start) - 1) : bisect_left(starts, end)]:
            first, last = max(start, sentence.start), min(end, sentence.end)
            if first < last:
                words = QuotedWords(number, quotation, speaker, addressee, continued)
                parts.setdefault(sentence.start, []).append((first, last, words))
                continued = True
    return parts


def render_sentence(text: TextMarkup, sentence: Span, mentions: Mentions, around: Sequence[Part] = ()) -> str:
    """The text of a sentence in its lines, with a box around each mention that starts in it, and around other parts."""
    start, end = sentence.start, sentence.end
    lines = [text.lines[i] for i in range(start, end) if i in text.lines]
    parts: list[Part] = [(line.start, line.end, line) for line in lines if line.line.kind in BOXED_LINES]
    parts += around
    parts += [(i, mention.end, mention) for i in range(start, end) for mention in mentions.get(i, ())]
    first = text.first(start, end)
    before = lines[0].indent() if lines and lines[0].start == first else ""
    return before + boxed(text, start, end, parts, {line.start for line in lines if line.start > first})


def render_legend(clusters: Sequence[ShownCluster], more: Sequence[str] = ()) -> str:
    """The legend of clusters, people by importance, then all others with two mentions, the largest first, and more
    lists; empty if there is nothing to list."""
    found = sorted(find_entities([shown.cluster for shown in clusters]), key=lambda entity: -entity[0].count)
    cast = [_render_entry(clusters[one.number], one, _about(one)) for one, is_person in found if is_person]
    things = [one for one, is_person in found if not is_person and one.count > 1]
    others = [_render_entry(clusters[one.number], one, []) for one in things]
    lists = render_list("ol", "People", cast) + render_list("ul", "Other clusters" if cast else "Clusters", others)
    lists += more
    return "\n".join(['<div class="legend">', *lists, "</div>"]) if lists else ""


def render_list(kind: str, heading: str, entries: Sequence[str], look: str = "") -> list[str]:
    """The lines of a list with its heading and the class of its look, none if it is empty."""
    if not entries:
        return []
    styled = f' class="{look}"' if look else ""
    return [f"<h3>{heading}</h3>", f'<{kind}{styled} aria-label="{heading}">', *entries, f"</{kind}>"]


def _render_entry(shown: ShownCluster, one: Character, about: Sequence[str]) -> str:
    """An entry of the legend: how many mentions there are, and what is known beside the name, what is said first."""
    said = len(shown.cluster.quotations)
    quotations = [f'<span class="says">{said} quotation{"" if said == 1 else "s"}</span>'] if said else []
    label = [escape(shown.cluster.shown_label)] if shown.cluster.shown_label else []
    known = " · ".join([*quotations, *label, *about])
    more = f' <span class="about">{known}</span>' if known else ""
    return (
        f'<li><button type="button" class="cluster {shown.look}" data-n="{shown.number}">'
        f"<bdi>{escape(one.name)}</bdi> <small>{len(shown.cluster)}</small>{more}</button></li>"
    )


def _about(person: Character) -> list[str]:
    names = [f"<bdi>{escape(name)}</bdi>" for name in person.names if name != person.name]
    shown = [*names[:MOST_NAMES], *["…"] * (len(names) > MOST_NAMES)]
    return [known for known in (escape(person.gender or ""), ", ".join(shown)) if known]
