import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from spacy_span_selector.tools.annotate import output
from spacy_span_selector.tools.annotate.annotator import PartResult
from spacy_span_selector.tools.annotate.output import Manifest, OutputFolder
from spacy_span_selector.tools.annotate.records import Part, cut_into_parts

from ...full_disk import contents
from .conftest import make_records

PARTS = list(cut_into_parts(make_records("Ann", "Bob", "Eve"), 1))


def manifest(**changes: dict[str, Any]) -> Manifest:
    base: Manifest = {
        "settings": {"format": "jsonl"},
        "pipeline": {"files": "a"},
        "inputs": {},
        "versions": {"torch": "1"},
    }
    return {**base, **changes}


def open_folder(path: Path, **changes: dict[str, Any]) -> OutputFolder:
    path.mkdir(exist_ok=True)
    return OutputFolder(path, manifest(**changes), {"": "jsonl", "events": "csv"})


def result(part: Part, errors: int = 1) -> PartResult:
    made = PartResult(part.number, part.digest(), part.end, b"content %d\n" % part.number)
    made.tables = {"events": b"row %d\n" % part.number}
    made.counts.update(documents=1, words=2, errors=errors)
    for record in part.records * errors:
        made.errors.append({"part": part.number, "id": record.id, "source": record.source, "reason": "none"})
    return made


def pending(folder: OutputFolder, parts: list[Part] = PARTS) -> list[Part]:
    return list(folder.pending(parts, lambda end: None))


def run(path: Path, parts: list[Part] = PARTS) -> OutputFolder:
    folder = open_folder(path)
    for part in pending(folder, parts):
        folder.save(result(part))
    folder.finish()
    return folder


def files(path: Path) -> dict[str, bytes | None]:
    """What is in a folder, without the order in which parts were done."""
    found = contents(path)
    found["done.jsonl"] = b"\n".join(sorted((found["done.jsonl"] or b"").splitlines()))
    return found


def test_a_folder_has_parts_errors_what_is_done_and_a_manifest(tmp_path: Path):
    run(tmp_path)
    assert sorted(contents(tmp_path)) == [
        "done.jsonl", "errors.jsonl",
        "events", "events/part-00000.csv", "events/part-00001.csv", "events/part-00002.csv",
        "manifest.json", "part-00000.jsonl", "part-00001.jsonl", "part-00002.jsonl",
    ]  # fmt: skip
    assert (tmp_path / "part-00001.jsonl").read_bytes() == b"content 1\n"
    errors = [json.loads(line) for line in (tmp_path / "errors.jsonl").read_text().splitlines()]
    assert errors[1] == {"part": 1, "id": "id2", "source": "file:2", "reason": "none"}
    found = json.loads((tmp_path / "manifest.json").read_text())
    assert (found["complete"], found["documents"], found["words"], found["errors"]) == (True, 3, 6, 3)
    assert found["pipeline"] == {"files": "a"}


def test_nothing_is_pending_when_all_is_done_which_is_skipped(tmp_path: Path):
    run(tmp_path)
    folder, skipped = open_folder(tmp_path), list[int]()
    assert list(folder.pending(PARTS, skipped.append)) == []
    assert skipped == [part.end for part in PARTS]
    assert folder.totals == {"documents": 3, "words": 6, "plain": 0, "errors": 3}
    assert folder.warnings == []
    assert open_folder(tmp_path, versions={"torch": "2"}).warnings == ["torch: '1' then, '2' now"]


def crashes() -> Iterator[tuple[str, int]]:
    """Before which call of what a run may end."""
    yield from (("write_file", count) for count in range(2))  # the manifest
    yield from (("write_files", count) for count in range(3))  # the files of a part
    yield from (("append_line", count) for count in range(6))  # the errors of a part, and that it is done


@pytest.mark.parametrize(("name", "count"), crashes())
def test_a_run_that_ended_anywhere_is_gone_on_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, count: int
):
    run(tmp_path / "whole")
    original, calls = getattr(output, name), 0

    def crash(*arguments: Any) -> None:
        nonlocal calls
        if calls == count:
            raise KeyboardInterrupt
        calls += 1
        original(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(output, name, crash)
        with pytest.raises(KeyboardInterrupt):
            run(tmp_path / "resumed")
    for folder in (tmp_path / "resumed", *(tmp_path / "resumed").glob("events")):
        (folder / ".spacy-span-selector-00.tmp").write_text("half of a part")
    run(tmp_path / "resumed")
    assert files(tmp_path / "resumed") == files(tmp_path / "whole")


def test_half_a_line_of_a_crash_counts_as_none(tmp_path: Path):
    run(tmp_path)
    before = files(tmp_path)
    for name in ("done.jsonl", "errors.jsonl"):
        lines = (tmp_path / name).read_bytes()
        (tmp_path / name).write_bytes(lines[:-9])
    run(tmp_path)
    after = files(tmp_path)
    assert after["errors.jsonl"] == before["errors.jsonl"]
    assert [name for name in before if after[name] != before[name]] == ["done.jsonl"]


@pytest.mark.parametrize("name", ["part-00001.jsonl", "events/part-00001.csv"])
def test_a_part_that_was_deleted_is_made_again(tmp_path: Path, name: str):
    run(tmp_path)
    before = files(tmp_path)
    (tmp_path / name).unlink()
    folder = open_folder(tmp_path)
    assert [part.number for part in pending(folder)] == [1]
    assert run(tmp_path).totals["documents"] == 3
    assert {name: value for name, value in files(tmp_path).items() if name != "done.jsonl"} == {
        name: value for name, value in before.items() if name != "done.jsonl"
    }


def test_errors_come_in_the_order_of_parts_however_parts_are_done(tmp_path: Path):
    run(tmp_path / "forwards")
    (tmp_path / "backwards").mkdir()
    folder = open_folder(tmp_path / "backwards")
    for part in reversed(pending(folder)):
        folder.save(result(part))
    folder.finish()
    assert files(tmp_path / "backwards") == files(tmp_path / "forwards")


def test_another_run_may_begin_where_no_part_is_done(tmp_path: Path):
    open_folder(tmp_path).finish()
    open_folder(tmp_path, pipeline={"files": "b"}).save(result(PARTS[0], errors=0))
    found = json.loads((tmp_path / "manifest.json").read_text())
    assert (found["pipeline"], found["complete"]) == ({"files": "b"}, False)
    assert not (tmp_path / "errors.jsonl").exists()


@pytest.mark.parametrize("suffixes", [{"": "txt"}, {"": "jsonl", "entities": "csv"}])
def test_parts_of_another_format_or_without_all_tables_are_not_mixed(tmp_path: Path, suffixes: dict[str, str]):
    run(tmp_path)
    before = contents(tmp_path)
    with pytest.raises(ValueError, match=r"has 3 parts of another run: settings, format: 'jsonl' then, 'txt' now"):
        OutputFolder(tmp_path, manifest(settings={"format": "txt"}), suffixes)
    assert contents(tmp_path) == before


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (("Ann", "Tom", "Eve"), r"part-00001.jsonl was made of other texts than there are from file:2 to file:2. Take"),
        (("Ann", "Bob"), r"part-00002.jsonl was made of texts that are not there any more"),
    ],
)
def test_other_texts_are_refused(tmp_path: Path, texts: tuple[str, ...], message: str):
    run(tmp_path)
    with pytest.raises(ValueError, match=message):
        pending(open_folder(tmp_path), list(cut_into_parts(make_records(*texts), 1)))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a novel.txt", "Ann left.", "has files, such as a novel.txt, but no manifest.json"),
        ("manifest.json", "{", r"manifest.json is damaged \("),
        ("manifest.json", "[]", r"manifest.json is none that this version can go on with"),
        ("manifest.json", "{}", r"manifest.json is none that this version can go on with"),
        ("manifest.json", '{"format": "of the future"}', r"manifest.json is none that this version can go on with"),
    ],
)
def test_a_folder_of_something_else_or_of_another_version_is_refused(
    tmp_path: Path, name: str, content: str, message: str
):
    run(tmp_path)
    (tmp_path / "manifest.json").unlink()
    (tmp_path / name).write_text(content)
    with pytest.raises(ValueError, match=message):
        open_folder(tmp_path)
