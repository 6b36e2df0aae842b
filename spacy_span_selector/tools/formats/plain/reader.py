"""Documents read from plain data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar, cast

import numpy as np
from spacy.language import Language
from spacy.tokens import Doc
from spacy.vocab import Vocab
from thinc.types import Ints2d

from ....annotation import (
    CLUSTER_PREFIX,
    ENTITY_TYPE,
    FRAME_PREFIX,
    LABELLED_KEY,
    MENTIONS_KEY,
    PREDICATES_KEY,
    Argument,
    Frame,
    Quotation,
    cluster_groups,
    set_clusters,
    set_frames,
    set_labelled_spans,
    set_mentions,
    set_quotations,
    set_speaker_markers,
    set_speakers,
    set_title,
)
from ....documents.tokenized import make_doc as split_into_tokens
from ....extensions import labels_by_span, span_label
from ..reports import Report, shorten
from . import records
from .checks import read_document

UNALIGNED = "spans that don't begin and end with tokens"
OTHER_TEXT = "spans whose text is not that at their offsets"
STARTS = "starts of sentences where no token starts"
FRAMES = "frames whose predicate is left out"
PARTLY_KNOWN = "scores and antecedents that only some spans of a cluster or frame have"

Value = TypeVar("Value")
Offsets = tuple[int, int]


def from_dict(
    data: dict[str, Any],
    nlp: Language | Vocab,
    *,
    cluster_prefix: str = CLUSTER_PREFIX,
    mentions_key: str = MENTIONS_KEY,
    frame_prefix: str = FRAME_PREFIX,
    predicates_key: str = PREDICATES_KEY,
    labelled_key: str = LABELLED_KEY,
) -> Doc:
    """Read a document from plain data, as `to_dict` writes it.

    The tokens are those of the data or, if it has none, those of the pipeline's tokenizer.

    data (dict[str, Any]): The data, as the schema in docs/annotation.md describes it. Other keys are ignored.
    nlp (Language | Vocab): The pipeline whose tokenizer splits the text; no component is called. A vocabulary will do
        for data with tokens.
    cluster_prefix, mentions_key (str): Where clusters and selected mentions go in `doc.spans`.
    frame_prefix, predicates_key (str): Where frames go in `doc.spans`, and the empty group of a document without any.
    labelled_key (str): Where labelled spans go in `doc.spans`.
    RETURNS (Doc): The document, with the annotation of the data.
    RAISES (ValueError): If the data is not as the schema says, if sentences overlap or leave out words, if a mention,
        an argument or a labelled span is said twice, or the text can't be split, with the key, what was found, and what
        was expected.
    WARNS: Once, counting what is left out: spans that don't begin and end with tokens, or have another text than that
        at their offsets, and the frames of such predicates; starts of sentences where no token starts; scores and
        antecedents that only some spans of a cluster or frame have.
    """
    document = read_document(data)
    report = Report()
    doc = _make_doc(document, nlp)
    alignment = Alignment(doc, document.name, report)
    if document.id:
        set_title(doc, document.id)
    if document.sentences:
        _set_sentences(document.sentences, alignment)
    if (turns := document.speakers) is not None:
        spans = zip(alignment.align("speakers", turns), turns, strict=True)
        set_speakers(doc, [(*span, turn.speaker) for span, turn in spans if span])
    if (markers := document.speaker_markers) is not None:
        set_speaker_markers(doc, [span for span in alignment.align("speaker_markers", markers) if span])
    scores: dict[Offsets, float | None] = {}
    if document.clusters is not None:
        scores |= _set_clusters(document.clusters, alignment, cluster_prefix, mentions_key)
    if (mentions := document.unlinked_mentions) is not None:
        aligned = zip(alignment.align("unlinked_mentions", mentions), mentions, strict=True)
        scores |= {span: mention.score for span, mention in aligned if span}
        selected = sorted(scores)
        known = _all_known([scores[span] for span in selected], "unlinked_mentions", alignment)
        set_mentions(doc, selected, known, mentions_key)
    if document.frames is not None:
        _set_frames(document.frames, alignment, frame_prefix, predicates_key)
    if document.quotations is not None:
        _set_quotations(document.quotations, alignment)
    if document.labelled_spans is not None:
        _set_labelled_spans(document.labelled_spans, alignment, labelled_key)
        _forget_known_labels(doc, cluster_prefix, labelled_key)
    report.warn()
    return doc


class Alignment:
    """The tokens of a document, by their characters.

    doc (Doc): The document.
    starts, ends (dict[int, int]): The token that starts, and the one that ends, at a character: as offsets of a span.
    """

    def __init__(self, doc: Doc, name: str, report: Report) -> None:
        """Initialize the alignment.

        name (str): What messages call the document.
        report (Report): Gets what is left out.
        """
        self.doc = doc
        self.name = name
        self.report = report
        edges = [(token.idx, token.idx + len(token)) for token in doc]
        self.starts = {start: i for i, (start, _) in enumerate(edges)}
        self.ends = {end: i + 1 for i, (_, end) in enumerate(edges)}
        self._text = doc.text

    def align(self, path: str, places: Sequence[records.Place]) -> list[Offsets | None]:
        """Find the tokens of spans.

        path (str): Where the spans are in the data, for messages.
        places (Sequence[records.Place]): The spans.
        RETURNS (list[Offsets | None]): The token offsets of each, None for a span that is left out.
        """
        return [self._align(f"{path}[{i}]", place) for i, place in enumerate(places)]

    def leave_out(self, what: str, path: str, place: records.Place) -> None:
        """Report a span that is left out."""
        text = shorten(self._text[place.start : place.end])
        self.report.leave_out(what, f"{path}, {text} at {place.start}, in {self.name}")

    def _align(self, path: str, place: records.Place) -> Offsets | None:
        text = place.text if isinstance(place, records.Span) else None
        if text is not None and text != self._text[place.start : place.end]:
            self.leave_out(OTHER_TEXT, f"{path}, which has the text {shorten(text)}", place)
            return None
        if place.start not in self.starts or place.end not in self.ends:
            self.leave_out(UNALIGNED, path, place)
            return None
        return self.starts[place.start], self.ends[place.end]


def _make_doc(document: records.Document, nlp: Language | Vocab) -> Doc:
    """Make a document without annotation, of the tokens of the data or, if it has none, of those of a tokenizer.

    document (Document): The data.
    nlp (Language | Vocab): The pipeline with the tokenizer; a vocabulary will do if there are tokens.
    RETURNS (Doc): The document. Its text is that of the data.
    RAISES (ValueError): If tokens overlap, are not in order or leave out words; or if there are none and no tokenizer,
        or one that can't split the text or changes it.
    """
    if document.tokens is not None:
        return _from_tokens(document, nlp.vocab if isinstance(nlp, Language) else nlp)
    if not isinstance(nlp, Language):
        raise ValueError(
            f"Can't read {document.name}: it has no 'tokens', and a {type(nlp).__name__} has no tokenizer. Pass a "
            "pipeline, or write the document with to_dict(doc, tokens=True)."
        )
    try:
        doc = split_into_tokens(nlp, document.text)
    except ValueError as error:  # such as a text that is too long
        raise ValueError(f"Can't read {document.name}: its text can't be split into tokens: {error}") from error
    if doc.text != document.text:
        raise ValueError(
            f"Can't read {document.name}: the tokenizer of the pipeline changes its text, so offsets are lost. Take "
            "another pipeline, or write the document with to_dict(doc, tokens=True)."
        )
    return doc


def _from_tokens(document: records.Document, vocab: Vocab) -> Doc:
    """A document of given tokens. White space between them is that behind a token, if it is a single space, or else a
    token, as spaCy has it."""
    text, words, spaces = document.text, list[str](), list[bool]()
    end = 0
    for i, token in enumerate(document.tokens or ()):
        if token.start < end:
            document.fail(f"tokens[{i}].start", token.start, f"at least {end}, where the token before it ends")
        _add_gap(document, end, token.start, words, spaces)
        words.append(text[token.start : token.end])
        spaces.append(False)
        end = token.end
    _add_gap(document, end, len(text), words, spaces)
    return Doc(vocab, words=words, spaces=spaces)


def _add_gap(document: records.Document, start: int, end: int, words: list[str], spaces: list[bool]) -> None:
    """Add the white space between two tokens."""
    document.check_gap(start, end, "tokens")
    gap = document.text[start:end]
    if gap.startswith(" ") and words:
        spaces[-1] = True
        gap = gap[1:]
    if gap:
        words.append(gap)
        spaces.append(False)


def _set_sentences(sentences: Sequence[records.Place], alignment: Alignment) -> None:
    values = np.full(len(alignment.doc), -1)
    values[:1] = 1
    for i, sentence in enumerate(sentences):
        if sentence.start not in alignment.starts:
            alignment.leave_out(STARTS, f"sentences[{i}]", sentence)
        elif i:  # the first one has the white space before it
            values[alignment.starts[sentence.start]] = 1
    # At once: spaCy searches the whole document when the start of a sentence is set at a token.
    alignment.doc.from_array("SENT_START", cast(Ints2d, values.astype(np.uint64)))


def _set_clusters(
    clusters: Sequence[records.Cluster], alignment: Alignment, prefix: str, mentions_key: str
) -> dict[Offsets, float | None]:
    """Annotate clusters.

    RETURNS (dict[Offsets, float | None]): Their mentions with the selection probability of each, if known.
    """
    mentions: list[list[Offsets]] = []
    scores, link_scores, antecedents, reasons = [], [], [], []
    selected: dict[Offsets, float | None] = {}
    for i, cluster in enumerate(clusters):
        path = f"clusters[{i}]"
        spans = alignment.align(f"{path}.mentions", cluster.mentions)
        kept = [(span, mention) for span, mention in zip(spans, cluster.mentions, strict=True) if span]
        mentions.append([span for span, _ in kept])
        scores.append(_all_known([mention.score for _, mention in kept], path, alignment))
        link_scores.append(_all_known([mention.link_score for _, mention in kept], path, alignment))
        known = [mention.knows_antecedent for _, mention in kept]
        linked = [None if mention.antecedent is None else spans[mention.antecedent] for _, mention in kept]
        antecedents.append(linked if _have_all(known, path, alignment) else None)
        reasons.append([mention.reason or "" for _, mention in kept])
        for span, mention in kept:  # of a span in two clusters, the first one says the score
            if selected.get(span) is None:
                selected[span] = mention.score
    set_clusters(
        alignment.doc,
        mentions,
        prefix=prefix,
        mentions_key=mentions_key,
        scores=scores,
        link_scores=link_scores,
        antecedents=antecedents,
        reasons=reasons if any(map(any, reasons)) else None,
        names=[cluster.name or "" for cluster in clusters],
        entity_types=[cluster.entity_label or "" for cluster in clusters],
    )
    return selected


def _forget_known_labels(doc: Doc, cluster_prefix: str, labelled_key: str) -> None:
    """Remove the labels of clusters that their labelled spans tell: nobody knows whether a corpus said them, too."""
    labels = labels_by_span(doc, labelled_key)
    for group in cluster_groups(doc, cluster_prefix):
        if group.attrs.get(ENTITY_TYPE) == span_label(group, labels):
            del group.attrs[ENTITY_TYPE]


def _set_frames(frames: Sequence[records.Frame], alignment: Alignment, prefix: str, predicates_key: str) -> None:
    kept = []
    for i, frame in enumerate(frames):
        path = f"frames[{i}]"
        (predicate,) = alignment.align(f"{path}.predicate", [frame.predicate])
        spans = alignment.align(f"{path}.arguments", frame.arguments)
        if predicate is None:
            alignment.leave_out(FRAMES, path, frame.predicate)
            continue
        aligned = [(span, argument) for span, argument in zip(spans, frame.arguments, strict=True) if span]
        arguments = [Argument(*span, argument.role) for span, argument in aligned]
        scores = _all_known([frame.predicate.score, *(argument.score for _, argument in aligned)], path, alignment)
        texts = {argument.role: argument.description for argument in frame.arguments if argument.description}
        kept.append(
            Frame(*predicate, arguments, frame.roleset or None, scores, frame.roleset_name or None, texts or None)
        )
    set_frames(alignment.doc, kept, prefix=prefix, predicates_key=predicates_key)


def _set_quotations(quotations: Sequence[records.Quotation], alignment: Alignment) -> None:
    kept = []
    spans = alignment.align("quotations", quotations)
    for i, (span, quotation) in enumerate(zip(spans, quotations, strict=True)):
        speaker, addressee, cue = (
            alignment.align(f"quotations[{i}].{key}", [place])[0] if place else None
            for key, place in quotation.others().items()
        )
        if span:
            kept.append(Quotation(*span, speaker, addressee, cue, quotation.score))
    set_quotations(alignment.doc, kept)


def _set_labelled_spans(labelled: Sequence[records.LabelledSpan], alignment: Alignment, key: str) -> None:
    aligned = zip(alignment.align("labelled_spans", labelled), labelled, strict=True)
    kept = [((*span, each.label), each.score) for span, each in aligned if span]
    scores = _all_known([score for _, score in kept], "labelled_spans", alignment)
    set_labelled_spans(alignment.doc, [span for span, _ in kept], scores, key=key)


def _all_known(values: Sequence[Value | None], path: str, alignment: Alignment) -> list[Value] | None:
    """The values of the spans of a cluster or frame; None unless all are known."""
    known = [value for value in values if value is not None]
    return known if _have_all([value is not None for value in values], path, alignment) else None


def _have_all(known: Sequence[bool], path: str, alignment: Alignment) -> bool:
    """Check if something is known of all spans of a cluster or frame; report it if it is known of some only."""
    if any(known) and not all(known):
        alignment.report.leave_out(PARTLY_KNOWN, f"{path} in {alignment.name}")
    return all(known)
