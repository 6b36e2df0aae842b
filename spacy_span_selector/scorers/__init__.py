"""From spaCy's examples to the metrics, and the names of scores: one scorer a component."""

from .coref import make_coref_scorer, score_coref
from .srl import make_srl_scorer, score_srl

__all__ = ["make_coref_scorer", "make_srl_scorer", "score_coref", "score_srl"]
