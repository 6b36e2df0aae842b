"""What any reader knows of short everyday texts: of these things, how many come out right?

    python -m lab everyday training/litbank0/model-best --show

The texts are our own, of twenty kinds, or those of `--texts`, of the same form: a line of JSON for each text, with its
`kind` and

- `same`, `apart`: two mentions that are one entity, or two; `one`: the same for a mention that another may be wider
  or narrower than, as those of appositions are;
- `frames`: a predicate, a role and its argument; `triples`: subject, verb and object of an event;
- `person`: a span, and whether it is labelled as a person; `speaker`: words of a quotation, and who says them;
- `sentences`: how many there are.

"it#2" is the second *it*. Nothing is chosen on these texts, and no rule names their words.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any

import spacy
import typer
from spacy.tokens import Doc

from ..measuring import Output, Threads, add_results, print_header, print_row, set_threads
from .casts import Offsets, read_mentions

TEXTS = Path(__file__).with_name("everyday.jsonl")

Check = tuple[bool, str, str]
"""Whether something is right, under which of the above it is checked, and what it is, in words."""


def main(
    model: Annotated[str, typer.Argument(help="A trained pipeline")],
    texts: Annotated[Path, typer.Option(help="Other texts")] = TEXTS,
    show: Annotated[bool, typer.Option(help="List what is wrong")] = False,
    threads: Threads = 0,
    output: Output = None,
) -> None:
    """Print right of all, by kind."""
    set_threads(threads)
    cases = [json.loads(line) for line in texts.read_text(encoding="utf-8").splitlines()]
    nlp = spacy.load(model)
    docs = nlp.pipe(case["text"] for case in cases)
    done = [(case["kind"], *check) for case, doc in zip(cases, docs, strict=True) for check in checks(case, doc)]
    rows = count((kind, is_right) for kind, is_right, _, _ in done)
    print_header("kind", "right", "of", texts=1)
    for kind, found in rows.items():
        print_row(kind, str(found["right"]), str(found["of"]))
    add_results(output, "everyday", nlp, rows)
    add_results(output, "everyday, by check", nlp, count((key, is_right) for _, is_right, key, _ in done))
    if show:
        wrong = (f"{kind}: {what}" for kind, is_right, _, what in done if not is_right)
        typer.echo("\n" + "\n".join(wrong))


def count(results: Iterable[tuple[str, bool]]) -> dict[str, dict[str, int]]:
    """Right of all by name, and last of "all"."""
    rows: dict[str, dict[str, int]] = {}
    every = {"right": 0, "of": 0}
    for name, is_right in results:
        for row in (rows.setdefault(name, {"right": 0, "of": 0}), every):
            row["right"] += is_right
            row["of"] += 1
    return {**rows, "all": every}


def checks(case: dict[str, Any], doc: Doc) -> Iterator[Check]:
    """What is known of a text, and whether an annotated document has it."""
    mentions = read_mentions(doc)
    for key, is_one in (("same", True), ("apart", False)):
        for pair in case.get(key, ()):
            first, second = (mentions.get(place(doc.text, words)) for words in pair)
            together = first is not None and first == second
            yield together == is_one, key, " = ".join(pair) if is_one else " / ".join(pair)
    for pair in case.get("one", ()):
        wide, own = (place(doc.text, words) for words in pair)
        near = {cluster for other, cluster in mentions.items() if _is_near(doc.text, wide, other)}
        yield mentions.get(own) in near, "one", " = ".join(pair)
    found = {
        (frame.predicate.text, role, span.text)
        for frame in doc._.srl
        for role, spans in frame.arguments.items()
        for span in spans
    }
    for frame in case.get("frames", ()):
        yield tuple(frame) in found, "frames", " ".join(frame)
    triples = {tuple(map(str, triple[:3])) for event in doc._.events for triple in event.triples()}
    for one, verb, other in case.get("triples", ()):
        yield any(one in s and verb in v and other == o for s, v, o in triples), "triples", f"{one} {verb} {other}"
    labels = {(span.start_char, span.end_char): span.label_.lower() for span in doc.spans.get("sc", ())}
    for words, is_person in case.get("person", ()):
        label = labels.get(place(doc.text, words))
        yield (label in ("per", "person")) == is_person, "person", f"{words} is labelled {label}"
    for words, speaker in case.get("speaker", ()):
        said = [quotation for quotation in doc._.quotations if words in quotation.text]
        names = [" ".join([str(one.speaker_name), *map(str, one.speaker or ())]) for one in said]
        yield any(speaker in name for name in names), "speaker", f'"{words}" by {speaker}'
    if "sentences" in case:
        count = sum(bool(sentence.text.strip()) for sentence in doc.sents)
        yield count == case["sentences"], "sentences", f"{count} sentences, not {case['sentences']}"


def place(text: str, words: str) -> Offsets:
    """Where some words stand in a text: "it#2" for the second *it* that is no part of a word."""
    words, _, number = words.partition("#")
    start = -1
    for _ in range(int(number or 1)):
        start = text.index(words, start + 1)
        while text[start - 1 : start].isalnum() or text[start + len(words) :][:1].isalnum():
            start = text.index(words, start + 1)
    return start, start + len(words)


def _is_near(text: str, words: Offsets, other: Offsets) -> bool:
    """Check whether a mention is these words, or goes on behind a mark after them, or ends with them."""
    goes_on = other[0] == words[0] and other[1] > words[1] and text[words[1] : words[1] + 1] in (",", ".")
    return other == words or goes_on or (other[1] == words[1] and other[0] < words[0])
