"""The grammars: distributions over all non-crossing sets of spans of a sentence.

A grammar has three methods: `log_partition` and `marginals` train a span selector, `log_marginals` computes the
logarithms for a loss. `LAMINAR` counts each set of spans once; `TREES`, the grammar of Liu et al. (2022), counts it
once for each binary tree that contains it, and has the methods as functions, too. `best_spans` decodes for both. The
package depends on torch, numpy and scipy, not on spaCy; docs/grammar.md has the derivations.
"""

from __future__ import annotations

from .band import LaminarBandGrammar
from .decoding import best_spans, heaviest_set
from .grammar import Grammar
from .laminar import LaminarGrammar
from .trees import TreeGrammar

TREES = TreeGrammar()
LAMINAR = LaminarGrammar()
LAMINAR_BAND = LaminarBandGrammar()

log_partition = TREES.log_partition
marginals = TREES.marginals
log_marginals = TREES.log_marginals

__all__ = [
    "LAMINAR",
    "LAMINAR_BAND",
    "TREES",
    "Grammar",
    "best_spans",
    "heaviest_set",
    "log_marginals",
    "log_partition",
    "marginals",
]
