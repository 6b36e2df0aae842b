"""Several documents as one, with clusters, frames and quotations that stay apart.

`Doc.from_docs` merges the span groups that have the same key, so the first clusters of all documents become one, and
drops what the `attrs` of groups say.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from itertools import accumulate, count
from typing import Any

from spacy.tokens import Doc, Span, SpanGroup

from ..annotation.clusters import cluster_keys, cluster_prefixes
from ..annotation.declared import ANNOTATES_KEY, get_annotates, set_annotates
from ..annotation.frames import PREDICATES_KEY, frame_keys, frame_prefixes
from ..annotation.groups import OF_SPANS, read_all_groups
from ..annotation.quotations import QUOTATION_PREFIX, quotation_keys
from ..annotation.titles import TITLE_KEY, get_title, set_title


def join_docs(
    docs: Iterable[Doc],
    ensure_whitespace: bool = True,
    attrs: Sequence[int | str] | None = None,
    *,
    exclude: Sequence[str] = (),
) -> Doc | None:
    """Concatenate documents as `Doc.from_docs` does, but number clusters, frames and quotations anew, in the order of
    the text.

    Mentions of different documents are never in one cluster. Scores, antecedents, names and rolesets stay, under every
    prefix. Other span groups with the same key are one, as with `Doc.from_docs`, with the scores of their spans. The
    title stays if all documents have the same, and so do the types that all are annotated for.

    docs (Iterable[Doc]): The documents, which share a vocabulary; without any there is no new one.
    exclude (Sequence[str]): What is left out: "spans", "tensor", "user_data".
    """
    docs = list(docs)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=rf".*W102.*'({TITLE_KEY}|{ANNOTATES_KEY}):")
        from_docs: Any = Doc.from_docs  # whose annotation lacks `exclude`
        joined: Doc | None = from_docs(docs, ensure_whitespace, attrs, exclude=[*exclude, "spans"])
    if joined is None:
        return None
    joined.has_unknown_spaces = any(doc.has_unknown_spaces for doc in docs)
    titles = {get_title(doc) for doc in docs}
    if "user_data" not in exclude and len(titles) == 1 and all(titles):
        set_title(joined, *titles)
    declared = [types for doc in docs if (types := get_annotates(doc)) is not None]
    if "user_data" not in exclude and declared:
        set_annotates(joined, [label for label in declared[0] if all(label in types for types in declared)])
    if "spans" not in exclude:
        joined.spans.update(_join_groups(docs, joined))
    return joined


def _join_groups(docs: Sequence[Doc], joined: Doc) -> dict[str, SpanGroup]:
    offsets = [0, *accumulate(map(len, docs))]
    groups_of = [read_all_groups(doc) for doc in docs]
    groups: dict[str, SpanGroup] = {}
    numbered: set[str] = set()
    has_frames = False
    prefixes = [(cluster_keys, prefix) for doc in docs for prefix in cluster_prefixes(doc)]
    prefixes += [(frame_keys, prefix) for doc in docs for prefix in frame_prefixes(doc)]
    prefixes.append((quotation_keys, QUOTATION_PREFIX))
    for keys_of, prefix in dict.fromkeys(prefixes):
        numbers = count(1)
        for doc, own, offset in zip(docs, groups_of, offsets, strict=False):
            for key in keys_of(doc, prefix):
                numbered.add(key)
                has_frames |= keys_of is frame_keys
                new = f"{prefix}_{next(numbers)}"
                spans = _move(own[key], joined, offset)
                groups[new] = SpanGroup(joined, name=new, spans=spans, attrs=dict(own[key].attrs))
    for key in dict.fromkeys(key for doc in docs for key in doc.spans if key not in numbered):
        parts = [(own[key], offset) for own, offset in zip(groups_of, offsets, strict=False) if key in own]
        spans = [span for group, offset in parts for span in _move(group, joined, offset)]
        groups[key] = SpanGroup(joined, name=key, spans=spans, attrs=_join_attrs([group for group, _ in parts]))
    if has_frames and not len(groups.get(PREDICATES_KEY, (None,))):
        del groups[PREDICATES_KEY]  # some documents have no predicate, but not all
    return groups


def _move(group: SpanGroup, joined: Doc, offset: int) -> list[Span]:
    return [
        Span(joined, offset + span.start, offset + span.end, label=span.label, kb_id=span.kb_id, span_id=span.id)
        for span in group
    ]


def _join_attrs(groups: Sequence[SpanGroup]) -> dict[str, Any]:
    """Join the `attrs` of groups: values of spans if all groups have them, and else those of the first."""
    attrs: dict[str, Any] = {}
    for group in reversed(groups):
        attrs |= group.attrs
    for name in {*OF_SPANS} & attrs.keys():
        values = [group.attrs.get(name, ()) for group in groups]
        if all(len(part) == len(group) for part, group in zip(values, groups, strict=True)):
            attrs[name] = [value for part in values for value in part]
        else:
            del attrs[name]
    return attrs
