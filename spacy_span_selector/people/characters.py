"""The people of a document, by importance, with their names and their gender as the text has it: `doc._.characters`.

What tells people from things, and women from men, are the words of the text alone: pronouns, titles, nouns such as
"aunt", and the kind of entity where it is known. Given names tell nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from typing import NamedTuple

from spacy.attrs import DEP, HEAD, MORPH, ORTH, POS, SPACY, TAG
from spacy.tokens import Doc, Span, Token

from ..documents.cleaned import split_doc
from ..extensions.clusters import Cluster, doc_clusters
from ..extensions.english import RELATIVES, base_forms
from ..extensions.frames import doc_frames
from ..extensions.mention_types import (
    GRAMMATICAL,
    has_plural_tag,
    head_token,
    is_clitic,
    mention_type,
    part_of_speech,
    shown_text,
    without_clitic,
)
from ..extensions.tables import table
from ..language import CAPITALISED_NAMES, ENTITY_LABELS, NOUNS, PLURALS, PRONOUNS, TITLES, language_table
from .arguments import EntityFinder

READ = [ORTH, SPACY, TAG, POS, MORPH, HEAD, DEP]
"""Attributes of tokens that the reading of a mention depends on; mentions with the same ones are read once."""
PERSON_LABEL, THING_LABEL, EITHER = "person", "thing", "either"
"""What labels are; animals may be either."""
ONE, THING, SEVERAL = 1, -1, -2
"""What a mention tells of: a person, a thing, or several people or things."""
PERSONAL_RELATIVES = RELATIVES - {"which"}
TITLES_OF_PLACES = frozenset({"st", "saint"})
"""Titles that tell nothing, as many places have them."""
CLEAR_MARGIN = 3
"""How many times as often the text must have one gender as the other."""
CONJUNCTS = frozenset({"PROPN", "PRON", "DET"})
"""Parts of speech behind an "and" that make two of one: "Ann and Tom"; but "a kind and gentle man"."""
WITHIN_NAMES = frozenset({"of", "the", "de", "la", "le", "du", "van", "von", "-", "."})
"""Words that may stand between those of a name: "the Queen of Hearts"."""


@dataclass(frozen=True)
class Character:
    """A person of a document; it prints as `Ann Lee (female, 31 mentions)`.

    name (str): What to call them: the representative mention, as a name without what surrounds it.
    names (dict[str, int]): The proper names in the text, without possessive endings, and how often it has each, the
        most frequent first. Those that differ only in case are one, written as most of them are.
    genders (dict[str, int]): How many mentions tell "female", and how many "male", by a pronoun, a title or a noun.
    cluster (Cluster): All mentions.
    number (int): The place of the cluster in `doc._.coref_clusters`.
    """

    name: str
    names: dict[str, int]
    genders: dict[str, int]
    cluster: Cluster
    number: int

    def __repr__(self) -> str:
        mentions = f"{self.count} mention{'' if self.count == 1 else 's'}"
        return f"{self.name} ({', '.join(filter(None, [self.gender, mentions]))})"

    @property
    def gender(self) -> str | None:
        """The gender that mentions tell at least three times as often as the other; None without one."""
        ranked = Counter(self.genders).most_common()
        if not ranked or any(ranked[0][1] < CLEAR_MARGIN * count for _, count in ranked[1:]):
            return None
        return ranked[0][0]

    @property
    def count(self) -> int:
        """The number of mentions."""
        return len(self.cluster)

    @property
    def quotations(self) -> list[Span]:
        """The quotations of the person, marks included."""
        return self.cluster.quotations

    def _repr_html_(self) -> str:
        return Characters([self])._repr_html_()


class Characters(list[Character]):
    """The people of a document: a list that notebooks show as a table."""

    def _repr_html_(self) -> str:
        rows = [
            (
                escape(person.name),
                str(person.count),
                str(len(person.quotations) or ""),
                person.gender or "",
                ", ".join(f"{escape(name)} <small>{count}</small>" for name, count in person.names.items()),
            )
            for person in self
        ]
        return table(["name", "mentions", "quotations", "gender", "names"], rows)


def doc_characters(doc: Doc, prefix: str | None = None) -> Characters:
    """The people of a document, those with most mentions first, equal ones in the order of the text."""
    return find_characters(doc_clusters(doc, prefix))


def find_characters(clusters: Sequence[Cluster]) -> Characters:
    """The people among the clusters of a document, by importance.

    A cluster is a person if more of its mentions tell of one than of a thing or of several people. Those do that are
    "she", "I", "who" and the like, or have a title or a noun with a gender; of an entity that is labelled as a person,
    or an animal that speaks, all that do not tell otherwise; then "it" is said of a person, too. What its type, its
    corpus or its labelled spans say is a place, a vehicle or another thing is no person. `doc.ents` alone do not
    overrule the text: they are often wrong of people. A pronoun alone is nobody, nor is what is only said of another:
    "Ada is a nurse".

    clusters (Sequence[Cluster]): The clusters, in the order of the text. Their places are the numbers of the people.
    """
    people = (entity for entity, is_person in find_entities(clusters) if is_person)
    return Characters(sorted(people, key=lambda person: -person.count))


def find_entities(clusters: Sequence[Cluster]) -> list[tuple[Character, bool]]:
    """Describe all clusters of a document, in their order, as if they were people, each with whether it is one."""
    if not clusters:
        return []
    doc = clusters[0][0].doc
    read, find = _Reader(doc), EntityFinder(clusters, doc_frames(doc))
    described = [_describe(cluster, number, read) for number, cluster in enumerate(clusters)]
    return [(one, is_person and not find.is_said(one.cluster)) for one, is_person in described]


def is_thing(cluster: Cluster) -> bool:
    """Check whether the type of a cluster, its corpus or its labelled spans say that it is a thing."""
    known = language_table(cluster[0].doc.vocab, ENTITY_LABELS)
    return known.get(cluster.shown_label.lower()) == THING_LABEL


class _Traits(NamedTuple):
    """Read name, gender and number from a mention.

    people (int): ONE, THING or SEVERAL; 0 if it tells nothing.
    gender (str): The gender, "" if it tells none.
    """

    people: int = 0
    gender: str = ""
    name: str = ""
    is_pronoun: bool = False


def _describe(cluster: Cluster, number: int, read: _Reader) -> tuple[Character, bool]:
    traits = [read(mention) for mention in cluster]
    kind = read.labels.get(cluster.entity_label.lower())
    speaks = kind == EITHER and len(cluster.quotations) > 0
    others = sum(mention.people == SEVERAL or (mention.people == THING and not speaks) for mention in traits)
    is_labelled = speaks or kind == PERSON_LABEL
    people = len(traits) - others if is_labelled else sum(mention.people == ONE for mention in traits)
    is_person = not is_thing(cluster) and people > others and not (len(traits) == 1 and traits[0].is_pronoun)
    spellings = _spellings(mention.name for mention in traits if mention.name)
    representative = cluster.representative
    name = read(representative).name
    character = Character(
        name=spellings[name.casefold()][0] if name else shown_text(without_clitic(representative)),
        names=dict(sorted(spellings.values(), key=lambda item: -item[1])),
        genders=dict(Counter(mention.gender for mention in traits if mention.gender).most_common()),
        cluster=cluster,
        number=number,
    )
    return character, is_person


def _spellings(names: Iterable[str]) -> dict[str, tuple[str, int]]:
    """The most frequent spelling of each name, and the number of mentions that have it in whatever case."""
    joined: dict[str, Counter[str]] = {}
    for name in names:
        joined.setdefault(name.casefold(), Counter())[name] += 1
    return {key: (counts.most_common(1)[0][0], counts.total()) for key, counts in joined.items()}


class _Reader:
    """Tells of a mention whom it means; of equal ones, as most are in a long text, it reads the first.

    Where its language has no tables of words, mentions tell little.
    """

    def __init__(self, doc: Doc) -> None:
        tables = (language_table(doc.vocab, name) for name in (PRONOUNS, TITLES, NOUNS, PLURALS))
        self.pronouns, self.titles, self.nouns, self.plurals = tables
        self.labels = language_table(doc.vocab, ENTITY_LABELS)
        self._tokens = doc.to_array(READ)
        self._words = split_doc(doc)
        self._known: dict[bytes, _Traits] = {}

    def __call__(self, mention: Span) -> _Traits:
        key = self._tokens[mention.start : mention.end].tobytes()
        if key not in self._known:
            self._known[key] = self._read(self._words.words_of(mention))
        return self._known[key]

    def _read(self, mention: Span) -> _Traits:
        bare = without_clitic(mention)
        if len(bare) == 1 and bare[0].text not in CAPITALISED_NAMES and bare[0].lower_ in self.pronouns:
            return self._of_pronoun(bare[0].lower_)
        kind = mention_type(bare)
        if kind not in ("proper", "nominal"):
            is_plural = self.pronouns.get(bare[0].lower_, {}).get("number") == "plural"  # "them both"
            return _Traits(SEVERAL if is_plural else 0, is_pronoun=kind == "pronominal")
        head = head_token(bare)
        name = _name(bare, head) if kind == "proper" else None
        if self._is_plural(bare, head, name):
            return _Traits(SEVERAL)
        gender = self._gender(bare, head, name is not None)
        return _Traits(0 if gender is None else ONE, gender or "", "" if name is None else shown_text(name))

    def _of_pronoun(self, word: str) -> _Traits:
        known = self.pronouns[word]
        gender = known.get("gender", "")
        if known.get("number") == "plural" or gender == "neuter":
            return _Traits(SEVERAL if known.get("number") == "plural" else THING, is_pronoun=True)
        is_personal = gender or known.get("person") in (1, 2) or word in PERSONAL_RELATIVES
        return _Traits(ONE if is_personal else 0, gender, is_pronoun=True)

    def _is_plural(self, bare: Span, head: Token, name: Span | None) -> bool:
        """Check whether a mention is plural: by its tag, as a plural of the tables, or with an "and"."""
        word = head.lower_
        if has_plural_tag(head) or word in self.plurals:
            return True
        if word not in self.nouns and any(singular in self.nouns for singular in base_forms(word)):
            return True
        start, end = (head.i, head.i + 1) if name is None else (name.start, name.end)
        following = bare.doc[start : min(end + 2, bare.end)]
        return any(
            (part_of_speech(token) == "CCONJ" or token.text == "&") and part_of_speech(after) in CONJUNCTS
            for token, after in pairwise(following)
        )

    def _gender(self, bare: Span, head: Token, is_proper: bool) -> str | None:
        """The gender that the title or the noun of a mention tells, "" if these tell only that it is a person; None if
        it has neither."""
        before = bare.doc[_own_start(bare, head) : head.i] if is_proper else ()  # not "boy" of "the boy band"
        known = [self._title(token) if _is_name(token) else self.nouns.get(token.lower_) for token in before]
        found = [gender for gender in known if gender is not None]  # "Dr." of "Dr. Ann Lee", "uncle" of "my uncle Toby"
        if found:
            return next(filter(None, found), "")
        if any(map(_is_name, before)) and bare[0].lower_ != "the":  # the head is a surname: "Stephen King"
            return None
        is_described = len(bare) > 1 or _is_name(head)  # "the captain", "Captain"; but "justice"
        noun: str | None = self.nouns.get(head.lower_)
        return noun if noun is not None or not is_described else self._title(head)

    def _title(self, token: Token) -> str | None:
        """The gender of a title, "" if it has none; None if the token is no title."""
        word = token.lower_.rstrip(".")
        return None if word in TITLES_OF_PLACES else self.titles.get(word)


def _name(bare: Span, head: Token) -> Span:
    """The name that a proper mention has, without what is said of it: "Mr. Bennet" of "my dear Mr. Bennet, who was
    late". All of it, if the head is not capitalised, as in scripts without capitals.
    """
    if not _is_name(head):
        return bare
    doc, end = bare.doc, head.i + 1
    start = next(token.i for token in doc[_own_start(bare, head) : end] if _is_name(token))
    for token in doc[end : bare.end]:
        if _is_name(token):
            end = token.i + 1
        elif token.lower_ not in WITHIN_NAMES and not token.is_space:
            break
    has_article = start > bare.start and doc[start - 1].lower_ == "the"
    return doc[start - has_article : end]


def _own_start(bare: Span, head: Token) -> int:
    """The start of the words that say who the head is: behind a possessor, as in "Mr. Bennet's daughter Jane"."""
    others = [token.i + 1 for token in bare.doc[bare.start : head.i] if is_clitic(token) or token.text == ","]
    return max(others, default=bare.start)


def _is_name(token: Token) -> bool:
    return token.text[:1].isupper() and part_of_speech(token) not in GRAMMATICAL
