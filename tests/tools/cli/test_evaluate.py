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

from spacy_span_selector import annotation
from spacy_span_selector.annotation import Argument, Frame
from spacy_span_selector.scoring.coref import COREFERENCE, score_coref
from spacy_span_selector.scoring.srl import SEMANTIC_ROLES, score_srl
from spacy_span_selector.scoring.task import tasks
from spacy_span_selector.tools.cli import app

from ...untrained import pipeline_of


class FirstWordActs:
    """Label the first word of a sentence as the agent of each predicate: of given ones, else of "slept"."""

    def __init__(self, prefix: str, predicates_key: str) -> None:
        self.prefix, self.predicates_key = prefix, predicates_key
        self.cfg = vars(self).copy()

    def __call__(self, doc: Doc) -> Doc:
        predicates = annotation.get_predicates(doc, self.predicates_key)
        if predicates is None:
            predicates = [(token.i, token.i + 1) for token in doc if token.text == "slept"]
        frames = [
            Frame(start, end, [Argument(doc[start].sent.start, doc[start].sent.start + 1, "ARG0")])
            for start, end in predicates
        ]
        annotation.set_frames(doc, frames, prefix=self.prefix)
        return doc

    def score(self, examples: Iterable[Example], **settings: Any) -> dict[str, Any]:
        return score_srl(examples, **self.cfg)


@Language.factory("evaluate_test_srl")
def make_first_word_acts(
    nlp: Language, name: str, prefix: str = annotation.FRAME_PREFIX, predicates_key: str = annotation.PREDICATES_KEY
) -> FirstWordActs:
    return FirstWordActs(prefix, predicates_key)


class AnnIsShe:
    """Link "Ann" and "she" where somebody is known to speak."""

    def __init__(self) -> None:
        self.cfg = {"prefix": annotation.CLUSTER_PREFIX, "given_key": annotation.GIVEN_MENTIONS_KEY}

    def __call__(self, doc: Doc) -> Doc:
        linked = [(token.i, token.i + 1) for token in doc if token.text in ("Ann", "she")]
        annotation.set_clusters(doc, [linked] if annotation.get_speakers(doc) else [])
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


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pipelines by what they score, and data for them."""
    folder = tmp_path_factory.mktemp("evaluate")
    vocab = spacy.blank("en").vocab
    # Gold words that the tokenizer does not find, and sentences that the sentencizer does not find.
    words = ["Ann", "fell", "asleep-", "she", "slept", "."]
    spaces = [True, True, True, True, False, False]
    gold = Doc(vocab, words=words, spaces=spaces, sent_starts=[i in (0, 3) for i in range(6)])
    frames = [
        Frame(1, 2, [Argument(0, 1, "ARG1"), Argument(2, 3, "ARG2")], "fall.05"),
        Frame(4, 5, [Argument(3, 4, "ARG0")], "sleep.01"),
    ]
    annotation.set_title(gold, "the nap")
    annotation.set_clusters(gold, [[(0, 1), (3, 4)]])
    annotation.set_frames(gold, frames)
    save(folder / "gold.spacy", gold)
    annotation.set_speakers(gold, [(0, 6, "Leo")])
    save(folder / "spoken.spacy", gold)
    gold.spans.clear()
    annotation.set_frames(gold, frames, prefix="roles")
    save(folder / "roles.spacy", gold)
    save(folder / "bare.spacy", Doc(vocab, words=["Nobody", "annotated", "this"]))
    save(folder / "empty.spacy")
    pipeline_of("en", "sentencizer", "evaluate_test_srl", "evaluate_test_output").to_disk(folder / "srl")
    other_keys = {"prefix": "roles", "predicates_key": "verbs"}
    pipeline_of("en", "sentencizer", "evaluate_test_srl", evaluate_test_srl=other_keys).to_disk(folder / "roles")
    pipeline_of("en", "evaluate_test_coref").to_disk(folder / "speaking")
    spacy.blank("en").to_disk(folder / "blank")
    # An untrained component: what it finds is of no use, but it can be scored.
    small = {"model": {"hidden_width": 8, "linker_width": 8}}
    nlp = pipeline_of("en", "sentencizer", "structured_coref", structured_coref=small)
    (doc,) = DocBin().from_disk(folder / "gold.spacy").get_docs(nlp.vocab)
    nlp.initialize(lambda: [Example(nlp.make_doc(doc.text), doc)])
    nlp.to_disk(folder / "coref")
    nlp.add_pipe("evaluate_test_srl")
    nlp.to_disk(folder / "both")
    return folder


def save(path: Path, *docs: Doc) -> None:
    DocBin(docs=docs, store_user_data=True).to_disk(path)


def run(model: Path, data: str, *arguments: object) -> Result:
    return CliRunner().invoke(app, ["evaluate", str(model), str(model.parent / f"{data}.spacy"), *map(str, arguments)])


def table(result: Result) -> list[list[str]]:
    """The rows of the tables, and all other lines."""
    assert result.exit_code == 0, result.output
    return [line.split() for line in result.output.splitlines()]


def test_table_and_file_hold_every_score_of_coreference(folder: Path, tmp_path: Path):
    result = run(folder / "coref", "gold", "--output", tmp_path / "new/scores.json")
    lines = table(result)
    scores = srsly.read_json(tmp_path / "new/scores.json")
    assert set(score_coref([])) <= set(scores)
    assert ["LEA", *(f"{100 * scores[f'coref_lea_{part}']:.2f}" for part in "prf")] in lines
    assert "Semantic roles" not in result.output
    nlp = spacy.load(folder / "coref")
    expected = nlp.evaluate(list(Corpus(folder / "gold.spacy")(nlp)))
    assert scores | {"speed": 0} == pytest.approx(expected | {"speed": 0})


def test_raw_text_is_annotated_from_end_to_end(folder: Path):
    result = run(folder / "srl", "gold")
    lines = table(result)  # of three arguments, none is found: the text is one sentence to the pipeline
    assert ["Arguments", "0.00", "0.00", "0.00"] in lines
    assert ["Predicates", "100.00", "50.00", "66.67"] in lines
    assert not any(line[:1] == ["ARG0"] for line in lines)
    assert all(absent not in result.output for absent in ("Coreference", "Kept spans", "Roleset accuracy"))


@pytest.mark.parametrize(("model", "data"), [("srl", "gold"), ("roles", "roles")])
def test_gold_predicates_come_with_words_and_sentences(folder: Path, model: str, data: str):
    lines = table(run(folder / model, data, "--gold-predicates", "--per-role"))
    assert ["Arguments", "50.00", "33.33", "40.00"] in lines
    assert ["Unlabelled", "100.00", "66.67", "80.00"] in lines
    assert ["Predicates", "100.00", "100.00", "100.00"] in lines
    assert ["ARG0", "50.00", "100.00", "66.67"] in lines
    assert ["ARG1", "0.00", "0.00", "0.00"] in lines


def test_given_mentions_are_those_that_are_scored(folder: Path):
    assert ["Mentions", "100.00", "100.00", "100.00"] in table(run(folder / "coref", "gold", "--gold-mentions"))


FOUND = ["CoNLL", "100.00", "100.00", "100.00"]
MISSED = ["CoNLL", "0.00", "0.00", "0.00"]


@pytest.mark.parametrize("given", [[], ["--gold-mentions"], ["--gold-predicates"]])
def test_scores_without_and_with_speakers_have_headings(folder: Path, tmp_path: Path, given: list[str]):
    path = tmp_path / "scores.json"
    lines = table(run(folder / "speaking", "spoken", "--speakers", *given, "--output", path))
    headings = [i for i, line in enumerate(lines) if line[1:-1] in (["Without", "speakers"], ["With", "speakers"])]
    assert len(headings) == 2
    assert MISSED in lines[headings[0] : headings[1]] and FOUND not in lines[: headings[1]]
    assert FOUND in lines[headings[1] :] and MISSED not in lines[headings[1] :]
    scores = {name: found["coref_f"] for name, found in srsly.read_json(path).items()}
    assert scores == {"without_speakers": 0.0, "with_speakers": 1.0}


def test_speakers_are_given_without_being_asked_for_with_gold_words_only(folder: Path):
    assert MISSED in table(run(folder / "speaking", "spoken"))
    assert FOUND in table(run(folder / "speaking", "spoken", "--gold-mentions"))


def test_a_text_with_speakers_is_still_raw(folder: Path, tmp_path: Path):
    path = tmp_path / "predicted.spacy"
    table(run(folder / "speaking", "spoken", "--speakers", "--predictions", path))
    (doc,) = DocBin().from_disk(path).get_docs(spacy.blank("en").vocab)
    assert [token.text for token in doc] == ["Ann", "fell", "asleep-", "she", "slept", "."]
    assert not doc.has_annotation("SENT_START")
    ((start, end, name),) = annotation.get_speakers(doc)
    assert (doc[start:end].text, name) == ("Ann fell asleep- she slept.", "Leo")


def test_kept_spans_and_rolesets_have_their_place(folder: Path, monkeypatch: pytest.MonkeyPatch):
    kept = {"srl_kept_p": 0.25, "srl_kept_r": 1.0, "srl_kept_f": 0.4, "srl_sense_acc": 0.5, "srl_density": 1.25}
    monkeypatch.setattr(FirstWordActs, "score", lambda self, examples, **settings: score_srl(examples) | kept)
    lines = table(run(folder / "srl", "gold"))
    assert ["Kept", "spans", "25.00", "100.00", "40.00"] in lines
    assert ["Spans", "per", "token:", "1.250", "Roleset", "accuracy:", "50.00"] in lines


def test_roles_that_were_not_scored_are_warned_of(folder: Path):
    result = run(folder / "coref", "gold", "--per-role")
    assert result.exit_code == 0
    assert "no semantic roles were scored" in result.output


def test_a_pipeline_with_both_has_both_tables(folder: Path):
    firsts = [line[0] for line in table(run(folder / "both", "gold")) if line]
    assert {"CoNLL", "Mentions", "Arguments", "Predicates"} <= set(firsts)


def test_predictions_are_written_for_the_error_analysis(folder: Path, tmp_path: Path):
    path = tmp_path / "new/predicted.spacy"
    table(run(folder / "srl", "gold", "--gold-predicates", "--predictions", path))
    (doc,) = DocBin().from_disk(path).get_docs(spacy.blank("en").vocab)
    assert annotation.get_frames(doc) == [Frame(1, 2, [Argument(0, 1, "ARG0")]), Frame(4, 5, [Argument(3, 4, "ARG0")])]
    assert doc.user_data == {"title": "the nap"}


def test_scores_and_predictions_are_written_together_or_not_at_all(folder: Path, tmp_path: Path):
    scores, predictions = tmp_path / "scores.json", tmp_path / "a.spacy"
    scores.write_text("old")
    predictions.mkdir()
    result = run(folder / "srl", "gold", "--output", scores, "--predictions", predictions)
    assert result.exit_code == 1
    assert "a.spacy: not written (Is a directory)" in " ".join(result.output.split())
    assert scores.read_text() == "old"
    replaced = run(folder / "none", "gold", "--output", folder / "gold.spacy")  # before the pipeline is loaded
    assert "since it is what was read" in " ".join(replaced.output.split())
    same = run(folder / "srl", "gold", "--output", tmp_path / "b.spacy", "--predictions", tmp_path / "b.spacy")
    assert "two outputs would be written to this file" in " ".join(same.output.split())


@pytest.mark.parametrize(
    ("model", "data", "options", "messages"),
    [
        ("srl", "gold", ["--predictions", "predicted.txt"], ["must end in .spacy"]),
        ("speaking", "gold", ["--speakers"], ["gold.spacy: found no speaker turns, expected some in doc.spans['spe"]),
        ("srl", "empty", [], ["has no documents with words"]),
        ("coref", "bare", [], ["bare.spacy has no annotation of coreference and"]),
        ("srl", "bare", [], ["bare.spacy has no annotation of semantic roles."]),
        (
            "blank",
            "gold",
            [],
            ["no component that scores coreference and", "blank has no component that scores semantic roles."],
        ),
        ("srl", "roles", [], ["has no annotation of semantic roles"]),
        ("srl", "gold", ["--gold-predicate"], ["No such option '--gold-predicate'"]),
        ("srl", "gold", ["--components.evaluate_test_srl.colour=blue"], ["colour"]),
    ],
)
def test_what_cannot_be_scored_is_said(folder: Path, model: str, data: str, options: list[str], messages: list[str]):
    result = run(folder / model, data, *options)
    assert result.exit_code == 1, result.output
    assert all(message in " ".join(result.output.split()) for message in messages)


def test_options_are_settings_of_the_pipeline(folder: Path, tmp_path: Path) -> None:
    options = ["--gold-predicates", "--components.evaluate_test_srl.prefix", "roles"]
    assert ["Predicates", "100.00", "100.00", "100.00"] in table(run(folder / "srl", "roles", *options))
