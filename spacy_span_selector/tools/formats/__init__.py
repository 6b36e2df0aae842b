"""Corpora to documents and back: one module, or one folder, per format."""
