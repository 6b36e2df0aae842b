import pytest
import torch

from lab.benchmarks.wcfg import Function, laminar, measure_times, trees

from .conftest import rows, run


def doubled(scores: torch.Tensor) -> torch.Tensor:
    return 2 * trees(scores)


def test_every_size_has_a_row_beside_torch_struct():
    pytest.importorskip("torch_struct")
    table = rows(run("wcfg", "--sizes", "2x4,3x6", "--threads", 0, "--repeats", 2))
    assert [row["batch x n"] for row in table] == ["2 x 4", "3 x 6"]
    for column in ("laminar / trees", "torch-struct / trees", "torch-struct / laminar", "laminar, ms"):
        assert all(row[column].count("to") == 1 for row in table)


def test_cases_that_take_too_much_memory_are_skipped():
    [row] = rows(run("wcfg", "--sizes", "2x4", "--threads", 0, "--repeats", 2, "--peer-memory", 0))
    assert row["torch-struct, ms"] == row["torch-struct, MB"] == "not run"
    assert row["torch-struct / trees"] == ""
    assert row["trees, ms"].count("to") == row["laminar / trees"].count("to") == 1


def test_plain_sweeps_replace_torch_struct():
    [row] = rows(run("wcfg", "--sizes", "2x4", "--threads", 0, "--repeats", 2, "--plain", "--cpu-time"))
    for column in ("plain laminar, ms", "plain laminar / laminar"):
        assert row[column].count("to") == 1


@pytest.mark.parametrize("peers", [[doubled], [trees, doubled]])
def test_different_gradients_are_an_error(peers: list[Function]):
    with pytest.raises(ValueError, match="2 x 4: gradients differ"):
        measure_times([trees, laminar, *peers], 2, 4, 0, 1, -1, cpu_time=False)
