"""From spaCy's examples to named scores: one scorer per component."""

from .coref import make_coref_scorer, score_coref
from .srl import make_srl_scorer, score_srl

__all__ = ["make_coref_scorer", "make_srl_scorer", "score_coref", "score_srl"]
