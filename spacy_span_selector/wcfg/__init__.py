"""The grammar: a distribution over all sets of spans of a sentence that never cross.

`log_partition` and `marginals` train a span selector, `log_marginals` gives the logarithms that a loss needs, and
`best_spans` decodes; `greedy_spans` is what the greedy baseline keeps instead. It knows torch, numpy and scipy, no
spaCy; docs/grammar.md derives all of it.
"""

from __future__ import annotations

from .decoding import best_span_indices, best_spans
from .greedy import greedy_spans
from .inside_outside import log_marginals, log_partition, marginals

__all__ = ["best_span_indices", "best_spans", "greedy_spans", "log_marginals", "log_partition", "marginals"]
