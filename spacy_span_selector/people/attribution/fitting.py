"""The weights of features, fitted to quotations whose speakers are known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import torch

from .features import Candidate, CandidateFinder
from .scene import Scene

L2 = 6.0
"""The factor of half the sum of squares of all weights, chosen by cross-validation on LitBank."""

STEPS = 60
LEAST_WEIGHT = 0.02
"""Weights that are nearer to 0 are left out."""

Choice = tuple[list[Candidate], list[bool]]
"""Candidates, and which are right."""


@dataclass(frozen=True)
class Attributed:
    """A document whose quotations are annotated.

    speakers (Sequence[int | str | None]): The cluster of the speaker of each quotation; None if it is no speech, ""
        if it is not known.
    """

    scene: Scene
    speakers: Sequence[int | str | None]

    @property
    def known(self) -> list[int | None]:
        """The speakers that are known clusters."""
        return [speaker if isinstance(speaker, int) else None for speaker in self.speakers]


def fit_weights(documents: Iterable[Attributed]) -> dict[str, float]:
    """Fit a rounded weight to each feature, so that the right candidates of each quotation are likely together.

    documents (Iterable[Attributed]): What is annotated. Where "you" in a quotation has one cluster, this is its
        addressee.
    """
    documents = list(documents)
    speakers = [choice for document in documents for choice in _speakers(document)]
    addressees = [choice for document in documents for choice in _addressees(document)]
    return {**_fit(speakers), **_fit(addressees)}


def _speakers(document: Attributed) -> Iterator[Choice]:
    known, finder = document.known, CandidateFinder(document.scene)
    for number, speaker in enumerate(document.speakers):
        if not isinstance(speaker, str):
            candidates = finder.speakers(number, known[:number])
            right = [candidate.cluster == speaker for candidate in candidates]
            if any(right):
                yield candidates, right


def _addressees(document: Attributed) -> Iterator[Choice]:
    scene, known, finder = document.scene, document.known, CandidateFinder(document.scene)
    for number, inside in enumerate(scene.inside):
        clusters = {scene.clusters[mention] for mention in inside if scene.evidence[mention] == "2"}
        if len(clusters) == 1 and known[number] is not None:
            (cluster,) = clusters
            candidates = finder.addressees(number, known)
            right = [candidate.cluster == cluster for candidate in candidates]
            yield candidates, right if any(right) else [candidate.cluster is None for candidate in candidates]


def _fit(choices: Sequence[Choice]) -> dict[str, float]:
    """Minimise the negative log-likelihood of the right candidates, and the squares of the weights, by L-BFGS."""
    numbers: dict[str, int] = {}
    rows = [
        [numbers.setdefault(name, len(numbers)) for name in candidate.features]
        for candidates, _ in choices
        for candidate in candidates
    ]
    if not rows:
        return {}
    offsets = torch.tensor([0, *map(len, rows)]).cumsum(0)[:-1]
    features = torch.tensor([number for row in rows for number in row])
    group = torch.tensor([k for k, (candidates, _) in enumerate(choices) for _ in candidates])
    right = torch.tensor([is_right for _, each in choices for is_right in each])
    weights = torch.zeros(len(numbers), 1, dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.LBFGS([weights], max_iter=STEPS, line_search_fn="strong_wolfe")

    def loss() -> torch.Tensor:
        optimizer.zero_grad()
        scores = torch.nn.functional.embedding_bag(features, weights, offsets, mode="sum")[:, 0]
        empty = scores.new_full((len(choices),), -torch.inf)
        greatest = empty.scatter_reduce(0, group, scores.detach(), "amax")
        masses = (scores - greatest[group]).exp()
        all_mass = scores.new_zeros(len(choices)).index_add(0, group, masses)
        right_mass = scores.new_zeros(len(choices)).index_add(0, group[right], masses[right])
        value: torch.Tensor = (all_mass.log() - right_mass.log()).sum() + L2 / 2 * weights.square().sum()
        value.backward()
        return value

    optimizer.step(loss)
    fitted = zip(numbers, weights[:, 0].tolist(), strict=True)
    return {name: round(weight, 3) for name, weight in fitted if abs(weight) >= LEAST_WEIGHT}
