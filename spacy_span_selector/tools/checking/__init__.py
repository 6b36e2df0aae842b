"""Check a corpus: its problems, what training would lose of it, and counts of everything."""

from .check import Checked, check_corpus

__all__ = ["Checked", "check_corpus"]
