"""Write texts in which people have occupations, so that a teacher of texts and their copies says "he" of none of them.

python scripts/occupation_texts.py OUT FILE.spacy [FILE.spacy ...] --reader PIPELINE [--seed 0]

Where the reader, a trained pipeline, finds in the texts somebody with a name who is he or she, the name becomes an
occupation of occupations.json, one for each ("Ann had lost her keys": "The welder had lost her keys"). Behind these
texts are short scenes of two people, made of the patterns there. What a network says of a text and of its copy, which
exchange_genders.py adds, differs by what it believes of occupations, of which the mean of both knows nothing.
"""

from __future__ import annotations

import random
import sys
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from pathlib import Path

import spacy
import srsly
from spacy.tokens import Doc, DocBin, Span
from tqdm import tqdm

from spacy_span_selector.annotation import cluster_groups
from spacy_span_selector.examples.corpus import read_docs
from spacy_span_selector.extensions.mention_types import without_clitic
from spacy_span_selector.people.clustering import read_forms

TABLES = srsly.read_json(Path(__file__).with_name("occupations.json"))
OCCUPATIONS, PATTERNS = TABLES["occupations"].split(", "), TABLES["patterns"]
SCENES = 30
"""So many scenes are made of each pattern."""
PEOPLE = ("3 singular male", "3 singular female")
HE = {"he": "he", "him": "him", "his": "his", "himself": "himself", "He": "He", "His": "His"}
SHE = {"he": "she", "him": "her", "his": "her", "himself": "herself", "He": "She", "His": "Her"}


def with_occupations(doc: Doc, chance: random.Random) -> str | None:
    """A text with occupations in place of names; None where nobody with a name is he or she."""
    occupations, edits = chance.sample(OCCUPATIONS, len(OCCUPATIONS)), []
    for group in cluster_groups(doc):
        forms = read_forms(doc, [(mention.start, mention.end) for mention in group])
        names = [without_clitic(mention) for mention, form in zip(group, forms, strict=True) if form.name]
        if names and occupations and any(form.evidence in PEOPLE for form in forms):
            occupation = occupations.pop()
            edits += [(name.start_char, name.end_char, f"{article(name)} {occupation}") for name in names]
    text, done = "", 0
    for start, end, words in sorted(edits, key=lambda edit: (edit[0], -edit[1])):
        if start >= done:  # else the name is within another
            text, done = text + doc.text[done:start] + words, end
    return text + doc.text[done:] if edits else None


def article(name: Span) -> str:
    """The article in the place of a name: with a capital at the beginning of a sentence or of a quotation."""
    opens = name.start == 0 or name[0].is_sent_start or not name.doc[name.start - 1].text[-1].isalnum()
    return "The" if opens and name.doc[name.start - 1].text != "," else "the"


def scenes(chance: random.Random) -> Iterator[str]:
    """Short texts of two people, of whom he or she is spoken by chance."""
    for pattern in PATTERNS:
        for _ in range(SCENES):
            one, other = chance.sample(OCCUPATIONS, 2)
            yield pattern.format(one=one, other=other, **chance.choice([HE, SHE]))


def main(arguments: Sequence[str] | None = None) -> None:
    parser = ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--reader", required=True)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    chance = random.Random(options.seed)
    try:
        reader = spacy.load(options.reader)
        texts = [doc.text for path in options.files for doc in read_docs(path, reader.vocab)]
    except (OSError, ValueError) as error:
        sys.exit(str(error))
    found = (with_occupations(doc, chance) for doc in tqdm(reader.pipe(texts), total=len(texts)))
    drawn = [*filter(None, found), *scenes(chance)]
    nlp = spacy.blank("en")
    nlp.add_pipe("word_sentencizer")
    docs = [*nlp.pipe(drawn)]
    options.out.mkdir(parents=True, exist_ok=True)
    DocBin(docs=docs).to_disk(options.out / "occupations.spacy")
    print(f"{len(docs)} texts, {sum(map(len, docs)):,} tokens: {options.out / 'occupations.spacy'}")


if __name__ == "__main__":
    main()
