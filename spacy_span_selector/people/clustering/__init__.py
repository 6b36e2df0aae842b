"""Clusters that are consistent as a whole: from the antecedents that the network scored to entities.

`cluster_mentions` is the way in. Nothing here knows of tensors.
"""

from .clusters import REACH, Clustering, Reason, cluster_mentions
from .entity_types import EntityTypes
from .forms import Form, read_forms
from .names import NameReader
from .scored import Scored

__all__ = [
    "REACH",
    "Clustering",
    "EntityTypes",
    "Form",
    "NameReader",
    "Reason",
    "Scored",
    "cluster_mentions",
    "read_forms",
]
