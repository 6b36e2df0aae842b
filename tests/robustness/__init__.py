"""Whether odd input can break the package: `python -m tests.robustness` tries much of it."""
