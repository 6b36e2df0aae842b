"""Tables of a language: what tells of people in a text, such as titles and pronouns, and irregular verbs.

The tables are named and kept as spaCy's lookups are. A pipeline's own come first, `nlp.vocab.lookups`, so that anyone
may correct one or bring those of another language; else those of this package serve, a file `LANGUAGE.json` beside this
module. A language without tables loses only what needs them.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import srsly
from spacy.lookups import Table
from spacy.vocab import Vocab

CLITICS = frozenset({"'s", "’s", "'", "’"})
"""Possessive endings."""
CAPITALISED_NAMES = frozenset({"US", "May", "Will"})
"""Names, as they are written, although in lower case they are function words."""

TITLES = "coref_titles"
"""From a title in lower case, without a full stop, to the gender it tells: "male", "female" or ""."""
PRONOUNS = "coref_pronouns"
"""From a pronoun in lower case to what it tells: `person` (1 to 3), `number` ("singular", "plural"), `gender`."""
NOUNS = "coref_nouns"
"""From a noun for a person in lower case, singular, to the gender that it tells: "male", "female" or ""."""
NICKNAMES = "coref_nicknames"
"""From a given name in lower case to its short forms."""
FUNCTION_WORDS = "coref_function_words"
"""From a function word in lower case to its part of speech."""
PLURALS = "coref_plurals"
"""From an irregular plural in lower case to its singular."""
ABBREVIATIONS = "abbreviated_titles"
"""From a title that is written short, in lower case and without its full stop, to the title."""
SHORT_FORMS = "short_forms"
"""From a short form in lower case, without its last stop, to what follows it: "number", "never" the end of a sentence,
"time" no name but that of a day, or ""."""
SENTENCE_WORDS = "sentence_words"
"""From a word in lower case to what it is with a capital: "opener" of sentences, as function words, or "calendar"."""
TITLE_KINDS = "coref_title_kinds"
"""From a title to what it goes with or tells: "family" (the family name), "married", "unmarried", "kin"."""
NAME_WORDS = "coref_name_words"
"""From a word within names in lower case to what it is: "particle" (of, van), "epithet" (poor), "suffix" (Jr.)."""
ENTITY_TYPES = "coref_entity_types"
"""The types of entities: from evidence of a mention such as "title male" to its log probability given each type,
and from "" to that of each type. Two rows, "label person" and "label thing", are evidence of labels."""
ENTITY_LABELS = "coref_entity_labels"
"""From the label of an entity in lower case to what it is: "person", "thing" (places, vehicles, organizations), or
"either" (animals, which are persons in tales). Labels are of no language: where it has no such table, that of English
serves."""
IRREGULAR_VERBS = "irregular_verbs"
"""From an irregular form of a verb in lower case to the verbs that it may be a form of."""
SPEECH_VERBS = "coref_speech_verbs"
"""From a form of a verb of speech in lower case to the verb."""
SOURCES = "coref_sources"
"""Words in lower case that name the source of a quotation: "according to" in front of who says it."""
SMALL_CLAUSE_VERBS = "small_clause_verbs"
"""Verbs that may have another verb with its subject behind them: "let her go"."""
LETTER_WORDS = "coref_letter_words"
"""From a word in lower case that begins the line of a letter or ends it to what this is: "greeting", "closing", or
"own", before a greeting, as "my" of "my dear"."""
QUOTATION_WEIGHTS = "coref_quotation_weights"
"""From a feature of a quotation and a candidate to its weight (`people/attribution/`)."""


def language_table(vocab: Vocab, name: str) -> Table:
    """A table of a language, by one of the names above: that of the vocabulary, or else that of this package; empty if
    there is none. Its keys are hashes: look up words with `get`."""
    if vocab.lookups.has_table(name):
        return vocab.lookups.get_table(name)
    return _table(vocab.lang or "", name)


def language_words(vocab: Vocab, name: str) -> Mapping[str, Any]:
    """The same table to look up words in. Those of this package are kept by their words, so that none is hashed."""
    return vocab.lookups.get_table(name) if vocab.lookups.has_table(name) else _words(vocab.lang or "", name)


def packaged_table(language: str, name: str) -> dict[str, Any]:
    """A table of this package by its words; empty if there is none."""
    return _read(language).get(name, {})


@cache
def _table(language: str, name: str) -> Table:
    return Table(name, _words(language, name))


def _words(language: str, name: str) -> dict[str, Any]:
    return _read(language).get(name, _read("en")[name] if name == ENTITY_LABELS else {})


@cache
def _read(language: str) -> dict[str, Any]:
    path = Path(__file__).parent / f"{language}.json"
    return srsly.read_json(path) if path.is_file() else {}
