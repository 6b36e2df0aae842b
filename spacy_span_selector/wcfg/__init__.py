"""The grammar: a distribution over all non-crossing sets of spans of a sentence.

`log_partition` and `marginals` train a span selector, `log_marginals` computes the logarithms for a loss, and
`best_spans` decodes; `greedy_spans` decodes for the greedy baseline. The package depends on torch, numpy and scipy, not
on spaCy; docs/grammar.md has the derivations.
"""

from __future__ import annotations

from .decoding import best_span_indices, best_spans
from .greedy import greedy_spans
from .inside_outside import log_marginals, log_partition, marginals

__all__ = ["best_span_indices", "best_spans", "greedy_spans", "log_marginals", "log_partition", "marginals"]
