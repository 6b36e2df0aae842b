"""Write the meta.json of a pipeline: facts that a person wrote, and scores that were measured.

python scripts/pipeline_meta.py FACTS [FACTS ...] OUT [--scores PREFIX=METRICS ...]

FACTS are JSON files with fields of a meta.json; lists that several of them have are joined. METRICS is one that
`span-selector evaluate` has written. Its scores of coreference, semantic roles and labelled spans appear under
`performance`, with PREFIX before their names, which may be empty: `=metrics/a.json` and `raw_=metrics/b.json`.
"""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from typing import Any

TASKS = ("coref_", "srl_", "spans_")
"""How the scores start that are of interest; others are those of the tokenizer and of sentences, or speed."""


def pipeline_meta(facts: dict[str, Any], measured: Sequence[tuple[str, dict[str, Any]]]) -> dict[str, Any]:
    """Put scores into the meta of a pipeline.

    facts (dict[str, Any]): The other fields.
    measured (Sequence[tuple[str, dict[str, Any]]]): A prefix and scores by name, for each measurement.
    RETURNS (dict[str, Any]): The fields, with `performance`. Scores that could not be measured are left out.
    RAISES (ValueError): If two measurements have a score of the same name.
    """
    performance: dict[str, Any] = {}
    for prefix, scores in measured:
        for name, score in scores.items():
            if not name.startswith(TASKS) or score is None:
                continue
            if performance.setdefault(prefix + name, score) != score:
                raise ValueError(f"'{prefix + name}' was measured twice: give the measurements different prefixes.")
    return {**facts, "performance": performance}


def join_facts(facts: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Join the fields of several files.

    facts (Sequence[dict[str, Any]]): The fields of each.
    RETURNS (dict[str, Any]): All fields; a list has the entries of one file after those of another.
    RAISES (ValueError): If two files have a field that is not a list.
    """
    joined: dict[str, Any] = {}
    for fields in facts:
        for name, value in fields.items():
            if name in joined and not (isinstance(value, list) and isinstance(joined[name], list)):
                raise ValueError(f"'{name}' is stated twice: leave it out of one of the files.")
            joined[name] = joined[name] + value if name in joined else value
    return joined


def main(arguments: Sequence[str] | None = None) -> None:
    parser = ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("facts", type=Path, nargs="+")
    parser.add_argument("out", type=Path)
    parser.add_argument("--scores", action="append", default=[], metavar="PREFIX=METRICS")
    options = parser.parse_args(arguments)
    try:
        pairs = [scores.partition("=") for scores in options.scores]
        measured = [(prefix, json.loads(Path(path).read_text(encoding="utf-8"))) for prefix, _, path in pairs]
        facts = [json.loads(path.read_text(encoding="utf-8")) for path in options.facts]
        meta = pipeline_meta(join_facts(facts), measured)
    except (OSError, ValueError) as error:
        sys.exit(str(error))
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps(meta, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
