"""Documents with words removed or added, and the annotation of the others."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import cast
from unicodedata import category

import numpy as np
from spacy.tokens import Doc, Span, SpanGroup
from spacy.tokens.doc import DOCBIN_ALL_ATTRS
from thinc.types import Ints2d

from ..annotation import (
    ANTECEDENTS,
    FRAME_PREFIX,
    LINK_SCORES,
    PREDICATES_KEY,
    REASONS,
    SCORES,
    annotates_all_predicates,
    cluster_keys,
    cluster_prefixes,
    frame_groups,
    frame_keys,
    frame_prefixes,
    get_antecedents,
    has_frames_annotated,
    quotation_keys,
    read_all_groups,
    set_frames,
    set_quotations,
)

SHAPELESS = frozenset({"Cc", "Cf", "Mn"})


def is_blank(text: str) -> bool:
    """Check whether there is nothing to see in a text."""
    return all(character.isspace() or category(character) in SHAPELESS for character in text)


Places = dict[int, tuple[int, int]]
"""New token offsets (end exclusive) of the spans of a group, by the number of the span. Missing spans are lost."""


def move_spans(
    source: Doc,
    target: Doc,
    groups: Mapping[str, SpanGroup],
    places_of: Callable[[str], Places],
    *,
    prefix: str = FRAME_PREFIX,
    predicates_key: str = PREDICATES_KEY,
) -> None:
    """Copy all span groups of a document to another, with the title and everything else that has a name in `user_data`.

    A group whose spans are all lost is there, but empty: without it the document would not be annotated. Only clusters,
    frames and quotations, each of which is a group, are lost with their spans, a frame with its predicate, a quotation
    with its words. Of given predicates that have frames, none are left where all are lost: other words may be
    predicates. A mention whose antecedent is lost has none.

    source, target (Doc): The documents.
    groups (Mapping[str, SpanGroup]): All span groups of `source`, as `read_all_groups` has them.
    places_of (Callable[[str], Places]): Takes the key of a group and returns the new offsets of its spans.
    prefix, predicates_key (str): Where semantic roles are kept in `doc.spans`.
    """
    target.user_data.update({key: value for key, value in source.user_data.items() if isinstance(key, str)})
    frames = {key for each in (prefix, *frame_prefixes(source)) for key in frame_keys(source, each)}
    quotations = set(quotation_keys(source))
    clusters = {key for each in cluster_prefixes(source) for key in cluster_keys(source, each)}
    for key, group in groups.items():
        places = places_of(key)
        if 0 not in places and (key in frames or key in quotations):
            continue  # arguments without their predicate are no frame, nor is a speaker without words a quotation
        is_lost = key in clusters or (key == predicates_key and frame_keys(source, prefix))
        if places or not len(group) or not is_lost:
            target.spans[key] = _copy_group(group, target, places)
    if quotations and not quotation_keys(target):
        set_quotations(target, [])
    if not annotates_all_predicates(source, predicates_key):
        return  # of what is annotated in part, nothing is known without its predicates
    if has_frames_annotated(source, prefix, predicates_key) and not frame_groups(target, prefix):
        set_frames(target, [], prefix=prefix, predicates_key=predicates_key)


def _copy_group(group: SpanGroup, target: Doc, places: Places) -> SpanGroup:
    spans = []
    for i, place in places.items():
        span = group[i]
        spans.append(Span(target, *place, label=span.label, kb_id=span.kb_id, span_id=span.id))
    attrs = dict(group.attrs)
    for name in (SCORES, LINK_SCORES, REASONS):
        if len(attrs.get(name, ())) == len(group):
            attrs[name] = [attrs[name][i] for i in places]
    if (antecedents := get_antecedents(group)) is not None:
        numbers: dict[int | None, int] = {old: new for new, old in enumerate(places)}
        attrs[ANTECEDENTS] = [numbers.get(antecedents[i]) for i in places]
    return SpanGroup(target, name=group.name, attrs=attrs, spans=spans)


ATTRIBUTES: list[str | int] = [name for name in DOCBIN_ALL_ATTRS if name != "ORTH"]
HEAD, DEP, SENT_START, ENT_IOB = (ATTRIBUTES.index(name) for name in ("HEAD", "DEP", "SENT_START", "ENT_IOB"))
ENTITY = [column for column, name in enumerate(ATTRIBUTES) if str(name).startswith("ENT_")]
IN_ENTITY, OUT_OF_ENTITY, BEGINS_ENTITY = 1, 2, 3  # values of ENT_IOB


def rebuild_doc(doc: Doc, tokens: Sequence[int | str]) -> Doc:
    """Make a document of some tokens of another document and of new words.

    All annotation is kept. A span keeps its remaining tokens, and a span without any is lost. Sentences start where
    they did before: new words before the first token of a sentence are a sentence of their own, and other new words
    belong to the sentence, and to the entity, around them.

    doc (Doc): The document, which is not modified. A word keeps the space behind it, and has one if white space
        tokens between it and the next remaining word are removed.
    tokens (Sequence[int | str]): Numbers of the remaining tokens, ascending, and new words between them. A space
        follows each new word.
    RETURNS (Doc): The new document.
    """
    old = [token for token in tokens if isinstance(token, int)]
    new = [i for i, token in enumerate(tokens) if isinstance(token, int)]
    rebuilt = Doc(
        doc.vocab,
        words=[doc[token].text if isinstance(token, int) else token for token in tokens],
        spaces=_spaces(doc, tokens, old),
    )
    rebuilt.has_unknown_spaces = doc.has_unknown_spaces
    rebuilt.cats = dict(doc.cats)
    if len(rebuilt):
        rebuilt.from_array(ATTRIBUTES, cast(Ints2d, _attributes(doc, tokens, old, new)))

    def place(start: int, end: int) -> tuple[int, int] | None:
        first, last = bisect_left(old, start), bisect_left(old, end) - 1
        if start < end:
            return (new[first], new[last] + 1) if first <= last else None
        at = new[first] if first < len(new) else len(rebuilt)
        return at, at

    groups = read_all_groups(doc)

    def places_of(key: str) -> Places:
        places = ((i, place(span.start, span.end)) for i, span in enumerate(groups[key]))
        return {i: moved for i, moved in places if moved is not None}

    move_spans(doc, rebuilt, groups, places_of)
    return rebuilt


def _spaces(doc: Doc, tokens: Sequence[int | str], old: Sequence[int]) -> list[bool]:
    """Check whether a space follows each token of the new document."""
    following = dict(pairwise(old))

    def has_space(token: int) -> bool:
        after = token + 1
        if after < len(doc) and following.get(token) != after and is_blank(doc[after].text):
            between = doc[token : following.get(token, token)]
            return any(other.whitespace_ or other.text.isspace() for other in between)
        return bool(doc[token].whitespace_)

    return [isinstance(token, str) or has_space(token) for token in tokens]


def _attributes(doc: Doc, tokens: Sequence[int | str], old: list[int], new: list[int]) -> np.ndarray:
    """The attributes of the tokens of the new document. Shape: (tokens, attributes)"""
    values = doc.to_array(ATTRIBUTES).view(np.int64)
    if not doc.has_annotation("SENT_START"):
        values[:, SENT_START] = 0  # spaCy may set that of the first token
    kept = values[np.asarray(old, dtype=np.int64)]
    # If the first token of a sentence or an entity is lost, the next remaining token begins it.
    starts = np.cumsum(values[:, SENT_START] == 1)[np.asarray(old, dtype=np.int64)]
    kept[np.diff(starts, prepend=0) > 0, SENT_START] = 1
    if doc.has_annotation("SENT_START") and not kept[1:, SENT_START].any():
        kept[1:, SENT_START] = -1  # only lost tokens told where sentences start: all others are known to be in one
    before = np.append(OUT_OF_ENTITY, kept[:-1, ENT_IOB])
    kept[(kept[:, ENT_IOB] == IN_ENTITY) & np.isin(before, (0, OUT_OF_ENTITY)), ENT_IOB] = BEGINS_ENTITY
    rows = np.zeros((len(tokens), len(ATTRIBUTES)), dtype=np.int64)
    rows[new] = kept
    if doc.has_annotation("DEP"):
        rows[new, HEAD] = _heads(doc, old, new)
    for begin, end in _new_words(tokens):
        _annotate_new_words(doc, rows, begin, end)
    return rows.view(np.uint64)


def _heads(doc: Doc, old: list[int], new: list[int]) -> list[int]:
    """The head of each old token, relative to it: its nearest ancestor that remains, or the token itself."""
    places = dict(zip(old, new, strict=True))
    heads = []
    for token, place in places.items():
        ancestors = (ancestor.i for ancestor in doc[token].ancestors)
        heads.append(next((places[i] for i in ancestors if i in places), place) - place)
    return heads


def _new_words(tokens: Sequence[int | str]) -> Iterator[tuple[int, int]]:
    """The runs of new words: begin and end."""
    edges = np.diff([isinstance(token, str) for token in tokens], prepend=False, append=False)
    places = np.flatnonzero(edges).tolist()
    return zip(places[::2], places[1::2], strict=True)


def _annotate_new_words(doc: Doc, rows: np.ndarray, begin: int, end: int) -> None:
    """Set sentence, head and entity of a run of new words."""
    is_last = end == len(rows)
    in_sentence = begin > 0 and not is_last and rows[end, SENT_START] != 1
    if doc.has_annotation("SENT_START"):
        rows[begin:end, SENT_START] = -1
        if not in_sentence:
            rows[[begin] if is_last else [begin, end], SENT_START] = 1
    if doc.has_annotation("DEP"):
        # Their head is a word next to them, or the first of them, so that no arc crosses another.
        rows[begin:end, HEAD] = (begin - in_sentence) - np.arange(begin, end)
        rows[begin:end, DEP] = doc.vocab.strings.add("dep")
    if not is_last and rows[end, ENT_IOB] == IN_ENTITY:
        rows[begin:end, ENTITY] = rows[end, ENTITY]
    elif doc.has_annotation("ENT_IOB"):
        rows[begin:end, ENT_IOB] = OUT_OF_ENTITY
