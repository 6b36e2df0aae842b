"""Systems that find clusters in raw text: ours and those of others, timed in turns and scored alike."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from unittest.mock import patch

from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from spacy_span_selector.examples.corpus import read_docs
from spacy_span_selector.scoring.coref import score_coref

from ..measuring import Spread, take_turns
from .pipelines import load_pipeline, selector_pipes

Annotate = Callable[[Sequence[str]], list[Doc]]

METRICS = {"MUC": "coref_muc_f", "B3": "coref_b3_f", "CEAF-phi4": "coref_ceaf_f", "CoNLL F1": "coref_f"}
"""The scores of a table, by their headings."""


def read_gold(path: Path) -> list[Doc]:
    """The documents of a corpus that have words."""
    return [doc for doc in read_docs(path, Vocab()) if len(doc)]


def annotate_in_turns(
    systems: Mapping[str, Annotate], gold: Sequence[Doc], repeats: int
) -> Iterator[tuple[str, list[Doc], str]]:
    """Let each system annotate the texts of documents, in turns.

    systems (Mapping[str, Annotate]): The systems by name.
    gold (Sequence[Doc]): The documents; their words are counted.
    repeats (int): The number of rounds.
    YIELDS (tuple[str, list[Doc], str]): Name, what it found, and how many words it takes per CPU second.
    """
    texts = [doc.text for doc in gold]
    for annotate in systems.values():
        annotate(texts[:1])
    found: dict[str, list[Doc]] = {}

    def keep(name: str) -> None:
        found[name] = systems[name](texts)

    turns = take_turns([partial(keep, name) for name in systems], repeats, clock=time.process_time)
    words = sum(map(len, gold))
    for (name, docs), seconds in zip(found.items(), turns, strict=True):
        yield name, docs, Spread.of([words / second for second in seconds]).format(",.0f")


def score_cells(docs: Sequence[Doc], gold: Sequence[Doc]) -> list[str]:
    """The cells of a row with `METRICS`, in per cent, singletons left out."""
    examples = [Example(*pair) for pair in zip(docs, gold, strict=True)]
    scores = score_coref(examples, keep_singletons=False)
    return [f"{100 * (scores[metric] or 0):.1f}" for metric in METRICS.values()]


def load_ours(path: Path, *, bfloat16: bool) -> Annotate:
    """The coreference of a trained pipeline.

    path (Path): Its folder.
    bfloat16 (bool): Whether it may compute in bfloat16.
    """
    nlp = load_pipeline(path, threads=1, gpu_id=-1)
    for name in [name for name in selector_pipes(nlp) if nlp.get_pipe_meta(name).factory != "structured_coref"]:
        nlp.remove_pipe(name)

    def annotate(texts: Sequence[str]) -> list[Doc]:
        with nullcontext() if bfloat16 else patch("torch.cpu._is_avx512_bf16_supported", lambda: False):
            return list(nlp.pipe(texts))

    return annotate
