"""Corrections: a document as the page that corrects it needs it, and what that page sends back.

Clusters and frames are corrected. Everything else stays: words, sentences and their speakers, labelled spans, and
quotations, whose speakers follow their clusters.
"""

from __future__ import annotations

import hashlib
import threading
import warnings
from collections.abc import Sequence
from typing import Any

from spacy.tokens import Doc

from ... import annotation
from ...annotation import LINK_SCORES, NAME, Argument, Frame, Mention
from ...people.speech import nearest_mention, spread_turns
from ..formats.bracketed import write_bracketed
from ..formats.bracketed.writer import QUOTATIONS
from ..formats.reports import LEFT_OUT, CorpusWarning

DOUBTFUL = 0.4  # links that are less probable are offered to be looked at
EXPECTED = "`text`; `clusters` with `name` and `mentions`; `frames` with `predicate`, `roleset` and `arguments`"

CATCHING = threading.Lock()  # warnings are caught in all threads at once


def fingerprint(doc: Doc) -> str:
    """A digest of the words and sentences of a document, which corrections count."""
    digest = hashlib.sha256()
    for token in doc:
        digest.update(f"{token.text}\n{bool(token.whitespace_)}\n{bool(token.is_sent_start)}\n".encode())
    return digest.hexdigest()[:32]


def doubts(doc: Doc) -> list[float]:
    """The probabilities of the links of a document that are doubtful, the lowest first."""
    scores = (
        score for group in annotation.cluster_groups(doc) for score in annotation.get_scores(group, LINK_SCORES) or ()
    )
    return sorted(score for score in scores if score < DOUBTFUL)


def describe(doc: Doc) -> dict[str, Any]:
    """A document as an object for JSON, its places as token offsets, end exclusive.

    Tokens say whether a space follows. `original` is all of it in the bracketed format, for a page that saves when the
    folder has it no more.
    """
    speakers = spread_turns(annotation.get_speakers(doc), len(doc))
    return {
        "title": annotation.get_title(doc),
        "text": fingerprint(doc),
        "doubtful": DOUBTFUL,
        "tokens": [[token.text, bool(token.whitespace_)] for token in doc],
        "sentences": [
            [sentence.start, sentence.end, speakers[sentence.start]] for sentence in annotation.get_sentences(doc)
        ],
        "clusters": [
            {
                "name": annotation.get_text(group, NAME) or "",
                "mentions": [[span.start, span.end] for span in group],
                "links": annotation.get_scores(group, LINK_SCORES),
                "antecedents": annotation.get_antecedents(group),
            }
            for group in annotation.cluster_groups(doc)
        ],
        "frames": [
            {
                "predicate": [frame.start, frame.end],
                "roleset": frame.roleset or "",
                "arguments": [list(argument) for argument in frame.arguments],
            }
            for frame in annotation.get_frames(doc)
        ],
        "original": _write(doc)[0],
    }


def correct(doc: Doc, posted: Any) -> str:
    """Correct a document in place, and return it in the bracketed format; a ValueError says what that can't hold.

    posted (Any): What JSON holds: `text`, the fingerprint of the document, and `clusters` and `frames` as `describe`
        has them, without what is known of links.
    """
    try:
        text, clusters = posted["text"], posted["clusters"]
        mentions, names = ([cluster[key] for cluster in clusters] for key in ("mentions", "name"))
        frames = [_read_frame(**frame) for frame in posted["frames"]]
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"This is no correction ({error}). Expected {EXPECTED}.") from error
    if text != fingerprint(doc):
        raise ValueError("The text itself is another one meanwhile. Load it anew.")
    before = annotation.get_clusters(doc)
    if clusters or annotation.has_clusters_annotated(doc):
        annotation.set_clusters(doc, mentions, names=names)
    if frames or annotation.has_frames_annotated(doc):
        annotation.set_frames(doc, frames)
    _move_speakers(doc, before)
    content, lost = _write(doc)
    if lost:
        raise ValueError(f"Not saved, as something would be lost: {CorpusWarning(lost)}")
    return content


def _write(doc: Doc) -> tuple[str, dict[str, list[str]]]:
    """A document in the bracketed format, and what that can't hold."""
    with CATCHING, warnings.catch_warnings(record=True) as lost:
        warnings.simplefilter("always")
        content = write_bracketed([doc])
    found = {what: cases for warning in lost for what, cases in getattr(warning.message, "findings", {}).items()}
    found.pop(f"{LEFT_OUT}{QUOTATIONS}", None)  # these follow clusters, of which some have no name
    return content, found


def _read_frame(predicate: Mention, roleset: str, arguments: Sequence[tuple[int, int, str]]) -> Frame:
    start, end = predicate
    return Frame(start, end, [Argument(*argument) for argument in arguments], roleset)


def _move_speakers(doc: Doc, before: Sequence[Sequence[Mention]]) -> None:
    """Let those who speak in quotations, and are spoken to, be mentions of the clusters that they are now."""
    quotations = annotation.get_quotations(doc)
    if not quotations:
        return
    clusters = annotation.get_clusters(doc)
    quoted = {i for quotation in quotations for i in range(quotation.start, quotation.end)}

    def move(person: Mention | None, place: Mention) -> Mention | None:
        if person is None or any(person in cluster for cluster in clusters):
            return person
        was = {mention for cluster in before if person in cluster for mention in cluster}
        alike = max(clusters, key=lambda cluster: len(was.intersection(cluster)), default=[])
        return nearest_mention(place, alike, quoted) if was.intersection(alike) else None

    moved = (
        quotation._replace(
            speaker=move(quotation.speaker, quotation[:2]), addressee=move(quotation.addressee, quotation[:2])
        )
        for quotation in quotations
    )
    annotation.set_quotations(doc, [*moved])
