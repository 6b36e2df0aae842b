import numpy as np
import pytest
import spacy
import torch
from spacy.tokens import Doc

from lab.baselines.greedy import GreedySelector
from lab.selections import DocSelection
from spacy_span_selector.documents.cleaned import clean_doc
from spacy_span_selector.layers.selection.selectors import (
    Selection,
    Selector,
    SigmoidSelector,
    StructuredSelector,
    independent_marginals,
)
from spacy_span_selector.layers.spans.layout import Spans

from ..layouts import layout_of

WORDS = ["Ann", "saw", "Bob", ".", "He", "left"]
VALUES = {"threshold": (0.1, 0.3, 0.5), "ratio": (0.25, 0.5)}


def select(
    selector: Selector, known: dict[tuple[int, int], float], threshold: float = 0.4, most: int | None = None
) -> DocSelection:
    """The selection of a document in which some spans, by first and last token, have a probability, others nearly 0."""
    layout = layout_of([[4, 2]], most=most)
    probabilities = torch.full((layout.size,), 0.001)
    for (first, last), probability in known.items():
        probabilities[layout.flat_index(torch.tensor([first]), torch.tensor([last]))] = probability
    scores = probabilities.logit()
    marginals = independent_marginals(scores)
    flat = selector.prediction_strategy("marginal", threshold)(scores, marginals.selected, layout)
    selection = Selection(scores, marginals, scores.new_empty(0, layout.size), flat, Spans(*layout.locate(flat)))
    doc = Doc(spacy.blank("en").vocab, words=WORDS)
    return DocSelection(clean_doc(doc), selection, layout, selector, threshold)


def kept(selection: DocSelection) -> dict[tuple[str, float], set[str]]:
    return {
        (name, value): {selection.cleaned.source.char_span(*characters).text for characters in spans}
        for name, value, spans in selection.at_other_settings(VALUES)
    }


def test_a_threshold_is_varied():
    by_setting = kept(select(SigmoidSelector(), {(0, 0): 0.95, (2, 2): 0.45, (4, 4): 0.15}))
    assert by_setting == {
        ("threshold", 0.1): {"Ann", "Bob", "He"},
        ("threshold", 0.3): {"Ann", "Bob"},
        ("threshold", 0.4): {"Ann", "Bob"},
        ("threshold", 0.5): {"Ann"},
    }


def test_a_ratio_is_varied():
    by_setting = kept(select(GreedySelector(0.35, spans_may_cross=True), {(0, 0): 0.9, (2, 2): 0.8, (4, 4): 0.7}))
    assert by_setting["ratio", 0.35] == {"Ann", "Bob", "He"}  # the pipeline's own
    assert by_setting["ratio", 0.25] == {"Ann", "He"}
    assert by_setting["ratio", 0.5] == {"Ann", "Bob", "He"}


def test_the_best_tree_is_varied_by_threshold():
    by_setting = kept(select(StructuredSelector(), {(0, 0): 0.95, (2, 2): 0.2}))
    assert by_setting["threshold", 0.1] == {"Ann", "Bob"}
    assert by_setting["threshold", 0.4] == {"Ann"}


def test_probabilities_of_all_spans_with_the_gold_ones():
    selection = select(SigmoidSelector(), {(0, 0): 0.95, (2, 2): 0.45})
    doc = selection.cleaned.source
    gold = [(doc[0].idx, doc[0].idx + 3), (0, 2), (doc[3].idx, doc[4].idx + 2)]  # no token, then over a sentence's end
    probabilities, is_gold = selection.probabilities(gold)
    assert len(probabilities) == 10 + 3
    assert probabilities[is_gold].tolist() == pytest.approx([0.95])


def test_sentences_have_their_probabilities_if_there_are_any() -> None:
    (first, weights), (second, other) = select(SigmoidSelector(), {(2, 3): 0.95, (4, 5): 0.45}).sentences()
    assert (first, second) == (0, 4)
    assert weights.shape == (4, 4) and weights[2, 3] == pytest.approx(0.95) and not np.tril(weights, -1).any()
    assert other[0, 1] == pytest.approx(0.45)
    assert not any(weights.any() for _, weights in select(GreedySelector(0.5), {(2, 3): 0.95}).sentences())


def test_wide_spans_of_a_long_sentence_have_no_probability():
    selection = select(SigmoidSelector(), {(0, 1): 0.95, (2, 2): 0.45}, most=2)
    doc = selection.cleaned.source
    gold = [(doc[first].idx, doc[last].idx + len(doc[last])) for first, last in ((0, 1), (0, 3), (4, 5))]
    probabilities, is_gold = selection.probabilities(gold)
    assert len(probabilities) == 7 + 3
    assert probabilities[is_gold].tolist() == pytest.approx([0.95, 0.001])


def test_a_long_sentence_has_no_table_of_all_its_spans():
    with pytest.warns(UserWarning, match="sentence of 4 words has no table.*from 'Ann saw Bob .'"):
        ((first, weights),) = select(SigmoidSelector(), {(4, 5): 0.45}, most=2).sentences()
    assert first == 4 and weights[0, 1] == pytest.approx(0.45)
