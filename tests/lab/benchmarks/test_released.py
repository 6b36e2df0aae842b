"""Tests of the code around the released code, which is not part of this repository."""

from pathlib import Path

import pytest
import torch
from spacy.tokens import Doc
from spacy.vocab import Vocab
from torch import Tensor

from lab.benchmarks.released import (
    FILES,
    InsideStep,
    find_released,
    find_shift,
    sentence_numbers,
    split_into_segments,
    tensorize,
)
from spacy_span_selector.wcfg import marginals


class OneIdPerLetter:
    """A minimal tokenizer."""

    def encode(self, word: str, add_special_tokens: bool) -> list[int]:
        return [ord(letter) for letter in word]

    def convert_tokens_to_ids(self, pieces: list[str]) -> list[int]:
        return list(range(1, len(pieces) + 1))


def pieces(segments: list[list[tuple[int, int]]]) -> list[list[int]]:
    return [[piece for piece, _ in segment] for segment in segments]


def test_segments_end_with_the_last_sentence_that_fits():
    sentences = [[[1, 2], [3]], [[4]], [[5, 6]]]
    assert pieces(split_into_segments(sentences, 5)) == [[1, 2, 3, 4], [5, 6]]
    assert pieces(split_into_segments(sentences, 6)) == [[1, 2, 3, 4, 5, 6]]


def test_a_sentence_longer_than_a_segment_is_split_between_words():
    sentences = [[[1]], [[2, 3], [4, 5], [6]], [[7]]]
    assert pieces(split_into_segments(sentences, 3)) == [[1], [2, 3], [4, 5, 6], [7]]


def test_sentences_without_subwords_are_not_counted():
    assert split_into_segments([[], [[1]], [[], []], [[2]]], 5) == [[(1, 0), (2, 1)]]


def test_special_subwords_belong_to_the_sentence_of_the_next_subword():
    assert sentence_numbers([[(7, 0), (7, 1)], [(7, 1)], [(7, 2)]]) == [0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 3]


def test_tensors_of_a_document():
    doc = Doc(Vocab(), words=["ab", "c", "d"], sent_starts=[True, False, True])
    ids, mask, speakers, lengths, genre, sentences, training = tensorize(doc, OneIdPerLetter(), 6)
    assert ids.tolist() == [[1, 2, 97, 98, 99, 3], [1, 2, 100, 3, 0, 0]]
    assert mask.tolist() == [[1] * 6, [1] * 4 + [0] * 2]
    assert speakers.tolist() == [[1, 1, 2, 2, 2, 1], [1, 1, 2, 1, 0, 0]]
    assert lengths.tolist() == [6, 4]
    assert sentences.tolist() == [0] * 5 + [1] * 4 + [2]
    assert not genre and not training


def test_steps_fill_the_chart_of_the_grammar():
    lengths = torch.tensor([6, 1, 4])
    scores = torch.randn(3, 6, 6, dtype=torch.float64, generator=torch.Generator().manual_seed(0)).triu()
    scores = scores.requires_grad_()
    node = torch.nn.functional.softplus(scores)
    inside: Tensor = node
    for width in range(1, 6):
        inside = InsideStep.apply(inside, node, width)
    of_sentences = inside[torch.arange(3), 0, lengths - 1]
    (gradient,) = torch.autograd.grad(of_sentences.sum(), scores, create_graph=True)
    torch.testing.assert_close(gradient, marginals(scores, lengths))


@pytest.mark.parametrize("kept", [0, 1, 4])
def test_shifted_scores_keep_the_wanted_number_of_spans(kept: int):
    sentences = torch.tensor([0, 0, 0, 1, 1])
    spans = torch.tensor([(0, 0), (0, 1), (1, 2), (2, 2), (3, 3), (3, 4), (4, 4)])
    scores = torch.tensor([0.3, 0.9, 0.8, 0.2, 0.7, 0.1, 0.6])
    shift = find_shift(spans, scores, sentences, kept)
    above = scores > shift
    crossing = 1 if above[1] and above[2] else 0
    assert int(above.sum()) - crossing == kept


@pytest.mark.parametrize("missing", FILES)
def test_a_checkout_without_the_files_is_refused(tmp_path: Path, missing: str):
    for name in FILES:
        if name != missing:
            (tmp_path / name).touch()
    with pytest.raises(FileNotFoundError, match=f"lacks {missing}"):
        find_released(tmp_path)


def test_missing_pyhocon_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for name in FILES:
        (tmp_path / name).touch()
    monkeypatch.setattr("benchmarks.released.find_spec", lambda name: None)
    with pytest.raises(ImportError, match="pip install pyhocon"):
        find_released(tmp_path)
