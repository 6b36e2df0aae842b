"""Documents with all annotation that plain data holds: one to look at, and drawn ones."""

import itertools
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from spacy.tokens import Doc, Span
from spacy.vocab import Vocab

from spacy_span_selector import annotation
from spacy_span_selector.annotation import Argument, Frame, Mention, Quotation

from ....robustness.strategies import any_text, offsets, texts

always_the_same = settings(max_examples=60, derandomize=True, database=None, deadline=None)

probabilities = st.sampled_from([0.0, 0.1, 0.25, 1.0]) | st.floats(0, 1)
names = st.sampled_from(["", "ann", "1"]) | any_text
roles = st.sampled_from(["ARG0", "ARG1", "C-ARG1"]) | any_text


def full_doc(vocab: Vocab) -> Doc:
    """A document in which everything occurs."""
    words = "Ann : Ann Lee called her brother . LINES He was out .".replace("LINES", "\n\n").split(" ")
    spaces = [False, True, True, True, True, True, False, False, False, True, True, False, True]
    doc = Doc(vocab, words=words, spaces=spaces, sent_starts=[i in (0, 9) for i in range(len(words))])
    annotation.set_title(doc, "the call")
    annotation.set_speakers(doc, [(2, 13, "Ann")])
    ann, brother = [(2, 4), (5, 6)], [(5, 7), (9, 10)]
    mentions = [*ann, *brother]
    annotation.set_clusters(
        doc,
        [ann, brother],
        scores=dict(zip(mentions, [0.75, 1.0, 0.5, 1.0], strict=True)),
        link_scores=dict(zip(mentions, [1.0, 0.875, 0.5, 0.25], strict=True)),
        antecedents={(2, 4): None, (5, 6): (2, 4), (5, 7): None, (9, 10): (5, 7)},
        reasons={(2, 4): "", (5, 6): "", (5, 7): "", (9, 10): "has a name of the same entity"},
        names=["ann", ""],
        entity_types=["person", ""],
    )
    doc.ents = [Span(doc, 2, 4, "PERSON", kb_id="Q7")]
    annotation.set_mentions(doc, sorted([*mentions, (11, 12)]), [0.75, 1.0, 0.5, 1.0, 0.625])
    arguments = [Argument(2, 4, "ARG0"), Argument(5, 7, "ARG1")]
    called = Frame(4, 5, arguments, "call.02", [1.0, 0.5, 0.25], "to phone", {"ARG0": "caller"})
    annotation.set_frames(doc, [called, Frame(10, 11, [Argument(9, 10, "ARG1")])])
    annotation.set_quotations(doc, [Quotation(9, 12, speaker=(2, 4), addressee=(5, 7), cue=(2, 5), score=0.375)])
    annotation.set_labelled_spans(doc, [(5, 6, "PERSON"), (5, 7, "PERSON")], [0.5, 0.75])
    return doc


def content(doc: Doc) -> dict[str, Any]:
    """All that plain data holds of a document."""
    return {
        "tokens": [(token.text, token.whitespace_) for token in doc],
        "sentences": [sentence.start for sentence in doc.sents] if doc.has_annotation("SENT_START") else None,
        "title": annotation.get_title(doc),
        "spans": {
            key: ([(span.start, span.end, span.label_) for span in group], group.attrs)
            for key, group in doc.spans.items()
        },
    }


def rounded(value: Any) -> Any:
    """A value with numbers as plain data has them."""
    if isinstance(value, dict):
        return {key: rounded(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(map(rounded, value))
    return round(value, 4) if isinstance(value, float) else value


def pack(*rows: dict[str, Any]) -> dict[str, list[Any]]:
    """The columns of some objects, which may be without some keys."""
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}


def rows(columns: dict[str, list[Any]]) -> list[dict[str, Any]]:
    """An object for each of the things whose columns these are, without what is not known."""
    columns = {name: column for name, column in columns.items() if isinstance(column, list)}
    values = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    return [{key: value for key, value in row.items() if value is not None} for row in values]


@st.composite
def annotated(draw: st.DrawFn, vocab: Vocab, doc: Doc | None = None) -> Doc:
    """A document, of drawn words unless it is given, with drawn annotation. Spans are as odd as setters allow."""
    doc = draw(texts(max_words=12)).doc(vocab) if doc is None else doc
    for key in [*doc.spans]:
        del doc.spans[key]
    spans = offsets(len(doc)) if len(doc) else st.nothing()
    several = st.lists(spans, max_size=5, unique=True) if len(doc) else st.just([])

    def maybe_scores(count: int) -> list[float] | None:
        return draw(st.none() | st.lists(probabilities, min_size=count, max_size=count))

    if draw(st.booleans()):
        annotation.set_speakers(doc, [(*span, draw(names)) for span in draw(several)])
    if draw(st.booleans()):
        clusters: list[list[Mention]] = draw(st.lists(several, max_size=4))
        mentions = sorted({*itertools.chain(*clusters), *draw(several)})
        scores = maybe_scores(len(mentions)) if mentions else []
        if draw(st.booleans()):
            annotation.set_mentions(doc, mentions, scores)
        earlier = [[[other for other in cluster if other < mention] for mention in cluster] for cluster in clusters]
        linked = [[draw(st.sampled_from([None, *others])) for others in cluster] for cluster in earlier]
        annotation.set_clusters(
            doc,
            clusters,
            scores=None if scores is None else dict(zip(mentions, scores, strict=True)),
            link_scores=[maybe_scores(len(cluster)) for cluster in clusters],
            antecedents=[row if draw(st.booleans()) else None for row in linked],
            names=[draw(names) for _ in clusters],
        )
    if draw(st.booleans()):
        frames = []
        for start, end in draw(several):
            arguments = [Argument(*span, draw(roles)) for span in draw(several)]
            frames.append(Frame(start, end, arguments, draw(st.none() | names), maybe_scores(1 + len(arguments))))
        annotation.set_frames(doc, frames)
    if draw(st.booleans()):
        named = [draw(st.none() | spans) if len(doc) else None for _ in range(3)]
        annotation.set_quotations(
            doc, [Quotation(*span, *named, draw(st.none() | probabilities)) for span in draw(several)]
        )
    if draw(st.booleans()):
        labelled = [*dict.fromkeys((*span, draw(roles)) for span in [*draw(several), *draw(several)])]
        annotation.set_labelled_spans(doc, labelled, maybe_scores(len(labelled)) if labelled else [])
    return doc
