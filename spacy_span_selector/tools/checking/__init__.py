"""Check a corpus: its problems, what training would lose of it, and counts of everything."""

from .check import Checked, CheckedFile, check_corpus

__all__ = ["Checked", "CheckedFile", "check_corpus"]
