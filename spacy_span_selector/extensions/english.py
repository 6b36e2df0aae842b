"""Lists of English words that determine the type of a mention in text without tags; possessives; base forms."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..language import FUNCTION_WORDS, IRREGULAR_VERBS, packaged_table

PART_OF_SPEECH: dict[str, str] = packaged_table("en", FUNCTION_WORDS)


def words_of(*parts: str) -> frozenset[str]:
    """The function words that are of some parts of speech."""
    return frozenset(word for word, part in PART_OF_SPEECH.items() if part in parts)


PENN_TAGS = {
    **dict.fromkeys(["NNP", "NNPS"], "PROPN"),
    **dict.fromkeys(["NN", "NNS"], "NOUN"),
    **dict.fromkeys(["PRP", "PRP$", "WP", "WP$", "EX"], "PRON"),
    **dict.fromkeys(["DT", "PDT", "WDT"], "DET"),
    **dict.fromkeys(["JJ", "JJR", "JJS"], "ADJ"),
    **dict.fromkeys(["VB", "VBD", "VBG", "VBN", "VBP", "VBZ", "MD"], "VERB"),
    **dict.fromkeys(["RB", "RBR", "RBS", "WRB"], "ADV"),
    **dict.fromkeys(["IN", "TO", "RP"], "ADP"),
    **dict.fromkeys([",", ":", "``", "''", "-LRB-", "-RRB-"], "PUNCT"),
    "CD": "NUM",
    "CC": "CCONJ",
    "POS": "PART",
    "UH": "INTJ",
    "_SP": "SPACE",
}

THIRD_PERSON = frozenset(
    {"he", "him", "his", "she", "her", "hers", "it", "its", "they", "them", "'em", "’em", "their", "theirs"}
)
POSSESSIVES = frozenset({"my", "mine", "your", "yours", "his", "hers", "its", "our", "ours", "their", "theirs"})
PLURAL_PRONOUNS = frozenset({"we", "us", "our", "ours", "ourselves", "they", "them", "their", "theirs", "themselves"})
RELATIVES = frozenset({"who", "whom", "whose", "which"})
CONTRACTIONS = {
    mark + short: full for mark in "'’" for short, full in {"re": "are", "ll": "will", "ve": "have"}.items()
}
DEFINITE = {
    **dict.fromkeys(["a", "an", "one", "some", "several", "this", "that", "these", "those"], "the"),
    "another": "the other",
    **{number: f"the {number}" for number in ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")},
}
"""From the first word of a noun phrase to what it is when the phrase is repeated."""
QUANTIFIERS = frozenset(
    {"any", "each", "either", "every", "few", "half", "many", "more", "most", "neither", "no", "such"}
)
"""First words of noun phrases that mean something else when they are repeated."""
INDEFINITE_PLURALS = frozenset({"couple", "few", "lot", "number"})
"""Second words of such phrases: "a lot of people"."""
PARTICIPLES = frozenset(
    {"based", "born", "built", "called", "held", "known", "living", "located", "lying", "made", "named", "owned"}
    | {"sitting", "standing", "used", "working", "written"}
)
"""Participles that often follow a noun."""
LOCATIVES = frozenset({"across", "around", "at", "in", "inside", "into", "near", "outside"})
"""Prepositions of places rather than of people."""
BESIDE_SUBJECT = frozenset(
    {"about", "around", "as", "before", "behind", "beside", "in", "like", "of", "off", "on", "over", "upon"}
)
"""Prepositions whose object may be the subject: "he looked about him"."""
NAMING = frozenset(
    {"appoint", "be", "become", "call", "create", "elect", "make", "name", "proclaim", "promote", "remain"}
)
"""Verbs that say of one who it is: copulas, and those that give a name."""
NO_NOUN = re.compile(
    r"(ous|ful|less|ive|....[ai]ble)$|(?<!^fami)(?<!^rep)(?<!^al)(?<!^bel)ly$"
    r"|^(angry|everywhere|happy|home|ill|more|rich|sad|sometimes|today|tomorrow|tonight|yesterday)$"
)
"""What is rather said of "her" than owned by her: "it made her famous", "I saw her today"."""

AUXILIARIES = frozenset({"be", "have", "do"})
BE = frozenset({"be", "am", "is", "are", "was", "were", "been", "being", "'m", "'s", "'re"})
AUXILIARY_FORMS = AUXILIARIES | BE | {"has", "had", "having", "'d", "'ve", "does", "did", "done", "doing"}

PERFECT = frozenset({"have", "has", "had", "having", "'ve", "'d"})
"""Forms of the auxiliary of the perfect."""
BEFORE_PARTICIPLES = frozenset(
    words_of("ADV")
    | {"all", "almost", "already", "always", "both", "even", "ever", "just", "n't", "often", "once", "only", "still"}
    | {"i", "you", "he", "she", "it", "we", "they"}
)
"""What may stand between it and its participle, as adverbs in "-ly" may: "had he never drunk"."""


def possessive(text: str, *, plural: bool) -> str:
    """The possessive of a noun phrase: Ann's, James's, the girls'."""
    return f"{text}'" if plural and text.endswith(("s", "S")) else f"{text}'s"


VERBS: dict[str, list[str]] = packaged_table("en", IRREGULAR_VERBS)


def verbs_in_perfect(words: Sequence[str]) -> list[str]:
    """The irregular verbs of which the last of some words, of a sentence up to a verb, may be a participle in the
    perfect: "drink" of "had drunk"."""
    verbs = VERBS.get(words[-1].lower().replace("’", "'"), [])
    before = (word.lower().replace("’", "'") for word in reversed(words[:-1])) if verbs else iter(())
    other = next((word for word in before if word not in BEFORE_PARTICIPLES and word[-2:] != "ly"), None)
    return verbs if other in PERFECT else []


VERB_PREFIX = re.compile("fore|inter|mis|out|over|pre|re|under|un|up|with")
"""Prefixes of irregular verbs, which keep their forms: "withdrew" as "drew"."""
ENDINGS = {"ies": ["y"], "ied": ["y"], "es": ["", "e"], "s": [""], "ed": ["", "e"], "ing": ["", "e"]}
"""Regular endings, each with what may stand in its place in the base form."""
SHORTEST_STEM = 2


def base_forms(form: str) -> Iterator[str]:
    """Words that a form may be a regular form of: "stop" of "stopped", "pick up" of "picks up"; see `words_of_form`."""
    word, space, particle = form.partition(" ")
    for ending, replacements in ENDINGS.items():
        stem = word.removesuffix(ending)
        if stem == word or len(stem) < SHORTEST_STEM:
            continue
        yield from (stem + replacement + space + particle for replacement in replacements)
        if ending in ("ed", "ing") and stem[-1] == stem[-2]:
            yield stem[:-1] + space + particle


SPELLINGS = {
    "(?<=[iy])s(?=e|ation)": "z",
    "our$": "or",
    "tre$": "ter",
    "(?<=en)ce$": "se",
    "(?<=[aoi]l)$": "l",
    "-": "",
}
"""Parts of British spellings, each with what may stand in its place in American ones, which PropBank has."""
BRITISH = re.compile("|".join(SPELLINGS))


def words_of_form(form: str) -> Iterator[str]:
    """Words that a form may be a form of: "wake up" of "woke up", "stop" of "stopped", "organize" of "organised".

    form (str): A word, or a verb and its particle, in lower case.
    RETURNS (Iterator[str]): Candidates, without the form itself, better ones first; some are no words.
    """
    word, space, particle = form.replace("’", "'").partition(" ")
    prefix = VERB_PREFIX.match(word)
    start = prefix[0] if prefix else ""
    verbs = [*VERBS.get(word, ()), *(start + verb for verb in VERBS.get(word[len(start) :], ()) if start)]
    words = [*(verb + space + particle for verb in verbs), *base_forms(form)]
    yield from words
    for word in filter(BRITISH.search, (form, *words)):
        for part, other in SPELLINGS.items():
            spelled = re.sub(part, other, word)
            if spelled != word:
                yield spelled
