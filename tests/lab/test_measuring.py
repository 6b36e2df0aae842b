import json
import os
from pathlib import Path

import pytest
import spacy
import torch
import typer

from lab import measuring


def test_median_and_spread():
    assert measuring.Spread.of([3.0, 1.0, 2.0, 8.0]) == (2.5, 1.0, 8.0)
    assert measuring.Spread.of([1000.4, 2000.4, 4000.4]).format(",.0f") == "2,000 (1,000 to 4,000)"
    assert measuring.ratios([2.0, 30.0, 3.0], [1.0, 20.0, 1.0]) == (2.0, 1.5, 3.0)


def test_functions_take_turns():
    calls: list[str] = []
    seconds = measuring.take_turns([lambda: calls.append("a"), lambda: calls.append("b")], 3)
    assert calls == ["a", "b"] * 3
    assert [len(own) for own in seconds] == [3, 3]


@pytest.mark.parametrize("text, expected", [("200,2000", [200, 2000]), ("7", [7]), ("", [])])
def test_numbers_of_an_option(text: str, expected: list[int]):
    assert measuring.numbers(text) == expected
    with pytest.raises(typer.BadParameter, match="found 'ten'"):
        measuring.numbers("ten")


def test_a_fresh_process_is_a_new_one_whose_errors_are_passed_on():
    assert measuring.in_fresh_process(os.getpid) != os.getpid()
    with pytest.raises(ValueError, match="invalid literal"):
        measuring.in_fresh_process(int, "ten")


def test_peak_memory_is_that_of_the_call():
    megabytes = 200
    memory = measuring.in_fresh_process(_measure_tensor, megabytes)
    assert megabytes <= memory / 2**20 < 1.5 * megabytes


def _measure_tensor(megabytes: int) -> float:
    return measuring.measure_memory(lambda: torch.ones(megabytes << 18)).peak


def test_tables_are_markdown(capsys: pytest.CaptureFixture[str]):
    measuring.print_header("name", "seconds", texts=1)
    measuring.print_row("a", "1.0")
    assert capsys.readouterr().out == "| name | seconds |\n| --- | ---: |\n| a | 1.0 |\n"


def test_results_join_those_of_other_benchmarks_and_replace_older_ones(tmp_path: Path):
    nlp = spacy.blank("en", meta={"name": "small", "version": "1.2.3"})
    output = tmp_path / "results.json"
    output.write_text('{"notes": ["mine"], "gap": {"rows": {"old": {"of": 1}}}}', encoding="utf-8")
    measuring.add_results(output, "gap", nlp, {"all": {"right": 1, "of": 2}})
    found = json.loads(output.read_text(encoding="utf-8"))
    assert found["notes"] == ["mine"]
    assert found["gap"]["rows"] == {"all": {"right": 1, "of": 2}}
    assert found["gap"]["pipeline"] == "en_small 1.2.3"
