import json
from dataclasses import replace
from pathlib import Path
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
from spacy_span_selector.tools.annotate import Job
from spacy_span_selector.tools.annotate.annotator import Annotator
from spacy_span_selector.tools.annotate.formats import JsonLines
from spacy_span_selector.tools.annotate.records import Part, Record
from spacy_span_selector.tools.files.pipelines import find_keys

from . import components
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
    assert (result.number, result.counts["documents"], result.counts["words"], result.errors) == (3, 2, 7, [])


@pytest.mark.parametrize("batch_words", [1, 8, 1_000])
def test_a_document_that_the_pipeline_fails_on_costs_no_other_one_and_leaves_no_strings(job: Job, batch_words: int):
    annotator = Annotator(replace(job, batch_words=batch_words))
    before = len(annotator.nlp.vocab.strings)
    result = annotator(part("Ann left.", "Boom is newword1.", "Bob newword2.", "Boom"))
    assert [line["text"] for line in read_lines(result.content)] == ["Ann left.", "Bob newword2."]
    assert result.errors == [
        {"part": 3, "id": name, "source": source, "reason": "the pipeline failed: KeyError: 'boom'"}
        for name, source in (("id2", "file:2"), ("id4", "file:4"))
    ]
    assert len(annotator.nlp.vocab.strings) == before


def test_what_can_not_be_read_split_annotated_or_written_is_an_error(job: Job, monkeypatch: pytest.MonkeyPatch):
    annotator = Annotator(replace(job, max_length=20))
    annotator.nlp.set_error_handler(ignore_error)
    tokenizer = annotator.nlp.tokenizer

    def fail(text: str) -> Doc:
        if "Odd" in text:
            raise ValueError("no words here")
        return tokenizer(text)

    monkeypatch.setattr(annotator.nlp, "tokenizer", fail)
    records = make_records("", "Ann left.", "Boom", "Odd", "Ann left" * 3, "Bob left.")
    records[0] = replace(records[0], problem="broken")
    records[5].fields["half"] = "\ud83d"
    result = annotator(Part(0, records))
    assert [line["text"] for line in read_lines(result.content)] == ["Ann left."]
    *reasons, written = [error["reason"] for error in result.errors]
    assert reasons == [
        "broken",
        "the pipeline dropped it: a component ignores errors",
        "it can't be split into tokens: no words here",
        "the text has 24 characters, more than 20; cut it, or raise --max-length",
    ]
    assert written.startswith("it can't be written: UnicodeEncodeError: ")
    assert result.counts == {"documents": 1, "words": 3, "plain": 0, "errors": 5}


def test_a_record_on_which_the_file_of_its_part_fails_costs_no_other_one(job: Job, monkeypatch: pytest.MonkeyPatch):
    original = JsonLines.finish

    def fail(writer: JsonLines) -> bytes:
        """Fail at the end, where documents can't be told apart any more."""
        content = original(writer)
        if b"Bob" in content:
            raise OverflowError("too much")
        return content

    monkeypatch.setattr(JsonLines, "finish", fail)
    result = Annotator(job)(part("Ann left.", "Bob left.", "Eve left."))
    assert [line["id"] for line in read_lines(result.content)] == ["id1", "id3"]
    found = [(error["id"], error["reason"]) for error in result.errors]
    assert found == [("id2", "it can't be written: OverflowError: too much")]


@pytest.mark.parametrize("place", ["add", "finish"])
def test_no_memory_is_no_problem_of_a_record(job: Job, monkeypatch: pytest.MonkeyPatch, place: str):
    def fail(*_: Any) -> None:
        raise MemoryError

    monkeypatch.setattr(JsonLines, place, fail)
    with pytest.raises(MemoryError):
        Annotator(job)(part("Ann left."))


def test_a_document_keeps_the_annotation_that_it_has(job: Job):
    doc = Doc(Vocab(), words=["Ann", "left"], spaces=[True, False])
    set_speakers(doc, [(0, 2, "Eve")])
    result = Annotator(job)(Part(0, [Record("tale", "file:1", 0, doc.to_bytes(), len(doc))]))
    (line,) = read_lines(result.content)
    assert (line["id"], line["speakers"]) == ("tale", {"speaker": ["Eve"], "start": [0], "end": [8]})
    assert line["clusters"] == {"representative": [0]}


def test_annotation_of_other_components_outlives_the_words_that_it_came_with(job: Job):
    words = {"morphs": ["Casex=Nomx", "Numy=Singz"], "tags": ["TAGX", "TAGY"], "lemmas": ["lemx", "lemy"]}
    docs = [Doc(Vocab(), words=[f"Ann{i}", "left"], **words) for i in range(4)]
    records = [Record(f"x{i}", "x", 0, doc.to_bytes(), 2) for i, doc in enumerate(docs)]
    result = Annotator(replace(job, format="spacy", batch_words=1))(Part(0, records))
    written = list(DocBin(store_user_data=True).from_bytes(result.content).get_docs(Vocab()))
    assert [doc.to_json()["tokens"] for doc in written] == [doc.to_json()["tokens"] for doc in docs]


def test_ticks_add_up(job: Job):
    ticks: list[tuple[int, int]] = []
    Annotator(replace(job, batch_words=1))(part("Ann left.", "Boom", "Bob"), lambda *tick: ticks.append(tick))
    assert ticks == [(1, 3), (2, 0), (3, 1)]


def test_code_is_imported_before_the_pipeline_is_loaded(model: str, tmp_path: Path):
    code = tmp_path / "code.py"
    code.write_text("raise OSError('imported')")
    with pytest.raises(ValueError, match=r"code.py: this code can't be run \(OSError: imported\)"):
        Annotator(Job(model=model, code=code))
    code = Path(components.__file__)
    assert Annotator(Job(model=model, code=code)).nlp.pipe_names[-1] == "rules_of_tests"


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
    """Nor do documents: they are of no use after their batch, when their words have been forgotten."""
    annotator = Annotator(Job(model=trained, format=format_, batch_words=100))
    annotator(part(*TEXTS[:2]))
    before = len(annotator.nlp.vocab.strings), len(list(annotator.nlp.vocab))
    annotator(part(*TEXTS))
    assert not annotator.nlp.vocab.in_memory_zone
    assert (len(annotator.nlp.vocab.strings), len(list(annotator.nlp.vocab))) == before


@pytest.mark.parametrize("transcripts", [False, True])
def test_texts_have_speakers_if_their_record_has_or_if_they_are_read_as_transcripts(job: Job, transcripts: bool):
    records = make_records("Ann: I left.\nBob: Did you", "Ann left.", "Ann: Ann left. Bob left")
    records[2] = replace(records[2], speakers=(Turn("Eve", 5, 14), Turn("Kim", 15, 23)))
    result = Annotator(replace(job, transcripts=transcripts))(Part(0, records))
    first, second, third = read_lines(result.content)
    expected = {"speaker": ["Ann", "Bob"], "start": [5, 18], "end": [12, 25]} if transcripts else None
    assert first.get("speakers") == expected
    assert not transcripts or {0, 5, 13, 18} <= {*first["sentences"]["start"]}
    assert (second["text"], "speakers" in second) == ("Ann left.", False)
    assert (third["speakers"]["speaker"], third["speakers"]["start"]) == (["Eve", "Kim"], [5, 15])
    assert (result.counts["documents"], result.counts["plain"], result.errors) == (3, int(transcripts), [])
