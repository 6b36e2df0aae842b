"""What is wrong in a corpus, what of it is lost in training, and how much of everything it has."""

from .check import Checked, CheckedFile, check_corpus

__all__ = ["Checked", "CheckedFile", "check_corpus"]
