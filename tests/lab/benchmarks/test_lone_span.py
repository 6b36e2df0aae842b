from __future__ import annotations

from pathlib import Path

import pytest

from lab.benchmarks.lone_span import lone_probability, main
from spacy_span_selector.wcfg import LAMINAR, TREES

from .conftest import rows, run


def test_the_table_has_a_row_for_each_width():
    table = rows(run(main, "--lengths", "4,20", "--widths", "1,3,5"))
    assert [row["width"] for row in table] == ["1", "3", "5"]
    assert [row["trees, 20 words"] for row in table] == ["0.500", "0.128", "0.071"]
    assert [row["trees, 4 words"] for row in table] == ["0.500", "0.286", ""]
    assert {row["laminar, any length"] for row in table} == {"0.500"}


def test_the_probability_of_trees_is_a_ratio_of_catalan_numbers():
    node = 2 * 42 / 429  # trees over 3 words, and over 6 with one leaf for them, among those over 8
    assert lone_probability(TREES, 3, 8) == pytest.approx(node / (1 + node))
    assert lone_probability(LAMINAR, 3, 8) == pytest.approx(0.5)


def test_the_figure_is_a_picture(tmp_path: Path):
    pytest.importorskip("matplotlib")
    run(main, "--lengths", "4,6", "--widths", "1", "--figure", tmp_path / "lone.png")
    assert (tmp_path / "lone.png").read_bytes().startswith(b"\x89PNG")
