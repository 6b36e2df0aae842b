"""What labels, relations and fields are called in Label Studio, by writer, interface and reader alike."""

from __future__ import annotations

MENTION = "Mention"
"""The label of a mention whose cluster has no entity type. Otherwise the type is the label."""

PREDICATE = "Predicate"
ARGUMENT = "Argument"
"""The label of an argument that is no mention."""

NO_MENTIONS = frozenset({PREDICATE, ARGUMENT})
COREFERENT = "coreferent"
"""The relation from a mention to its antecedent. A relation from a predicate has the role of the argument."""

TEXT_FIELD = "text"
TITLE_FIELD = "title"
DOCUMENT_FIELD = "document"
"""Where the data of a task has tokens, sentences and speakers, which Label Studio hands back as they are."""

LABELS_TAG = "label"
TEXT_TAG = "text"
