"""The examples of docs/in_your_pipeline.md that need a trained pipeline run, and its tables are right."""

import re
from pathlib import Path
from typing import Any

import pytest
import spacy
from spacy.language import DEFAULT_CONFIG, Language
from spacy.tokens import DocBin
from spacy.training.initialize import init_nlp
from spacy.util import fix_random_seed, load_config_from_str

from spacy_span_selector.people.entity_resolver import EntityResolver
from spacy_span_selector.pipeline.settings import defaults
from spacy_span_selector.pipeline.structured_coref import StructuredCoref
from spacy_span_selector.pipeline.structured_srl import StructuredSrl
from spacy_span_selector.tools.formats.bracketed import parse_bracketed

from .pipeline.components import CLUSTERS, COREF, FRAMES, SRL, make_examples
from .test_docs import NEEDS_FILES, expected_output
from .tok2vec import LISTENER, TOK2VEC

TEXT = (Path(__file__).parent.parent / "docs/in_your_pipeline.md").read_text(encoding="utf-8")
HORN = "=== the horn\nTom played the horn loudly.\n> [ARG0 Tom] [V=play.11 played] [ARG1 the horn] [ARGM-MNR loudly].\n"
FOLDER = "en_span_selector_md"


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", TEXT, re.DOTALL)


def joint() -> Language:
    """A pipeline like that of configs/joint_minilm.cfg, but small: both components over one encoder."""
    fix_random_seed(0)
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("tok2vec", name="transformer", config={"model": TOK2VEC})
    for case in (COREF, SRL):
        nlp.add_pipe(case.factory, config={"model": {**case.model, "tok2vec": LISTENER}})
    nlp.add_pipe("entity_resolver")
    examples = make_examples(nlp, [*parse_bracketed(CLUSTERS, nlp), *parse_bracketed(FRAMES, nlp)])
    nlp.initialize(lambda: examples)
    return nlp


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    nlp = joint()
    Path(FOLDER).mkdir(parents=True)
    nlp.to_disk(FOLDER)
    DocBin(docs=parse_bracketed(HORN, nlp)).to_disk("train.spacy")
    load = spacy.load

    def load_any(name: str, **settings: Any) -> Language:
        if name != "en_core_web_sm":
            return load(name, **settings)
        other = spacy.blank("en")
        other.add_pipe("sentencizer", name="parser")
        return other

    monkeypatch.setattr(spacy, "load", load_any)
    monkeypatch.setattr(spacy.util, "is_package", lambda name: False)  # the pipeline itself may be installed
    return tmp_path


def test_examples_run(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    adding, sharing, loading, training, *others = blocks("python")
    namespace: dict[str, Any] = {}
    exec(adding, namespace)
    assert namespace["nlp"].pipe_names == ["parser", "structured_srl", "structured_coref", "entity_resolver"]
    assert (folder / "with_coref").is_dir()
    namespace["nlp"] = spacy.blank("en")
    namespace["nlp"].add_pipe("sentencizer")
    exec(sharing, namespace)
    assert namespace["nlp"]("Tom left.").has_annotation("SENT_START")
    exec(loading, namespace)
    nlp = namespace["nlp"]
    assert nlp.get_pipe("structured_coref").threshold == 0.6
    namespace["docs"] = parse_bracketed(HORN, nlp)
    capsys.readouterr()
    exec(training, namespace)
    assert capsys.readouterr().out.splitlines() == expected_output(training)
    assert not any(word in code for code in others for word in NEEDS_FILES)  # test_docs.py runs these


def test_the_config_learns_the_labels_of_its_corpus(folder: Path) -> None:
    (config,) = blocks("ini")
    corpus = {"@readers": "spacy_span_selector.Corpus.v1", "path": "train.spacy"}
    rest = {
        "nlp": {"lang": "en", "pipeline": ["sentencizer", "transformer", "structured_srl"]},
        "components": {"sentencizer": {"factory": "sentencizer"}},
        "corpora": {"train": corpus, "dev": corpus},
        "training": {"train_corpus": "corpora.train", "dev_corpus": "corpora.train"},
    }
    sections = load_config_from_str(f"[components]\n\n[initialize]\n{config}", interpolate=False)
    nlp = init_nlp(DEFAULT_CONFIG.merge(rest).merge(sections))
    assert nlp.get_pipe("structured_srl").labels[-1] == "ARGM-MNR"  # type: ignore[attr-defined]
    assert nlp("Tom played the horn.").spans.keys() >= {SRL.spans_key}


def test_every_setting_is_in_the_table() -> None:
    (table,) = re.findall(r"\| setting \|.*?\n\n", TEXT, re.DOTALL)
    rows = dict(re.findall(r"^\| (.*?) \| (.*?) \|$", table, re.MULTILINE))
    named = [name for row in rows for name in re.findall(r"`(\w+)`", row) if name != "model"]
    settings = {name for kind in (StructuredCoref, StructuredSrl, EntityResolver) for name in defaults(kind)}
    assert {*named} - {"false"} == settings
