"""The clusters of a document in its text: each mention in a box with the number and the colour of its cluster.

A colour alone tells few clusters apart, and fewer to some eyes. So a cluster has one of `COLORS` colours, one of
`LINES` kinds of line under its mentions, and its number at each of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import NamedTuple, Protocol

from spacy.tokens import Span

from ...annotation import Mention
from ...extensions import Cluster
from ...people.characters import Character, find_entities
from .boxes import BOXED_LINES, Part, Words, boxed

COLORS = 8  # page.css has the classes
LINES = 4
HEIGHTS = 6
MOST_NAMES = 5  # of a person, beside the main one
SINGLETON = "single"


class ShownCluster(NamedTuple):
    """A cluster with its number on the page, the classes of its colour, and the place of each of its mentions."""

    number: int
    look: str
    cluster: Cluster
    places: dict[Mention, int]


class ShownMention(NamedTuple):
    """A mention: that with this number in its cluster, counted from 0, the token that it ends before, and attributes
    with what the script of the page must know of it."""

    shown: ShownCluster
    place: int
    end: int
    data: str

    def open_box(self, height: int, resumed: bool) -> str:
        """The opening tag of its box."""
        more = " more" if resumed else ""
        return f'<mark class="mention {self.shown.look} h{min(height, HEIGHTS)}{more}" {self.data}>'


class InText(Protocol):
    """A box in the text, such as that of a mention."""

    def open_box(self, height: int, resumed: bool) -> str:
        """The opening tag of its box, for `boxed`."""


def number_clusters(clusters: Sequence[Cluster], within: Span, singletons: bool) -> list[ShownCluster]:
    """The clusters that are shown, numbered without gaps in the order of their first mentions.

    clusters (Sequence[Cluster]): The clusters of a document.
    within (Span): The part of it that is shown.
    singletons (bool): Whether clusters of one mention are shown.
    RETURNS (list[ShownCluster]): Clusters with a mention there.
    """
    shown: list[ShownCluster] = []
    linked = 0
    for cluster in clusters:
        if not any(mention.start < within.end and within.start < mention.end for mention in cluster):
            continue
        if len(cluster) > 1 or singletons:
            look = cluster_look(linked) if len(cluster) > 1 else SINGLETON
            linked += len(cluster) > 1
            places = {(mention.start, mention.end): place for place, mention in enumerate(cluster)}
            shown.append(ShownCluster(len(shown) + 1, look, cluster, places))
    return shown


def shown_mentions(clusters: Iterable[ShownCluster]) -> dict[int, list[ShownMention]]:
    """The mentions of clusters, by their first tokens."""
    starting: dict[int, list[ShownMention]] = {}
    for shown in clusters:
        for place, mention in enumerate(shown.cluster):
            known = ShownMention(shown, place, mention.end, _mention_data(shown, place))
            starting.setdefault(mention.start, []).append(known)
    return starting


def render_legend(clusters: Sequence[ShownCluster], more: Sequence[str] = ()) -> str:
    """The legend of the numbers and colours of the clusters, and more lists.

    First are the people among them, by importance, with gender and other names; then all others with two mentions, the
    largest first. Where labelled spans tell a label, it is there, too.

    clusters (Sequence[ShownCluster]): The clusters.
    more (Sequence[str]): The lines of more lists.
    RETURNS (str): The markup, empty if there is nothing to list.
    """
    entities = sorted(find_entities([shown.cluster for shown in clusters]), key=lambda entity: -entity[0].count)
    cast = [_render_entry(clusters[one.number], one.name, _about(one)) for one, is_person in entities if is_person]
    others = [
        _render_entry(clusters[one.number], one.name, [])
        for one, is_person in entities
        if not is_person and one.count > 1
    ]
    lists = render_list("ol", "People", cast) + render_list("ul", "Other clusters" if cast else "Clusters", others)
    lists += more
    return "\n".join(['<div class="legend">', *lists, "</div>"]) if lists else ""


def find_mention(span: Span, starting: Mapping[int, Sequence[ShownMention]]) -> ShownMention | None:
    """The mention that a span is, None if it is none that is shown."""
    return next((mention for mention in starting.get(span.start, ()) if mention.end == span.end), None)


def render_sentence(
    words: Words, sentence: Span, starting: Mapping[int, Sequence[ShownMention]], around: Sequence[Part[InText]] = ()
) -> str:
    """The text of a sentence in its lines, with a box around each mention that starts in it, and around other words."""
    start, end = sentence.start, sentence.end
    lines = [words.lines[i] for i in range(start, end) if i in words.lines]
    boxes: list[Part[InText]] = [(line.start, line.end, line) for line in lines if line.line.kind in BOXED_LINES]
    boxes += around
    boxes += [(i, mention.end, mention) for i in range(start, end) for mention in starting.get(i, ())]
    first = words.first(start, end)
    before = lines[0].indent() if lines and lines[0].start == first else ""
    later = [line.start for line in lines if line.start > first]
    return before + boxed(words, start, end, boxes, lambda item, height, resumed: item.open_box(height, resumed), later)


def _mention_data(shown: ShownCluster, place: int) -> str:
    """Attributes of a mention for the script of the page."""
    cluster = shown.cluster
    data = {"n": str(shown.number), "m": str(place)}
    if cluster.scores is not None:
        data["score"] = f"{cluster.scores[place]:.3f}"
    if cluster.link_scores is not None:
        data["link"] = f"{cluster.link_scores[place]:.3f}"
    antecedent = cluster.antecedents and cluster.antecedents[place]
    if antecedent:
        data["antecedent"] = str(shown.places[antecedent.start, antecedent.end])
    if cluster.reasons and cluster.reasons[place]:
        data["reason"] = escape(cluster.reasons[place])
    return " ".join(f'data-{name}="{value}"' for name, value in data.items())


def cluster_look(index: int) -> str:
    """The classes of the colour and of the line of the cluster with this index; neighbouring indices differ clearly."""
    return f"k{index % COLORS} line{index // COLORS % LINES}"


def render_list(kind: str, heading: str, entries: Sequence[str], look: str = "") -> list[str]:
    """The lines of a list with its heading and the class of its look, none if it is empty."""
    if not entries:
        return []
    styled = f' class="{look}"' if look else ""
    return [f"<h3>{heading}</h3>", f'<{kind}{styled} aria-label="{heading}">', *entries, f"</{kind}>"]


def _render_entry(shown: ShownCluster, name: str, about: Sequence[str]) -> str:
    """An entry of the legend: how many mentions there are, and what is known beside the name, what is said first."""
    said = len(shown.cluster.quotations)
    quotations = [f'<span class="says">{said} quotation{"" if said == 1 else "s"}</span>'] if said else []
    label = [escape(shown.cluster.shown_label)] if shown.cluster.shown_label else []
    known = " · ".join([*quotations, *label, *about])
    more = f' <span class="about">{known}</span>' if known else ""
    return (
        f'<li><button type="button" class="cluster {shown.look}" data-n="{shown.number}">'
        f"<bdi>{escape(name)}</bdi> <small>{len(shown.cluster)}</small>{more}</button></li>"
    )


def _about(person: Character) -> list[str]:
    """Facts of a person beside the name."""
    names = [f"<bdi>{escape(name)}</bdi>" for name in person.names if name != person.name]
    shown = [*names[:MOST_NAMES], *["…"] * (len(names) > MOST_NAMES)]
    return [known for known in (escape(person.gender or ""), ", ".join(shown)) if known]
