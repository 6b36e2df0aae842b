from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import catalogue
import pytest
import spacy
import srsly
from spacy.language import Language
from spacy.tokens import Doc, DocBin
from spacy.training import Corpus, Example
from typer.testing import CliRunner, Result

from spacy_span_selector.annotation import (
    CLUSTER_PREFIX,
    FRAME_PREFIX,
    GIVEN_MENTIONS_KEY,
    PREDICATES_KEY,
    Argument,
    Frame,
    get_frames,
    get_predicates,
    get_speakers,
    set_clusters,
    set_frames,
    set_speakers,
    set_title,
)
from spacy_span_selector.scoring.coref import COREFERENCE, score_coref
from spacy_span_selector.scoring.srl import SEMANTIC_ROLES, score_srl
from spacy_span_selector.scoring.task import tasks
from spacy_span_selector.tools.cli import app


class FirstWordActs:
    """Label the first word of a sentence as the agent of each predicate: of given ones, else of "slept"."""

    def __init__(self, prefix: str, predicates_key: str) -> None:
        self.prefix, self.predicates_key = prefix, predicates_key
        self.cfg = vars(self).copy()

    def __call__(self, doc: Doc) -> Doc:
        predicates = get_predicates(doc, self.predicates_key)
        if predicates is None:
            predicates = [(token.i, token.i + 1) for token in doc if token.text == "slept"]
        frames = [
            Frame(start, end, [Argument(doc[start].sent.start, doc[start].sent.start + 1, "ARG0")])
            for start, end in predicates
        ]
        set_frames(doc, frames, prefix=self.prefix)
        return doc

    def score(self, examples: Iterable[Example], **settings: Any) -> dict[str, Any]:
        return score_srl(examples, **self.cfg)


@Language.factory("evaluate_test_srl")
def make_first_word_acts(
    nlp: Language, name: str, prefix: str = FRAME_PREFIX, predicates_key: str = PREDICATES_KEY
) -> FirstWordActs:
    return FirstWordActs(prefix, predicates_key)


class AnnIsShe:
    """Link "Ann" and "she" where somebody is known to speak."""

    def __init__(self) -> None:
        self.cfg = {"prefix": CLUSTER_PREFIX, "given_key": GIVEN_MENTIONS_KEY}

    def __call__(self, doc: Doc) -> Doc:
        linked = [(token.i, token.i + 1) for token in doc if token.text in ("Ann", "she")]
        set_clusters(doc, [linked] if get_speakers(doc) else [])
        return doc

    def score(self, examples: Iterable[Example], **settings: Any) -> dict[str, Any]:
        return score_coref(examples)


@Language.factory("evaluate_test_coref")
def make_ann_is_she(nlp: Language, name: str) -> AnnIsShe:
    return AnnIsShe()


@pytest.fixture(autouse=True)
def own_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Registered for these tests alone."""
    for task in (
        replace(SEMANTIC_ROLES, factory="evaluate_test_srl"),
        replace(COREFERENCE, factory="evaluate_test_coref"),
    ):
        monkeypatch.setitem(catalogue.REGISTRY, (*tasks.namespace, task.factory), task)


if not Doc.has_extension("evaluate_test_output"):
    Doc.set_extension("evaluate_test_output", default=None)


@Language.component("evaluate_test_output")
def keep_something_large(doc: Doc) -> Doc:
    doc._.evaluate_test_output = [0.0] * 1000
    return doc


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["evaluate", *map(str, arguments)])


def table(result: Result) -> list[list[str]]:
    """The rows of the tables, and all other lines."""
    assert result.exit_code == 0, result.output
    return [line.split() for line in result.output.splitlines()]


def message(result: Result) -> str:
    assert result.exit_code == 1, result.output
    return " ".join(result.output.split())


@pytest.fixture
def gold() -> Doc:
    """Gold words that the tokenizer does not find, and sentences that the sentencizer does not find."""
    words = ["Ann", "fell", "asleep-", "she", "slept", "."]
    spaces = [True, True, True, True, False, False]
    doc = Doc(spacy.blank("en").vocab, words=words, spaces=spaces, sent_starts=[i in (0, 3) for i in range(6)])
    set_title(doc, "the nap")
    set_clusters(doc, [[(0, 1), (3, 4)]])
    set_frames(
        doc,
        [
            Frame(1, 2, [Argument(0, 1, "ARG1"), Argument(2, 3, "ARG2")], "fall.05"),
            Frame(4, 5, [Argument(3, 4, "ARG0")], "sleep.01"),
        ],
    )
    return doc


@pytest.fixture
def data(tmp_path: Path, gold: Doc) -> Path:
    DocBin(docs=[gold], store_user_data=True).to_disk(tmp_path / "gold.spacy")
    return tmp_path / "gold.spacy"


@pytest.fixture
def coref(tmp_path: Path, gold: Doc) -> Path:
    """A pipeline with an untrained component: what it finds is of no use, but it can be scored."""
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("structured_coref", config={"model": {"hidden_width": 8, "linker_width": 8}})
    nlp.initialize(lambda: [Example(nlp.make_doc(gold.text), gold)])
    nlp.to_disk(tmp_path / "coref")
    return tmp_path / "coref"


@pytest.fixture
def srl(tmp_path: Path) -> Path:
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("evaluate_test_srl")
    nlp.add_pipe("evaluate_test_output")
    nlp.to_disk(tmp_path / "srl")
    return tmp_path / "srl"


def test_table_and_file_hold_every_score_of_coreference(coref: Path, data: Path, tmp_path: Path):
    result = run(coref, data, "--output", tmp_path / "new/scores.json")
    lines = table(result)
    scores = srsly.read_json(tmp_path / "new/scores.json")
    assert set(score_coref([])) <= set(scores)
    assert ["LEA", *(f"{100 * scores[f'coref_lea_{part}']:.2f}" for part in "prf")] in lines
    assert "Semantic roles" not in result.output


def test_raw_text_is_annotated_from_end_to_end(srl: Path, data: Path):
    lines = table(run(srl, data))  # of three arguments, none is found: the text is one sentence to the pipeline
    assert ["Arguments", "0.00", "0.00", "0.00"] in lines
    assert ["Predicates", "100.00", "50.00", "66.67"] in lines
    assert "Coreference" not in str(lines)


def test_scores_from_raw_text_are_those_of_spacy(coref: Path, data: Path, tmp_path: Path):
    table(run(coref, data, "--output", tmp_path / "scores.json"))
    nlp = spacy.load(coref)
    expected = nlp.evaluate(list(Corpus(data)(nlp)))
    assert srsly.read_json(tmp_path / "scores.json") | {"speed": 0} == pytest.approx(expected | {"speed": 0})


def test_gold_predicates_come_with_words_and_sentences(srl: Path, data: Path):
    lines = table(run(srl, data, "--gold-predicates"))
    assert ["Arguments", "50.00", "33.33", "40.00"] in lines
    assert ["Unlabelled", "100.00", "66.67", "80.00"] in lines
    assert ["Predicates", "100.00", "100.00", "100.00"] in lines


def test_gold_predicates_come_under_the_keys_of_the_component(gold: Doc, tmp_path: Path):
    nlp = spacy.blank("en")
    nlp.add_pipe("evaluate_test_srl", config={"prefix": "roles", "predicates_key": "verbs"})
    nlp.to_disk(tmp_path / "srl")
    frames = get_frames(gold)
    gold.spans.clear()
    set_frames(gold, frames, prefix="roles")
    DocBin(docs=[gold]).to_disk(tmp_path / "gold.spacy")
    lines = table(run(tmp_path / "srl", tmp_path / "gold.spacy", "--gold-predicates"))
    assert ["Arguments", "50.00", "33.33", "40.00"] in lines
    assert ["Predicates", "100.00", "100.00", "100.00"] in lines


def test_given_mentions_are_those_that_are_scored(coref: Path, data: Path):
    lines = table(run(coref, data, "--gold-mentions"))
    assert ["Mentions", "100.00", "100.00", "100.00"] in lines


@pytest.fixture
def speaking(tmp_path: Path) -> Path:
    """A pipeline that links only what it knows the speakers of."""
    nlp = spacy.blank("en")
    nlp.add_pipe("evaluate_test_coref")
    nlp.to_disk(tmp_path / "speaking")
    return tmp_path / "speaking"


@pytest.fixture
def spoken(tmp_path: Path, gold: Doc) -> Path:
    """The data, and who speaks."""
    set_speakers(gold, [(0, 6, "Leo")])
    DocBin(docs=[gold], store_user_data=True).to_disk(tmp_path / "spoken.spacy")
    return tmp_path / "spoken.spacy"


FOUND = ["CoNLL", "100.00", "100.00", "100.00"]
MISSED = ["CoNLL", "0.00", "0.00", "0.00"]


@pytest.mark.parametrize("given", [[], ["--gold-mentions"], ["--gold-predicates"]])
def test_scores_without_and_with_speakers_have_headings(speaking: Path, spoken: Path, given: list[str]):
    lines = table(run(speaking, spoken, "--speakers", *given))
    headings = [i for i, line in enumerate(lines) if line[1:-1] in (["Without", "speakers"], ["With", "speakers"])]
    assert len(headings) == 2
    assert MISSED in lines[headings[0] : headings[1]] and FOUND not in lines[: headings[1]]
    assert FOUND in lines[headings[1] :] and MISSED not in lines[headings[1] :]


def test_speakers_are_given_without_being_asked_for_with_gold_words_alone(speaking: Path, spoken: Path):
    assert MISSED in table(run(speaking, spoken))
    assert FOUND in table(run(speaking, spoken, "--gold-mentions"))


def test_the_file_has_the_scores_without_and_with_speakers(speaking: Path, spoken: Path, tmp_path: Path):
    table(run(speaking, spoken, "--speakers", "--output", tmp_path / "scores.json"))
    scores = srsly.read_json(tmp_path / "scores.json")
    assert {name: found["coref_f"] for name, found in scores.items()} == {"without_speakers": 0.0, "with_speakers": 1.0}


def test_a_text_with_speakers_is_still_raw(speaking: Path, spoken: Path, tmp_path: Path):
    path = tmp_path / "predicted.spacy"
    table(run(speaking, spoken, "--speakers", "--predictions", path))
    (doc,) = DocBin().from_disk(path).get_docs(spacy.blank("en").vocab)
    assert [token.text for token in doc] == ["Ann", "fell", "asleep-", "she", "slept", "."]
    assert not doc.has_annotation("SENT_START")
    ((start, end, name),) = get_speakers(doc)
    assert (doc[start:end].text, name) == ("Ann fell asleep- she slept.", "Leo")


def test_data_without_speakers(speaking: Path, data: Path):
    found = message(run(speaking, data, "--speakers"))
    assert "gold.spacy: found no speaker turns, expected some in doc.spans['speakers']. Leave out --speakers" in found


def test_what_is_not_scored_has_no_row(srl: Path, data: Path):
    output = run(srl, data).output
    assert "Kept spans" not in output
    assert "Roleset accuracy" not in output


def test_kept_spans_and_rolesets_have_their_place(srl: Path, data: Path, monkeypatch: pytest.MonkeyPatch):
    kept = {"srl_kept_p": 0.25, "srl_kept_r": 1.0, "srl_kept_f": 0.4, "srl_sense_acc": 0.5, "srl_density": 1.25}
    monkeypatch.setattr(FirstWordActs, "score", lambda self, examples, **settings: score_srl(examples) | kept)
    lines = table(run(srl, data))
    assert ["Kept", "spans", "25.00", "100.00", "40.00"] in lines
    assert ["Spans", "per", "token:", "1.250", "Roleset", "accuracy:", "50.00"] in lines


def test_roles_have_a_table_of_their_own(srl: Path, data: Path):
    assert not any(line[:1] == ["ARG0"] for line in table(run(srl, data, "--gold-predicates")))
    lines = table(run(srl, data, "--gold-predicates", "--per-role"))
    assert ["ARG0", "50.00", "100.00", "66.67"] in lines
    assert ["ARG1", "0.00", "0.00", "0.00"] in lines


def test_roles_that_were_not_scored_are_warned_of(coref: Path, data: Path):
    result = run(coref, data, "--per-role")
    assert result.exit_code == 0
    assert "no semantic roles were scored" in result.output


def test_a_pipeline_with_both_has_both_tables(coref: Path, data: Path):
    nlp = spacy.load(coref)
    nlp.add_pipe("evaluate_test_srl")
    nlp.to_disk(coref)
    firsts = [line[0] for line in table(run(coref, data)) if line]
    assert {"CoNLL", "Mentions", "Arguments", "Predicates"} <= set(firsts)


def test_predictions_are_written_for_the_error_analysis(srl: Path, data: Path, tmp_path: Path):
    path = tmp_path / "new/predicted.spacy"
    table(run(srl, data, "--gold-predicates", "--predictions", path))
    (doc,) = DocBin().from_disk(path).get_docs(spacy.blank("en").vocab)
    assert get_frames(doc) == [
        Frame(1, 2, [Argument(0, 1, "ARG0")]),
        Frame(4, 5, [Argument(3, 4, "ARG0")]),
    ]
    assert doc.user_data == {"title": "the nap"}


def test_predictions_need_a_file_that_spacy_reads(srl: Path, data: Path, tmp_path: Path):
    assert "must end in .spacy" in message(run(srl, data, "--predictions", tmp_path / "predicted.txt"))


def test_data_without_annotation(coref: Path, srl: Path, tmp_path: Path):
    doc = spacy.blank("en").make_doc("Nobody has annotated this.")
    DocBin(docs=[doc]).to_disk(tmp_path / "bare.spacy")
    assert "bare.spacy has no annotation of coreference and" in message(run(coref, tmp_path / "bare.spacy"))
    assert "bare.spacy has no annotation of semantic roles." in message(run(srl, tmp_path / "bare.spacy"))


def test_a_pipeline_without_a_component(data: Path, tmp_path: Path):
    spacy.blank("en").to_disk(tmp_path / "blank")
    found = message(run(tmp_path / "blank", data))
    assert "blank has no component that scores coreference and" in found
    assert "blank has no component that scores semantic roles." in found


def test_data_that_is_missing_or_empty(srl: Path, tmp_path: Path):
    DocBin().to_disk(tmp_path / "empty.spacy")
    assert "no such file" in message(run(srl, tmp_path / "none.spacy"))
    assert "has no documents with words" in message(run(srl, tmp_path / "empty.spacy"))


def test_data_that_is_not_a_file_of_spacy(srl: Path, data: Path, tmp_path: Path):
    (tmp_path / "folder.spacy").mkdir()
    (tmp_path / "junk.spacy").write_text("junk")
    data.rename(tmp_path / "gold.docs")
    for name, problem in (
        ("folder.spacy", "a folder"),
        ("junk.spacy", "damaged, or"),
        ("gold.docs", "spaCy's readers"),
    ):
        assert f"{name}: {problem}" in message(run(srl, tmp_path / name))


def test_missing_model(data: Path, tmp_path: Path):
    assert "nowhere" in message(run(tmp_path / "nowhere", data))


def test_options_are_settings_of_the_pipeline(tmp_path: Path) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("evaluate_test_srl")
    nlp.to_disk(tmp_path / "pipeline")
    doc = nlp.make_doc("Ann slept.")
    set_frames(doc, [Frame(1, 2, [Argument(0, 1, "ARG0")])], prefix="roles")
    DocBin(docs=[doc]).to_disk(tmp_path / "gold.spacy")
    arguments = ["evaluate", str(tmp_path / "pipeline"), str(tmp_path / "gold.spacy"), "--output", str(tmp_path / "s")]
    assert CliRunner().invoke(app, arguments).exit_code == 1
    result = CliRunner().invoke(app, [*arguments, "--components.evaluate_test_srl.prefix", "roles"])
    assert result.exit_code == 0, result.output
    assert srsly.read_json(tmp_path / "s")["srl_f"] == 1.0


@pytest.mark.parametrize("option", ["--gold-predicate", "--components.evaluate_test_srl.colour=blue"])
def test_an_option_that_is_no_setting_is_an_error(option: str, tmp_path: Path) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("evaluate_test_srl")
    nlp.to_disk(tmp_path / "pipeline")
    DocBin().to_disk(tmp_path / "gold.spacy")
    result = CliRunner().invoke(app, ["evaluate", str(tmp_path / "pipeline"), str(tmp_path / "gold.spacy"), option])
    assert result.exit_code != 0
