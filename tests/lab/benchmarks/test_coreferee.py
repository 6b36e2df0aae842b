"""What can be tested without Coreferee, which the laboratory doesn't install."""

from pathlib import Path
from types import SimpleNamespace

import pytest
import spacy
from spacy.tokens import Doc

from lab.benchmarks import coreferee
from spacy_span_selector.annotation import cluster_groups, set_clusters


@pytest.fixture
def parsed() -> Doc:
    words = ["The", "old", "man", "and", "his", "dog", "left", ",", "but", "he", "came", "back", "."]
    heads = [2, 2, 6, 2, 5, 2, 6, 6, 6, 10, 6, 10, 6]
    deps = ["det", "amod", "nsubj", "cc", "poss", "conj", "ROOT", "punct", "cc", "nsubj", "conj", "advmod", "punct"]
    return Doc(spacy.blank("en").vocab, words, heads=heads, deps=deps)


def test_clusters_are_written_as_ranges_of_characters_with_a_label(tmp_path: Path, parsed: Doc) -> None:
    set_clusters(parsed, [[(0, 3), (9, 10)], [(4, 6)]])
    coreferee.write_documents([parsed], tmp_path)
    text = (tmp_path / "0000.txt").read_text()
    rows = [line.split()[1:4] for line in (tmp_path / "0000.ann").read_text().splitlines()]
    found = [(label, text[int(start) : int(end)]) for label, start, end in rows]
    assert found == [("cluster-0", "The old man"), ("cluster-0", "he"), ("cluster-1", "his dog")]


@pytest.mark.parametrize(
    ("tokens", "text"), [([2], "The old man"), ([5], "his dog"), ([2, 5], "The old man and his dog"), ([9], "he")]
)
def test_a_word_stands_for_its_subtree_without_what_is_coordinated(parsed: Doc, tokens: list[int], text: str) -> None:
    start, end = coreferee.span_of(parsed, SimpleNamespace(token_indexes=tokens))
    assert parsed[start:end].text == text


def test_mentions_become_their_heads_and_of_one_head_the_shortest_is_kept(parsed: Doc) -> None:
    doc = Doc(parsed.vocab, [token.text for token in parsed])
    set_clusters(doc, [[(0, 3), (9, 10)], [(0, 6)], [(4, 6)]])
    heads = coreferee.clusters_of_heads(doc, parsed)
    assert [[span.text for span in group] for group in cluster_groups(heads)] == [["man", "he"], ["dog"]]
