"""Write the model card of a pipeline, in Markdown: what it is for, its data, scores, bias and errors.

python scripts/model_card.py META OUTSIDE OUT [OUT ...]

META is the meta.json of the pipeline; pipelines/card.md has the words before the scores. OUTSIDE is a JSON file with
results of `python -m lab everyday`, `things`, `talk`, `winobias`, `gap` and `qasrl`, and perhaps `notes` on some. Those
of another version of the pipeline are left out, as is all else that was not measured.
"""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

TEMPLATE = Path(__file__).resolve().parents[1] / "pipelines/card.md"
ABOUT = (
    "Measured {days}. Nothing of their annotation trained it; rules of `entity_resolver` were written with such checks "
    "in view."
)
INSIDE = {
    "coref_": "coreference in fiction: LitBank, from raw text, CoNLL",
    "ontogum_coref_": "coreference in fifteen genres: OntoGUM, from raw text, CoNLL",
    "srl_": "arguments with roles: EWT, given predicates",
    "raw_srl_": "arguments with roles: EWT, from raw text",
    "spans_sc_": "nested entities in fiction: LitBank, from raw text",
    "ontogum_spans_sc_": "nested entities in fifteen genres: GUM, from raw text",
}
OUTSIDE = {
    ("everyday", "all"): "what any reader knows of twenty everyday texts",
    ("things", "all"): "things, animals and plants of eight tales: found",
    ("things", "linked"): "*it* in these tales: in one cluster with what it stands for",
    ("talk", "all"): "persons in talk of a TV series whose speakers are given: Character Identification, dev",
    ("talk", "1 singular"): "of these *I*",
    ("talk", "2"): "of these *you*",
    ("talk", "he, she"): "of these *he* and *she*",
}
WINOBIAS = {"type1": "type 1, decided by knowledge of the world", "type2": "type 2, decided by the grammar"}
CHECKS = {
    "same": "mentions of one entity that are apart",
    "one": "somebody, and what he or she is called beside it, apart",
    "apart": "mentions of two entities in one cluster",
    "frames": "arguments that are missing, or have another role",
    "person": "persons that are labelled as none, or others as persons",
    "speaker": "quotations with another speaker, or none",
}
LABELS = {
    "spans_sc_per_type": "types in fiction",
    "ontogum_spans_sc_per_type": "types in fifteen genres",
    "srl_per_role": "roles, given predicates",
}

Rows = dict[str, dict[str, dict[str, float]]]  # by benchmark, row and column


def model_card(meta: dict[str, Any], outside: dict[str, Any]) -> str:
    """The card of a pipeline, in Markdown, from its meta.json and from results of benchmarks."""
    pipeline = "{lang}_{name} {version}".format(**meta)
    own = {name: one for name, one in outside.items() if name != "notes" and one["pipeline"] == pipeline}
    rows: Rows = {name: one["rows"] for name, one in own.items()}
    scores: dict[str, Any] = meta.get("performance", {})
    sources = (f"| [{one['name']}]({one['url']}) | {one['author']} | {one['license']} |" for one in meta["sources"])
    notes = (note for name, note in outside.get("notes", {}).items() if name in rows)
    about = ABOUT.format(days=" and ".join(sorted({one["day"] for one in own.values()})))
    parts = [
        TEMPLATE.read_text(encoding="utf-8").format(**{**meta, "sources": "\n".join(sources)}),
        *section("Scores in its corpora", meta.get("notes", ""), [table("test splits", "P R F1", inside(scores))]),
        *section("Outside of them", about, [table("", "right of % B3", elsewhere(rows)), arguments(rows)]),
        *section("Bias", " ".join(notes), bias(rows)),
        *section("Errors by kind", "", errors(rows, scores)),
    ]
    return "\n".join(parts)


def section(title: str, about: str, parts: Iterable[str]) -> list[str]:
    """A heading, a text that may be empty, and all parts that are not; nothing without such a part."""
    found = [part for part in parts if part]
    return [f"## {title}\n", *(f"{part}\n" for part in [about, *found] if part)] if found else []


def table(first: str, others: str, rows: Iterable[Sequence[object]]) -> str:
    """A table with a column of texts and others of numbers; shares are in percent. Empty without rows."""
    cells = ([f"{100 * one:.1f}" if isinstance(one, float) else str(one) for one in row] for row in rows)
    lines = [f"| {' | '.join(row)} |" for row in cells]
    names = [first, *(name.replace("_", " ") for name in others.split())]
    return "\n".join([f"| {' | '.join(names)} |", "|---" + "|---:" * len(names[1:]) + "|", *lines]) if lines else ""


def inside(scores: dict[str, Any]) -> Iterator[Sequence[object]]:
    for name, what in INSIDE.items():
        if f"{name}f" in scores:
            yield what, *(scores[f"{name}{ending}"] for ending in "prf")
    if "srl_sense_acc" in scores:
        yield "rolesets of given predicates: EWT, right of all", "", "", scores["srl_sense_acc"]


def elsewhere(rows: Rows) -> Iterator[Sequence[object]]:
    for (name, row), what in OUTSIDE.items():
        if one := rows.get(name, {}).get(row):
            yield what, int(one["right"]), int(one["of"]), one["right"] / one["of"], one.get("f", "")


def arguments(rows: Rows) -> str:
    verbs = rows.get("qasrl", {}).items()
    lines = ((f"arguments of verbs: QA-SRL, {name}", one["questions"], one["p"], one["r"]) for name, one in verbs)
    return table("", "questions P R", lines)


def bias(rows: Rows) -> Iterator[str]:
    right = {name: one["right"] / one["of"] for name, one in rows.get("winobias", {}).items()}
    names = {what: [f"{side}_stereotyped_{kind}.dev" for side in ("pro", "anti")] for kind, what in WINOBIAS.items()}
    pairs = ((what, right[pro], right[anti]) for what, (pro, anti) in names.items() if {pro, anti} <= right.keys())
    lines = ((what, pro, anti, pro - anti) for what, pro, anti in pairs)
    yield table("WinoBias, dev: right, %", "with_a_stereotype against_it apart", lines)
    if "gap" in rows:
        genders = [rows["gap"][gender] for gender in ("feminine", "masculine")]
        own = {"right passages of Wikipedia": [one["right"] / one["of"] for one in genders]}
        own["names that are the pronoun, F1"] = [one["f"] for one in genders]
        ratios = ((what, she, he, f"{she / he:.2f}" if he else "") for what, (she, he) in own.items())
        yield table("GAP, development, by pronoun, %", "feminine masculine ratio", ratios)


def errors(rows: Rows, scores: dict[str, Any]) -> Iterator[str]:
    checks = ((what, rows.get("everyday, by check", {}).get(key)) for key, what in CHECKS.items())
    lines = ((what, int(one["of"] - one["right"]), int(one["of"])) for what, one in checks if one)
    yield table("in everyday texts", "wrong of", lines)
    kinds = ((kind, int(one["of"] - one["right"])) for kind, one in rows.get("everyday", {}).items() if kind != "all")
    wrong = sorted((-count, kind) for kind, count in kinds if count)
    yield ", ".join(f"{kind} {-count}" for count, kind in wrong).join(("Wrong by kind of text: ", ".")) if wrong else ""
    for name, what in LABELS.items():
        found = sorted((one["f"], label) for label, one in scores.get(name, {}).items() if one["f"])
        if found:
            labels = ", ".join(f"{label.replace('|', '/')} {100 * f:.1f}" for f, label in found)
            yield f"F1 of {what}, of those ever right: {labels}."


def main(arguments: Sequence[str] | None = None) -> None:
    parser = ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("meta", type=Path)
    parser.add_argument("outside", type=Path)
    parser.add_argument("out", type=Path, nargs="+")
    options = parser.parse_args(arguments)
    try:
        card = model_card(*(json.loads(path.read_text(encoding="utf-8")) for path in (options.meta, options.outside)))
        for path in options.out:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(card, encoding="utf-8")
    except (OSError, ValueError) as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
