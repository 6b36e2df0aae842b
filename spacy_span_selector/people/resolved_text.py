"""The extension attribute for the text with pronouns replaced by what they refer to: `doc._.resolved_text`."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Container, Mapping, Sequence
from functools import reduce
from itertools import takewhile
from typing import NamedTuple

from spacy.tokens import Doc, Span, Token

from ..annotation import get_speakers
from ..documents.visible import visible
from ..extensions.clusters import Cluster, doc_clusters
from ..extensions.english import CONTRACTIONS, LOCATIVES, NO_NOUN, POSSESSIVES, THIRD_PERSON, possessive, words_of_form
from ..extensions.frames import doc_frames
from ..extensions.mention_types import is_pronominal, mention_type, part_of_speech, without_space
from ..language import SMALL_CLAUSE_VERBS, packaged_table
from .characters import is_thing
from .clustering import EntityTypes, read_forms
from .clustering.entity_types import Weights, add
from .substitutes import definite, is_plural, substitute

DEEPEST = 3  # "its tail" may become "Ann's brother's dog's tail", via "his dog" and "her brother"
REACH = 30  # tokens around a pronoun, within its sentence, where a name is still in mind
IDENTIFIED = 3  # tokens after a pronoun, where its sentence says what it is: "It is the cat"
RIVAL = -0.5  # agreement of a pronoun with an entity that it may mean, too: a bare name agrees with "he" by -0.36
CLAUSE_VERBS = frozenset(packaged_table("en", SMALL_CLAUSE_VERBS))
SENTENCE_ENDS = frozenset({".", "!", "?"})


def resolved_text(doc: Doc, prefix: str | None = None) -> str:
    """The text of a document with pronouns replaced by the representative mention of their cluster.

    A pronoun of the third person is replaced unless its sentence names the entity and nothing else that the pronoun may
    mean. It is replaced by the representative without clauses, appositions and, in long ones, prepositional phrases;
    "a girl" becomes "the girl". Everything else stays: names and noun phrases, "I" and "you", reflexive and relative
    pronouns, and the pronouns of clusters without a noun phrase that can be repeated. Pronouns in inserted text are
    replaced in turn. English possessives and capitals at the start of a sentence are kept.
    """
    clusters = doc_clusters(doc, prefix)
    return (_Resolver(doc, clusters).write(doc[:]) if clusters else "") + doc.text[doc[:].end_char if clusters else 0 :]


class _Mention(NamedTuple):
    """A mention in its sentence.

    cluster (int): Index of its cluster.
    evidence (str): What its words tell of the entity, as a `Form` has it.
    names (bool): Whether it says what it means, as a name or a noun phrase does.
    preposition (str): The preposition before it, "" without one.
    """

    start: int
    end: int
    cluster: int
    evidence: str
    names: bool
    preposition: str


class _Resolver:
    """Writes the text of a document, once, from its start to its end."""

    def __init__(self, doc: Doc, clusters: Sequence[Cluster]) -> None:
        self.text, self.is_english = doc.text, doc.lang_ == "en"
        self.types = EntityTypes(doc.vocab)
        self.substitutes = [substitute(cluster) for cluster in clusters]
        self.sentences = _sentence_numbers(doc)
        self.mentions: dict[int, list[_Mention]] = defaultdict(list)  # those of each sentence
        self.pronouns: dict[int, _Mention] = {}  # those that may be replaced, by their token
        self.openers: dict[int, int] = {}  # the end of the widest mention that starts at a token
        subjects = [(f.arguments.get(role, ()), f.predicate) for f in doc_frames(doc) for role in ("ARG0", "ARG1")]
        self.subjects = {one.start for spans, verb in subjects for one in spans if one.end == verb.start}
        weights: dict[int, list[Weights]] = defaultdict(list)
        spans = [(without_space(mention), index) for index, cluster in enumerate(clusters) for mention in cluster]
        spans.sort(key=lambda item: (item[0].start, -item[0].end))
        forms = read_forms(doc, [(span.start, span.end) for span, _ in spans])
        for (span, index), form in zip(spans, forms, strict=True):
            before = doc[max(span.start - 1, 0)]
            names = not form.is_pronoun and mention_type(span) in ("proper", "nominal")
            preposition = before.lower_ if part_of_speech(before) == "ADP" else ""
            mention = _Mention(span.start, span.end, index, form.evidence, names, preposition)
            self.mentions[self.sentences[span.start]].append(mention)
            self.openers[span.start] = max(span.end, self.openers.get(span.start, 0))
            weights[index].append(self.types.evidence(form.evidence))
            if self.substitutes[index] is not None and _may_be_replaced(span):
                self.pronouns.setdefault(span.start, mention)
        unclear = {"your", "my", "our"} if get_speakers(doc) else {"your"}  # whose, if someone else says it
        for index, phrase in enumerate(self.substitutes):
            if phrase is not None and phrase[0].lower_ in unclear and phrase.start not in self.pronouns:
                self.substitutes[index] = None
        for index, cluster in enumerate(clusters):
            if is_thing(cluster):  # "she" of "Ann arrived on Monday and she slept" is not Monday
                weights[index].append(self.types.labelled({cluster.shown_label: 1.0})[1])
        self.weights = {index: reduce(add, found) for index, found in weights.items()}
        pairs = zip(self.substitutes, clusters, strict=True)
        self.is_plural = [short is not None and is_plural(short, cluster) for short, cluster in pairs]
        self.quoted = [cluster.quotations for cluster in clusters]
        self.named: dict[tuple[int, int], int] = {}  # sentence and cluster -> where a pronoun was last replaced

    def write(self, stretch: Span, place: int | None = None, within: tuple[int, ...] = ()) -> str:
        """The text of a stretch with pronouns replaced.

        within (tuple[int, ...]): The clusters whose substitutes are being inserted; their pronouns stay, so that no
            substitute is inserted into itself.
        """
        copied, pieces = stretch.start_char, []
        for token in stretch:
            pronoun = self.pronouns.get(token.i)
            if pronoun is None or not self._applies(token, pronoun, token.i if place is None else place, within):
                continue
            inserted, last = self._insert(token, pronoun.cluster, token.i if place is None else place, within)
            if token.text[0].isupper() and token.lower_ != "i" and not (within and token.i == stretch.start):
                inserted = inserted[:1].upper() + inserted[1:]
            pieces += [self.text[copied : token.idx], inserted]
            copied = last.idx + len(last)
        pieces.append(self.text[copied : stretch.end_char])
        if within and pieces[0] and _loses_capital(stretch[0]):
            pieces[0] = pieces[0][0].lower() + pieces[0][1:]
        return "".join(pieces)

    def _applies(self, token: Token, pronoun: _Mention, place: int, within: tuple[int, ...]) -> bool:
        """Check whether a pronoun is replaced at a place in the text: its own, or where it is inserted."""
        if pronoun.cluster in within or len(within) >= DEEPEST or self.substitutes[pronoun.cluster] is None:
            return False
        if self.is_english and token.lower_ not in THIRD_PERSON:  # "my" of "my brother", said elsewhere
            return within != () and not any(span.start <= place < span.end for span in self.quoted[pronoun.cluster])
        if self.is_english and token.lower_ == "they" and not self.is_plural[pronoun.cluster]:
            return False  # "Ann are"
        return not self._is_clear(pronoun, place)

    def _is_clear(self, pronoun: _Mention, place: int) -> bool:
        """Check whether the sentence of a place names the entity of a pronoun, and no other that it may mean."""
        sentence = self.mentions[self.sentences[place]]
        near = sentence[bisect_left(sentence, (place - REACH,)) : bisect_left(sentence, (place + REACH,))]
        own = [mention for mention in near if mention.cluster == pronoun.cluster and mention.names]
        if any(0 < mention.start - place <= IDENTIFIED for mention in own):
            return True
        said = self.named.get((self.sentences[place], pronoun.cluster))
        is_named = (said is not None and said >= place - REACH) or (own != [] and own[0].start <= place)
        if not is_named and not own:
            return False
        limit = place if is_named else own[0].end
        is_object = any(mention.preposition for mention in own[:1])
        is_person = pronoun.evidence.endswith("male")
        return not any(
            mention.start < limit
            and mention.cluster != pronoun.cluster
            and not mention.start <= place < mention.end
            and not mention.evidence.startswith(("1", "2"))
            and (is_object or mention.preposition not in LOCATIVES)
            and (is_object or is_person or not mention.preposition)
            and not any(one.start <= mention.start and mention.end <= one.end for one in own)
            and self.types.agreement(self.weights[mention.cluster], self.types.evidence(pronoun.evidence)) >= RIVAL
            for mention in near
        )

    def _insert(self, token: Token, cluster: int, place: int, within: tuple[int, ...]) -> tuple[str, Token]:
        """The text that replaces a pronoun in the middle of a sentence, and the last token that it replaces."""
        phrase = self.substitutes[cluster]
        assert phrase is not None
        self.named[self.sentences[place], cluster] = place
        inserted = " ".join(visible(self.write(phrase, place, (*within, cluster))).split())
        if not self.is_english:
            return inserted, token
        if mention_type(phrase) == "nominal" or inserted.startswith(("a ", "an ")):
            inserted = definite(inserted)
        following = token.nbor() if token.i + 1 < len(token.doc) else None
        if _is_possessive(token, self.openers, self.subjects):
            return possessive(inserted, plural=self.is_plural[cluster]), token
        if following is not None and following.lower_ in CONTRACTIONS:
            return f"{inserted} {CONTRACTIONS[following.lower_]}", following
        return inserted, token


def _may_be_replaced(mention: Span) -> bool:
    """Check whether a mention is a pronoun that is not bound within its clause; in English, in any person."""
    first = mention[0]
    if len(mention) > 1 or first.tag_ == "WDT" or not is_pronominal(mention):
        return False
    if mention.doc.lang_ == "en":
        return first.lower_ in THIRD_PERSON or first.lower_ in POSSESSIVES
    bound = ("Poss=Yes", "Reflex=Yes", "PronType=Rel", "Person=1", "Person=2")
    return not any(feature in first.morph for feature in bound)


def _is_possessive(token: Token, openers: Mapping[int, int], subjects: Container[int]) -> bool:
    """Check whether a pronoun is one like "his". For "her" the tag decides, or a mention that it opens or stands
    before, or the next words.

    openers (Mapping[int, int]): The end of the widest mention that starts at a token.
    subjects (Container[int]): Where an argument starts that the predicate of its frame follows: "her go".
    """
    if token.lower_ != "her":
        return token.lower_ in POSSESSIVES
    if token.tag or token.has_morph():
        return token.tag_ == "PRP$" or "Poss=Yes" in token.morph
    if openers.get(token.i, 0) > token.i + 1:
        return True
    behind = token.doc[token.i + 1 : token.i + 4]
    near = takewhile(lambda one: not (one.is_sent_start or ("\n" in one.nbor(-1).text and not one.is_lower)), behind)
    words = [word for word in near if not word.is_space][:2]
    if not words or words[0].i in openers:
        return False
    before = token.doc[token.i - 1].lower_
    if token.i in subjects and not CLAUSE_VERBS.isdisjoint((before, *words_of_form(before))):
        return False
    is_content = [part_of_speech(word) in ("NOUN", "PROPN", "NUM", "ADJ") for word in words]
    is_complement = NO_NOUN.search(words[0].lower_) is not None and not all(is_content[1:] or [False])
    return words[0].lower_ == "own" or (is_content[0] and not is_complement)


def _loses_capital(first: Token) -> bool:
    """Check whether the first word of a representative is lower-cased in other positions."""
    lowered = ("DET", "PRON", "NUM", "NOUN") if first.doc.lang_ == "en" else ("DET", "PRON", "NUM")
    return first.is_title and first.lower_ != "i" and part_of_speech(first) in lowered and _starts_sentence(first)


def _starts_sentence(token: Token) -> bool:
    """Check whether a token is the first word of a sentence or of a quotation.

    Boundaries of sentences may be missing, so the preceding tokens count, too.
    """
    while token.i > 0 and not token.is_sent_start:
        before = token.nbor(-1)
        if not (before.is_space or before.is_quote or before.is_left_punct):
            return before.text in SENTENCE_ENDS
        if (before.is_quote and not before.whitespace_) or before.text.count("\n") > 1:
            return True
        token = before
    return True


def _sentence_numbers(doc: Doc) -> list[int]:
    """The number of the sentence of each token; without boundaries a sentence ends at its full stop."""
    has_boundaries = doc.has_annotation("SENT_START")
    number, numbers = 0, []
    for token in doc:
        if token.is_sent_start or (not has_boundaries and token.i and token.nbor(-1).text in SENTENCE_ENDS):
            number += 1
        numbers.append(number)
    return numbers
