from lab.experiments.records import Record
from lab.experiments.report import write_report
from lab.experiments.statistics import Mean, score
from lab.experiments.tables import (
    Column,
    Table,
    bootstrap_tables,
    calibration_table,
    class_table,
    condition_tables,
    cost_table,
    elsewhere_tables,
    prediction_tables,
    ratio_table,
    report_tables,
    show_mean,
    significance_table,
    variant_table,
)
from spacy_span_selector.scoring.task import get_task

from .conftest import make_record
from .test_figures import PNG

COREFERENCE = get_task("structured_coref")


def scored(variant: str, value: float, seed: int = 0):
    return make_record(variant, seed, scores={"test": {"coref_f": value}, "dev": {}})


def test_markdown_has_heading_note_and_cells():
    table = Table("Scores", "On test.", ["", "F1"], [["a|b\n<b>", "70.0"]], {})
    assert table.to_markdown() == "### Scores\n\nOn test.\n\n|  | F1 |\n|---|---:|\n| a\\|b &lt;b&gt; | 70.0 |"


def test_cell_has_mean_and_deviation_or_a_dash():
    assert show_mean(Mean(0.7061, 0.0123, 3), Column("", score("coref_f"))) == "70.6 ± 1.2"
    assert show_mean(Mean(0.7061, None, 1), Column("", score("coref_f"))) == "70.6"
    table = variant_table("", "", {"greedy": [scored("greedy", 0.7)]}, [Column("LEA", score("coref_lea_f"))])
    assert table.rows == [["greedy", "1", "–"]]
    assert table.values == {"greedy": {"LEA": None}}


def test_the_first_variant_is_tested_against_the_others():
    variants = {
        "structured": [scored("structured", value, seed) for seed, value in enumerate((0.7, 0.72, 0.75))],
        "greedy": [scored("greedy", value, seed) for seed, value in enumerate((0.69, 0.69, 0.74))],
        "sigmoid": [scored("sigmoid", 0.8)],
    }
    rows = significance_table(variants, {"F1": score("coref_f")}).rows
    assert [row[:4] for row in rows] == [["greedy", "F1", "3", "+1.67"], ["sigmoid", "F1", "1", "-10.00"]]
    assert 0.1 < float(rows[0][5]) < 0.2
    assert rows[1][4:] == ["–", "fewer than 2 pairs"]


def test_gold_spans_are_summed_over_folds_not_over_runs():
    records = [make_record(seed=seed, fold=fold) for seed in (0, 1) for fold in "ab"]
    table = class_table({"structured": records}, "", "depth", ("1", "2", "3+"), "clusters")
    assert table.rows[-1] == ["gold spans", "", "160", "36", "4", "", "", ""]


def test_selectors_are_compared_at_the_ratio_of_the_reference():
    greedy = make_record("greedy", kept={**make_record()["kept"], "spans": 320})
    without_scores = make_record("bio", curve=[])
    rows = ratio_table({"structured": [make_record()], "greedy": [greedy], "bio": [without_scores]}, "mentions").rows
    assert rows[:2] == [["structured", "0.150", "83.0", "75.0"], ["greedy", "0.400", "83.0", "75.0"]]
    assert rows[2][-1] == "–"


def test_memory_and_speed():
    assert cost_table({"structured": [make_record()]}).rows == [["structured", "1", "50", "400", "1.5", "1000"]]


def test_calibration_of_a_selector_without_probabilities_is_missing():
    others = [make_record("greedy", calibration=None)], [make_record("bio", calibration=None, average_precision=0.5)]
    table = calibration_table({"structured": [make_record()], "greedy": others[0], "bio": others[1]})
    assert table.rows[0][2] == f"{100 * (9 + 19) / 1090:.3f}"
    assert table.rows[0][3] == f"{100 * 19 / 190:.2f}"
    assert [row[2:] for row in table.rows[1:]] == [["–", "–", "–"], ["–", "–", "50.0"]]


def counted(variant: str, right: float) -> Record:
    """A run with three documents of one metric, each with 10 gold and 10 predicted items."""
    documents = [[[right + i, 10.0, right + i, 10.0]] for i in range(3)]
    return make_record(variant, documents={"dev": documents, "test": documents})


def test_difference_on_documents():
    scores = [{"dev": {"coref_f": dev}, "test": {"coref_f": 0.5}} for dev in (0.6, 0.5)]
    ours, theirs = ({**counted(name, 6.0 - i), "scores": scores[i]} for i, name in enumerate(("structured", "greedy")))
    test, dev = bootstrap_tables(get_task("structured_coref"), {"structured": [ours], "greedy": [theirs]})
    assert test.rows == [["greedy", "3", "+10.00", "+10.00 to +10.00", "< 0.0001", "0 of 1 runs"]]
    assert dev.rows == [["greedy", "3", "+10.00", "+10.00 to +10.00", "< 0.0001", "1 of 1 runs"]]
    assert "on documents of test" in test.title and "on documents of dev" in dev.title


def test_other_settings_stand_below_their_variant():
    scores = {split: {"coref_f": 0.6} for split in ("dev", "test")}
    spans = {**make_record()["kept"], "spans": 80, "crossing": 4}
    other = {"map": {"scores": scores, "tokens": 800, "kept": spans, "output": spans}}
    variants = {"structured": [make_record(predictions=other)], "greedy": [make_record("greedy")]}
    (table,) = prediction_tables(get_task("structured_coref"), variants)
    assert [row[0] for row in table.rows] == ["structured", "structured, map"]
    assert [row[2] for row in table.rows] == ["70.0", "60.0"]
    assert [row[-2:] for row in table.rows] == [["0.150", "0.00"], ["0.100", "5.00"]]


def test_other_corpora_have_tables_of_their_own():
    there = {**{name: make_record()[name] for name in ("tokens", "kept", "output")}, "average_precision": 0.4}
    there["scores"] = {"test": {"coref_f": 0.3}}
    tables = elsewhere_tables(COREFERENCE, {"structured": [make_record(elsewhere={"news": there})]})
    assert tables[0].rows == [["structured", "1", "30.0", "69.2", "83.0", "75.5", "40.0", "0.150"]]
    recall = [f"Recall of mentions on news by {name}" for name in ("nesting depth", "width")]
    assert [table.title for table in tables] == ["On news", *recall]


def test_tables_of_coreference():
    titles = [table.title for table in report_tables(get_task("structured_coref"), {"structured": [make_record()]})]
    assert titles[0] == "Coreference on test" and len(titles) == len(set(titles)) == 11


def test_tables_of_semantic_roles():
    scores = {f"{name}_{part}": 0.5 for name in ("srl", "srl_span") for part in "prf"}
    record = make_record(component="structured_srl", scores={"dev": scores, "test": scores})
    tables = {table.title: table for table in report_tables(get_task("structured_srl"), {"structured": [record]})}
    assert tables["Span accuracy on test"].rows == [["structured", "1", "50.0", "50.0", "50.0"]]
    assert "Recall of arguments by nesting depth" in tables


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
    both = {**CONDITIONS, "5": {"structured": [run("structured", "5", 0.6)], "greedy": [run("greedy", "5", 0.4)]}}
    *_, test, _ = condition_tables(COREFERENCE, both)
    assert test.rows[-1][:4] == ["all", "greedy", "2", "+15.00"]


def test_a_report_of_a_grid_with_conditions_has_a_section_for_each(tmp_path):
    records = [record for variants in CONDITIONS.values() for own in variants.values() for record in own]
    write_report(records, tmp_path)
    text = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert [line for line in text.splitlines() if line.startswith("## ")] == ["## books", "## books: 5", "## books: 80"]
    assert (tmp_path / "books-conditions.png").read_bytes().startswith(PNG)
