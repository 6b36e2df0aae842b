import numpy as np
import pytest
import spacy
from spacy.tokens import Doc

from spacy_span_selector.annotation import Frame, set_frames, set_mentions
from spacy_span_selector.annotation.scored_mentions import ScoredMentions
from spacy_span_selector.extensions.frames import doc_frames
from spacy_span_selector.people.mentions import with_mentions, without_overruns


def unlinked(mentions: list[tuple[int, int]], scores: list[float]) -> ScoredMentions:
    links = np.full((len(mentions), 1), -np.inf, np.float32)
    types = {"PER": np.array(scores, np.float32)}
    return ScoredMentions(mentions, scores, np.zeros(links.shape, np.int64), links, 0.0, {*mentions}, "m", types)


@pytest.mark.parametrize(
    "text, subject, verb, mentions, expected",
    [
        ("The boy who sold it bought a drum", 5, 5, [(0, 8)], [(0, 5)]),
        ("The boy who sold it bought a drum", 5, 5, [(0, 5), (0, 8)], [(0, 5)]),
        ("The boy who sold it will buy a drum", 5, 6, [(0, 9)], [(0, 5)]),
        ("The boy who sold it sitting there", 5, 5, [(0, 7)], [(0, 7)]),
        ("The boy standing there", 2, 2, [(0, 4)], [(0, 4)]),
    ],
)
def test_a_mention_ends_before_the_verb_of_its_clause(
    text: str, subject: int, verb: int, mentions: list[tuple[int, int]], expected: list[tuple[int, int]]
) -> None:
    doc = Doc(spacy.blank("en").vocab, text.split())
    modals = [(subject, verb, "ARGM-MOD")] if verb > subject else []
    set_frames(doc, [Frame(verb, verb + 1, [(0, subject, "ARG0"), *modals])])
    scored = unlinked(mentions, [0.75, 0.25][: len(mentions)])
    set_mentions(doc, mentions, scored.scores, "m")

    cut = without_overruns(doc, scored, doc_frames(doc))
    assert cut.scores == [*cut.types["PER"]] == [0.75]
    assert cut.singletons == {*expected}
    assert [(span.start, span.end) for span in doc.spans["m"]] == expected


@pytest.mark.parametrize(("known", "kept"), [([(1, 2), (1, 3), (2, 3)], [(1, 2), (2, 3)]), ([(1, 3), (2, 3)],) * 2])
def test_two_mentions_that_are_arguments_of_one_verb_are_not_one(
    known: list[tuple[int, int]], kept: list[tuple[int, int]]
) -> None:
    doc = Doc(spacy.blank("en").vocab, ["Took", "him", "home"])
    set_frames(doc, [Frame(0, 1, [(1, 2, "ARG1"), (2, 3, "ARG3")])])
    assert without_overruns(doc, unlinked(known, [0.9] * len(known)), doc_frames(doc)).mentions == kept


@pytest.mark.parametrize(
    ("text", "is_double"),
    [
        ("[ the garden ] , which is old", True),
        ("[ the garden ] of which he sang", True),
        ("[ the woman ] who came", True),
        ("[ the sale ] to others", True),
        ("[ them ] all", True),
        ("[ them ] both", True),
        ("[ a year ] later", True),
        ("all [ his gardens ]", True),
        ("her [ headaches ]", True),
        ("[ Ann ] 's", True),
        ("[ the garden ] , the lake", False),
        ("[ the garden ] and the lake", False),
        ("[ her ] garden", False),
        ("one of [ the gardens ]", False),
        ("the captain [ himself ]", False),
    ],
)
@pytest.mark.parametrize(("scores", "kept"), [([0.9, 0.5], 0), ([0.5, 0.9], 1)])
def test_of_two_mentions_of_one_noun_the_more_probable_is_kept(
    text: str, is_double: bool, scores: list[float], kept: int
) -> None:
    words = text.split()
    start, end = words.index("["), words.index("]") - 1
    doc = Doc(spacy.blank("en").vocab, [word for word in words if word not in ("[", "]")])
    both = [(start, end), (0, len(doc))]
    of_mention = dict(zip(both, scores, strict=True))
    scored = unlinked(sorted(both), [of_mention[one] for one in sorted(both)])
    assert without_overruns(doc, scored, []).mentions == ([both[kept]] if is_double else sorted(both))


def test_added_mentions_are_like_others_and_compared_with_none() -> None:
    antecedents, links = np.array([[0], [0], [1]]), np.array([[-np.inf], [2.0], [3.0]], dtype=np.float32)
    types = {"PER": np.array([0.5, 0.8, 0.1], np.float32)}
    known = ScoredMentions([(0, 1), (3, 4), (5, 6)], [0.5, 0.9, 0.1], antecedents, links, 0.0, {(3, 4)}, "m", types)
    more = with_mentions(known, {(2, 3): 1})
    assert more.mentions == [(0, 1), (2, 3), (3, 4), (5, 6)]
    assert more.scores == [0.5, 0.9, 0.9, 0.1]
    assert more.antecedents[2:].tolist() == [[0], [2]]
    assert more.links.tolist() == [[-np.inf], [-np.inf], [2.0], [3.0]]
    assert more.singletons == {(2, 3), (3, 4)}
    assert more.types["PER"].tolist() == types["PER"][[0, 1, 1, 2]].tolist()
