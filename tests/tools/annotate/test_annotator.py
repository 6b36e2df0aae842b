from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc, DocBin
from spacy.training import Example
from spacy.util import ignore_error
from spacy.vocab import Vocab

from spacy_span_selector import to_dict
from spacy_span_selector.annotation import Argument, Frame, set_clusters, set_frames, set_speakers
from spacy_span_selector.people.transcripts import Turn
from spacy_span_selector.tools.annotate import Annotator, Job
from spacy_span_selector.tools.annotate.formats import JsonLines
from spacy_span_selector.tools.annotate.pipelines import find_keys
from spacy_span_selector.tools.annotate.records import Part, Record

from .conftest import make_records, read_lines


def part(*texts: str) -> Part:
    return Part(3, make_records(*texts))


def test_documents_are_written_in_order_with_names_and_fields(job: Job):
    records = make_records("Ann saw Bob. Ann left.", "")
    records[0].fields["year"] = 1813
    result = Annotator(job)(Part(3, records))
    first, second = read_lines(result.content)
    assert (first["id"], first["year"], len(first["clusters"]["representative"])) == ("id1", 1813, 2)
    assert first["frames"]["roleset"] == ["see.01"]
    assert (second["id"], second["text"]) == ("id2", "")
    assert (result.number, result.documents, result.words, result.errors) == (3, 2, 7, [])


@pytest.mark.parametrize("batch_words", [1, 8, 1_000])
def test_a_document_that_the_pipeline_fails_on_costs_no_other_one(job: Job, batch_words: int):
    result = Annotator(replace(job, batch_words=batch_words))(part("Ann left.", "Boom is here.", "Bob left.", "Boom"))
    assert [line["text"] for line in read_lines(result.content)] == ["Ann left.", "Bob left."]
    assert result.errors == [
        {"part": 3, "id": name, "source": source, "reason": "the pipeline failed: KeyError: 'boom'"}
        for name, source in (("id2", "file:2"), ("id4", "file:4"))
    ]


def test_what_could_not_be_read_is_an_error(job: Job):
    records = [Record("x", "file:1", 0, problem="broken"), *make_records("Ann left.")]
    result = Annotator(job)(Part(0, records))
    assert result.errors == [{"part": 0, "id": "x", "source": "file:1", "reason": "broken"}]
    assert result.documents == 1


def test_a_text_that_is_too_long_is_an_error_and_more_can_be_allowed(job: Job):
    annotator = Annotator(job)
    annotator.nlp.max_length = 10
    (error,) = annotator(part("Ann left early.", "Ann left.")).errors
    assert error["reason"] == (
        "the text has 15 characters, more than 10, the most that are allowed; cut it, or allow more with --max-length"
    )
    assert Annotator(replace(job, max_length=20)).nlp.max_length == 20


def test_documents_that_a_component_drops_are_errors(job: Job):
    annotator = Annotator(job)
    annotator.nlp.set_error_handler(ignore_error)
    result = annotator(part("Ann left.", "Boom"))
    assert [error["reason"] for error in result.errors] == ["the pipeline dropped it: a component ignores errors"]
    assert result.documents == 1


def test_a_document_that_cannot_be_written_is_an_error(job: Job):
    records = make_records("Ann left.", "Bob left.")
    records[0].fields["half"] = "\ud83d"
    result = Annotator(job)(Part(0, records))
    assert result.errors[0]["reason"].startswith("it can't be written: UnicodeEncodeError: ")
    assert [line["text"] for line in read_lines(result.content)] == ["Bob left."]


class Certain(JsonLines):
    """Fails at the end, where documents can't be told apart any more."""

    def finish(self) -> bytes:
        content = super().finish()
        if b"Bob" in content:
            raise OverflowError("too much")
        return content


def test_a_record_on_which_the_file_of_its_part_fails_costs_no_other_one(job: Job, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(
        "spacy_span_selector.tools.annotate.annotator.make_writer", lambda format_, settings: Certain(settings)
    )
    result = Annotator(job)(part("Ann left.", "Bob left.", "Eve left."))
    assert [line["id"] for line in read_lines(result.content)] == ["id1", "id3"]
    assert [(error["id"], error["reason"]) for error in result.errors] == [
        ("id2", "it can't be written: OverflowError: too much")
    ]


@pytest.mark.parametrize("place", ["add", "finish"])
def test_no_memory_is_no_problem_of_a_record(job: Job, monkeypatch: pytest.MonkeyPatch, place: str):
    def fail(*_: Any) -> None:
        raise MemoryError

    monkeypatch.setattr(JsonLines, place, fail)
    with pytest.raises(MemoryError):
        Annotator(job)(part("Ann left."))


def test_runs_of_marks_take_no_square_of_their_length(job: Job):
    begin = time.process_time()
    result = Annotator(job)(part("=" * 20_000))
    assert (result.documents, result.words) == (1, 20_000)
    assert time.process_time() - begin < 20


def test_a_document_keeps_the_annotation_that_it_has(job: Job):
    doc = Doc(Vocab(), words=["Ann", "left"], spaces=[True, False])
    set_speakers(doc, [(0, 2, "Eve")])
    result = Annotator(job)(Part(0, [Record("tale", "file:1", 0, doc.to_bytes(), len(doc))]))
    (line,) = read_lines(result.content)
    assert (line["id"], line["speakers"]) == ("tale", {"speaker": ["Eve"], "start": [0], "end": [8]})
    assert line["clusters"] == {"representative": [0]}


def test_a_text_that_the_tokenizer_fails_on_is_an_error(job: Job, monkeypatch: pytest.MonkeyPatch):
    annotator = Annotator(job)
    tokenizer = annotator.nlp.tokenizer

    def fail(text: str) -> Doc:
        if "Boom" in text:
            raise ValueError("no words here")
        return tokenizer(text)

    monkeypatch.setattr(annotator.nlp, "tokenizer", fail)
    result = annotator(part("Boom", "Ann left."))
    assert [error["reason"] for error in result.errors] == ["it can't be split into tokens: no words here"]
    assert result.documents == 1


def test_annotation_of_other_components_outlives_the_words_that_it_came_with(job: Job):
    annotator = Annotator(replace(job, format="spacy", batch_words=1))
    words = {"morphs": ["Casex=Nomx", "Numy=Singz"], "tags": ["TAGX", "TAGY"], "lemmas": ["lemx", "lemy"]}
    records = [
        Record(f"x{i}", "x", 0, Doc(Vocab(), words=[f"Ann{i}", "left"], **words).to_bytes(), 2) for i in range(4)
    ]
    result = annotator(Part(0, records))
    docs = list(DocBin(store_user_data=True).from_bytes(result.content).get_docs(Vocab()))
    assert len(docs) == 4
    for doc in docs:
        assert [str(token.morph) for token in doc] == words["morphs"]
        assert [(token.tag_, token.lemma_) for token in doc] == [("TAGX", "lemx"), ("TAGY", "lemy")]


def test_ticks_add_up(job: Job):
    ticks: list[tuple[int, int]] = []
    Annotator(replace(job, batch_words=1))(part("Ann left.", "Boom", "Bob"), lambda *tick: ticks.append(tick))
    assert ticks == [(1, 3), (2, 0), (3, 1)]


def test_tokens_are_written_if_asked(job: Job):
    (line,) = read_lines(Annotator(replace(job, tokens=True))(part("Ann left")).content)
    assert line["tokens"] == {"start": [0, 4], "end": [3, 8]}


def train() -> Language:
    """A pipeline with both components, with what keeps strings of its own, and with keys that are not the defaults."""
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    ruler: Any = nlp.add_pipe("entity_ruler")
    nlp.add_pipe("structured_coref", config={"prefix": "people", "mentions_key": "found"})
    nlp.add_pipe("structured_srl", config={"prefix": "roles", "spans_key": "chosen"})
    doc = nlp.make_doc("Ann left Bob. She ran.")
    set_clusters(doc, [[(0, 1), (4, 5)], [(2, 3)]], prefix="people", mentions_key="found")
    frames = [Frame(1, 2, [Argument(0, 1, "ARG0")], "leave.01"), Frame(5, 6, [Argument(4, 5, "ARG0")], "run.01")]
    set_frames(doc, frames, prefix="roles")
    examples = [Example(nlp.make_doc(doc.text), doc)]
    nlp.initialize(lambda: examples)
    ruler.add_patterns([{"label": "HERO", "pattern": "Ann"}])
    for _ in range(15):
        nlp.update(examples, annotates=["sentencizer"])
    return nlp


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("trained") / "pipeline"
    train().to_disk(path)
    return str(path)


TEXTS = [f"Ann{i} left Bob. She ran to place{i}, and he{i} saw thing{i * i}. Ann ran." for i in range(15)]


def test_what_is_forgotten_after_each_batch_changes_nothing(trained: str):
    nlp = spacy.load(trained)
    keys: dict[str, Any] = find_keys(nlp)
    expected = [{**to_dict(nlp(text), **keys), "id": f"id{i}"} for i, text in enumerate(TEXTS, start=1)]
    annotator = Annotator(Job(model=trained, batch_words=1))
    lines = read_lines(annotator(part(*TEXTS)).content)
    assert lines == json.loads(json.dumps(expected))
    assert any(line["mentions"]["start"] for line in lines)
    assert any(line["frames"].get("roleset") for line in lines)


@pytest.mark.parametrize("format_", ["jsonl", "spacy", "html", "bracketed"])
def test_strings_do_not_pile_up(trained: str, format_: str):
    annotator = Annotator(Job(model=trained, format=format_, batch_words=100))
    annotator(part(*TEXTS[:2]))
    before = len(annotator.nlp.vocab.strings), len(list(annotator.nlp.vocab))
    annotator(part(*TEXTS))
    assert (len(annotator.nlp.vocab.strings), len(list(annotator.nlp.vocab))) == before


def test_an_error_within_a_batch_leaves_no_strings_either(job: Job):
    annotator = Annotator(job)
    before = len(annotator.nlp.vocab.strings)
    annotator(part("Boom with newword1", "newword2"))
    assert len(annotator.nlp.vocab.strings) == before


def test_the_first_component_says_where_annotation_is(trained: str):
    assert find_keys(spacy.load(trained)) == {
        "cluster_prefix": "people",
        "mentions_key": "found",
        "frame_prefix": "roles",
        "predicates_key": "srl_predicates",
        "spans_key": "chosen",
    }


def test_no_document_is_kept(job: Job, monkeypatch: pytest.MonkeyPatch):
    """Documents are of no use after their batch, when their words have been forgotten."""
    added: list[str] = []
    original: Callable[..., None] = JsonLines.add

    def add(writer: JsonLines, record: Record, doc: Doc) -> None:
        assert doc.vocab.in_memory_zone
        added.append(record.id)
        original(writer, record, doc)

    monkeypatch.setattr(JsonLines, "add", add)
    annotator = Annotator(replace(job, batch_words=1))
    annotator(part("Ann left.", "Bob left."))
    assert added == ["id1", "id2"]
    assert not annotator.nlp.vocab.in_memory_zone


def test_texts_that_are_transcripts_have_speakers_and_others_are_counted(job: Job):
    texts = ("Ann: I left.\nBob: Did you", "Ann left.")
    result = Annotator(replace(job, transcripts=True))(part(*texts))
    first, second = read_lines(result.content)
    assert first["speakers"] == {"speaker": ["Ann", "Bob"], "start": [5, 18], "end": [12, 25]}
    assert {0, 5, 13, 18} <= {*first["sentences"]["start"]}
    assert (second["text"], "speakers" in second) == (texts[1], False)
    assert (result.documents, result.plain, result.errors) == (2, 1, [])


def test_texts_are_no_transcripts_unless_asked(job: Job):
    result = Annotator(job)(part("Ann: I left.\nBob: Did you"))
    (line,) = read_lines(result.content)
    assert ("speakers" in line, result.plain) == (False, 0)


@pytest.mark.parametrize("transcripts", [False, True])
def test_speakers_of_a_record_are_kept(job: Job, transcripts: bool):
    record = Record("x", "file:1", 0, "Ann: Ann left. Bob left", speakers=(Turn("Eve", 5, 14), Turn("Kim", 15, 23)))
    (line,) = read_lines(Annotator(replace(job, transcripts=transcripts))(Part(0, [record])).content)
    assert (line["speakers"]["speaker"], line["speakers"]["start"]) == (["Eve", "Kim"], [5, 15])
