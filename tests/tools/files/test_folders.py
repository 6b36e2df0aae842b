from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
import spacy

from spacy_span_selector.tools.annotate import Reading
from spacy_span_selector.tools.annotate.inputs import find_inputs
from spacy_span_selector.tools.annotate.reading import read_records
from spacy_span_selector.tools.checking.check import UNREADABLE, read_file
from spacy_span_selector.tools.checking.check import find_files as find_corpus
from spacy_span_selector.tools.files.folders import find_files, what_is_wrong
from spacy_span_selector.tools.formats.conll2012.reader import find_files as find_conll
from spacy_span_selector.tools.formats.files import read_texts
from spacy_span_selector.tools.formats.reports import Report


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("in/b.txt", "in/a/y.txt", "in/a/z.csv", "in/.hidden/h.txt", "other/inner/o.txt"):
        write(name)
    return tmp_path


def write(name: str) -> None:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(name)


def found(folder: str = "in") -> list[str]:
    return find_files(folder, lambda name: name.endswith(".txt"))


def test_files_are_found_at_any_depth_without_hidden_ones() -> None:
    assert found() == ["in/b.txt", "in/a/y.txt"]


def test_links_to_folders_are_followed() -> None:
    os.symlink("../../other", "in/a/link")
    assert found() == ["in/b.txt", "in/a/y.txt", "in/a/link/inner/o.txt"]


def test_a_hidden_folder_that_a_link_shows_is_read() -> None:
    os.symlink(".hidden", "in/shown")
    assert found() == ["in/b.txt", "in/a/y.txt", "in/shown/h.txt"]


def test_a_folder_that_several_links_lead_to_is_read_once() -> None:
    for name in ("in/first", "in/second", "in/third"):
        os.symlink("a" if name == "in/third" else "../other", name)
    assert found() == ["in/b.txt", "in/a/y.txt", "in/first/inner/o.txt"]


@pytest.mark.parametrize("target", [".", "..", "../a"])
def test_links_in_circles_end(target: str) -> None:
    os.symlink(target, "in/a/link")
    assert found() == ["in/b.txt", "in/a/y.txt"]


def test_a_link_to_what_is_around_the_folder_is_not_followed() -> None:
    os.symlink("../..", "in/a/link")
    assert found() == ["in/b.txt", "in/a/link", "in/a/y.txt"]
    assert what_is_wrong("in/a/link") == "a link to a folder that it lies in"


def test_a_folder_that_is_a_link_is_searched() -> None:
    os.symlink("in", "link")
    assert found("link") == ["link/b.txt", "link/a/y.txt"]


def close(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a folder be none that can be opened, whoever runs the tests."""
    original: Callable[[str], list[str]] = os.listdir

    def listdir(name: str) -> list[str]:
        if name == path:
            raise PermissionError(13, "Permission denied", name)
        return original(name)

    monkeypatch.setattr(os, "listdir", listdir)


def test_what_cannot_be_read_is_found_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    os.symlink("gone.txt", "in/link.txt")
    os.mkfifo("in/pipe.txt")
    os.symlink("itself.txt", "in/itself.txt")
    close("in/a", monkeypatch)
    assert {path: what_is_wrong(path) for path in found()} == {
        "in/a": "it can't be opened (Permission denied)",
        "in/b.txt": "",
        "in/itself.txt": "it can't be opened (Too many levels of symbolic links)",
        "in/link.txt": "a link to gone.txt, which is not there",
        "in/pipe.txt": "a pipe, a socket or a device, and no file; write what comes from it to a file",
    }


def test_annotate_has_a_record_for_what_cannot_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    os.symlink("gone.txt", "in/link.txt")
    close("in/a", monkeypatch)
    records = [(record.source, record.problem) for record in read_records(find_inputs(["in"]), Reading())]
    assert records == [
        ("in/a", "it can't be opened (Permission denied)"),
        ("in/b.txt", ""),
        ("in/link.txt", "a link to gone.txt, which is not there"),
    ]


@pytest.mark.parametrize("pattern", ["in/*.txt", "in/**/*.txt"])
def test_annotate_has_a_record_for_a_dangling_link_that_a_pattern_finds(pattern: str) -> None:
    os.symlink("gone.txt", "in/link.txt")
    assert [file.problem for file in find_inputs([pattern])].count("a link to gone.txt, which is not there") == 1


def test_annotate_says_what_a_named_pipe_is() -> None:
    os.mkfifo("pipe.txt")
    with pytest.raises(ValueError, match=r"pipe\.txt: a pipe, a socket or a device, and no file; write what comes"):
        find_inputs(["pipe.txt"])


def test_check_has_a_problem_for_what_cannot_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    os.symlink("gone.txt", "in/link.txt")
    os.mkfifo("in/pipe.txt")
    close("in/a", monkeypatch)
    nlp = spacy.blank("en")
    problems = [problem for path in find_corpus([Path("in")]) for problem in read_file(path, nlp)[1]]
    assert [(problem.file, problem.found) for problem in problems if problem.kind is UNREADABLE] == [
        ("in/a", "it can't be opened (Permission denied)"),
        ("in/link.txt", "a link to gone.txt, which is not there"),
        ("in/pipe.txt", "a pipe, a socket or a device, and no file; write what comes from it to a file"),
    ]


def test_conll_is_found_in_linked_folders_and_what_cannot_be_read_is_counted() -> None:
    write("other/x.gold_conll")
    os.symlink("../other", "in/link")
    os.symlink("gone", "in/dangling.gold_conll")
    with pytest.warns(
        UserWarning, match=r"Left out files that can't be read: 1\. The first: in/dangling.gold_conll: a"
    ):
        assert find_conll(["in"]) == [Path("in/link/x.gold_conll")]


def test_texts_of_corpora_are_found_in_linked_folders_and_what_cannot_be_read_is_counted() -> None:
    os.symlink("../other", "in/link")
    os.mkfifo("in/pipe.txt")
    report = Report()
    texts = read_texts(Path("in"), Path("in.tar"), ".txt", "", report)
    assert [*texts] == ["in/a/y.txt", "in/b.txt", "in/link/inner/o.txt"]
    (cases,) = report.findings.values()
    assert cases == ["in/pipe.txt: a pipe, a socket or a device, and no file; write what comes from it to a file"]
