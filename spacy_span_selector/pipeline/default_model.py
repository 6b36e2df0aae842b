"""The default model of a component: a small Tok2Vec of its own."""

from __future__ import annotations

from typing import Any

from thinc.api import Config

DEFAULT_CONFIG = """
[model]
max_span_width = 256

[model.selector]
@misc = "spacy_span_selector.LaminarSelector.v1"

[model.tok2vec]
@architectures = "spacy.Tok2Vec.v2"

[model.tok2vec.embed]
@architectures = "spacy.MultiHashEmbed.v2"
width = 96
rows = [5000, 1000, 2500, 1000]
attrs = ["NORM", "PREFIX", "SUFFIX", "SHAPE"]
include_static_vectors = false

[model.tok2vec.encode]
@architectures = "spacy.MaxoutWindowEncoder.v2"
width = ${model.tok2vec.embed.width}
window_size = 1
maxout_pieces = 3
depth = 4
"""


def default_model(architecture: str) -> dict[str, Any]:
    """The configuration of an architecture that has a tok2vec and a selector, and defaults for all else."""
    return {"@architectures": architecture, **Config().from_str(DEFAULT_CONFIG)["model"]}
