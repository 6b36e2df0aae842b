"""The paper's other baselines, and one of our own (`crossing`), which the package itself does not know.

All run on any config, with one more option of the command that trains, with spaCy or with checkpoints, from the folder
of a clone:

    python -m spacy train CONFIG --code lab/baselines/__init__.py \\
        --components.structured_coref.model.selector.@misc lab.GreedySelector.v1 \\
        --components.structured_coref.model.distance candidates --components.structured_coref.singleton_threshold 0.4

    python -m spacy span-selector train CONFIG --output OUT --code lab/baselines/__init__.py \\
        --components.structured_srl.model.@architectures lab.BioModel.v1

`evaluate` takes the same `--code`. The laboratory's experiments know them: see `lab/grids/ontogum.cfg`, `ewt.cfg`
and `fair_roles.cfg`.
"""

from lab import sample
from lab.baselines import bio, crossing, greedy, multitask  # absolute: spaCy runs this file outside of its package

__all__ = ["bio", "crossing", "greedy", "multitask", "sample"]
