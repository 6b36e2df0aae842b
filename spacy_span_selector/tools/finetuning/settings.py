"""The config of a fine-tuning, with settings that suit few texts, and the meta.json of what comes of it."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from pathlib import Path
from typing import Any

from spacy.language import DEFAULT_CONFIG, Language
from thinc.api import Config

from ...scoring.task import find_tasks, reader_settings
from .texts import Texts

EPOCHS, EVALUATIONS, WARMUP = 10, 2, 0.1
SUFFIX = "_finetuned"

# Where they differ from spaCy's.
SETTINGS = """
[corpora]

[corpora.train]
@readers = "spacy_span_selector.Corpus.v1"

[corpora.dev]
@readers = "spacy_span_selector.Corpus.v1"

[training]
seed = 0
gpu_allocator = "pytorch"
patience = 0
max_steps = ${training.optimizer.learn_rate.total_steps}

[training.batcher]
@batchers = "spacy.batch_by_words.v1"
size = 200

[training.optimizer]
@optimizers = "Adam.v1"

[training.optimizer.learn_rate]
@schedules = "warmup_linear.v1"
warmup_steps = 0
total_steps = 1
initial_rate = 0.0003
"""


def configure(nlp: Language, texts: Texts, files: Mapping[str, Path], options: Mapping[str, Any]) -> Config:
    """Give a trained pipeline the config of a fine-tuning.

    Components that do not learn, and encoders that are shared, are frozen: so nothing else changes, however many
    components listen to an encoder.
    """
    tasks = find_tasks(nlp)
    filled = DEFAULT_CONFIG.merge(Config().from_str(SETTINGS, interpolate=False))
    config = Config({section: filled[section] for section in ("corpora", "training")})
    training, corpora = config["training"], config["corpora"]
    steps = EPOCHS * ceil(sum(map(len, texts.train)) / training["batcher"]["size"])
    training["optimizer"]["learn_rate"].update(total_steps=steps, warmup_steps=ceil(WARMUP * steps))
    frozen = [name for name in nlp.pipe_names if name not in texts.learning]
    before = nlp.pipe_names[: nlp.pipe_names.index(texts.learning[-1])]
    training.update(
        eval_frequency=ceil(steps / EVALUATIONS),
        frozen_components=frozen,
        annotating_components=[name for name in before if name in frozen and name not in tasks],
        score_weights={tasks[name].main_score: 1.0 for name in texts.learning},
    )
    for split, path in files.items():
        # Words and sentences are those of the pipeline, as they will be when it is used.
        corpora[split].update(path=str(path), gold_tokens=False, sentences=False, **reader_settings(nlp))
    own = Config().from_str(config.to_str(interpolate=False), interpolate=False, overrides=dict(options))
    nlp.config = Config({**nlp.config, **own})
    weights = nlp.config["training"]["score_weights"]
    # spaCy adds the scores of all components: those of others are neither shown nor counted.
    weights.update({name: None for name in weights if name not in training["score_weights"]})
    return nlp.config


def describe_finetuned(
    old: Mapping[str, Any], named: Mapping[str, str | None], facts: Mapping[str, Any], performance: Mapping[str, float]
) -> dict[str, Any]:
    """Make the meta.json of a pipeline that was fine-tuned; licence, requirements and sources stay, and so do name,
    with an ending, and version, unless these are `named` anew."""
    before = f"{old['lang']}_{old['name']} {old['version']}"
    source = {"name": before, **{key: old.get(key, "") for key in ("url", "license", "author")}}
    return {
        **old,
        "name": named["name"] or old["name"].removesuffix(SUFFIX) + SUFFIX,
        "version": named["version"] or old["version"],
        "description": f"{before}, fine-tuned (documents: {facts['train']['documents']}). {old['description']}".strip(),
        "author": "",
        "email": "",
        "url": "",
        "sources": [*(old.get("sources") or []), source],
        "notes": f"Scores are of documents that were not learnt ({facts['dev']['documents']}), from raw text.",
        "finetuned": dict(facts),
        "performance": dict(performance),
    }
