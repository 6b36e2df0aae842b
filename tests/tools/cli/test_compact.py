import shutil
from pathlib import Path
from typing import Any

import numpy
import pytest
import spacy
import srsly
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_span_selector import to_dict
from spacy_span_selector.tools.files.runs import file_digest

from ...commands import flat, refusal, run, success
from ...untrained import untrained


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An untrained pipeline with both components."""
    path = tmp_path_factory.mktemp("model") / "pipeline"
    untrained("en", "sentencizer", "structured_coref", "structured_srl").to_disk(path)
    return path


def head_size(path: Path) -> int:
    return (path / "structured_srl" / "model").stat().st_size


def test_a_copy_takes_less_space_and_can_be_loaded(model: Path, tmp_path: Path) -> None:
    assert "MB" in success("compact", model, tmp_path / "deep" / "small")
    assert head_size(tmp_path / "deep" / "small") < head_size(model)
    text = "Ann saw the boat of her brother. She liked it."
    assert len(spacy.load(tmp_path / "deep" / "small")(text)) == len(spacy.load(model)(text))
    assert not [path for path in (tmp_path / "deep").iterdir() if path.name != "small"]


def test_a_copy_does_not_claim_the_scores_of_other_weights(model: Path, tmp_path: Path) -> None:
    nlp = spacy.load(model)
    nlp.meta.update(performance={"coref_f": 0.5}, license="CC0")
    nlp.to_disk(tmp_path / "scored")
    run("compact", tmp_path / "scored", tmp_path / "small")
    meta = spacy.load(tmp_path / "small").meta
    assert "performance" not in meta and meta["license"] == "CC0"


def test_what_exists_is_replaced_only_by_force(model: Path, tmp_path: Path) -> None:
    (tmp_path / "small" / "old").mkdir(parents=True)
    assert "exists. Name a folder that does not" in refusal("compact", model, tmp_path / "small")
    assert "small is no pipeline, so it is not replaced" in refusal("compact", model, tmp_path / "small", "--force")
    shutil.copytree(model, tmp_path / "small", dirs_exist_ok=True)
    assert run("compact", model, tmp_path / "small", "--force").exit_code == 0
    assert not (tmp_path / "small" / "old").exists()
    spacy.load(tmp_path / "small")


def test_another_kind_of_weights_is_an_error(model: Path, tmp_path: Path) -> None:
    assert "can't be stored as 'int4'" in refusal("compact", model, tmp_path / "small", "--weights", "int4")
    assert not (tmp_path / "small").exists()


def own_strings(path: Path) -> list[str]:
    strings: list[str] = srsly.read_json(path / "vocab" / "strings.json")
    return strings


def test_words_of_the_corpus_are_left_out_and_nothing_else(tmp_path: Path) -> None:
    text = "[Ann|ann] wrote to zoe@example.org.\n[She|ann] left.\n> [ARG0 She] [V=leave.01 left].\n"
    nlp: Any = untrained("en", "word_sentencizer", "structured_coref", "structured_srl", text=text)
    for component in ("structured_coref", "structured_srl"):  # so that there is something to compare
        nlp.get_pipe(component).configure(threshold=0.0)
    nlp.to_disk(tmp_path / "model")
    assert "zoe@example.org" in own_strings(tmp_path / "model")
    said = success("compact", tmp_path / "model", tmp_path / "small", "--weights", "float32")
    assert "may need" not in said
    strings = own_strings(tmp_path / "small")
    assert "ARG0" in strings and "zoe@example.org" not in strings
    files = [path.relative_to(tmp_path / "model") for path in (tmp_path / "model").rglob("*") if path.is_file()]
    changed = [
        str(file) for file in files if file_digest(tmp_path / "model" / file) != file_digest(tmp_path / "small" / file)
    ]
    assert changed == [str(Path("vocab", "strings.json"))]
    whole, small = (spacy.load(tmp_path / name) for name in ("model", "small"))
    text = "Bob wrote to ann@example.org. He left her."
    assert to_dict(small(text)) == to_dict(whole(text))
    saved = Doc(Vocab()).from_bytes(small(text).to_bytes())
    assert saved.text == text and small.get_pipe("structured_srl").labels == ("ARG0",)


def test_words_of_vectors_stay(tmp_path: Path) -> None:
    nlp = spacy.blank("xx")
    nlp.vocab.strings.add("private")
    nlp.vocab.set_vector("cat", numpy.ones(4, dtype="float32"))
    nlp.to_disk(tmp_path / "model")
    assert run("compact", tmp_path / "model", tmp_path / "small").exit_code == 0
    assert "cat" in own_strings(tmp_path / "small") and "private" not in own_strings(tmp_path / "small")
    assert [spacy.load(tmp_path / "small").vocab.strings[key] for key in nlp.vocab.vectors] == ["cat"]


def test_components_that_may_need_any_word_keep_them(tmp_path: Path) -> None:
    nlp = spacy.blank("xx")
    nlp.add_pipe("entity_ruler").add_patterns([{"label": "ORG", "pattern": "Acme"}])
    nlp.vocab.strings.add("private")
    nlp.to_disk(tmp_path / "model")
    result = run("compact", tmp_path / "model", tmp_path / "small")
    assert "which these components may need: entity_ruler" in flat(result)
    assert "private" in own_strings(tmp_path / "small")
