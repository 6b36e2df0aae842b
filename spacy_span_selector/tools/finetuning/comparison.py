"""Before and after: weights between both, what a pipeline reaches on texts, and what it still finds there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from thinc.api import Model

from ...documents.given import GivenAnnotation, without_extensions
from ...examples.corpus import PreannotatedCorpus
from ...models.finite import has_module
from ...scoring.task import find_tasks, reader_settings
from ..formats.files import read_text
from ..formats.reports import Report
from .texts import ANNOTATED, find_texts, read_annotated

Scores = dict[str, float]


@dataclass(frozen=True)
class Compared:
    """Texts on which a pipeline is compared with itself before it learnt.

    is_gold (bool): Whether they have gold annotation. If not, what the pipeline found before counts as right.
    """

    title: str
    docs: list[Doc]
    is_gold: bool = True


@dataclass(frozen=True)
class Comparison:
    """Scores on some texts, by name.

    before (Scores): None of texts without gold annotation.
    after (Scores): On texts without it, how far the pipelines agree: of coreference, their CoNLL F1.
    """

    title: str
    before: Scores
    after: Scores


def read_known(path: Path, nlp: Language, report: Report) -> Compared:
    """Read texts that a pipeline knows: with gold annotation if their names say so, as for `find_texts`, or raw.

    RAISES (OSError): If raw text can't be read.
    RAISES (ValueError): If there is none.
    """
    files = find_texts(path)
    if files[0].name.endswith(ANNOTATED):
        return Compared(str(path), read_annotated(path, nlp, report))
    docs = [nlp.make_doc(text) for text in map(read_text, files) if text.strip()]
    if not docs:
        raise ValueError(f"{path}: found no text.")
    return Compared(str(path), docs, is_gold=False)


def compare(old: Language, new: Language, texts: Compared) -> Comparison:
    """Compare a pipeline with itself before it learnt."""
    if texts.is_gold:
        return Comparison(texts.title, score(old, texts.docs), score(new, texts.docs))
    found = [without_extensions(doc) for doc in old.pipe(doc.text for doc in texts.docs)]
    return Comparison(texts.title, {}, score(new, found))


def score(nlp: Language, docs: Iterable[Doc]) -> Scores:
    """Score a pipeline from raw text, as `evaluate` does; scores that could not be measured are left out."""
    found = nlp.evaluate([*_examples(nlp, docs)])
    names = [name for task in find_tasks(nlp).values() for name in task.score_weights()]
    return {name: found[name] for name in names if isinstance(found.get(name), float)}


def _examples(nlp: Language, docs: Iterable[Doc]) -> Iterator[Example]:
    given = GivenAnnotation(sentences=False, **reader_settings(nlp))
    for example in PreannotatedCorpus("", given, gold_tokens=False).make_examples(nlp, docs):
        given.copy(example)
        yield example


def interpolate(after: Any, before: Any, share: float) -> None:
    """Move the weights of a trained component back towards those that it had before a training.

    Half way, a pipeline that was fine-tuned on little keeps most of what it learnt and forgets little of what it knew
    (Wortsman et al., Robust fine-tuning of zero-shot models, CVPR 2022). Weights whose number has changed
    with new labels stay as they are: of these nothing was known before.

    after, before (TrainablePipe): The component after the training, which is changed, and the same before it.
    share (float): How much of the way from the one before is kept: 0 for its weights, 1 for no change.
    """
    models: list[Model[Any, Any]] = [after.model, before.model]
    for node, old in zip(*(model.walk() for model in models), strict=True):
        for name in node.param_names:
            if node.has_param(name) and node.get_param(name).shape == old.get_param(name).shape:
                first = old.get_param(name)
                node.set_param(name, first + share * (node.get_param(name) - first))
        for shim, old_shim in zip(node.shims, old.shims, strict=True):
            if has_module(shim) and has_module(old_shim):
                weights = old_shim._model.state_dict()
                for name, weight in shim._model.state_dict().items():
                    if weight.is_floating_point() and weight.shape == weights[name].shape:
                        weight.copy_(torch.lerp(weights[name], weight, share))
