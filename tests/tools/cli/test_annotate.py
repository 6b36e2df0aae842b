"""`annotate` from its arguments to its files; what each step does is tested in `tests/tools/annotate/`."""

import gzip
import json
import os
import re
import signal
import sys
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest
import spacy
from filelock import FileLock

from spacy_span_selector import from_dict
from spacy_span_selector.tools.annotate.output import OutputFolder
from spacy_span_selector.tools.annotate.run import Backend, in_this_process
from spacy_span_selector.tools.formats.plain import json_schema

from ...commands import flat, refusal, run
from ...full_disk import contents, full_disk
from ...processes import run_spacy, start
from ..annotate import components
from ..annotate.conftest import model  # noqa: F401

CODE = Path(components.__file__)
TEXTS = [f"Ann{i} saw Bob. Then Ann{i} left." for i in range(12)]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("in").mkdir()
    Path("in/a.txt").write_text("Ann saw Bob. Ann left.")
    Path("in/b.txt.gz").write_bytes(gzip.compress(b"Eve saw Tom."))
    Path("in/c.jsonl").write_text('{"id": "c1", "text": "Kim saw Lee.", "year": 1813}\n')
    return tmp_path


def lines(path: str | Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()]


def write_texts(texts: list[str] = TEXTS) -> None:
    Path("texts.jsonl").write_text(
        "".join(json.dumps({"id": f"t{i}", "text": text}) + "\n" for i, text in enumerate(texts))
    )


def parts(out: str) -> dict[str, bytes | None]:
    """What a folder has to be the same however often the run was stopped."""
    found = contents(Path(out))
    return {name: content for name, content in found.items() if name != "annotate.lock"}


def test_texts_from_everywhere_in_one_run(model: str):  # noqa: F811
    result = run("annotate", model, "in", "out")
    assert (result.exit_code, result.stdout) == (0, "")
    assert "Annotated 3 documents, 15 words, 15 of them now" in result.stderr
    found = lines("out/part-00000.jsonl")
    assert [line["id"] for line in found] == ["in/a.txt", "in/b.txt.gz", "c1"]
    assert found[2]["year"] == 1813
    assert [len(line["clusters"]["representative"]) for line in found] == [2, 2, 2]
    jsonschema, nlp = pytest.importorskip("jsonschema"), spacy.load(model)
    for line in found:
        jsonschema.validate(line, json_schema())
        assert from_dict(line, nlp).text == line["text"]
    assert sorted(path.name for path in Path("out").iterdir()) == [
        "annotate.lock", "done.jsonl", "manifest.json", "part-00000.jsonl"
    ]  # fmt: skip


@pytest.mark.parametrize(("kind", "text"), [("txt", "Ann left.\n"), ("jsonl", "Ann left.")])
def test_from_the_standard_input_to_the_standard_output(model: str, kind: str, text: str):  # noqa: F811
    stdin = "Ann left.\n" if kind == "txt" else '{"text": "Ann left."}\nbroken\n'
    result = run("annotate", model, "-", "-", "--stdin", kind, stdin=stdin)
    (line,) = [json.loads(line) for line in result.stdout.splitlines()]
    assert line["text"] == text
    assert result.exit_code == (0 if kind == "txt" else 3)
    assert ('"reason": "not JSON' in result.stderr) == (kind == "jsonl")


def test_a_run_that_was_killed_goes_on_to_the_same_result(model: str):  # noqa: F811
    write_texts([*TEXTS[:6], "Boom", *TEXTS[6:9], "Kill Ann.", *TEXTS[9:]])
    options = ["--part-words", "12", "--code", str(CODE), "--tables", "csv"]
    run("annotate", model, "texts.jsonl", "whole", *options)
    assert {"part-00000.jsonl", "events/part-00000.csv", "entities/part-00002.csv"} <= {*parts("whole")}
    arguments = [model, "texts.jsonl", "out", *options]
    killed = start(run_spacy, ["span-selector", "annotate", *arguments], **{components.KILL: "1"})
    killed.join()
    assert killed.exitcode == -signal.SIGKILL
    done = lines("out/done.jsonl")
    assert 0 < len(done) < len(lines("whole/done.jsonl"))
    assert json.loads(Path("out/manifest.json").read_text())["complete"] is False
    result = run("annotate", *arguments)
    assert result.exit_code == 3, result.output
    assert "Annotated 13 documents" in result.stderr
    assert parts("out") == parts("whole")


@pytest.mark.parametrize("address", ["local", "auto", "10.0.0.1:6379", "[::1]:6379"])
def test_ray_is_found_by_its_address(model: str, address: str, monkeypatch: pytest.MonkeyPatch):  # noqa: F811
    found = []

    def in_ray(address: str, **options: object) -> Backend:
        found.append(address)
        return in_this_process

    monkeypatch.setattr("spacy_span_selector.tools.annotate.on_ray.in_ray", in_ray)
    assert run("annotate", model, "in", "out", "--ray", address).exit_code == 0
    assert found == [address]


def test_a_run_goes_on_after_ctrl_c_and_does_nothing_if_it_is_done(model: str, monkeypatch: pytest.MonkeyPatch):  # noqa: F811
    def interrupt(folder: OutputFolder, result: object) -> None:
        raise KeyboardInterrupt

    Path("out").mkdir()
    with FileLock("out/annotate.lock"):
        assert "out: another 'annotate' is running in this folder" in flat(run("annotate", model, "in", "out"))
    with monkeypatch.context() as patch:
        patch.setattr(OutputFolder, "save", interrupt)
        result = run("annotate", model, "in", "out")
    assert result.exit_code == 130
    assert "Stopped. The same command goes on where it was." in result.stderr
    assert run("annotate", model, "in", "out").exit_code == 0
    before = parts("out")
    result = run("annotate", model, "in", "out")
    assert result.exit_code == 0
    assert "Annotated 3 documents, 15 words.\n" in result.stderr
    assert parts("out") == before


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("pipeline", "pipeline, files: "),
        ("--part-words", "settings, part_words: 100000 then, 7 now"),
        ("--text-field", "settings, text_field: 'text' then, '7' now"),
        ("--max-length", "settings, max_length: None then, 7 now"),
        ("inputs", "inputs, bytes: "),
    ],
)
def test_another_run_is_not_mixed_in(model: str, change: str, message: str):  # noqa: F811
    run("annotate", model, "in", "out")
    before, options = parts("out"), []
    if change == "pipeline":
        nlp = spacy.load(model)
        nlp.meta["description"] = "another"
        nlp.to_disk("other")
        model = "other"
    elif change == "inputs":
        Path("in/a.txt").write_text("Ann saw nobody there at all.")
    else:
        options = [change, "7"]
    said = refusal("annotate", model, "in", "out", *options)
    assert re.search(f"out has 1 parts of another run: {message}.*\\. Take another folder, or delete", said)
    assert parts("out") == before


def test_bad_records_are_listed_and_the_rest_goes_on(model: str):  # noqa: F811
    Path("in/bad.txt").write_bytes(b"Zo\xeb")
    Path("in/d.jsonl").write_text('{"text": "Boom"}\nbroken\n{"id": 3}\n{"text": "Ann", "clusters": [], "n": 1}\n')
    Path("in/long.txt").write_text("Ann left. " * 10)
    result = run("annotate", model, "in", "out", "--max-length", 90)
    assert result.exit_code == 3
    assert "5 records could not be annotated: out/errors.jsonl" in result.stderr
    assert "The field 'clusters' (first in in/d.jsonl:4) is not passed through" in result.stderr
    assert [line["source"] for line in lines("out/errors.jsonl")] == [
        "in/bad.txt", "in/d.jsonl:1", "in/d.jsonl:2", "in/d.jsonl:3", "in/long.txt"
    ]  # fmt: skip
    found = lines("out/part-00000.jsonl")
    assert (len(found), found[3]["n"]) == (4, 1)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("broken\n", "1 records could not be annotated: out/errors.jsonl"),
        ('{"id": 1}\n' * 150, "Nothing could be annotated in 150 records, so the cause is none of them. The first: "),
        ("", "The inputs have no text."),
    ],
)
def test_if_nothing_could_be_annotated_the_status_is_1(model: str, content: str, message: str):  # noqa: F811
    Path("d.jsonl").write_text(content)
    assert message in refusal("annotate", model, "d.jsonl", "out")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["in"], "Expected inputs and, last, the folder to write; found only in."),
        (["in", "out.jsonl"], "out.jsonl: expected a folder to write"),
        (["in", "in/a.txt"], "in/a.txt: expected a folder to write"),
        (["in", "-", "--format", "html"], "The standard output can only be JSON lines, not html"),
        (["in", "-", "--tables", "csv"], "The standard output can only be JSON lines, not tables"),
        (["in", "in"], "in has files, such as a.txt, but no manifest.json"),
        (["none", "out"], "none: no such file or folder"),
        (["none.txt", "-"], "none.txt: no such file"),
        (["in", "out", "--ray=here"], "--ray here: expected HOST:PORT, such as 10.0.0.1:6379, 'auto', or 'local'."),
        (["in", "out", "--ray", "auto", "--gpu-id", "0"], "say --num-gpus 1 instead of --gpu-id"),
        (["in", "out", "--num-gpus", "1"], "--num-gpus is for --ray"),
        (["in", "out", "--format", "litbank"], "The format 'litbank' can't be written. Take one of bio, bracketed, "),
    ],
)
def test_arguments_that_do_not_fit_are_named(model: str, arguments: list[str], message: str):  # noqa: F811
    result = run("annotate", model, *arguments)
    assert result.exit_code == 1
    assert message in flat(result)
    assert not result.stdout or arguments[-1] != "-"
    assert not list(Path().glob("out/*.json*"))


@pytest.mark.parametrize("room", [300, 800])
def test_on_a_full_disk_the_run_stops_and_goes_on_later(model: str, room: int):  # noqa: F811
    write_texts()
    run("annotate", model, "texts.jsonl", "whole", "--part-words", 20)
    Path("out").mkdir()
    with full_disk(room):
        said = refusal("annotate", model, "texts.jsonl", "out", "--part-words", 20)
    assert "not written (File too large). No file has changed." in said
    assert run("annotate", model, "texts.jsonl", "out", "--part-words", 20).exit_code == 0
    assert parts("out") == parts("whole")


def run_into_pipe(out: Connection, arguments: list[str]) -> None:
    """Run a command whose standard output is a pipe."""
    sys.stdout = open(os.dup(out.fileno()), "w")  # noqa: SIM115
    sys.stderr = open("stderr.txt", "w")  # noqa: SIM115
    out.close()
    run_spacy(arguments)


def test_a_reader_that_has_seen_enough_is_no_error(model: str):  # noqa: F811
    write_texts(["Ann left. " * 2_000] * 4)
    command = ["span-selector", "annotate", model, "texts.jsonl", "-", "--part-words", "2000", "--code", str(CODE)]
    reader, writer = Pipe(duplex=False)
    process = start(run_into_pipe, writer, command)
    writer.close()
    assert os.read(reader.fileno(), 9) == b'{"format"'
    reader.close()
    process.join()
    assert process.exitcode == 1
    assert "Traceback" not in Path("stderr.txt").read_text()


def test_transcripts_have_speakers_and_what_has_no_turns_is_counted(model: str):  # noqa: F811
    Path("chat.txt").write_text("[12:03] Ann: hi\n[12:04] Bob: yes\n")
    result = run("annotate", model, "chat.txt", "in/a.txt", "out", "--transcripts")
    assert result.exit_code == 0
    assert "\n1 of them have no turns that could be read, and are plain text.\n" in result.stderr
    found = lines("out/part-00000.jsonl")
    assert [line.get("speakers", {"speaker": []})["speaker"] for line in found] == [["Ann", "Bob"], []]
