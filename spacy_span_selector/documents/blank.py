"""Texts in which nobody sees anything: white space, and characters without a shape of their own, such as the space
without width U+200B, marks of direction and controls."""

from __future__ import annotations

from unicodedata import category

SHAPELESS = frozenset({"Cc", "Cf", "Mn"})


def is_blank(text: str) -> bool:
    """Whether there is nothing to see in a text."""
    return all(character.isspace() or category(character) in SHAPELESS for character in text)
