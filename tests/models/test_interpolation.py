from typing import Any

import numpy as np
import pytest
import torch

from spacy_span_selector.models.interpolation import interpolate

from ..pipeline.components import SPANCAT, component, initialized, network, weights


def shifted(nlp: Any, by: float) -> None:
    with torch.no_grad():
        for weight in network(nlp).parameters():
            weight.add_(by)


@pytest.mark.parametrize("share", [0.0, 0.25, 1.0])
def test_all_weights_are_between_the_two(share: float) -> None:
    before, after = (initialized(SPANCAT)[0] for _ in range(2))
    shifted(after, 1.0)
    encoder = component(after).model.get_ref("tok2vec")
    for node in encoder.walk():
        for name in node.param_names:
            node.set_param(name, node.get_param(name) + 1.0)
    interpolate(component(after), component(before), share)
    for one, other in zip(network(after).parameters(), network(before).parameters(), strict=True):
        torch.testing.assert_close(one, other + share)
    arrays = [weights(component(nlp).model) for nlp in (after, before)]
    for found, old in zip(*arrays, strict=True):
        np.testing.assert_allclose(found, old + share, atol=1e-5)


@pytest.mark.parametrize("width", [24, None])
def test_weights_of_new_labels_stay_and_those_of_the_others_are_between(width: int | None) -> None:
    before, after = (initialized(SPANCAT, model={"label_hidden_width": width})[0] for _ in range(2))
    docs = SPANCAT.parse("Ann left.\n[] [NEW Ann] left.", after)
    component(after).add_labels(docs)
    shifted(after, 1.0)
    name = "span_scorer.output.bias" if width is None else "output.bias"
    old, learnt = (network(nlp).state_dict()[name].tolist() for nlp in (before, after))
    interpolate(component(after), component(before), 0.0, docs)
    new = component(after).labels.index("NEW")
    expected = [*old[:new], learnt[new], *old[new:]]
    assert network(after).state_dict()[name].tolist() == pytest.approx(expected)
    rest = {key: weight for key, weight in network(before).state_dict().items() if "output" not in key}
    assert all(torch.equal(network(after).state_dict()[key], weight) for key, weight in rest.items())
