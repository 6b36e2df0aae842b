"""The paper's other baselines, which the package itself does not know.

Both run on any config, with one more option of the command that trains, with spaCy or with checkpoints, from the folder
of a clone:

    python -m spacy train CONFIG --code lab/baselines/__init__.py \\
        --components.structured_coref.model.selector.@misc lab.MultitaskSelector.v1

    python -m spacy span-selector train CONFIG --output OUT --code lab/baselines/__init__.py \\
        --components.structured_srl.model.@architectures lab.BioModel.v1

`evaluate` takes the same `--code`. The laboratory's experiments know both: see `lab/grids/ontogum.cfg` and `ewt.cfg`.
"""

from lab.baselines import bio, crossing, multitask  # absolute: spaCy runs this file outside of its package

__all__ = ["bio", "crossing", "multitask"]
