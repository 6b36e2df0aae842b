"""The tasks that components solve: all that experiments, reports, commands and benchmarks must know to handle them.

A component of another package takes part once its task is registered: an entry point in the group
`spacy_span_selector_tasks`, named like the factory of the component.
"""

from .task import PARTS, ScoreColumn, ScoreTable, Task, all_tasks, find_tasks, get_task, percent_columns, tasks

__all__ = [
    "PARTS",
    "ScoreColumn",
    "ScoreTable",
    "Task",
    "all_tasks",
    "find_tasks",
    "get_task",
    "percent_columns",
    "tasks",
]
