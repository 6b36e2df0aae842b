from __future__ import annotations

from lab.experiments.conditions import condition_tables
from lab.experiments.figures import draw_condition_figures
from lab.experiments.records import Record
from lab.experiments.report import write_report
from spacy_span_selector.scoring.task import get_task

from .conftest import make_record
from .test_figures import PNG

COREFERENCE = get_task("structured_coref")


def run(variant: str, condition: str, value: float, fold: str = "0") -> Record:
    scores = {split: {"coref_f": value} for split in ("dev", "test")}
    return make_record(variant, fold=fold, condition=condition, scores=scores, name=f"{variant}-{condition}-{fold}")


CONDITIONS = {
    "5": {"structured": [run("structured", "5", 0.5), run("structured", "5", 0.54, "1")], "greedy": []},
    "80": {"structured": [run("structured", "80", 0.7)], "greedy": [run("greedy", "80", 0.6)]},
}


def test_a_row_for_each_condition_and_a_column_for_each_variant():
    table = condition_tables(COREFERENCE, CONDITIONS)[0]
    assert table.header == ["", "structured", "greedy"]
    assert table.rows == [["5", "52.0 ± 2.8", "–"], ["80", "70.0", "60.0"]]


def test_differences_under_each_condition():
    *_, test, dev = condition_tables(COREFERENCE, CONDITIONS)
    assert test.rows == dev.rows
    rows = [["5", "greedy", "0", "–"], ["80", "greedy", "1", "+10.00"], ["all", "greedy", "1", "+10.00"]]
    assert [row[:4] for row in test.rows] == rows


def test_all_conditions_together():
    conditions = {
        size: {"structured": [run("structured", size, better)], "greedy": [run("greedy", size, 0.5)]}
        for size, better in (("5", 0.6), ("80", 0.7))
    }
    *_, test, _ = condition_tables(COREFERENCE, conditions)
    assert test.rows[-1][:4] == ["all", "greedy", "2", "+15.00"]


def test_a_report_of_a_grid_with_conditions_has_a_section_for_each(tmp_path):
    records = [record for variants in CONDITIONS.values() for own in variants.values() for record in own]
    write_report(records, tmp_path)
    text = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert [line for line in text.splitlines() if line.startswith("## ")] == ["## books", "## books: 5", "## books: 80"]
    assert (tmp_path / "books-conditions.png").read_bytes().startswith(PNG)


def test_a_figure_of_all_conditions():
    (figure,) = draw_condition_figures("books", COREFERENCE, CONDITIONS)
    assert figure.name == "books-conditions.png" and figure.content.startswith(PNG)
