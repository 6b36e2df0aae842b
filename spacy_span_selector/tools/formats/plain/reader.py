"""Documents read from plain data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from pydantic import ValidationError
from spacy.language import Language
from spacy.tokens import Doc
from spacy.vocab import Vocab
from thinc.types import Ints2d

from .... import annotation
from ....annotation import Argument, Frame, Quotation
from ....annotation.checks import check_once, show
from ....extensions import labels_by_span, span_label
from ....people.tokenized import make_doc as split_into_tokens
from ..reports import Report, shorten
from .schema import FORMAT, QUOTATION_PLACES, Document, Place, Places, Rolesets, Thing, name_document

UNALIGNED = "spans that don't begin and end with tokens"
STARTS = "starts of sentences where no token starts"
PARTLY_KNOWN = "scores and antecedents that only some spans of a cluster or frame have"

Offsets = tuple[int, int]  # of tokens; of characters it is a `Place`


def from_dict(
    data: dict[str, Any],
    nlp: Language | Vocab,
    *,
    cluster_prefix: str = annotation.CLUSTER_PREFIX,
    mentions_key: str = annotation.MENTIONS_KEY,
    frame_prefix: str = annotation.FRAME_PREFIX,
    predicates_key: str = annotation.PREDICATES_KEY,
    labelled_key: str = annotation.LABELLED_KEY,
) -> Doc:
    """Read a document from plain data, as `to_dict` writes it, by the schema in docs/annotation.md.

    nlp (Language | Vocab): The pipeline whose tokenizer splits the text; a vocabulary will do for data with tokens.
    cluster_prefix, mentions_key, frame_prefix, predicates_key, labelled_key (str): Where it goes in `doc.spans`.
    """
    document = read_document(data)
    report = Report()
    doc = _make_doc(document, nlp)
    alignment = Alignment(doc, document, report)
    if document.id:
        annotation.set_title(doc, document.id)
    if document.sentences is not None:
        _set_sentences(document.sentences, alignment)
    if document.speakers is not None:
        annotation.set_speakers(doc, [(*row["tokens"], row["speaker"]) for row in alignment.kept("speakers")])
    scores = {} if document.mentions is None else _set_clusters(alignment, cluster_prefix, mentions_key)
    if document.unlinked_mentions is not None:
        for row in alignment.kept("unlinked_mentions"):
            if row["tokens"] in scores:
                expected = "mentions that are in no cluster, each once"
                document.fail("(start, end) in unlinked_mentions", (row["start"], row["end"]), expected)
            scores[row["tokens"]] = row["score"]
        known = alignment.all_known([scores[span] for span in sorted(scores)], "unlinked_mentions")
        annotation.set_mentions(doc, sorted(scores), known, mentions_key)
    if document.frames is not None:
        annotation.set_frames(doc, _read_frames(alignment), prefix=frame_prefix, predicates_key=predicates_key)
    if document.quotations is not None:
        annotation.set_quotations(doc, _read_quotations(alignment))
    if document.labelled_spans is not None:
        labelled = alignment.kept("labelled_spans")
        known = alignment.all_known([row["score"] for row in labelled], "labelled_spans")
        spans = [(*row["tokens"], row["label"]) for row in labelled]
        check_once(doc, spans, "labelled_spans", "document")
        annotation.set_labelled_spans(doc, spans, known, key=labelled_key)
        _forget_known_labels(doc, cluster_prefix, labelled_key)
    report.warn()
    return doc


def read_document(data: Any) -> Document:
    """Check plain data against its schema."""
    name = name_document(data.get("id"), data.get("text")) if isinstance(data, dict) else "a document"
    if isinstance(data, dict) and data.get("format", FORMAT) != FORMAT:
        cure = "Annotate the text again, or write the document with the to_dict of this version."
        raise ValueError(f"Can't read {name}: format is {show(data['format'])}; expected {FORMAT!r}. {cure}")
    try:
        return Document.model_validate(data)
    except ValidationError as error:
        raise ValueError(f"Can't read {name}: {_describe(error)}") from None


def _describe(error: ValidationError) -> str:
    """The first of some errors, and the number of all."""
    first, *others = error.errors(include_url=False, include_context=False)
    path = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in first["loc"]).removeprefix(".")
    expected = first["msg"].replace("Input should be", "expected").removeprefix("Value error, ")
    expected = expected.split(" or instance of ")[0]  # of a class, which JSON has not
    problem = "is missing" if first["type"] == "missing" else f"is {show(first['input'])}; {expected}"
    return f"{path or 'it'} {problem}." + (f" Errors in all: {1 + len(others)}." if others else "")


class Alignment:
    """The tokens of a document, by their characters. The report gets the spans that are left out."""

    def __init__(self, doc: Doc, document: Document, report: Report) -> None:
        self.doc = doc
        self.document = document
        self.report = report
        self.starts = {token.idx: token.i for token in doc}
        self.ends = {token.idx + len(token): token.i + 1 for token in doc}

    def find(self, place: Place, path: str) -> Offsets | None:
        """The tokens of a span; None, which is reported, if it does not begin and end with tokens."""
        self.document.check_place(place, path)
        if place[0] in self.starts and place[1] in self.ends:
            return self.starts[place[0]], self.ends[place[1]]
        self.leave_out(UNALIGNED, path, place)
        return None

    def align(self, key: str) -> list[Thing]:
        """The spans under a key with their `tokens`, which are None if a span is left out."""
        columns = getattr(self.document, key)
        rows: list[Thing] = columns.rows() if columns else []
        for i, row in enumerate(rows):
            row["tokens"] = self.find((row["start"], row["end"]), f"{key}[{i}]")
        return rows

    def kept(self, key: str) -> list[Thing]:
        """The spans under a key that are not left out, with their `tokens`."""
        return [row for row in self.align(key) if row["tokens"]]

    def leave_out(self, what: str, path: str, place: Place) -> None:
        text = shorten(self.document.text[slice(*place)])
        self.report.leave_out(what, f"{path}, {text} at {place[0]}, in {self.document.name}")

    def all_known(self, values: Sequence[Any], path: str) -> list[Any] | None:
        """The values of the spans of a cluster or frame; None, which is reported, if only some are known."""
        known = [value for value in values if value is not None]
        if known and len(known) < len(values):
            self.report.leave_out(PARTLY_KNOWN, f"{path} in {self.document.name}")
        return known if len(known) == len(values) else None


def _make_doc(document: Document, nlp: Language | Vocab) -> Doc:
    """Make a document without annotation, of the tokens of the data or, if it has none, of those of a tokenizer."""
    if document.tokens is not None:
        return _from_tokens(document, document.tokens, nlp.vocab if isinstance(nlp, Language) else nlp)
    cure = "pipeline, or write the document with to_dict(doc, tokens=True)."
    if not isinstance(nlp, Language):
        found = f"it has no 'tokens', and a {type(nlp).__name__} has no tokenizer"
        raise ValueError(f"Can't read {document.name}: {found}. Pass a {cure}")
    try:
        doc = split_into_tokens(nlp, document.text)
    except ValueError as error:  # such as a text that is too long
        raise ValueError(f"Can't read {document.name}: its text can't be split into tokens: {error}") from error
    if doc.text != document.text:
        found = "the tokenizer of the pipeline changes its text, so offsets are lost"
        raise ValueError(f"Can't read {document.name}: {found}. Take another {cure}")
    return doc


def _from_tokens(document: Document, tokens: Places, vocab: Vocab) -> Doc:
    """A document of given tokens. As in spaCy, other white space than a single space behind a token is a token."""
    document.check_cover("tokens", tokens)
    text, words, spaces = document.text, list[str](), list[bool]()
    before = 0
    for start, end in zip([*tokens.start, len(text)], [*tokens.end, len(text)], strict=True):
        gap = text[before:start]
        if gap.startswith(" ") and words:
            spaces[-1] = True
            gap = gap[1:]
        new = [word for word in (gap, text[start:end]) if word]
        words += new
        spaces += [False] * len(new)
        before = end
    return Doc(vocab, words=words, spaces=spaces)


def _set_sentences(sentences: Places, alignment: Alignment) -> None:
    alignment.document.check_cover("sentences", sentences)
    values = np.full(len(alignment.doc), -1)
    values[:1] = 1
    for i, (start, end) in enumerate(zip(sentences.start, sentences.end, strict=True)):
        if start not in alignment.starts:
            alignment.leave_out(STARTS, f"sentences[{i}]", (start, end))
        elif i:  # the first one has the white space before it
            values[alignment.starts[start]] = 1
    # At once: spaCy searches the whole document when the start of a sentence is set at a token.
    alignment.doc.from_array("SENT_START", cast(Ints2d, values.astype(np.uint64)))


def _set_clusters(alignment: Alignment, prefix: str, mentions_key: str) -> dict[Offsets, float | None]:
    """Annotate clusters, and return the selection probability of each mention, if it is known."""
    document, mentions = alignment.document, alignment.align("mentions")
    entities = document.clusters.rows() if document.clusters else []
    numbers = {row["cluster"] for row in mentions}
    count = len(entities) or len(numbers)
    if numbers != {*range(count)}:
        document.fail("mentions.cluster", sorted(numbers), f"the numbers of {count} clusters, from 0, all of them")
    clusters: list[list[Thing]] = [[] for _ in range(count)]
    scores: dict[Offsets, float | None] = {}
    for i, row in enumerate(mentions):
        number = row["antecedent"]
        row["linked"] = None
        if number not in (None, i):  # a mention without antecedent has its own number
            if number >= len(mentions):
                document.fail(f"mentions.antecedent[{i}]", number, f"the number of one of {len(mentions)} mentions")
            row["linked"] = mentions[number]["tokens"]
        if row["tokens"]:
            clusters[row["cluster"]].append(row)
            if scores.get(row["tokens"]) is None:  # of a span in two clusters, the first one says the score
                scores[row["tokens"]] = row["score"]

    def values(key: str) -> list[list[Any]]:
        return [[row[key] for row in cluster] for cluster in clusters]

    def known(key: str) -> list[list[Any] | None]:
        return [alignment.all_known(row, f"mentions.{key} of cluster {i}") for i, row in enumerate(values(key))]

    reasons = [[reason or "" for reason in row] for row in values("reason")]
    annotation.set_clusters(
        alignment.doc,
        values("tokens"),
        prefix=prefix,
        mentions_key=mentions_key,
        scores=known("score"),
        link_scores=known("link_score"),
        antecedents=[row and linked for row, linked in zip(known("antecedent"), values("linked"), strict=True)],
        reasons=reasons if any(map(any, reasons)) else None,
        names=[row["name"] or "" for row in entities] or None,
        entity_types=[row["entity_label"] or "" for row in entities] or None,
    )
    return scores


def _forget_known_labels(doc: Doc, cluster_prefix: str, labelled_key: str) -> None:
    """Remove the labels of clusters that follow from labelled spans: whether a corpus said them, too, is not known."""
    labels = labels_by_span(doc, labelled_key)
    for group in annotation.cluster_groups(doc, cluster_prefix):
        if group.attrs.get(annotation.ENTITY_TYPE) == span_label(group, labels):
            del group.attrs[annotation.ENTITY_TYPE]


def _read_frames(alignment: Alignment) -> list[Frame]:
    document = alignment.document
    rolesets = {row["roleset"]: row for row in document.rolesets.rows()} if document.rolesets else {}
    frames = alignment.align("frames")
    arguments: list[list[Thing]] = [[] for _ in frames]
    for i, row in enumerate(alignment.align("arguments")):
        if row["frame"] >= len(frames):
            document.fail(f"arguments.frame[{i}]", row["frame"], f"the number of one of {len(frames)} frames, from 0")
        arguments[row["frame"]].append(row)
    kept = []
    for i, frame in enumerate(frames):
        known = rolesets.get(frame["roleset"], {"name": None, "roles": {}})
        texts: dict[str, str] = {}
        for role, said in [(row["role"], row["description"]) for row in arguments[i]]:
            text = said or known["roles"].get(role, known["roles"].get(Rolesets.base(role)))
            if text and texts.setdefault(role, text) != text:
                document.fail(f"the description of {role} in frames[{i}]", text, f"{texts[role]!r}, as said before")
        rows = [row for row in arguments[i] if row["tokens"]]
        span: Offsets | None = frame["tokens"]
        if span:
            spans = [Argument._make((*row["tokens"], row["role"])) for row in rows]
            scores = alignment.all_known([row["score"] for row in (frame, *rows)], f"frames[{i}]")
            name = frame["roleset_name"] or known["name"] or None
            kept.append(Frame(*span, spans, frame["roleset"] or None, scores, name, texts or None))
    return kept


def _read_quotations(alignment: Alignment) -> list[Quotation]:
    kept = []
    for i, row in enumerate(alignment.align("quotations")):
        others = []
        for key in QUOTATION_PLACES:
            start, end, path = row[f"{key}_start"], row[f"{key}_end"], f"the {key} of quotations[{i}]"
            if (start is None) != (end is None):
                alignment.document.fail(f"(start, end) of {path}", (start, end), "both or none")
            others.append(None if start is None else alignment.find((start, end), path))
        if row["tokens"]:
            kept.append(Quotation._make((*row["tokens"], *others, row["score"])))
    return kept
