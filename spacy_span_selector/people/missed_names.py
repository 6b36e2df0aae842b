"""Names that a network has found in one place of a document and missed in another.

Where a name is a mention, other places of the same words are, too: of LitBank's gold 98.8 % of those that no mention
covers and that are no part of a longer name. So are the given and the family name of a person with both, and an
acronym of a name. What is added has the probability and the types of the mention that it repeats, and no links: names
are joined over any distance.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from spacy.tokens import Doc

from ..annotation import Mention
from ..extensions.english import POSSESSIVES
from ..extensions.mention_types import head_token
from ..language import CAPITALISED_NAMES, CLITICS, FUNCTION_WORDS, NAME_WORDS, SENTENCE_WORDS, language_words
from .clustering import Form
from .clustering.forms import SHORTEST_ACRONYM, acronym, read_words

Words = tuple[str, ...]

ARTICLE = "the"
QUESTIONED = frozenset({"PRON", "DET"})
"""What follows a verb that opens a sentence: "Will you", not "Will rose"."""
NEGATIONS = frozenset({"n't", "n’t"})
"""What stands behind verbs alone, as in "Sha n't I"."""
JOINING = frozenset({"-", "–", "/", "&"})
"""Marks that make one name or word of what stands on both sides."""


def find_missed_names(
    doc: Doc, mentions: Sequence[Mention], forms: Sequence[Form], persons: Sequence[bool]
) -> dict[Mention, int]:
    """The places of names that are no mention, each with the number of a mention that has the name.

    doc (Doc): A document without white space.
    mentions (Sequence[Mention]): Its mentions, in the order of the text.
    persons (Sequence[bool]): Whether each is the name of a person, whose parts are names as well.
    """
    return _Finder(doc, mentions).find(forms, persons)


class _Finder:
    def __init__(self, doc: Doc, mentions: Sequence[Mention]) -> None:
        self.doc, self.mentions = doc, mentions
        self.texts = read_words(doc)
        self.marked = 0
        self.lower = {*filter(str.islower, self.texts)}
        self.parts = language_words(doc.vocab, FUNCTION_WORDS)
        self.name_words = language_words(doc.vocab, NAME_WORDS)
        self.sentence_words = language_words(doc.vocab, SENTENCE_WORDS)

    def find(self, forms: Sequence[Form], persons: Sequence[bool]) -> dict[Mention, int]:
        known = self._known(forms, persons)
        places = [place for place in self._free(self._places(known)) if self._is_name(*place)]
        missed = Counter(map(self._words, places))
        found = {}
        for place in places:
            words = self._words(place)
            number, count = known[words]
            if count >= missed[words] or not (self._opens(place[0]) and self._is_common(words[-1], count)):
                start, end = self._whole(*place)
                if self.parts.get(self._text(start - 1).lower()) != "DET":
                    found[start, end] = number
        return found

    def _known(self, forms: Sequence[Form], persons: Sequence[bool]) -> dict[Words, tuple[int, int]]:
        """The names of the document: the number of the first mention that has each, and how many mentions have it."""
        known: dict[Words, tuple[int, int]] = {}
        parts: dict[Words, tuple[int, int]] = {}
        for number, ((start, end), form, is_person) in enumerate(zip(self.mentions, forms, persons, strict=True)):
            if form.name is None:
                continue
            is_marked = end - start > 1 and self.texts[end - 1] in CLITICS
            self.marked += 1 if is_marked else -(self._text(end) in CLITICS)
            words = self._words((start, end - is_marked))
            body = words[words[0] == ARTICLE :]
            if not body or not all(map(self._is_of_name, body)):
                continue
            first, count = known.get(words, (number, 0))
            known[words] = first, count + 1
            if short := acronym(body):
                parts |= {(short,): (number, 0), (ARTICLE, short): (number, 0)}
            if is_person and form.name.given:
                own = (form.name.given, form.name.family)
                parts |= {(word,): (number, 0) for word in body if word[0].isupper() and word.lower() in own}
        return {**parts, **known}

    def _is_of_name(self, word: str) -> bool:
        is_capital = word[:1].isupper() and self.parts.get(word.lower()) not in QUESTIONED
        return is_capital or self.name_words.get(word) == "particle"

    def _is_common(self, word: str, count: int) -> bool:
        """Check whether a word is also another than a name, so that few mentions that have it prove nothing."""
        if word in CAPITALISED_NAMES or (word.isupper() and len(word) >= SHORTEST_ACRONYM):
            return False
        return word.lower() in self.lower or (count == 0 and word.lower() in self.sentence_words)

    def _words(self, place: Mention) -> Words:
        first, *others = self.texts[slice(*place)]
        return (ARTICLE if first.lower() == ARTICLE else first, *others)

    def _places(self, known: Iterable[Words]) -> Iterator[Mention]:
        """Where names stand, the longest one at each place."""
        lengths: dict[str, set[int]] = {}
        names = {*known}
        for first, *others in names:
            lengths.setdefault(first, set()).add(1 + len(others))
        end = 0
        lower = map(str.lower, self.texts)
        openers = [ARTICLE if word == ARTICLE else text for text, word in zip(self.texts, lower, strict=True)]
        for start, opener in enumerate(openers):
            for length in sorted(lengths[opener], reverse=True) if opener in lengths else ():
                last = start + length
                if start >= end and last <= len(self.texts) and self._words((start, last)) in names:
                    end = last
                    yield start, end

    def _free(self, places: Iterable[Mention]) -> Iterator[Mention]:
        """The places where no mention stands but those whose head has the name as its possessor."""
        still_open: list[Mention] = []
        number = 0
        for start, end in places:
            while number < len(self.mentions) and self.mentions[number][0] < end:
                still_open.append(self.mentions[number])
                number += 1
            still_open = [other for other in still_open if other[1] > start]
            is_possessive = self._text(end) in CLITICS
            if not any(
                not (is_possessive and first <= start and end + 1 < last and not self._is_head(start, end, first, last))
                for first, last in still_open
                if first < end
            ):
                yield start, end

    def _is_head(self, start: int, end: int, first: int, last: int) -> bool:
        return start <= head_token(self.doc[first:last]).i < end

    def _text(self, place: int) -> str:
        return self.texts[place] if 0 <= place < len(self.texts) else ""

    def _opens(self, place: int) -> bool:
        """Check whether a sentence, a quotation or the like may begin at a place, where any word has a capital."""
        return place == 0 or bool(self.doc[place].is_sent_start) or not self.texts[place - 1][-1:].isalnum()

    def _is_name(self, start: int, end: int) -> bool:
        """Check whether the words at a place are a whole name, and no verb that opens a question."""
        before, after = self._text(start - 1), self._text(end)
        opens = self._opens(start)
        part = self.parts.get(before.lower(), "")
        is_longer = not opens and (part == "DET" or (before[:1].isupper() and not part))
        is_longer |= (
            after.lower() in NEGATIONS or before.lower() in POSSESSIVES or before in JOINING or after in JOINING
        )
        is_longer |= after[:1].isupper() and after != "I" and not self.doc[end].is_sent_start
        is_verb = opens and self.texts[start] in CAPITALISED_NAMES and self.parts.get(after.lower()) in QUESTIONED
        return not (is_longer or is_verb)

    def _whole(self, start: int, end: int) -> Mention:
        """A name with the "old" or "poor" before it, and the possessive mark behind it where other mentions have it."""
        while not self.doc[start].is_sent_start and self.name_words.get(self._text(start - 1).lower()) == "epithet":
            start -= 1
        has_mark = self._text(end) in CLITICS and not self.doc[end].is_sent_start
        return start, end + (self.marked > 0 and has_mark)
