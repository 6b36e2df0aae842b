"""Before and after: weights between both, what a pipeline reaches on texts, and what it still finds there."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from spacy.language import Language
from spacy.tokens import Doc

from ...documents.given import GivenAnnotation, without_extensions
from ...examples.corpus import PreannotatedCorpus
from ...scoring.task import find_tasks, reader_settings
from ..files.folders import what_is_wrong
from ..formats.files import read_text
from ..formats.reports import Report
from .texts import ANNOTATED, find_texts, read_annotated

Scores = dict[str, float]


@dataclass(frozen=True)
class Compared:
    """Texts on which a pipeline is compared with itself before it learnt."""

    title: str
    docs: list[Doc]
    is_gold: bool = True  # if not, what the pipeline found before counts as right


@dataclass(frozen=True)
class Comparison:
    title: str
    before: Scores  # none of texts without gold annotation
    after: Scores  # on texts without it, how far the pipelines agree: of coreference, their CoNLL F1


def read_known(path: Path, nlp: Language, report: Report) -> Compared:
    """Read texts that a pipeline knows, as those that it learns; they are raw if none of them has annotation."""
    docs, files = read_annotated(path, nlp, report), find_texts(path)
    if files[0].name.endswith(ANNOTATED) or any(map(len, chain(*(doc.spans.values() for doc in docs)))):
        return Compared(str(path), docs)
    texts = []
    for file in [file for file in files if not what_is_wrong(file)]:
        with suppress(OSError, ValueError):  # reported already
            texts.append(read_text(file))
    return Compared(str(path), [nlp.make_doc(text) for text in texts if text.strip()], is_gold=False)


def compare(old: Language, new: Language, texts: Compared) -> Comparison:
    if texts.is_gold:
        return Comparison(texts.title, score(old, texts.docs), score(new, texts.docs))
    found = [without_extensions(doc) for doc in old.pipe(doc.text for doc in texts.docs)]
    return Comparison(texts.title, {}, score(new, found))


def score(nlp: Language, docs: Iterable[Doc]) -> Scores:
    """Score a pipeline from raw text, as `evaluate` does; scores that could not be measured are left out."""
    given = GivenAnnotation(sentences=False, **reader_settings(nlp))
    examples = [*PreannotatedCorpus("", given, gold_tokens=False).make_examples(nlp, docs)]
    for example in examples:
        given.copy(example)
    found = nlp.evaluate(examples)
    names = [name for task in find_tasks(nlp).values() for name in task.score_weights()]
    return {name: found[name] for name in names if isinstance(found.get(name), float)}
