"""NaN and infinity wherever the package takes a number: they are refused by name, never computed with in silence."""

import inspect
from collections.abc import Callable, Iterator
from importlib.metadata import distribution
from math import isnan
from typing import Any, get_args, get_type_hints

import numpy as np
import pytest
import torch
from hypothesis import strategies as st

from spacy_span_selector import wcfg
from spacy_span_selector.pipeline.settings import defaults
from spacy_span_selector.wcfg import Grammar

from ..pipeline.components import component
from .fuzzing import fuzz
from .pipelines import CLASSES, COMPONENTS, build, pipeline

VALUES = (float("nan"), float("inf"), float("-inf"))


def floats(kind: Any) -> set[str]:
    """The arguments or fields that are numbers which may be fractions, or null."""
    return {name for name, hint in get_type_hints(kind).items() if hint is float or float in get_args(hint)}


def network_type(factory: str) -> type[Any]:
    settings: type[Any] = type(component(build(factory, "cnn")).model.attrs["settings"])
    return settings


SETTINGS = [
    (factory, name) for factory, kind in CLASSES.items() for name in defaults(kind) if name in floats(kind.__init__)
]
NETWORK_SETTINGS = [(factory, name) for factory in CLASSES for name in sorted(floats(network_type(factory)))]


def test_every_component_is_known() -> None:
    """A new one gets odd numbers here."""
    assert {*CLASSES} == {*COMPONENTS} == {factory for factory, _ in SETTINGS}


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize(("factory", "setting"), SETTINGS)
def test_settings_in_memory(factory: str, setting: str, value: float) -> None:
    nlp = pipeline(factory, "cnn")
    before = component(nlp)
    with pytest.raises(ValueError, match=f"'{setting}' of '{factory}'"):
        component(nlp).configure(**{setting: value})
    assert component(nlp) is before


@fuzz(3, place=st.sampled_from(NETWORK_SETTINGS), value=st.sampled_from(VALUES))
def test_settings_of_a_network(place: tuple[str, str], value: float) -> None:
    factory, setting = place
    nlp = build(factory, "cnn")
    config = nlp.config["components"][factory]["model"].copy()
    with pytest.raises(ValueError, match=f"'{setting}' of|E961"):
        nlp.add_pipe(factory, name="other", config={"model": {**config, setting: value}})


def registered() -> Iterator[tuple[str, Callable[..., Any], str]]:
    """The functions of the package's entry points that can be called with one number alone, and the names of these."""
    for point in distribution("spacy-span-selector").entry_points:
        if point.group not in ("spacy_cli", "spacy_factories"):
            made = point.load()
            if not callable(made) or inspect.isclass(made):
                continue
            for name, parameter in inspect.signature(made).parameters.items():
                others = [other for other in inspect.signature(made).parameters.values() if other.name != name]
                needed = [other.name for other in others if other.default is other.empty]
                if "float" in str(parameter.annotation) and not needed:
                    yield point.name, made, name


REGISTERED = sorted(registered(), key=lambda found: (found[0], found[2]))


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize(("name", "make", "argument"), REGISTERED, ids=[f"{n}-{a}" for n, _, a in REGISTERED])
def test_registered_functions(name: str, make: Callable[..., Any], argument: str, value: float) -> None:
    with pytest.raises(ValueError, match=argument):
        make(**{argument: value})


def of_scores() -> dict[str, Callable[..., Any]]:
    """All of the grammars' own package that takes scores of spans and lengths of sentences."""
    public = {name: getattr(wcfg, name) for name in wcfg.__all__}
    found = {name: value for name, value in public.items() if inspect.isroutine(value)}
    for name, grammar in public.items():
        if isinstance(grammar, Grammar):
            methods = inspect.getmembers(grammar, inspect.ismethod)
            found |= {f"{name}.{method}": value for method, value in methods if method[0] != "_"}
    return {
        name: value
        for name, value in found.items()
        if list(inspect.signature(value).parameters)[:2] == ["scores", "lengths"] and not name.endswith(NO_SCORES)
    }


NO_SCORES = ".first_and_last"  # reads where spans are
OF_SCORES = of_scores()
OTHERS = {"heaviest_set"}  # of weights of given spans
TOKENS = 5


def test_every_function_of_the_grammars_is_known() -> None:
    functions = {name for name in wcfg.__all__ if inspect.isroutine(getattr(wcfg, name))}
    assert functions == OTHERS | {name for name in OF_SCORES if "." not in name}


@pytest.mark.parametrize("name", sorted(OF_SCORES))
@fuzz(
    12,
    place=st.tuples(st.integers(0, TOKENS - 1), st.integers(0, TOKENS - 1)),
    value=st.sampled_from([*VALUES, 1e30, -1e30, 3.4e38, -3.4e38]),
    dtype=st.sampled_from([torch.float32, torch.float64]),
    differentiate=st.booleans(),
)
def test_scores(name: str, place: tuple[int, int], value: float, dtype: torch.dtype, differentiate: bool) -> None:
    """NaN is refused; what else is not refused gives numbers, and gradients that are numbers."""
    scores = torch.zeros(2, TOKENS, TOKENS, dtype=dtype)
    first, last = sorted(place)
    if "BAND" in name:  # in which the second place is a width
        scores, last = scores[:, :, :3].clone(), (last - first) % 3
    scores[1, first, last] = value
    scores.requires_grad_(differentiate and "best" not in name)
    try:
        made = OF_SCORES[name](scores, torch.tensor([TOKENS, TOKENS]))
    except ValueError as error:
        assert str(error)
        return
    assert not isnan(value), "nothing was said"
    tensors = [part for part in (made if isinstance(made, tuple) else (made,)) if isinstance(part, torch.Tensor)]
    assert not any(part.isnan().any() for part in tensors)
    if scores.requires_grad:
        torch.stack([part.masked_fill(part.isinf(), 0).sum() for part in tensors]).sum().backward()
        assert scores.grad is not None and not scores.grad.isnan().any()


@pytest.mark.parametrize("value", VALUES)
def test_weights_of_given_spans(value: float) -> None:
    """Spans that are kept do not cross, for any scores."""
    kept = wcfg.heaviest_set(np.array([0, 1, 2]), np.array([2, 3, 4]), np.array([1.0, value, 1.0]))
    assert not (kept[0] and kept[1]) and not (kept[1] and kept[2])
