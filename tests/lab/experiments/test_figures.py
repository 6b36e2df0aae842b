import sys

import pytest

from lab.experiments.figures import draw_figures, spread, variant_colors
from spacy_span_selector.scoring.task import get_task

from .conftest import make_record

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture
def variants():
    return {
        "structured": [make_record(seed=seed) for seed in (0, 1)],
        "greedy": [make_record("greedy", calibration=None)],
        "bio": [make_record("bio", calibration=None, curve=[])],
    }


@pytest.mark.parametrize("component", ["structured_coref", "structured_srl"])
def test_every_figure_is_drawn(variants, component: str):
    pytest.importorskip("matplotlib")
    scores = {"test": {"srl_f": 0.5, "coref_f": 0.5}}
    for record in (record for records in variants.values() for record in records):
        record |= {"component": component, "scores": scores}
    pictures = draw_figures("books", get_task(component), variants)
    names = ("overview", "ratio", "classes", "calibration")
    assert [picture.name for picture in pictures] == [f"books-{name}.png" for name in names]
    for picture in pictures:
        assert picture.content.startswith(PNG)
        assert int.from_bytes(picture.content[16:20], "big") == 1140  # pixels wide


def test_no_calibration_without_probabilities(variants):
    pytest.importorskip("matplotlib")
    del variants["structured"]
    pictures = draw_figures("books", get_task("structured_coref"), variants)
    assert [picture.name for picture in pictures] == ["books-overview.png", "books-ratio.png", "books-classes.png"]


def test_missing_matplotlib_error_says_how_to_install_it(variants, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"pip install -r lab/requirements\.txt"):
        draw_figures("books", get_task("structured_coref"), variants)


def test_colours_differ_and_do_not_depend_on_the_other_variants():
    assert variant_colors({"greedy": []})["greedy"] == variant_colors({"structured": [], "greedy": []})["greedy"]
    names = ("structured", "sigmoid", "greedy", "multitask", "bio", "mine", "yours", "theirs")
    assert len(set(variant_colors({name: [] for name in names}).values())) == len(names)


def test_names_are_moved_apart_around_their_mean():
    assert spread([0.5, 0.5, 0.9], 0.1) == pytest.approx([0.45, 0.55, 0.9])
    assert spread([0.5, 0.5, 0.56], 0.1) == pytest.approx([0.42, 0.52, 0.62])
