"""What is said of the types of mentions."""

import numpy as np

from spacy_span_selector.annotation.scored_mentions import ScoredMentions

NONE = np.zeros((3, 0), dtype=np.int64), np.zeros((3, 0), dtype=np.float32)


def scored(**types: list[float]) -> ScoredMentions:
    columns = {label: np.array(column, np.float32) for label, column in types.items()}
    return ScoredMentions([(0, 1), (1, 2), (2, 3)], [0.5, 0.9, 0.0], *NONE, 0.0, set(), "m", columns)


def test_the_shares_of_types_are_of_what_a_mention_is_if_it_is_one() -> None:
    shares = scored(PER=[0.125, 0.9, 0.0], OBJECT=[0.375, 0.0, 0.0]).type_shares()
    assert shares[0] == {"PER": 0.25, "OBJECT": 0.75}
    assert shares[1:] == [{"PER": 1.0, "OBJECT": 0.0}, {"PER": 0.0, "OBJECT": 0.0}]
    assert scored().type_shares() == []


def test_an_entity_is_of_the_type_of_which_most_mentions_are_expected() -> None:
    mentions = scored(PER=[0.1, 0.8, 0.0], OBJECT=[0.4, 0.3, 0.1])
    assert mentions.types_of([[0], [1], [0, 1], [2]]) == ["OBJECT", "PER", "PER", "OBJECT"]
    assert mentions.types_of([]) == []
