"""Corrections: a document as the page that corrects it needs it, and what that page sends back.

Clusters and frames are corrected. Everything else of the document stays: its words, sentences and speakers, labelled
spans, and quotations, whose speakers follow their clusters.
"""

from __future__ import annotations

import hashlib
import re
import warnings
from collections.abc import Sequence
from typing import Any, NoReturn

from spacy.tokens import Doc
from spacy.vocab import Vocab

from ...annotation import (
    LINK_SCORES,
    NAME,
    PREDICATE_LABEL,
    Argument,
    Frame,
    Mention,
    cluster_groups,
    get_antecedents,
    get_clusters,
    get_frames,
    get_quotations,
    get_scores,
    get_sentences,
    get_speakers,
    get_text,
    get_title,
    has_clusters_annotated,
    has_frames_annotated,
    set_clusters,
    set_frames,
    set_quotations,
)
from ..formats.bracketed import NAME_PATTERN, write_bracketed
from ..formats.speech import nearest_mention, spread_turns
from .drafts import Draft

DOUBTFUL = 0.4
"""Links that are less probable are offered to be looked at."""

LONGEST_NAME = 200


class CorrectionError(ValueError):
    """Tells what of a correction can't be saved: its place, what was found, and what was expected."""


def load_doc(draft: Draft) -> Doc:
    """The document of a draft, without its pipeline."""
    return Doc(Vocab()).from_bytes(draft.doc)


def fingerprint(doc: Doc) -> str:
    """Tells the words and sentences of a document, which corrections count, from all others."""
    digest = hashlib.sha256()
    for token in doc:
        digest.update(f"{token.text}\n{bool(token.whitespace_)}\n{bool(token.is_sent_start)}\n".encode())
    return digest.hexdigest()[:32]


def doubts(doc: Doc) -> list[float]:
    """The probabilities of the links of a document that are doubtful, the lowest first."""
    scores = (score for group in cluster_groups(doc) for score in get_scores(group, LINK_SCORES) or ())
    return sorted(score for score in scores if score < DOUBTFUL)


def describe(doc: Doc) -> dict[str, Any]:
    """A document as an object for JSON.

    doc (Doc): The document.
    RETURNS (dict[str, Any]): `tokens`, each with whether a space follows; `sentences` with their speakers; `clusters`
        with their names, mentions and, where known, the probability of the link of each and its antecedent; `frames`.
        All places are token offsets, end exclusive.
    """
    speakers = spread_turns(get_speakers(doc), len(doc))
    return {
        "title": get_title(doc),
        "text": fingerprint(doc),
        "doubtful": DOUBTFUL,
        "tokens": [[token.text, bool(token.whitespace_)] for token in doc],
        "sentences": [[sentence.start, sentence.end, speakers[sentence.start]] for sentence in get_sentences(doc)],
        "clusters": [
            {
                "name": get_text(group, NAME) or "",
                "mentions": [[span.start, span.end] for span in group],
                "links": get_scores(group, LINK_SCORES),
                "antecedents": get_antecedents(group),
            }
            for group in cluster_groups(doc)
        ],
        "frames": [
            {
                "predicate": [frame.start, frame.end],
                "roleset": frame.roleset or "",
                "arguments": [list(argument) for argument in frame.arguments],
            }
            for frame in get_frames(doc)
        ],
    }


def correct(doc: Doc, posted: Any) -> str:
    """Correct a document.

    doc (Doc): The document, which is changed.
    posted (Any): What JSON holds: `text`, the fingerprint of the document; `clusters`, with `name` and `mentions`;
        `frames`, with `predicate`, `roleset` and `arguments`.
    RETURNS (str): The document in the bracketed format, which holds all of the correction.
    RAISES (CorrectionError): If it is something else, or can't be written in that format, saying where and why.
    RAISES (ValueError): If a name has a character that no text file can hold, naming it.
    """
    check = _Check(doc)
    fields = check.fields(posted, "the correction", {"text", "clusters", "frames"})
    if fields["text"] != fingerprint(doc):
        raise CorrectionError("The text itself is another one meanwhile. Load it anew.")
    clusters, names = check.clusters(fields["clusters"])
    frames = check.frames(fields["frames"])
    before = get_clusters(doc)
    if clusters or has_clusters_annotated(doc):
        set_clusters(doc, clusters, names=names)
    if frames or has_frames_annotated(doc):
        set_frames(doc, frames)
    _move_speakers(doc, before)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of quotations, which are as they were
        return write_bracketed([doc])


def _move_speakers(doc: Doc, before: Sequence[Sequence[Mention]]) -> None:
    """Let those who speak in quotations, and are spoken to, be mentions of the clusters that they are now."""
    quotations = get_quotations(doc)
    if not quotations:
        return
    clusters = get_clusters(doc)
    quoted = {i for quotation in quotations for i in range(quotation.start, quotation.end)}

    def move(person: Mention | None, place: Mention) -> Mention | None:
        if person is None or any(person in cluster for cluster in clusters):
            return person
        was = {mention for cluster in before if person in cluster for mention in cluster}
        alike = max(clusters, key=lambda cluster: len(was.intersection(cluster)), default=[])
        return nearest_mention(place, alike, quoted) if was.intersection(alike) else None

    set_quotations(
        doc,
        [
            quotation._replace(
                speaker=move(quotation.speaker, quotation[:2]), addressee=move(quotation.addressee, quotation[:2])
            )
            for quotation in quotations
        ],
    )


class _Check:
    """Checks what is posted for a document. Errors name the place, what was found, and what was expected."""

    def __init__(self, doc: Doc) -> None:
        self.doc = doc
        self.sentence_of = [number for number, sentence in enumerate(get_sentences(doc)) for _ in sentence]

    def fail(self, place: str, found: object, expected: str) -> NoReturn:
        shown = repr(found)
        raise CorrectionError(f"{place}: found {shown[:60]}{'…' * (len(shown) > 60)}, expected {expected}.")

    def fields(self, found: Any, place: str, names: set[str]) -> dict[str, Any]:
        if not isinstance(found, dict) or found.keys() != names:
            self.fail(place, sorted(found) if isinstance(found, dict) else found, f"fields {', '.join(sorted(names))}")
        return found

    def items(self, found: Any, place: str) -> list[Any]:
        if not isinstance(found, list):
            self.fail(place, found, "a list")
        return found

    def name(self, found: Any, place: str, *, may_be_empty: bool) -> str:
        fits = isinstance(found, str) and len(found) <= LONGEST_NAME
        if not fits or not (NAME_PATTERN.fullmatch(found) or (may_be_empty and not found)):
            self.fail(place, found, f"at most {LONGEST_NAME} characters without white space, brackets, `|` and `\\`")
        return str(found)

    def span(self, found: Any, place: str) -> Mention:
        if not isinstance(found, list) or len(found) != 2 or any(type(offset) is not int for offset in found):
            self.fail(place, found, "two token offsets")
        start, end = found
        if not 0 <= start < end <= len(self.doc):
            self.fail(place, found, f"some of the tokens 0 to {len(self.doc)}")
        if self.sentence_of[start] != self.sentence_of[end - 1]:
            self.fail(place, found, f"words of one sentence, and {self.words(found)} are of several")
        return start, end

    def words(self, span: Sequence[int]) -> str:
        return repr(self.doc[span[0] : span[1]].text)

    def clusters(self, found: Any) -> tuple[list[list[Mention]], list[str]]:
        clusters: list[list[Mention]] = []
        names: list[str] = []
        for i, item in enumerate(self.items(found, "clusters")):
            place = f"clusters[{i}]"
            cluster = self.fields(item, place, {"name", "mentions"})
            mentions = [
                self.span(span, f"{place}.mentions[{j}]")
                for j, span in enumerate(self.items(cluster["mentions"], f"{place}.mentions"))
            ]
            if not mentions or len({*mentions}) < len(mentions):
                self.fail(f"{place}.mentions", cluster["mentions"], "mentions, each once")
            name = self.name(cluster["name"], f"{place}.name", may_be_empty=True)
            if name and name in names:
                self.fail(f"{place}.name", name, "a name that no other cluster has")
            clusters.append(mentions)
            names.append(name)
        self.nested([mention for cluster in clusters for mention in cluster])
        return clusters, names

    def nested(self, mentions: Sequence[Mention]) -> None:
        around: list[Mention] = []
        for mention in sorted(mentions, key=lambda mention: (mention[0], -mention[1])):
            around = [other for other in around if other[1] > mention[0]]
            if around and around[-1][1] < mention[1]:
                expected = f"mentions that do not cross, and {self.words(mention)} crosses {self.words(around[-1])}"
                self.fail("clusters", list(mention), expected)
            around.append(mention)

    def frames(self, found: Any) -> list[Frame]:
        return [self.frame(item, f"frames[{i}]") for i, item in enumerate(self.items(found, "frames"))]

    def frame(self, found: Any, place: str) -> Frame:
        fields = self.fields(found, place, {"predicate", "roleset", "arguments"})
        start, end = self.span(fields["predicate"], f"{place}.predicate")
        roleset = self.name(fields["roleset"], f"{place}.roleset", may_be_empty=True)
        taken = {*range(start, end)}
        arguments: list[Argument] = []
        for i, item in enumerate(self.items(fields["arguments"], f"{place}.arguments")):
            here = f"{place}.arguments[{i}]"
            if not isinstance(item, list) or len(item) != 3:
                self.fail(here, item, "two token offsets and a role")
            span = self.span(item[:2], here)
            role = self.name(item[2], here, may_be_empty=False)
            if re.match(rf"{PREDICATE_LABEL}(=|$)", role):
                self.fail(here, role, "the role of an argument")
            if self.sentence_of[span[0]] != self.sentence_of[start]:
                self.fail(here, item, "words of the sentence of its predicate")
            if not taken.isdisjoint(range(*span)):
                self.fail(here, item, f"words that are in no other part of its frame, and {self.words(span)} are")
            taken.update(range(*span))
            arguments.append(Argument(*span, role))
        return Frame(start, end, arguments, roleset or None)
