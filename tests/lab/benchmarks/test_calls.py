from pathlib import Path

from lab.benchmarks.calls import PACKAGE, count_calls, room
from lab.benchmarks.documents import own_documents

from .conftest import MakeModel, make_pipeline, rows, run


def test_each_row_is_a_room_and_the_last_their_sum(data: Path, make_model: MakeModel) -> None:
    table = rows(run("calls", data, make_model("structured_coref", "structured")))
    counts = {row["room"]: float(row["calls a word"]) for row in table}
    assert {"libraries", "layers.spans", "pipeline.structured_coref"} <= counts.keys()
    assert abs(counts.pop("all") - sum(counts.values())) < 0.01 * len(table)


def test_two_runs_count_alike(data: Path) -> None:
    nlp = make_pipeline("structured_coref", "structured")
    documents = own_documents(nlp, data)
    assert count_calls(nlp, documents) == count_calls(nlp, documents)


def test_the_room_of_a_function() -> None:
    assert room((str(PACKAGE / "people" / "clustering" / "names.py"), 1, "read")) == "people.clustering"
    assert room((str(PACKAGE / "annotation" / "checks.py"), 1, "check")) == "annotation.checks"
    assert room(("~", 0, "<built-in method builtins.len>")) == "libraries"
