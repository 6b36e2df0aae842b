import os
from pathlib import Path

import pytest

from spacy_span_selector.tools.annotate.inputs import find_inputs
from spacy_span_selector.tools.files.folders import find_files, what_is_wrong

LINK = "a link to gone.txt, which is not there"
PIPE = "a folder, a pipe or a device, and no file; write what comes from it to a file"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("in/b.txt", "in/a/y.txt", "in/a/z.csv", "in/.hidden/h.txt", "other/inner/o.txt"):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(name)
    return tmp_path


def found(folder: str = "in") -> list[str]:
    return [*map(str, find_files(folder, lambda name: name.endswith(".txt")))]


def test_files_are_found_at_any_depth_without_hidden_ones() -> None:
    assert found() == ["in/a/y.txt", "in/b.txt"]


@pytest.mark.parametrize(
    ("links", "more"),
    [
        ({"in/a/link": "../../other"}, ["in/a/link/inner/o.txt"]),
        ({"in/shown": ".hidden"}, ["in/shown/h.txt"]),
        ({"in/first": "../other", "in/second": "../other", "in/third": "a"}, ["in/first/inner/o.txt"]),
        *(({"in/a/link": target}, []) for target in (".", "..", "../..", "../a")),  # in circles
    ],
)
def test_links_to_folders_are_followed_but_no_folder_is_searched_twice(links: dict[str, str], more: list[str]) -> None:
    for link, target in links.items():
        os.symlink(target, link)
    assert found() == sorted(["in/a/y.txt", "in/b.txt", *more])


def test_a_folder_that_is_a_link_is_searched() -> None:
    os.symlink("in", "link")
    assert found("link") == ["link/a/y.txt", "link/b.txt"]


@pytest.mark.parametrize(
    ("files", "what"),
    [
        ({"manifest.json": '{"format": "spacy_span_selector.Annotate.v1"}'}, "the output of 'annotate'"),
        ({"config.cfg": "", "meta.json": ""}, "a pipeline"),
    ],
)
def test_what_a_command_has_made_is_left_out_unless_it_is_named(files: dict[str, str], what: str) -> None:
    for name, content in files.items():
        Path("in/a", name).write_text(content)
    with pytest.warns(UserWarning, match=f"^in/a: left out, as it is {what}. Name it to read it.$"):
        assert found() == ["in/b.txt"]
    assert found("in/a") == ["in/a/y.txt"]


@pytest.mark.parametrize("content", ["[]", "{", '{"format": 1}', '{"format": "other.v1"}', '{"manifest_version": 3}'])
def test_the_manifest_of_another_program_leaves_nothing_out(content: str) -> None:
    Path("in/a/manifest.json").write_text(content)
    assert found() == ["in/a/y.txt", "in/b.txt"]


def test_a_folder_that_cannot_be_searched_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Faked, because nothing is denied to the administrator, who may run the tests."""
    monkeypatch.setattr(os, "listdir", lambda name: os.scandir(f"{name}/b.txt"))
    with pytest.raises(NotADirectoryError, match=r"in/b\.txt"):
        found()


def test_what_cannot_be_read_is_found_with_the_reason() -> None:
    os.symlink("gone.txt", "in/link.txt")
    os.mkfifo("in/pipe.txt")
    problems = {path: what_is_wrong(path) for path in found()}
    assert problems == {"in/b.txt": "", "in/link.txt": LINK, "in/pipe.txt": PIPE, "in/a/y.txt": ""}


@pytest.mark.parametrize("path", ["in", "in/*.txt", "in/**/*.txt"])
def test_annotate_has_an_input_for_what_cannot_be_read(path: str) -> None:
    os.symlink("gone.txt", "in/link.txt")
    assert [file.problem for file in find_inputs([path])].count(LINK) == 1


def test_annotate_says_what_a_named_pipe_is() -> None:
    os.mkfifo("pipe.txt")
    with pytest.raises(ValueError, match=r"pipe\.txt: a folder, a pipe or a device, and no file; write what comes"):
        find_inputs(["pipe.txt"])
