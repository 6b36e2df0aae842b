"""Annotation on a `Doc`: the only package that knows the keys of `doc.spans` and `doc.user_data`.

What sets annotation raises a ValueError if an argument has another form, such as offsets that are not those of some
tokens, a text that is no string or a score that is not finite; then the document is as it was.
"""

from .clusters import CLUSTER_PREFIX as CLUSTER_PREFIX
from .clusters import ENTITY_TYPE as ENTITY_TYPE
from .clusters import GIVEN_MENTIONS_KEY as GIVEN_MENTIONS_KEY
from .clusters import MENTIONS_KEY as MENTIONS_KEY
from .clusters import NAME as NAME
from .clusters import Mention as Mention
from .clusters import cluster_groups as cluster_groups
from .clusters import cluster_keys as cluster_keys
from .clusters import cluster_prefixes as cluster_prefixes
from .clusters import find_cluster_prefix as find_cluster_prefix
from .clusters import find_mentions_key as find_mentions_key
from .clusters import get_clusters as get_clusters
from .clusters import has_clusters_annotated as has_clusters_annotated
from .clusters import set_clusters as set_clusters
from .clusters import set_mentions as set_mentions
from .declared import ANNOTATES_KEY as ANNOTATES_KEY
from .declared import as_declared as as_declared
from .declared import declare as declare
from .declared import get_annotates as get_annotates
from .declared import set_annotates as set_annotates
from .declared import types_of as types_of
from .frames import CONSTITUENTS_KEY as CONSTITUENTS_KEY
from .frames import FRAME_PREFIX as FRAME_PREFIX
from .frames import PREDICATE_LABEL as PREDICATE_LABEL
from .frames import PREDICATES_KEY as PREDICATES_KEY
from .frames import SELECTED_KEY as SELECTED_KEY
from .frames import Argument as Argument
from .frames import Frame as Frame
from .frames import annotates_all_predicates as annotates_all_predicates
from .frames import find_frame_prefix as find_frame_prefix
from .frames import find_spans_key as find_spans_key
from .frames import frame_groups as frame_groups
from .frames import frame_keys as frame_keys
from .frames import frame_prefixes as frame_prefixes
from .frames import get_frames as get_frames
from .frames import get_predicates as get_predicates
from .frames import has_frames_annotated as has_frames_annotated
from .frames import set_constituents as set_constituents
from .frames import set_frames as set_frames
from .frames import set_predicates as set_predicates
from .groups import ANTECEDENTS as ANTECEDENTS
from .groups import LINK_SCORES as LINK_SCORES
from .groups import anchor_spans as anchor_spans
from .groups import get_antecedents as get_antecedents
from .groups import get_reasons as get_reasons
from .groups import get_scores as get_scores
from .groups import get_text as get_text
from .groups import read_all_groups as read_all_groups
from .groups import read_group as read_group
from .groups import skip_absent_entry_points
from .labelled_spans import LABELLED_KEY as LABELLED_KEY
from .labelled_spans import LabelledSpan as LabelledSpan
from .labelled_spans import find_labelled_key as find_labelled_key
from .labelled_spans import get_labelled_spans as get_labelled_spans
from .labelled_spans import has_labelled_spans_annotated as has_labelled_spans_annotated
from .labelled_spans import set_labelled_spans as set_labelled_spans
from .quotations import QUOTATION_PREFIX as QUOTATION_PREFIX
from .quotations import Quotation as Quotation
from .quotations import get_quotations as get_quotations
from .quotations import has_quotations_annotated as has_quotations_annotated
from .quotations import set_quotations as set_quotations
from .structure import COUNTERPARTS_KEY as COUNTERPARTS_KEY
from .structure import PARAGRAPHS_KEY as PARAGRAPHS_KEY
from .structure import SPEAKERS_KEY as SPEAKERS_KEY
from .structure import get_counterparts as get_counterparts
from .structure import get_paragraphs as get_paragraphs
from .structure import get_sentences as get_sentences
from .structure import get_speakers as get_speakers
from .structure import paragraph_numbers as paragraph_numbers
from .structure import set_counterparts as set_counterparts
from .structure import set_paragraphs as set_paragraphs
from .structure import set_speakers as set_speakers
from .titles import TITLE_KEY as TITLE_KEY
from .titles import describe_doc as describe_doc
from .titles import get_title as get_title
from .titles import set_title as set_title

skip_absent_entry_points()  # whoever reads or writes span groups imports this package
