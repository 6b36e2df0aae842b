"""Alignment of the words of UD_English-EWT with the tokens of the treebank that PropBank annotates.

Universal Dependencies revised the English Web Treebank: it split and joined tokens, changed parts of speech and split
a sentence in two. PropBank masks the words, so only parts of speech, the lemmas of predicates and white space, which no
token has inside, can be compared. Sentences and tokens are aligned by the cheapest sequence of steps from left to
right. If two sequences cost the same, the earlier step in the list of steps is taken.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from math import inf

from ..conllu import Word
from .skeleton import Skeleton

Step = tuple[int, int]
Pair = tuple[range, range]  # tokens and their words, or sentences of both sides

SENTENCE_STEPS: list[Step] = [(1, 1), (1, 2), (1, 0)]
LARGEST_GROUP = 5  # as in "A-B-1", one word and five tokens
TOKEN_STEPS: list[Step] = [
    *((1, size) for size in range(2, LARGEST_GROUP + 1)),
    *((size, 1) for size in range(2, LARGEST_GROUP + 1)),
    (1, 1),
]

# Costs, in units of one different part of speech. Splitting and joining cost so much that a few revised parts of speech
# do not shift a sentence.
GROUP_COST = 2.0
MEMBER_COST = 0.5  # for each member after the second
JOINED_PREDICATE_COST = 0.5
LINKS = frozenset({"GW", "HYPH"})  # "goes with" and hyphens belong to the token after them
STEM = 2  # number of letters that lemma and roleset of a predicate share, as in "difference" and "differ.02"


def align_sentences(skeletons: Sequence[Skeleton], sentences: Sequence[Sequence[Word]]) -> list[Pair]:
    """Align the sentences of a document: each of the treebank is one or two of UD, or none if it has no predicate.

    skeletons (Sequence[Skeleton]): The sentences of the treebank.
    sentences (Sequence[Sequence[Word]]): The sentences of UD.
    RETURNS (list[Pair]): Skeletons and their sentences; empty if there is no such alignment.
    """
    if len(skeletons) == len(sentences):
        return [(range(i, i + 1), range(i, i + 1)) for i in range(len(skeletons))]

    def cost(rows: range, columns: range) -> float:
        if not columns and skeletons[rows.start].frames:
            return inf
        tags = Counter(skeletons[rows.start].tags)
        others = Counter(word.tag for j in columns for word in sentences[j])
        return ((tags - others) + (others - tags)).total()

    pairs, total = _align(len(skeletons), len(sentences), SENTENCE_STEPS, cost)
    return pairs if total < inf else []


def align_tokens(skeleton: Skeleton, words: Sequence[Word]) -> tuple[list[Pair], float]:
    """Align the tokens of a sentence with its words: one to one, one to many or many to one.

    skeleton (Skeleton): The sentence of the treebank.
    words (Sequence[Word]): The words of UD.
    RETURNS (tuple[list[Pair], float]): Tokens and their words; the cost of the alignment, infinity if there is none.
    """

    def cost(tokens: range, members: range) -> float:
        return _token_cost(skeleton, words, tokens, members)

    if len(skeleton.tags) == len(words):
        pairs = [(range(i, i + 1), range(i, i + 1)) for i in range(len(words))]
        total = sum(cost(*pair) for pair in pairs)
        if total <= 2 * GROUP_COST:  # any other alignment splits a token and joins others
            return pairs, total
    return _align(len(skeleton.tags), len(words), TOKEN_STEPS, cost)


def _token_cost(skeleton: Skeleton, words: Sequence[Word], tokens: range, members: range) -> float:
    """The cost of aligning these tokens with these words."""
    distances = [_tag_distance(skeleton.tags[i], words[j].tag) for i in tokens for j in members]
    cost = sum(distances) / len(distances)
    rolesets = [roleset for i in tokens if (roleset := skeleton.rolesets[i]) is not None]
    cost += sum(not any(_share_stem(roleset, words[j].lemma) for j in members) for roleset in rolesets)
    size = max(len(tokens), len(members))
    if size > 1:
        cost += GROUP_COST + MEMBER_COST * (size - 2)
        cost += sum(words[j].space for j in members[:-1])
        cost += skeleton.tags[tokens[-1]] in LINKS
    if len(tokens) > 1:
        cost += JOINED_PREDICATE_COST * len(rolesets)
    return cost


def _tag_distance(tag: str, other: str) -> float:
    """0 for the same part of speech, 0.5 for the same family, such as NN and NNPS, and 1 for any other."""
    return 0.0 if tag == other else 0.5 if tag[:2] == other[:2] else 1.0


def _share_stem(roleset: str, lemma: str) -> bool:
    return roleset[:STEM].lower() == lemma[:STEM].lower()


def _align(
    rows: int, columns: int, steps: Sequence[Step], cost: Callable[[range, range], float]
) -> tuple[list[Pair], float]:
    """The cheapest path from (0, 0) to (rows, columns), and its cost; infinity if there is no path."""
    best: dict[tuple[int, int], tuple[float, Step]] = {(rows, columns): (0.0, (0, 0))}  # cost to the end, next step
    for i in range(rows, -1, -1):
        for j in range(columns, -1, -1):
            options = [
                (cost(range(i, i + down), range(j, j + right)) + best[i + down, j + right][0], (down, right))
                for down, right in steps
                if (i + down, j + right) in best
            ]
            if options:
                best[i, j] = min(options, key=lambda option: option[0])
    if (0, 0) not in best:
        return [], inf
    pairs = []
    i = j = 0
    while (i, j) != (rows, columns):
        down, right = best[i, j][1]
        pairs.append((range(i, i + down), range(j, j + right)))
        i, j = i + down, j + right
    return pairs, best[0, 0][0]
