"""Pipelines of each component and encoder, with random weights so large that they find many spans."""

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import torch
from spacy.language import Language
from spacy.util import fix_random_seed

from spacy_span_selector.pipeline.structured_coref import StructuredCoref
from spacy_span_selector.pipeline.structured_spancat import StructuredSpancat
from spacy_span_selector.pipeline.structured_srl import StructuredSrl

from ..pipeline.components import CASES, gold_docs, make_examples, make_nlp, network
from ..tiny_bert import tiny_bert
from ..tok2vec import TRANSFORMER_LISTENER

ENCODERS = ("cnn", "transformer")
TRANSFORMER = {
    "@architectures": "spacy_span_selector.TransformerModel.v1",
    "get_spans": {"@span_getters": "spacy_span_selector.SentenceWindows.v1", "subwords": 64},
    "tokenizer_config": {"use_fast": True, "model_max_length": 512},
    "transformer_config": {"hidden_dropout_prob": 0.3, "attention_probs_dropout_prob": 0.3},
}
FOLDER = TemporaryDirectory(prefix="robustness-")  # of pipelines and encoders, until Python ends
FACTOR = 2.0  # of weights
COMPONENTS = {case.factory: case for case in CASES}
"""The components by name: what hypothesis prints of a test that fails is short."""

CLASSES: dict[str, type[Any]] = {
    "structured_coref": StructuredCoref,
    "structured_srl": StructuredSrl,
    "structured_spancat": StructuredSpancat,
}

each_component = pytest.mark.parametrize("factory", COMPONENTS)
each_encoder = pytest.mark.parametrize("encoder", ENCODERS)


@cache
def encoder_folder() -> Path:
    """A tiny pretrained encoder, written once."""
    fix_random_seed(0)
    return tiny_bert(Path(FOLDER.name) / "bert")


def build(factory: str, encoder: str, selector: str = "structured", **config: Any) -> Language:
    """A pipeline that is not initialized, with dropout in training."""
    case = COMPONENTS[factory]
    model: dict[str, Any] = {"dropout": 0.3}
    if encoder == "cnn":
        return make_nlp(case, selector, model=model, **config)
    pytest.importorskip("spacy_transformers", reason="the extra 'transformers' is not installed")
    nlp = make_nlp(case, selector, model={**model, "tok2vec": TRANSFORMER_LISTENER}, **config)
    nlp.add_pipe("transformer", before=factory, config={"model": {**TRANSFORMER, "name": str(encoder_folder())}})
    return nlp


def make_pipeline(factory: str, encoder: str, selector: str = "structured") -> Language:
    """A pipeline with random weights, which finds many groups."""
    if encoder == "transformer":
        encoder_folder()  # its weights, too, are random
    fix_random_seed(0)
    nlp = build(factory, encoder, selector, threshold=0.2)
    examples = make_examples(nlp, gold_docs(COMPONENTS[factory], nlp))
    nlp.initialize(lambda: examples)
    with torch.no_grad():
        for weight in network(nlp).parameters():
            weight.mul_(FACTOR)
    return nlp


pipeline = cache(make_pipeline)
"""The same, shared by tests: do not change it."""


@cache
def saved(factory: str) -> Path:
    """A pipeline on disk."""
    folder = Path(FOLDER.name) / factory
    pipeline(factory, "cnn").to_disk(folder)
    return folder
