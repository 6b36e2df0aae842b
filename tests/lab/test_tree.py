import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
import spacy
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.tokens import Doc, DocBin

from lab.tree import SentenceTree, binary_tree, render_tree, render_tree_page

from ..untrained import untrained
from ..wcfg.reference import Scores, Span, binary_trees
from .benchmarks.conftest import refusal, run

WORDS = ["her", "old", "boat", "sank"]
SVG = "{http://www.w3.org/2000/svg}"


def make_tree(words: list[str] = WORDS, selected: dict[tuple[int, int], float | None] | None = None) -> SentenceTree:
    selected = {(0, 3): 0.91, (0, 1): 0.995} if selected is None else selected
    return SentenceTree("structured_coref", words, selected, np.zeros((len(words), len(words))))


def draw(tree: SentenceTree) -> ElementTree.Element:
    return ElementTree.fromstring(render_tree(tree))


def texts(svg: ElementTree.Element) -> list[str]:
    return [element.text or "" for element in svg.iter(f"{SVG}text")]


def test_words_and_probabilities_are_shown_and_selected_nodes_name_their_span():
    assert texts(draw(make_tree())) == ["0.91", "0.99", *WORDS]
    assert texts(draw(make_tree(selected={(0, 3): None}))) == ["", *WORDS]  # without probabilities
    assert texts(draw(make_tree(["Yes"], {}))) == ["Yes"]
    assert texts(draw(make_tree(["He"], {(0, 1): 1.0}))) == ["1.00", "He"]
    assert [title.text for title in draw(make_tree()).iter(f"{SVG}title")] == ["her old boat", "her"]


def test_other_nodes_of_several_words_are_dots():
    # Root and "old boat"; single words that are not selected are no more than the end of a line.
    assert len(list(draw(make_tree()).iter(f"{SVG}circle"))) == 2


def test_nested_spans_are_drawn_nested():
    bands = [band for band in draw(make_tree()).iter(f"{SVG}rect") if band.get("class") == "span"]
    (left, right, top), (inner_left, inner_right, inner_top) = [
        (float(band.get("x", 0)), float(band.get("x", 0)) + float(band.get("width", 0)), float(band.get("y", 0)))
        for band in bands
    ]
    assert left == inner_left < inner_right < right and top < inner_top


def test_lines_do_not_cross():
    rng = np.random.default_rng(0)
    tree = SentenceTree("", ["word"] * 14, {}, rng.random((14, 14)))
    paths = [path.get("d", "") for path in draw(tree).iter(f"{SVG}path")]
    rows = [tuple(map(float, re.findall(r"[\d.]+", path))) for path in paths]
    horizontal = [(min(x, to_x), max(x, to_x), y) for x, y, to_x, _ in rows]
    vertical = [(to_x, y, to_y) for _, y, to_x, to_y in rows]
    assert not any(
        left < x < right and top < y < bottom for left, right, y in horizontal for x, top, bottom in vertical
    )


def test_page_has_every_sentence_and_component_and_text_is_escaped():
    odd = make_tree(["<b>", "&"], {(0, 2): 0.5})._replace(component="<i>")
    page = render_tree_page([[make_tree(), make_tree()], [odd]], "de")
    assert (page.count("<svg"), page.count("<h2>"), page.count('<main lang="de">')) == (3, 2, 1)
    assert "<b>" not in page and "<i>" not in page
    assert "&lt;b&gt; &amp;</title>" in page


@st.composite
def selections(draw: st.DrawFn) -> tuple[list[Span], Scores]:
    """Some nodes of a tree over up to seven tokens, and weights of all nodes."""
    tokens = draw(st.integers(1, 7))
    trees = list(binary_trees(0, tokens))
    tree = trees[draw(st.integers(0, len(trees) - 1))]
    selected = draw(st.lists(st.sampled_from(tree), unique=True))
    return selected, np.random.default_rng(draw(st.integers(0, 2**31))).random((tokens, tokens))


def tree_weight(tree: list[Span], weights: Scores) -> float:
    return sum(weights[start, end - 1] for start, end in tree)


@settings(max_examples=150, deadline=None)
@given(selections())
def test_tree_equals_enumeration(selection: tuple[list[Span], Scores]) -> None:
    selected, weights = selection
    candidates = [tree for tree in binary_trees(0, len(weights)) if set(selected) <= set(tree)]
    tree = binary_tree(selected, weights)
    assert sorted(tree) in [sorted(candidate) for candidate in candidates]
    assert tree_weight(tree, weights) == pytest.approx(max(tree_weight(candidate, weights) for candidate in candidates))


def test_parents_come_before_children_and_a_node_splits_after_its_first_token() -> None:
    tree = binary_tree([(0, 2), (2, 4)], np.zeros((4, 4)))
    assert tree == [(0, 4), (0, 2), (0, 1), (1, 2), (2, 4), (2, 3), (3, 4)]
    assert binary_tree([], np.zeros((3, 3))) == [(0, 3), (0, 1), (1, 3), (1, 2), (2, 3)]


@pytest.mark.parametrize(
    ("selected", "weight", "message"),
    [
        ([(0, 2), (1, 3)], 0.0, r"\(0, 2\) and \(1, 3\) cross"),
        ([(2, 4)], 0.0, "within 3 tokens"),
        ([], -1.0, "none below 0, but got -1"),
    ],
)
def test_bad_arguments_are_named(selected: list[Span], weight: float, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        binary_tree(selected, np.full((3, 3), weight))


def save_pipeline(path: Path, **config: object) -> Path:
    """An untrained pipeline with two components."""
    untrained("en", "sentencizer", "structured_coref", "structured_srl", structured_coref=config).to_disk(path)
    return path


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_pipeline(tmp_path_factory.mktemp("model") / "pipeline")


def test_each_sentence_has_a_tree_for_each_component(model: Path, tmp_path: Path) -> None:
    page = tmp_path / "new/page.html"
    assert run("tree", model, "He left. She stayed.", page).exit_code == 0
    text = page.read_text(encoding="utf-8")
    assert text.count("<h2>") == 2
    assert text.count("<h3>structured_coref</h3>") == text.count("<h3>structured_srl</h3>") == 2
    assert run("tree", model, "He left. She stayed.", page, "--limit", 1).exit_code == 0
    assert page.read_text(encoding="utf-8").count("<h2>") == 1


@pytest.mark.parametrize("name", ["text.txt", "docs.spacy"])
def test_files_are_read(model: Path, tmp_path: Path, name: str) -> None:
    (tmp_path / "text.txt").write_text("He did\nnot-leave .\n", encoding="utf-8")
    doc = Doc(spacy.blank("en").vocab, words=["He", "did", "not-leave", "."], sent_starts=[True, False, False, False])
    DocBin(docs=[doc]).to_disk(tmp_path / "docs.spacy")
    assert run("tree", model, tmp_path / name, tmp_path / "page.html").exit_code == 0
    word = "not-leave" if name == "docs.spacy" else "leave"
    assert f">{word}</text>" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_selectors_whose_spans_cross_have_no_tree(tmp_path: Path) -> None:
    sigmoid = {"@misc": "spacy_span_selector.SigmoidSelector.v1"}
    path = save_pipeline(tmp_path / "model", model={"selector": sigmoid})
    assert "may cross" in refusal("tree", path, "He left.", tmp_path / "page.html")
