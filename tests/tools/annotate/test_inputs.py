from __future__ import annotations

from pathlib import Path

import pytest

from spacy_span_selector.tools.annotate.inputs import describe_inputs, find_inputs, total_size


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    names = ("in/b.txt", "in/a/z.TXT.gz", "in/a/y.jsonl", "in/c.parquet", "in/.hidden.txt", "in/.git/x.txt", "in/x.csv")
    for name in names:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(name.encode())
    return tmp_path


def paths(*arguments: str, out: Path | None = None) -> list[str]:
    return [file.path for file in find_inputs(arguments, out=out)]


def test_folders_are_searched_at_any_depth_in_a_fixed_order_without_hidden_and_unknown_files():
    assert paths("in") == ["in/b.txt", "in/c.parquet", "in/a/y.jsonl", "in/a/z.TXT.gz"]


def test_kinds_and_compression_are_those_of_the_names():
    found = [(file.kind, file.compressed) for file in find_inputs(["in"])]
    assert found == [("txt", False), ("parquet", False), ("jsonl", False), ("txt", True)]


def test_patterns_are_resolved():
    assert paths("in/**/*.jsonl") == ["in/a/y.jsonl"]
    assert paths("in/*") == ["in/b.txt", "in/c.parquet"]


def test_a_file_that_is_named_twice_is_read_once_where_it_comes_first():
    assert paths("in/c.parquet", "in", "in/b.txt") == ["in/c.parquet", "in/b.txt", "in/a/y.jsonl", "in/a/z.TXT.gz"]


def test_paths_are_without_what_means_nothing(folder: Path):
    assert paths("./in//b.txt", "in/./a") == ["in/b.txt", "in/a/y.jsonl", "in/a/z.TXT.gz"]


def test_output_within_an_input_is_not_read(folder: Path):
    assert paths("in", out=folder / "in/a") == ["in/b.txt", "in/c.parquet"]
    assert paths("in/**/*.*", out=folder / "in/a") == ["in/b.txt", "in/c.parquet"]


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("none.txt", "none.txt: no such file or folder"),
        ("in/.git/none", "in/.git/none: no such file or folder"),
        ("*.txt", r"\*.txt: found no file that can be read. Expected .txt, .jsonl"),
        ("empty", "empty: found no file that can be read. Expected .txt, .jsonl"),
    ],
)
def test_what_is_not_there_is_named(folder: Path, path: str, message: str):
    (folder / "empty").mkdir()
    with pytest.raises(FileNotFoundError, match=message):
        find_inputs([path])


@pytest.mark.parametrize("name", ["x.csv", "x.parquet.gz", "x"])
def test_a_kind_that_is_not_known_is_named(folder: Path, name: str):
    (folder / name).write_bytes(b"")
    with pytest.raises(ValueError, match=f"{name}: a kind of file that is not known. Expected .txt, .jsonl"):
        find_inputs([name])


def test_sizes_add_up_unless_one_is_unknown():
    files = find_inputs(["in/b.txt", "in/c.parquet"])
    assert [(file.start, file.size) for file in files] == [(0, 8), (8, 12)]
    assert total_size(files) == 20
    assert total_size(find_inputs(["in/b.txt", "-"])) is None


def test_the_standard_input_is_of_the_kind_that_is_said():
    assert [(file.path, file.kind) for file in find_inputs(["-"], stdin="jsonl")] == [("-", "jsonl")]


def test_other_names_sizes_and_orders_are_other_inputs(folder: Path):
    described = [
        describe_inputs(find_inputs(names)) for names in (["in/b.txt", "in"], ["in/c.parquet", "in"], ["in/a"])
    ]
    (folder / "in/b.txt").write_text("longer than before")
    described.append(describe_inputs(find_inputs(["in/b.txt", "in"])))
    assert len({str(description) for description in described}) == 4
    assert described[0]["files"] == 4
