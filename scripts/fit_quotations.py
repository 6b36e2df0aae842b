"""Learn from annotated quotations who speaks: the table `coref_quotation_weights`.

python scripts/fit_quotations.py corpus/litbank0/train.spacy --table TABLES.json

The documents have gold clusters and quotations with speakers (docs/annotation.md). Each is read twice, with its
paragraphs and without, so that the weights also serve where paragraphs are not known. Writes the table into the file of
tables of the language; its other tables are read from there.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import spacy
from fit_entity_types import write_tables

from spacy_span_selector.attribution.fitting import fit_weights
from spacy_span_selector.examples.corpus import read_docs
from spacy_span_selector.language import QUOTATION_WEIGHTS, SPEECH_VERBS
from spacy_span_selector.pipeline.scenes import gold_attributions


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", nargs="+", type=Path, help=".spacy files with gold clusters and quotations")
    parser.add_argument("--table", type=Path, required=True, help="The tables of the language, a JSON file")
    parser.add_argument("--language", default="en", help="Its code")
    args = parser.parse_args()
    tables = json.loads(args.table.read_text(encoding="utf-8"))
    nlp = spacy.blank(args.language)
    docs = [doc for path in args.corpora for doc in read_docs(path, nlp.vocab)]
    tables[QUOTATION_WEIGHTS] = fit_weights(gold_attributions(docs), tables[SPEECH_VERBS])
    write_tables(args.table, tables)
    print(f"{len(docs)} documents, {len(tables[QUOTATION_WEIGHTS])} weights: {args.table}")


if __name__ == "__main__":
    main()
