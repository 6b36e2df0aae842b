"""Try to break the package with odd input: `python -m tests.robustness` tries much of it."""
