"""Documents with words removed, and the annotation of the others."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import pairwise
from typing import cast

import numpy as np
from spacy.attrs import ORTH, SPACY
from spacy.symbols import dep
from spacy.tokens import Doc, Span, SpanGroup
from spacy.tokens.doc import DOCBIN_ALL_ATTRS
from thinc.types import Ints2d

from ..annotation.clusters import cluster_keys, cluster_prefixes
from ..annotation.frames import (
    FRAME_PREFIX,
    PREDICATES_KEY,
    annotates_all_predicates,
    frame_groups,
    frame_keys,
    frame_prefixes,
    has_frames_annotated,
    set_frames,
)
from ..annotation.groups import attrs_of_kept, read_all_groups
from ..annotation.quotations import quotation_keys, set_quotations
from .visible import EMOJI, Word, is_blank

Words = dict[int, list[Word]]
"""Of tokens that are not read as they are written, what is read: words, as `split_words` has them."""
Places = dict[int, tuple[int, int]]
"""New token offsets (end exclusive) of the spans of a group, by the number of the span. Missing spans are lost."""


class GroupKinds:
    """What the span groups of a document are: which of them are frames, quotations and clusters, one each.

    prefix, predicates_key (str): The keys of frames and of predicates that tell whether all predicates are annotated.
    """

    def __init__(self, doc: Doc, prefix: str = FRAME_PREFIX, predicates_key: str = PREDICATES_KEY) -> None:
        self.prefix, self.predicates_key = prefix, predicates_key
        self.frames = {key for each in (prefix, *frame_prefixes(doc)) for key in frame_keys(doc, each)}
        self.quotations = {*quotation_keys(doc)}
        self.clusters = {key for each in cluster_prefixes(doc) for key in cluster_keys(doc, each)}
        self.has_frames = bool(frame_keys(doc, prefix))
        self.has_all_frames = annotates_all_predicates(doc, predicates_key) and has_frames_annotated(
            doc, prefix, predicates_key
        )

    def is_lost_with_spans(self, key: str) -> bool:
        return key in self.frames or key in self.quotations or key in self.clusters


def move_spans(
    source: Doc,
    target: Doc,
    groups: Mapping[str, SpanGroup],
    places_of: Callable[[str], Places],
    kinds: GroupKinds,
) -> None:
    """Copy all span groups of a document to another, with the title and everything else that has a name in `user_data`.

    A group whose spans are all lost is there, but empty: without it the document would not be annotated. Only clusters,
    frames and quotations, each of which is a group, are lost with their spans, a frame with its predicate, a quotation
    with its words. Of given predicates that have frames, none are left where all are lost: other words may be
    predicates. A mention whose antecedent is lost has none.

    groups (Mapping[str, SpanGroup]): All span groups of `source`, as `read_all_groups` has them; those that are lost
        with their spans may be left out where they are.
    places_of (Callable[[str], Places]): The new offsets of the spans of a group, by its key.
    """
    target.user_data.update({key: value for key, value in source.user_data.items() if isinstance(key, str)})
    for key, group in groups.items():
        places = places_of(key)
        if 0 not in places and (key in kinds.frames or key in kinds.quotations):
            continue  # arguments without their predicate are no frame, nor is a speaker without words a quotation
        is_lost = key in kinds.clusters or (key == kinds.predicates_key and kinds.has_frames)
        if places or not len(group) or not is_lost:
            target.spans[key] = _copy_group(group, target, places)
    if kinds.quotations and not quotation_keys(target):
        set_quotations(target, [])
    # Of what is annotated in part, nothing is known without its predicates.
    if kinds.has_all_frames and not frame_groups(target, kinds.prefix):
        set_frames(target, [], prefix=kinds.prefix, predicates_key=kinds.predicates_key)


def _copy_group(group: SpanGroup, target: Doc, places: Places) -> SpanGroup:
    moved = [(group[i], place) for i, place in places.items()]
    spans = [Span(target, *place, label=span.label, kb_id=span.kb_id, span_id=span.id) for span, place in moved]
    attrs = attrs_of_kept(group, {old: new for new, old in enumerate(places)})
    return SpanGroup(target, name=group.name, attrs=attrs, spans=spans)


ATTRIBUTES: list[str | int] = [name for name in DOCBIN_ALL_ATTRS if name != "ORTH"]
HEAD, DEP, SENT_START, ENT_IOB = (ATTRIBUTES.index(name) for name in ("HEAD", "DEP", "SENT_START", "ENT_IOB"))
NORM, LEMMA = (ATTRIBUTES.index(name) for name in ("NORM", "LEMMA"))
KINDS = [ATTRIBUTES.index(name) for name in ("TAG", "POS", "MORPH")]
IN_ENTITY, OUT_OF_ENTITY, BEGINS_ENTITY = 1, 2, 3  # values of ENT_IOB


def rebuild_doc(doc: Doc, kept: Sequence[int], words: Words | None = None, without: Collection[str] = ()) -> Doc:
    """Make a document of some tokens of another document.

    All annotation is kept. A span keeps its remaining tokens, and a span without any is lost. Sentences start where
    they did before. Of a token that becomes several words, each is in its entity and in its spans, the last one has its
    place in the parse, and none its tag, which is that of the whole.

    A word keeps the space behind it, and has one if white space tokens between it and the next word are removed.

    kept (Sequence[int]): Numbers of the remaining tokens, ascending; that of several words once for each of them.
    without (Collection[str]): Keys of span groups that are left behind, as nobody will read them.
    """
    rebuilt = Doc(doc.vocab, *_words_and_spaces(doc, kept, words or {}))
    rebuilt.has_unknown_spaces = doc.has_unknown_spaces
    rebuilt.cats = dict(doc.cats)
    if len(rebuilt):
        rebuilt.from_array(ATTRIBUTES, cast(Ints2d, _attributes(doc, kept, words or {})))

    def place(start: int, end: int) -> tuple[int, int] | None:
        first, behind = bisect_left(kept, start), bisect_left(kept, end)
        return None if first == behind and start < end else (first, behind)

    groups = read_all_groups(doc, without)

    def places_of(key: str) -> Places:
        places = ((i, place(span.start, span.end)) for i, span in enumerate(groups[key]))
        return {i: moved for i, moved in places if moved is not None}

    move_spans(doc, rebuilt, groups, places_of, GroupKinds(doc))
    return rebuilt


def _words_and_spaces(doc: Doc, kept: Sequence[int], words: Words) -> tuple[list[str], list[bool]]:
    """The tokens of the new document, and whether a space follows each."""

    def has_space(token: int, following: int) -> bool:
        after, removed = doc[token + 1 : token + 2].text, doc[token + 1 : following].text
        if not after or not (after == "." or is_blank(after) or EMOJI.match(removed)):
            return bool(doc[token].whitespace_)
        if any(other.whitespace_ or other.text.isspace() for other in doc[token:following]):
            return True
        return doc[following].text[0].isalnum() and EMOJI.search(removed) is not None

    values = doc.to_array([ORTH, SPACY])[np.asarray(kept, dtype=np.int64)].tolist()
    texts, spaces = [doc.vocab.strings[orth] for orth, _ in values], [space == 1 for _, space in values]
    pieces = {token: iter(found) for token, found in words.items()}
    for place, (token, following) in enumerate(pairwise([*kept, len(doc)])):
        if token in pieces:
            texts[place], space, _ = next(pieces[token])
        if following != token + 1:
            spaces[place] = space if following == token else has_space(token, min(following, kept[-1]))
    return texts, spaces


def _attributes(doc: Doc, kept: Sequence[int], words: Words) -> np.ndarray:
    """The attributes of the tokens of the new document. Shape: (tokens, attributes)"""
    values = doc.to_array(ATTRIBUTES).view(np.int64)
    if not doc.has_annotation("SENT_START"):
        values[:, SENT_START] = 0  # spaCy may set that of the first token
    tokens = np.asarray(kept, dtype=np.int64)
    rows = values[tokens]
    if words:
        _divide(rows, tokens)
        changed = np.isin(tokens, list(words))
        norms = [doc.vocab.strings.add(norm) for token in sorted(words) for *_, norm in words[token]]
        rows[changed, NORM], rows[changed, LEMMA] = np.array(norms, dtype=np.uint64).view(np.int64), 0
    # If the first token of a sentence or an entity is lost, the next remaining token begins it.
    starts = np.cumsum(values[:, SENT_START] == 1)[tokens]
    rows[np.diff(starts, prepend=0) > 0, SENT_START] = 1
    if doc.has_annotation("SENT_START") and not rows[1:, SENT_START].any():
        rows[1:, SENT_START] = -1  # only lost tokens told where sentences start: all others are known to be in one
    before = np.append(OUT_OF_ENTITY, rows[:-1, ENT_IOB])
    rows[(rows[:, ENT_IOB] == IN_ENTITY) & np.isin(before, (0, OUT_OF_ENTITY)), ENT_IOB] = BEGINS_ENTITY
    if doc.has_annotation("DEP"):
        rows[:, HEAD] = _heads(doc, kept)
    return rows.view(np.uint64)


def _divide(rows: np.ndarray, tokens: np.ndarray) -> None:
    """Make the attributes of tokens those of their words."""
    follows = np.diff(tokens, prepend=-1) == 0
    precedes = np.append(follows[1:], False)
    for column in KINDS:
        rows[follows | precedes, column] = 0
    rows[precedes & (rows[:, DEP] != 0), DEP] = dep
    rows[follows & (rows[:, SENT_START] == 1), SENT_START] = -1
    rows[follows & (rows[:, ENT_IOB] == BEGINS_ENTITY), ENT_IOB] = IN_ENTITY


def _heads(doc: Doc, kept: Sequence[int]) -> list[int]:
    """The head of each token, relative to it: its nearest ancestor that remains, or the token itself."""
    places = {token: place for place, token in enumerate(kept)}  # of several words the last
    heads = []
    for place, token in enumerate(kept):
        ancestors = (ancestor.i for ancestor in doc[token].ancestors)
        own = places[token]
        heads.append((next((places[i] for i in ancestors if i in places), own) if own == place else own) - place)
    return heads
