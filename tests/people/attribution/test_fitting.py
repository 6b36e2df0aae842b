"""The fit of the weights, on a toy set."""

from math import exp, log

import pytest

from spacy_span_selector.language import QUOTATION_WEIGHTS
from spacy_span_selector.people.attribution import Attributor
from spacy_span_selector.people.attribution.features import CandidateFinder
from spacy_span_selector.people.attribution.fitting import L2, Attributed, fit_weights

from .scenes import VOCAB, read

TOY = [
    Attributed(read('Ann=1 saw Leo=2 . " Go , " said Tom=0 .'), [0]),
    Attributed(read('Tom=0 saw Leo=2 . " Stay , " said Ann=1 near Tom=0 .'), [1]),
    Attributed(read('" Come , " said Leo=2 . Tom=0 and Ann=1 came .'), [2]),
    Attributed(read('Ann=1 wrote a " book " of Tom=0 .'), [None]),
]
WEIGHTS = fit_weights(TOY)


def attributor(monkeypatch: pytest.MonkeyPatch, weights: dict[str, float]) -> Attributor:
    tables = {QUOTATION_WEIGHTS: weights}
    module = "spacy_span_selector.people.attribution.attributor"
    monkeypatch.setattr(f"{module}.language_words", lambda _, name: tables.get(name, {}))
    return Attributor(VOCAB)


def loss(weights: dict[str, float]) -> float:
    """What is minimised, in plain Python; for speakers alone, as the toy set has no addressees."""
    total = L2 / 2 * sum(weight**2 for weight in weights.values())
    for scene, known in ((document.scene, document.known) for document in TOY):
        masses: dict[bool, float] = {True: 0.0, False: 0.0}
        for candidate in CandidateFinder(scene).speakers(0, []):
            score = sum(weights.get(name, 0.0) for name in candidate.features)
            masses[candidate.cluster == known[0]] += exp(score)
        total -= log(masses[True] / sum(masses.values()))
    return total


def test_the_mention_behind_said_is_learnt_to_speak(monkeypatch: pytest.MonkeyPatch) -> None:
    assert loss(WEIGHTS) < loss({})
    assert WEIGHTS["is name vX"] > 0 > WEIGHTS["is name -"]
    learnt = attributor(monkeypatch, WEIGHTS)
    assert learnt.attribute(read('Bob=5 met Eve=4 . " No , " said Eve=4 . Ida=3 left .'))[0].speaker == 4


@pytest.mark.parametrize("name", sorted(WEIGHTS)[::9])
@pytest.mark.parametrize("change", [-0.05, 0.05])
def test_no_other_weights_are_better(name: str, change: float) -> None:
    assert loss(WEIGHTS) < loss({**WEIGHTS, name: WEIGHTS[name] + change})


def test_whoever_is_you_is_the_addressee(monkeypatch: pytest.MonkeyPatch) -> None:
    toy = [
        Attributed(read(f'" Come , {name} , I=? know you={cluster} , " said Tom=0 . Leo=3 and Ida=4 came .'), [0])
        for name, cluster in (("Ann=1", 1), ("Eve=2", 2), ("Bob=5", 5), ("Max=6", 6))
    ]
    weights = fit_weights(toy)
    assert weights["to called"] > 0 > weights["to nobody"]
    found = attributor(monkeypatch, weights).attribute(read('" Go , Ida=4 , " said Ann=1 near Leo=3 .'))
    assert [(each.speaker, each.addressee) for each in found] == [(1, 4)]


def test_quotations_whose_speaker_is_not_known_or_no_candidate_teach_nothing() -> None:
    unknown = Attributed(read('Ann=1 left . " Go . "'), [""])
    elsewhere = Attributed(read('Ann=1 left . " Go . "'), [7])
    assert fit_weights([unknown, elsewhere]) == fit_weights([]) == {}
    assert fit_weights([Attributed(read("Ann=1 left ."), [])]) == {}
    assert fit_weights([*TOY, unknown, elsewhere]) == WEIGHTS == fit_weights(TOY)
