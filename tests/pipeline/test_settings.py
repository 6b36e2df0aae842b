from __future__ import annotations

import math

import pytest

from spacy_span_selector.pipeline.settings import check_choice, check_keys, check_range, read_saved_settings


def test_one_of_the_choices_is_accepted() -> None:
    check_choice("who", "kind", "good", ("good", "better"))
    check_choice("who", "kind", None, ("good", None))


@pytest.mark.parametrize("value", ["best", None])
def test_another_choice_is_an_error_that_names_all(value: str | None) -> None:
    with pytest.raises(ValueError, match=f"'kind' of 'who' is {value!r}; it must be one of 'good', 'better'"):
        check_choice("who", "kind", value, ("good", "better"))


def test_values_within_the_limits_are_accepted() -> None:
    for value in (0.0, 0.5, 1.0):
        check_range("who", "share", value, 0.0, 1.0)
    check_range("who", "weight", 1e9, 0.0)


@pytest.mark.parametrize("value", [-0.1, 1.1, math.nan, math.inf])
def test_values_outside_the_limits_are_errors_that_name_them(value: float) -> None:
    with pytest.raises(ValueError, match=f"'share' of 'who' is {value}; it must be from 0.0 to 1.0"):
        check_range("who", "share", value, 0.0, 1.0)


@pytest.mark.parametrize("value", [-1.0, math.nan, math.inf])
def test_there_may_be_no_upper_limit(value: float) -> None:
    with pytest.raises(ValueError, match=f"'weight' of 'who' is {value}; it must be at least 0.0"):
        check_range("who", "weight", value, 0.0)


def test_keys_of_their_own_are_accepted() -> None:
    check_keys("who", "group", given_key="given", written_key="group", other_key="group_of_1")


@pytest.mark.parametrize(
    "keys", [{"given_key": "a", "written_key": "a"}, {"given_key": "x+_12"}, {"written_key": "x+_1"}]
)
def test_keys_of_the_same_groups_are_errors_that_name_them(keys: dict[str, str]) -> None:
    with pytest.raises(
        ValueError, match=r"'who' would read what it has written: 'prefix' 'x\+' and '\w+_key' '.*' name"
    ):
        check_keys("who", "x+", **keys)


def test_saved_settings_are_read() -> None:
    assert read_saved_settings(b'{"threshold": 0.5}', "who", "a/cfg", ["kind", "threshold"]) == {"threshold": 0.5}


@pytest.mark.parametrize(
    ("saved", "problem"),
    [
        (b"{", "Can't load 'who': a/cfg is not JSON: .* Save the pipeline again"),
        (b"[1, 2]", r"Can't load 'who': a/cfg has \[1, 2\]; expected a JSON object"),
        (
            b'{"size": 1}',
            "Can't load 'who' from a/cfg: there is no setting 'size'; expected some of kind, threshold. A ne",
        ),
    ],
)
def test_other_files_are_errors_that_name_them(saved: bytes, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        read_saved_settings(saved, "who", "a/cfg", ["kind", "threshold"])
