"""The examples of texts that annotate some types alone run, in docs/fine_tuning.md and docs/readers.md."""

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import spacy
from spacy import registry
from spacy.tokens import DocBin
from thinc.api import Config

from spacy_span_selector.annotation import get_annotates

from .commands import success
from .pipeline.components import CLUSTERS, FRAMES, LABELLED, SPANCAT, blank_nlp, initialized, parse_bracketed

DOCS = Path(__file__).parent.parent / "docs"


def blocks(page: str, heading: str, language: str) -> list[str]:
    section = (DOCS / page).read_text(encoding="utf-8").partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    return re.findall(rf"^```{language}\n(.*?)^```", section, re.DOTALL | re.MULTILINE)


def test_companies_alone_are_learnt_by_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text, *_ = blocks("fine_tuning.md", "Texts that mark companies alone", "")
    (command,) = blocks("fine_tuning.md", "Texts that mark companies alone", "bash")
    monkeypatch.chdir(tmp_path)
    Path("texts").mkdir()
    for name in ("Zed", "Acme", "Foo"):
        Path(f"texts/{name}.txt").write_text(text.replace("Zed", name))
    nlp, _ = initialized(SPANCAT, "laminar", model={"label_hidden_width": None})
    nlp.to_disk("small")
    arguments = shlex.split(command.replace("en_span_selector_md", "small"))[4:]
    rate = "--training.optimizer.learn_rate"
    assert "No text marks" not in success(*arguments, f"{rate}.total_steps", 2, f"{rate}.warmup_steps", 1)
    spancat: Any = spacy.load("tuned/model").get_pipe("structured_spancat")
    assert spancat.labels[-1] == "COMPANY"


def test_a_corpus_of_ones_own_says_what_it_annotates_beside_others(tmp_path: Path) -> None:
    nlp, paths = blank_nlp(), {}
    for name, corpus in (("coref", CLUSTERS), ("srl", FRAMES), ("mine", LABELLED)):
        paths[f"train_{name}"] = str(tmp_path / f"{name}.spacy")
        DocBin(docs=parse_bracketed(corpus, nlp), store_user_data=True).to_disk(paths[f"train_{name}"])
    (block,) = blocks("readers.md", "Several corpora", "ini")
    overrides = {f"paths.{name}": path for name, path in paths.items()}
    config = Config().from_str(f"[paths]\n[corpora]\n{block}", overrides=overrides)
    (read,) = registry.resolve({"train": config["corpora"]["train"]}).values()
    found = {str(get_annotates(example.reference)) for example in read(nlp)}
    assert found == {"None", "['COMPANY']"}
