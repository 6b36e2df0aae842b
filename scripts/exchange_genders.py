"""Write documents and, behind them, copies in which men are women and women men, so that no stereotype is learnt.

python scripts/exchange_genders.py OUT FILE.spacy [FILE.spacy ...] [--reader PIPELINE] [--seed 0]

After Zhao and others, "Gender Bias in Coreference Resolution" (2018). Pronouns, titles and nouns get their counterparts
of genders.json; given names whose clusters tell a gender get others. A copy has as many words, so that its annotation
is that of the original. Each of both says which words are others in the other one, so that a teacher can read both. OUT
is a folder, in which each file gets the name of the folder it lies in. Where texts are not annotated, the reader, a
trained pipeline, finds the clusters, which are not written.
"""

from __future__ import annotations

import random
import sys
from argparse import ArgumentParser
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

import spacy
import srsly
from spacy.tokens import Doc, DocBin, Span, SpanGroup, Token
from tqdm import tqdm

from spacy_span_selector.annotation import COUNTERPARTS_KEY, cluster_groups, set_counterparts
from spacy_span_selector.examples.corpus import read_docs
from spacy_span_selector.language import CLITICS, FUNCTION_WORDS, PRONOUNS, language_table

TABLES = srsly.read_json(Path(__file__).with_name("genders.json"))
PAIRS = [pair.split() for line in TABLES["pairs"].values() for pair in line.split(", ")]
COUNTERPARTS = (
    {female: male for male, female in PAIRS}
    | {male: female for male, female in PAIRS}
    | dict(pair.split() for pair in TABLES["one_way"].split(", "))
)
MALE, FEMALE = {male for male, _ in PAIRS}, {female for _, female in PAIRS} | {*TABLES["female"].split()}
GIVEN_TITLES, FAMILY_TITLES = {*TABLES["given_titles"].split()}, {*TABLES["family_titles"].split()}
ONLY_AS_TITLES = {*TABLES["only_as_titles"].split()}
NO_NAMES = {*COUNTERPARTS, *FAMILY_TITLES, *GIVEN_TITLES}
OTHER = {"male": "female", "female": "male"}
MOST = 0.8
"""The share of what tells the gender of a cluster that must agree."""


def gendered_names(doc: Doc) -> dict[str, str]:
    """The given names of a document whose clusters tell one gender, with that."""
    genders: dict[str, set[str]] = defaultdict(set)
    family, alone = set(), []
    for group in cluster_groups(doc):
        gender = _gender(group)
        for words in filter(None, map(_name, group)):
            title, *rest = words
            if title.lower() in COUNTERPARTS or title.lower() in FAMILY_TITLES | GIVEN_TITLES:
                if rest and (len(rest) > 1 or title.lower() in GIVEN_TITLES):
                    genders[rest[0]].add(gender)
                if rest and (len(rest) > 1 or title.lower() not in GIVEN_TITLES):
                    family.add(rest[-1])
            elif rest:
                family.add(rest[-1])
                if len(title) > 1 and not title.endswith("."):
                    genders[title].add(gender)
            else:
                alone.append((title, gender))
    for name, gender in alone:
        if name not in family:
            genders[name].add(gender)
    function_words = language_table(doc.vocab, FUNCTION_WORDS)
    told = {name: said - {""} for name, said in genders.items()}
    return {
        name: said.pop()
        for name, said in told.items()
        if len(said) == 1 and len(name) > 2 and name not in family and function_words.get(name.lower()) is None
    }


def _gender(group: SpanGroup) -> str:
    """The gender that most pronouns and titles of a cluster tell, if any."""
    told: Counter[str] = Counter()
    pronouns = language_table(group.doc.vocab, PRONOUNS)
    for mention in group:
        first = mention[0].lower_
        if len(mention) == 1:
            gender = pronouns.get(first, {}).get("gender")
            told.update([gender] if gender in OTHER else [])
        elif first in MALE | FEMALE and all(token.text[0].isupper() for token in mention if token.is_alpha):
            told["female" if first in FEMALE else "male"] += 1
    ((gender, count),) = told.most_common(1) or [("", 0)]
    return gender if count and count >= MOST * told.total() else ""


def _name(mention: Span) -> list[str]:
    """The words of a mention that is a name, without a possessive ending; empty for another one."""
    words = [token.text for token in mention]
    if words[-1] in CLITICS:
        words.pop()
    if not all(word[:1].isupper() and word[1:].replace(".", "").islower() for word in words):
        return []
    small = words[0].lower() if len(words) == 1 else ""
    is_name = small not in NO_NAMES and language_table(mention.doc.vocab, FUNCTION_WORDS).get(small) is None
    return words if is_name else []


def exchange(doc: Doc, chance: random.Random) -> Doc:
    """The copy of a document."""
    present, used = {token.text for token in doc}, set[str]()
    names = {}
    for name, gender in gendered_names(doc).items():
        new = [other for other in TABLES["names"][OTHER[gender]].split() if other not in present | used]
        if new:  # a document may have more names than there are
            names[name] = chance.choice(new)
            used.add(names[name])
    possessors = {span.start for group in cluster_groups(doc) for span in group if len(span) > 1}
    copy = Doc(
        doc.vocab,
        words=[_counterpart(token, names, token.i in possessors) for token in doc],
        spaces=[bool(token.whitespace_) for token in doc],
        sent_starts=[token.is_sent_start for token in doc],
    )
    for key, group in doc.spans.items():
        spans = [Span(copy, s.start, s.end, label=s.label, kb_id=s.kb_id, span_id=s.id) for s in group]
        copy.spans[key] = SpanGroup(copy, name=group.name, attrs=dict(group.attrs), spans=spans)
    copy.user_data = {key: value for key, value in doc.user_data.items() if isinstance(key, str)}
    copy.user_data["title"] = f"{doc.user_data.get('title', '')}_exchanged"
    for read, other in ((doc, copy), (copy, doc)):
        others = [(a.i, a.i + 1, b.text) for a, b in zip(read, other, strict=True) if a.text != b.text]
        set_counterparts(read, others)
    return copy


def _counterpart(token: Token, names: dict[str, str], begins_mention: bool) -> str:
    word, small = token.text, token.lower_
    next_word = token.nbor().text if token.i + 1 < len(token.doc) else ""
    function_words = language_table(token.vocab, FUNCTION_WORDS)
    is_title = word[:1].isupper() and next_word[:1].isupper()
    owns = begins_mention or (next_word.isalpha() and function_words.get(next_word.lower()) is None)
    if small in ("her", "his", "hers"):
        return _like(word, {"her": "his" if owns else "him", "his": "her" if owns else "hers", "hers": "his"}[small])
    if word == "Miss" and is_title:
        return "Mr."
    if small == "lady" and is_title:
        return _like(word, "lord")
    if small in COUNTERPARTS and (is_title or small not in ONLY_AS_TITLES):
        return _like(word, COUNTERPARTS[small])
    if word.isupper() and len(word) > 2 and word.title() in names:
        return names[word.title()].upper()
    return names.get(word, word)


def _like(word: str, other: str) -> str:
    if word.isupper() and len(word) > 1:
        return other.upper()
    return other[0].upper() + other[1:] if word[0].isupper() else other


def main(arguments: Sequence[str] | None = None) -> None:
    parser = ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE.spacy")
    parser.add_argument("--reader", metavar="PIPELINE")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    chance = random.Random(options.seed)
    try:
        nlp = spacy.load(options.reader) if options.reader else spacy.blank("en")
    except (OSError, ValueError) as error:
        sys.exit(str(error))
    for path in options.files:
        try:
            docs = list(read_docs(path, nlp.vocab))
        except (OSError, ValueError) as error:
            sys.exit(str(error))
        out = options.out / f"{path.resolve().parent.name}.spacy"
        if options.reader:
            docs = list(tqdm(nlp.pipe(docs), total=len(docs)))
        copies = [exchange(doc, chance) for doc in docs]
        for doc in [*docs, *copies] if options.reader else []:
            for key in {*doc.spans} - {COUNTERPARTS_KEY}:
                del doc.spans[key]
            doc.user_data = {}
        changed = sum(
            a.text != b.text for doc, copy in zip(docs, copies, strict=True) for a, b in zip(doc, copy, strict=True)
        )
        out.parent.mkdir(parents=True, exist_ok=True)
        DocBin(docs=[*docs, *copies], store_user_data=True, attrs=["ORTH", "SPACY", "SENT_START"]).to_disk(out)
        print(f"{len(docs)} documents and as many copies, in which {changed} words are others: {out}")


if __name__ == "__main__":
    main()
