"""Annotation on a `Doc`: the only package that knows the keys of `doc.spans` and `doc.user_data`.

What sets annotation raises a ValueError if an argument has another form, such as offsets that are not those of some
tokens, a text that is no string or a score that is not finite; then the document is as it was.
"""
# ruff: noqa: F401, as it offers what it imports

from .clusters import (
    CLUSTER_PREFIX,
    ENTITY_TYPE,
    GIVEN_MENTIONS_KEY,
    MENTIONS_KEY,
    NAME,
    Mention,
    cluster_groups,
    cluster_keys,
    cluster_prefixes,
    find_cluster_prefix,
    find_mentions_key,
    get_clusters,
    has_clusters_annotated,
    set_clusters,
    set_mentions,
)
from .declared import ANNOTATES_KEY, as_declared, declare, get_annotates, set_annotates, types_of
from .frames import (
    CONSTITUENTS_KEY,
    FRAME_PREFIX,
    PREDICATE_LABEL,
    PREDICATES_KEY,
    SELECTED_KEY,
    Argument,
    Frame,
    annotates_all_predicates,
    find_frame_prefix,
    find_spans_key,
    frame_groups,
    frame_keys,
    frame_prefixes,
    get_frames,
    get_predicates,
    has_frames_annotated,
    set_constituents,
    set_frames,
    set_predicates,
)
from .groups import (
    ANTECEDENTS,
    LINK_SCORES,
    anchor_spans,
    get_antecedents,
    get_reasons,
    get_scores,
    get_text,
    read_all_groups,
    read_group,
    skip_absent_entry_points,
)
from .labelled_spans import (
    LABELLED_KEY,
    LabelledSpan,
    find_labelled_key,
    get_labelled_spans,
    has_labelled_spans_annotated,
    set_labelled_spans,
)
from .quotations import QUOTATION_PREFIX, Quotation, get_quotations, has_quotations_annotated, set_quotations
from .structure import (
    PARAGRAPHS_KEY,
    SPEAKERS_KEY,
    get_paragraphs,
    get_sentences,
    get_speakers,
    paragraph_numbers,
    set_paragraphs,
    set_speakers,
)
from .titles import TITLE_KEY, describe_doc, get_title, set_title

skip_absent_entry_points()  # whoever reads or writes span groups imports this package
