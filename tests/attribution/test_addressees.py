"""The candidates for the addressee of a quotation, and what speaks for them."""

from __future__ import annotations

from spacy_span_selector.attribution.addressees import NEAR, find_addressees
from spacy_span_selector.attribution.features import Candidate

from .scenes import VERBS, read


def addressees(text: str, speakers: list[int | None], quotation: int = 0) -> dict[int | None, Candidate]:
    return {c.cluster: c for c in find_addressees(read(text), quotation, speakers, VERBS)}


def test_nobody_may_be_addressed() -> None:
    assert list(addressees('" Go . "', [None])) == [None]


def test_who_is_called_may_be_addressed() -> None:
    found = addressees('" Come here , Ann=1 , " said Tom=0 .', [0])
    assert "to called" in found[1].features
    assert found[1].mention == 0


def test_who_is_spoken_to_may_be_addressed() -> None:
    found = addressees('" Come here , " said Tom=0 to Ann=1 .', [0])
    assert "to to> name" in found[1].features
    assert found[1].mention == 1


def test_who_is_spoken_of_is_told() -> None:
    assert "to spoken-of" in addressees('" I=? saw Ann=1 there , " said Tom=0 .', [0])[1].features


def test_you_speaks_for_nobody_in_particular() -> None:
    assert set(addressees('" I=? saw you=1 , " said Tom=0 .', [0])) == {None, 0}


def test_those_who_speak_before_and_next_may_be_addressed() -> None:
    text = '" One . " " Two . " " Three . " " Four . " " Five . "'
    found = addressees(text, [3, 1, 0, 1, 2], 2)
    told = {cluster: c.features[:-1] for cluster, c in found.items() if cluster}
    assert told == {1: ["to before1 0=", "to next1 0="], 3: ["to before2 0="], 2: ["to next2 0="]}


def test_quotations_of_nobody_are_no_turns() -> None:
    assert set(addressees('" One . " " Two . " " Three . "', [1, None, 0], 2)) == {None, 0, 1}


def test_mentions_far_away_are_no_candidates() -> None:
    far = "and " * (NEAR + 1)
    assert set(addressees(f'Ann=1 {far} " Go . " {far} Leo=2', [0])) == {None, 0}


def test_a_cluster_is_one_candidate_and_a_role_counts_once() -> None:
    found = find_addressees(read('" Go , " said Tom=0 to Ann=1 and Ann=1 and Ann=1 .'), 0, [0], VERBS)
    assert [c.cluster for c in found] == [None, 0, 1]
    assert found[2].features == ["to to> name", "to near> name", "to near> + to>"]
