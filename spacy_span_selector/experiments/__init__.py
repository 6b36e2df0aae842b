"""Experiments as the paper reports them: a grid of trainings, a record of each, tables and figures of all.

`grid` reads what to train, `runner` trains it in processes of its own, `measure` and `memory` say what came of it,
`records` keeps that, `report` shows it. See docs/experiments.md.
"""
