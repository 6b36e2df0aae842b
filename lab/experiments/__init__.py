"""Experiments like those of the paper: a grid of trainings, a record of each run, tables and figures of all.

`grid` reads what to train, `runner` trains it in separate processes, `measure` and `memory` measure the results,
`records` stores them, and `report` presents them. See docs/experiments.md.
"""
