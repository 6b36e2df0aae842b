from __future__ import annotations

from spacy_span_selector.experiments.conditions import condition_tables
from spacy_span_selector.experiments.figures import draw_condition_figures
from spacy_span_selector.experiments.records import Record
from spacy_span_selector.experiments.report import write_report
from spacy_span_selector.tasks import get_task

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
    assert [row[:4] for row in test.rows] == [["5", "greedy", "0", "–"], ["80", "greedy", "1", "+10.00"]]


def test_a_report_of_a_grid_with_conditions_has_a_section_for_each(tmp_path):
    records = [record for variants in CONDITIONS.values() for own in variants.values() for record in own]
    write_report(records, tmp_path)
    text = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert [line for line in text.splitlines() if line.startswith("## ")] == ["## books", "## books: 5", "## books: 80"]
    assert (tmp_path / "books-conditions.png").read_bytes().startswith(PNG)


def test_a_figure_of_all_conditions():
    (figure,) = draw_condition_figures("books", COREFERENCE, CONDITIONS)
    assert figure.name == "books-conditions.png" and figure.content.startswith(PNG)
