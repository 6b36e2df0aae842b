import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from lab.benchmarks.profile import StageClock, watch
from spacy_span_selector.annotation import get_clusters

from .conftest import MakeModel, make_pipeline, rows, run

SPAN_STAGES = ["word vectors", "span scores", "decoding", "span vectors"]


@pytest.mark.parametrize(
    "component, pairs, selector",
    [
        ("structured_coref", "linker", "structured"),
        ("structured_coref", "linker", "greedy"),
        ("structured_srl", "role classifier", "sigmoid"),
    ],
)
def test_stages_of_components_and_selectors(
    data: Path, make_model: MakeModel, component: str, pairs: str, selector: str
):
    table = rows(run("profile", data, make_model(component, selector), "--repeats", 2))
    components = list(dict.fromkeys(row["component"] for row in table))
    assert components == ["tokenizer", "sentencizer", "tok2vec", component, "pipeline"]
    assert sum(float(row["share, %"].split()[0]) for row in table) == pytest.approx(100, abs=2)
    found = [row["stage"] for row in table if row["component"] == component]
    assert {*SPAN_STAGES, pairs, "network, rest", "writing annotations", "rest"} <= {*found}
    assert ("chart" in found) == (selector != "greedy")


def test_a_stage_within_another_is_not_counted_twice():
    clock = StageClock()
    with clock.stage(("a", "outer")):
        with clock.stage(("a", "inner")):
            time.sleep(0.05)
        begin = time.perf_counter()
    outer = time.perf_counter() - begin
    assert clock.seconds["a", "inner"] >= 0.05
    assert clock.seconds["a", "outer"] < clock.seconds["a", "inner"] + outer


def test_a_stream_is_timed_while_it_produces_items():
    clock = StageClock()

    def numbers() -> Iterator[int]:
        yield 1
        time.sleep(0.05)
        yield 2

    with clock.stage(("a", "outer")):
        assert list(clock.timed_stream(("a", "stream"), numbers)()) == [1, 2]
    assert clock.seconds["a", "stream"] >= 0.05


def test_profiling_changes_neither_output_nor_pipeline():
    nlp = make_pipeline(selector="greedy")
    text = "Ann Lee gave her brother a key. He left."
    pipe = nlp.get_pipe("structured_coref")
    attributes, expected = set(vars(pipe)), get_clusters(nlp(text))
    with watch(nlp, StageClock()):
        [doc] = nlp.pipe([text])
    assert get_clusters(doc) == expected
    assert set(vars(pipe)) == attributes
