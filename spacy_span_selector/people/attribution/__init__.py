"""Who says what to whom: the speaker and the addressee of each quotation, among the clusters of a document.

Two log-linear models, whose weights are tables of the language (`docs/model.md`), fitted to annotated quotations by
`fitting.py`, which alone needs torch. Nothing here knows of documents of spaCy, apart from the tables.
"""

from .attributor import Attribution, Attributor
from .scene import Scene, quotation_of_words

__all__ = ["Attribution", "Attributor", "Scene", "quotation_of_words"]
