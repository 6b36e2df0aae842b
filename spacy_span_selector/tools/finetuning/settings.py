"""The config of a fine-tuning: settings that suit few texts."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from pathlib import Path
from typing import Any

from spacy.language import Language
from thinc.api import Config

from ...scoring.task import find_tasks, reader_settings
from .texts import Texts

EPOCHS = 10
EVALUATIONS = 2
WARMUP = 0.1

# Words and sentences are those of the pipeline, as they will be when it is used.
SETTINGS = """
[corpora]

[corpora.train]
@readers = "spacy_span_selector.Corpus.v1"
gold_tokens = false
sentences = false

[corpora.dev]
@readers = "spacy_span_selector.Corpus.v1"
gold_tokens = false
sentences = false

[training]
train_corpus = "corpora.train"
dev_corpus = "corpora.dev"
seed = 0
gpu_allocator = "pytorch"
dropout = 0.1
accumulate_gradient = 1
patience = 0
max_epochs = 0
max_steps = ${training.optimizer.learn_rate.total_steps}
eval_frequency = 1
frozen_components = []
annotating_components = []
before_to_disk = null
before_update = null

[training.batcher]
@batchers = "spacy.batch_by_words.v1"
size = 200
tolerance = 0.2
discard_oversize = false
get_length = null

[training.optimizer]
@optimizers = "Adam.v1"
L2 = 0.01
L2_is_weight_decay = true
grad_clip = 1.0
use_averages = false
beta1 = 0.9
beta2 = 0.999
eps = 1e-08

[training.optimizer.learn_rate]
@schedules = "warmup_linear.v1"
warmup_steps = 0
total_steps = 1
initial_rate = 0.0003

[training.logger]
@loggers = "spacy.ConsoleLogger.v1"
progress_bar = false
"""


def configure(nlp: Language, texts: Texts, files: Mapping[str, Path], options: Mapping[str, Any]) -> Config:
    """Give a trained pipeline the config of a fine-tuning.

    Components that do not learn, and encoders that are shared, are frozen: so nothing else changes, however many
    components listen to an encoder.

    nlp (Language): The pipeline.
    texts (Texts): The documents.
    files (Mapping[str, Path]): The files that they have been written to: `train` and `dev`.
    options (Mapping[str, Any]): Settings of `[training]` and `[corpora]` by their dotted names, in place of those here.
    RETURNS (Config): The config, which the pipeline has from now on.
    RAISES (ValueError): If there is no such setting.
    """
    tasks = find_tasks(nlp)
    config = Config().from_str(SETTINGS, interpolate=False)
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
        corpora[split].update(path=str(path), **reader_settings(nlp))
    own = Config().from_str(config.to_str(interpolate=False), interpolate=False, overrides=dict(options))
    nlp.config = Config({**nlp.config, **own})
    chosen = {tasks[name].main_score for name in texts.learning}
    weights = nlp.config["training"]["score_weights"]
    weights.update({name: None for name in weights if name not in chosen})  # neither shown nor counted
    return nlp.config


def add_labels(nlp: Language, texts: Texts) -> None:
    """Add the labels of the texts to the components that learn.

    nlp (Language): The pipeline.
    texts (Texts): The documents.
    """
    for name in texts.learning:
        pipe: Any = nlp.get_pipe(name)
        if hasattr(pipe, "add_labels"):  # coreference has none
            pipe.add_labels(texts.train)
