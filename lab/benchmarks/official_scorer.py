"""Coreference scores of the official scorer next to ours, for the same documents.

    git clone https://github.com/conll/reference-coreference-scorers
    python -m spacy span-selector evaluate training/litbank0/model-best corpus/litbank0/test.spacy --gold-predicates \
        --predictions response.spacy
    python -m lab official-scorer reference-coreference-scorers/scorer.pl corpus/litbank0/test.spacy \
        response.spacy

Both files need the same words, which `--gold-predicates` gives to the pipeline. The scorer reads them as CoNLL-2012.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, cast

import typer
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab
from wasabi import msg

from spacy_span_selector.annotation import (
    Mention,
    describe_doc,
    get_clusters,
    has_clusters_annotated,
    set_clusters,
    set_title,
)
from spacy_span_selector.scoring.coref import score_coref
from spacy_span_selector.scoring.metrics.coreference import drop_singletons
from spacy_span_selector.tools.formats.commands import read_spacy_file
from spacy_span_selector.tools.formats.conll2012 import write_conll2012

METRICS = {"muc": ("MUC", "coref_muc"), "bcub": ("B3", "coref_b3"), "ceafe": ("CEAF-phi4", "coref_ceaf")}
MENTIONS = ("Mentions", "coref_ment")
FRACTIONS = re.compile(r"^(?P<what>[\w ]+): Recall: \((\S+) / (\S+)\).*Precision: \((\S+) / (\S+)\)", re.MULTILINE)
TOLERANCE = 0.005  # per cent: two decimals

Parts = tuple[float, float, float]
"""Precision, recall and F1 in per cent."""


def main(
    scorer: Annotated[Path, typer.Argument(metavar="SCORER.pl", help="The official scorer, version 8.01")],
    key: Annotated[Path, typer.Argument(metavar="KEY.spacy", help="Gold documents")],
    response: Annotated[
        Path, typer.Argument(metavar="RESPONSE.spacy", help="The same documents, annotated by a pipeline")
    ],
) -> None:
    """Print both scores, with singletons and without; exit with status 1 if they differ in two decimals."""
    examples = read_pairs(key, response)
    repeated = count_repeated(examples)
    agree = True
    for keep_singletons in (True, False):
        if not keep_singletons:
            for example in examples:
                leave_out_singletons(example.reference)
                leave_out_singletons(example.predicted)
        official, ours = score_officially(scorer, examples), score_here(examples, keep_singletons)
        rows = [
            (name, *(f"{part:.2f}" for part in (*official[name], *parts)), "" if same else "differs")
            for name, parts in ours.items()
            for same in [all(abs(a - b) < TOLERANCE for a, b in zip(official[name], parts, strict=True))]
        ]
        agree &= not any(row[-1] for row in rows)
        typer.echo(f"\n{'With' if keep_singletons else 'Without'} singletons")
        header = ("", *(f"{side} {part}" for side in ("official", "our") for part in ("P", "R", "F")), "")
        msg.table(rows, header=header, aligns=("l", *"r" * 6, "l"), divider=True)
    if repeated:
        msg.warn(f"Mentions listed again: {repeated}. docs/scores.md says where the official scorer counts them, too.")
    raise typer.Exit(0 if agree else 1)


def read_pairs(key: Path, response: Path) -> list[Example]:
    """Pair gold documents with predicted ones, and give each pair its own title.

    key (Path): The .spacy file of the gold documents.
    response (Path): The .spacy file of the predicted documents.
    RETURNS (list[Example]): The pairs.
    RAISES (ValueError): If the files differ in the number of documents or in words.
    """
    vocab = Vocab()
    gold, predicted = (list(read_spacy_file(path, vocab)) for path in (key, response))
    if len(gold) != len(predicted):
        raise ValueError(f"{key} has {len(gold)} documents, {response} has {len(predicted)}: expected the same ones.")
    for i, (reference, doc) in enumerate(zip(gold, predicted, strict=True)):
        if [token.text for token in reference] != [token.text for token in doc]:
            raise ValueError(
                f"{describe_doc(reference)} of {key} has other words than {describe_doc(doc)} of {response}, which is "
                "in the same place. Expected the same words: 'evaluate' with --gold-predicates gives them."
            )
        for side in (reference, doc):
            set_title(side, f"document_{i}")
    return [Example(doc, reference) for reference, doc in zip(gold, predicted, strict=True)]


def leave_out_singletons(doc: Doc) -> None:
    """Remove singletons from a document, as `keep_singletons = false` does: the scorer has no such setting."""
    if has_clusters_annotated(doc):
        set_clusters(doc, cast(list[list[Mention]], drop_singletons(get_clusters(doc))))


def score_officially(scorer: Path, examples: Sequence[Example]) -> dict[str, Parts]:
    """The scores of the official scorer by the name of the metric, from its fractions: it rounds percentages down."""
    scores = {}
    with TemporaryDirectory() as folder:
        key, response = Path(folder, "key"), Path(folder, "response")
        key.write_text(write_conll2012(example.reference for example in examples), encoding="utf-8")
        response.write_text(write_conll2012(example.predicted for example in examples), encoding="utf-8")
        for metric, (name, _) in METRICS.items():
            command = ["perl", str(scorer), metric, str(key), str(response), "none"]
            result = subprocess.run(command, capture_output=True, text=True, check=False)
            found = {
                match["what"]: to_parts(*map(float, match.groups()[1:])) for match in FRACTIONS.finditer(result.stdout)
            }
            if result.returncode or "Coreference" not in found:
                raise ValueError(f"{scorer} failed: {result.stderr.strip() or result.stdout.strip()}")
            scores[name], scores[MENTIONS[0]] = found["Coreference"], found["Identification of Mentions"]
    return scores


def to_parts(found: float, findable: float, right: float, answered: float) -> Parts:
    """Precision, recall and F1 in per cent from the fractions of recall, found / findable, and precision."""
    recall = 100 * found / findable if findable else 0.0
    precision = 100 * right / answered if answered else 0.0
    return precision, recall, 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def score_here(examples: Sequence[Example], keep_singletons: bool) -> dict[str, Parts]:
    """Our scores by the name of the metric."""
    scores = score_coref(examples, keep_singletons=keep_singletons)
    per_cent = {name: 100 * (score or 0.0) for name, score in scores.items()}
    return {
        name: (per_cent[f"{key}_p"], per_cent[f"{key}_r"], per_cent[f"{key}_f"])
        for name, key in (*METRICS.values(), MENTIONS)
    }


def count_repeated(examples: Sequence[Example]) -> int:
    """The number of times that gold or predicted clusters list a mention again."""
    lists = [[m for c in get_clusters(doc) for m in c] for e in examples for doc in (e.reference, e.predicted)]
    return sum(len(mentions) - len(set(mentions)) for mentions in lists)
