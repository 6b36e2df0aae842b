import random
from pathlib import Path
from typing import Any

import pytest
import spacy
from spacy.tokens import Doc
from spacy.util import registry

from spacy_span_selector.encoders.sentence_windows import SentenceWindows

VOCAB = spacy.blank("en").vocab
ADDED = 2  # [CLS] and [SEP]
NO_DROPOUT = {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}


@pytest.fixture(scope="module")
def tokenizer(encoder: Path) -> Any:
    """Each letter is a subword."""
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(str(encoder))


@pytest.fixture
def build(encoder: Path) -> Any:
    """Builds an encoder that reads windows of so many subwords."""

    def built(subwords: int, architecture: str = "spacy_span_selector.TransformerModel.v1") -> Any:
        make = registry.architectures.get(architecture)
        return make(str(encoder), SentenceWindows(subwords), {"use_fast": True}, dict(NO_DROPOUT))

    return built


def make_doc(*sentences: str) -> Doc:
    """Words between spaces. Each string is a sentence."""
    words = [sentence.split() for sentence in sentences]
    starts = [place == 0 for sentence in words for place in range(len(sentence))]
    return Doc(VOCAB, words=[word for sentence in words for word in sentence], sent_starts=starts)


def texts(windows: list[Any]) -> list[str]:
    return [window.text for window in windows]


def cut(doc: Doc, subwords: int, tokenizer: Any) -> list[str]:
    (windows,) = SentenceWindows(subwords).cut([doc], tokenizer)
    return texts(windows)


@pytest.mark.parametrize(
    ("sentences", "subwords", "expected"),
    [
        (["a b c", "d e", "f", "g h i j", "k"], 6, ["a b c d e f", "g h i j k"]),
        (["a b c", "d e", "f", "g h i j", "k"], 5, ["a b c d e", "f g h i j", "k"]),
        (["abc", "de", "f"], 5, ["abc de", "f"]),
        (["a b c d e f"], 5, ["a b c", "d e f"]),  # even parts of a sentence that is too long
        (["x", "a b c d e f", "y"], 5, ["x a b c", "d e f y"]),
        (["a abcdefgh b", "c"], 4, ["a", "abcdefgh", "b c"]),  # a word that is too long
    ],
)
def test_as_many_sentences_as_fit(tokenizer: Any, sentences: list[str], subwords: int, expected: list[str]) -> None:
    assert cut(make_doc(*sentences), subwords + ADDED, tokenizer) == expected


def test_a_tokenizer_that_reads_is_left_alone(build: Any) -> None:
    """Other threads may be reading with it."""
    encoder = build(64)
    doc = make_doc("a b c", "d e f g " * 30)
    encoder.initialize(X=[doc])
    encoder.predict([doc])
    padding = encoder.tokenizer.backend_tokenizer.padding
    assert padding is not None
    encoder.attrs["get_spans"]([doc])
    assert encoder.tokenizer.backend_tokenizer.padding == padding


def test_a_window_is_no_longer_than_the_encoder_allows(tokenizer: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokenizer, "model_max_length", 4 + ADDED)
    assert cut(make_doc("a b c", "d e", "f"), 512, tokenizer) == ["a b c", "d e f"]


def test_without_sentence_boundaries(tokenizer: Any) -> None:
    doc = Doc(VOCAB, words=["a", "b", "c", "d", "e", "f"])
    assert cut(doc, 5 + ADDED, tokenizer) == ["a b c", "d e f"]


def test_a_batch_is_cut_document_by_document(tokenizer: Any) -> None:
    docs = [make_doc("a"), Doc(VOCAB), make_doc("b", "c d e f"), make_doc()]
    windows = SentenceWindows(4 + ADDED).cut(docs, tokenizer)
    assert [texts(own) for own in windows] == [["a"], [], ["b", "c d e f"], []]
    assert [window.doc for own in windows for window in own] == [docs[0], docs[2], docs[2]]


def draw_doc(seed: int) -> Doc:
    generator = random.Random(seed)
    words = ["abcdefg"[: generator.randint(1, 7)] for _ in range(80)]
    ends = sorted(generator.sample(range(1, 80), 12))
    return make_doc(*(" ".join(words[start:end]) for start, end in zip([0, *ends], [*ends, 80], strict=True)))


@pytest.mark.parametrize("seed", range(20))
def test_windows_cover_a_document_and_have_no_more_subwords(tokenizer: Any, seed: int) -> None:
    doc = draw_doc(seed)
    subwords = random.Random(seed).randint(1 + ADDED, 40)
    (windows,) = SentenceWindows(subwords).cut([doc], tokenizer)
    assert [token.i for window in windows for token in window] == list(range(len(doc)))
    lengths = [len(tokenizer(window.text)["input_ids"]) for window in windows]
    assert all(length <= subwords or len(window) == 1 for length, window in zip(lengths, windows, strict=True))


@pytest.mark.parametrize("seed", range(20))
def test_no_window_has_room_for_the_next_sentence(tokenizer: Any, seed: int) -> None:
    doc = draw_doc(seed)
    longest = max(len(tokenizer(sentence.text)["input_ids"]) for sentence in doc.sents)
    subwords = longest + random.Random(seed).randint(0, 40)
    expected = [""]
    for sentence in doc.sents:
        joined = f"{expected[-1]} {sentence.text}".strip()
        if len(tokenizer(joined)["input_ids"]) <= subwords:
            expected[-1] = joined
        else:
            expected.append(sentence.text)
    assert cut(doc, subwords, tokenizer) == expected


def test_vectors_are_those_of_each_window_alone(build: Any) -> None:
    model = build(8)
    model.initialize(X=[make_doc("a b")])
    output = model.predict([make_doc("a b c", "d e", "f", "g h i j", "k")])
    assert texts(output.spans[0]) == ["a b c d e f", "g h i j k"]
    alone = [model.predict([make_doc(text)]) for text in ("a b c d e f", "g h i j k")]
    for window, single in enumerate(alone):
        length = int(single.wordpieces.attention_mask.sum())
        states = output.model_output.last_hidden_state[window, :length]
        assert (states - single.model_output.last_hidden_state[0]).abs().max() < 1e-5


def test_white_space_is_not_read(build: Any) -> None:
    model = build(5)
    model.initialize(X=[make_doc("a b")])
    doc = Doc(VOCAB, words=["a", "\n", "b", "c", "\n", "d"], sent_starts=[True, False, False, True, False, False])
    output = model.predict([doc])
    assert [(window.start, window.end) for window in output.spans[0]] == [(0, 3), (3, 6)]
    assert output.align.lengths.tolist() == [1, 0, 1, 1, 0, 1]


def test_a_copy_has_the_tokenizer_of_its_own(build: Any) -> None:
    model = build(8)
    model.initialize(X=[make_doc("a b")])
    copied = model.copy()
    assert copied.attrs["get_spans"].model is copied
    assert texts(copied.predict([make_doc("a b c d", "e f g")]).spans[0]) == ["a b c d", "e f g"]


def test_saved_and_loaded(build: Any) -> None:
    model = build(8)
    model.initialize(X=[make_doc("a b")])
    doc = make_doc("a b c d", "e f g", "h")
    loaded = build(8).from_bytes(model.to_bytes())
    found, expected = loaded.predict([doc]), model.predict([doc])
    assert texts(found.spans[0]) == ["a b c d", "e f g h"]
    assert found.model_output.last_hidden_state.equal(expected.model_output.last_hidden_state)


def test_it_is_found_by_its_name(encoder: Path) -> None:
    block = {"@span_getters": "spacy_span_selector.SentenceWindows.v1", "subwords": 9}
    assert registry.resolve({"get_spans": block}) == {"get_spans": SentenceWindows(9)}


def test_an_encoder_that_does_not_know_it(build: Any) -> None:
    model = build(8, "spacy-transformers.TransformerModel.v3")
    with pytest.raises(ValueError, match=r"Use it with the architecture 'spacy_span_selector\.TransformerModel\.v1'"):
        model.initialize(X=[make_doc("a b")])


def test_a_window_needs_room() -> None:
    with pytest.raises(ValueError, match="subwords is 2"):
        SentenceWindows(2)
