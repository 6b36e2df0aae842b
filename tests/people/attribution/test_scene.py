"""What is near a quotation, against plain searches over all mentions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_span_selector.people.attribution import Scene, quotation_of_words

from .scenes import read


@st.composite
def scenes(draw: st.DrawFn) -> Scene:
    """Scenes with any quotations and mentions; these may nest, and cross the edges of quotations."""
    size = draw(st.integers(1, 30))
    edges = sorted(draw(st.sets(st.integers(0, size), max_size=12)))
    quotations = list(zip(edges[::2], edges[1::2], strict=False))
    spans = st.tuples(st.integers(0, size - 1), st.integers(1, 8)).map(lambda s: (s[0], min(s[0] + s[1], size)))
    mentions = sorted(draw(st.sets(spans, max_size=12)))
    clusters = draw(st.lists(st.sampled_from([None, 0, 1, 2]), min_size=len(mentions), max_size=len(mentions)))
    return Scene(["word"] * size, [0] * size, None, quotations, mentions, ["name"] * len(mentions), clusters)


def test_words_have_the_number_of_their_quotation() -> None:
    assert quotation_of_words([(1, 3), (3, 4)], 5) == [-1, 0, 0, 1, -1]
    assert quotation_of_words([], 0) == []


def is_quoted(scene: Scene, word: int) -> bool:
    return any(start <= word < end for start, end in scene.quotations)


def narration(scene: Scene, start: int, end: int) -> int:
    """How many words of a range are not quoted."""
    return sum(not is_quoted(scene, word) for word in range(start, end))


def narrators(scene: Scene) -> list[int]:
    told = [mention for mention, number in enumerate(scene.clusters) if number is not None]
    return [mention for mention in told if not is_quoted(scene, scene.mentions[mention][0])]


@given(scenes(), st.integers(1, 15))
def test_before_are_the_last_mentions_in_the_narration_within_so_many_words(scene: Scene, most: int) -> None:
    for number, (start, _) in enumerate(scene.quotations):
        last = [mention for mention in narrators(scene) if scene.mentions[mention][0] < start][-most:]
        expected = [
            mention
            for mention in last
            if scene.mentions[mention][1] <= start and narration(scene, scene.mentions[mention][1], start) <= most
        ]
        assert scene.before(number, most) == expected[::-1]


@given(scenes(), st.integers(1, 15))
def test_after_are_the_mentions_in_the_narration_within_so_many_words(scene: Scene, most: int) -> None:
    for number, (_, end) in enumerate(scene.quotations):
        expected = [
            mention
            for mention in narrators(scene)
            if scene.mentions[mention][0] >= end and narration(scene, end, scene.mentions[mention][0]) <= most
        ]
        assert scene.after(number, most) == expected


@given(scenes())
def test_words_and_mentions_know_their_quotation(scene: Scene) -> None:
    words = range(len(scene.words))
    assert [number >= 0 for number in scene.quotation_of] == [is_quoted(scene, word) for word in words]
    assert scene.narrated == [narration(scene, 0, word) for word in range(len(scene.words) + 1)]
    for (start, end), inside in zip(scene.quotations, scene.inside, strict=True):
        assert inside == [m for m, (first, _) in enumerate(scene.mentions) if start <= first < end]


@given(scenes(), st.integers(0, 3))
def test_the_nearest_mention_is_one_of_the_narration_if_there_is_any(scene: Scene, cluster: int) -> None:
    for number, (start, end) in enumerate(scene.quotations):
        found = scene.nearest(number, cluster)
        own = [mention for mention, other in enumerate(scene.clusters) if other == cluster]
        rivals = [mention for mention in own if mention in narrators(scene)] or own
        gaps = {m: max(start - scene.mentions[m][1], scene.mentions[m][0] - end) for m in rivals}
        assert (found is None) == (not own)
        assert found is None or gaps[found] == min(gaps.values())


@pytest.mark.parametrize("most", [1, 5])
def test_a_mention_that_crosses_the_edge_of_a_quotation_stands_neither_before_nor_after(most: int) -> None:
    scene = Scene(["a"] * 6, [0] * 6, None, [(2, 4)], [(1, 3), (3, 5)], ["name"] * 2, [0, 1])
    assert (scene.before(0, most), scene.after(0, most), scene.inside) == ([], [], [[1]])


def test_a_long_mention_that_ends_beside_a_quotation_is_near_whatever_is_inside_it() -> None:
    scene = Scene(["a"] * 20, [0] * 20, None, [(18, 20)], [(0, 18), (2, 3)], ["noun"] * 2, [0, 1])
    assert scene.before(0, 5) == [0]


def test_the_helper_reads_what_it_says() -> None:
    scene = read('" Go ! " said poor_Tom=0 .\nI=? left .')
    assert (scene.quotations, scene.mentions, scene.clusters) == ([(0, 4)], [(5, 7), (8, 9)], [0, None])
    assert scene.sentences == [0] * 4 + [1] * 4 + [2] * 3
    assert scene.paragraphs == [0] * 8 + [1] * 3
    assert scene.evidence == ["name", "1 singular"]
