"""Experiments like those of the paper: a grid of trainings, a record of each run, tables and figures of all.

`grid` reads the runs, `runner` trains and measures each in separate processes (`child`, `measure`), `records` stores
the results, and `report` presents them (`statistics`, `tables`, `figures`).
"""

from lab import baselines  # registers what the configs of a grid may name, in each process of an experiment

__all__ = ["baselines"]
