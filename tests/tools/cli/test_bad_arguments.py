"""All commands, each with arguments that can't be: a message in few lines, and no traceback."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import spacy
from spacy.tokens import DocBin
from typer.core import TyperGroup
from typer.main import get_command

from spacy_span_selector.tools.cli import app

from ...commands import flat, run

BAD = {
    "missing": "none/none.spacy",
    "folder": "folder.spacy",
    "rubbish": "rubbish.spacy",
    "nul": "a\0b.spacy",
    "no text": "",
}
"""What stands in the place of every argument, so that files to read, to write and pipelines are all bad."""


def commands(group: TyperGroup, names: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], int]]:
    """Every command, and how many arguments it needs."""
    for name, command in sorted(group.commands.items()):
        if isinstance(command, TyperGroup):
            yield from commands(command, (*names, name))
        else:
            arguments = [parameter for parameter in command.params if parameter.param_type_name == "argument"]
            yield (*names, name), max(2 if argument.nargs < 0 else 1 for argument in arguments) + len(arguments) - 1


def group() -> TyperGroup:
    found = get_command(app)
    assert isinstance(found, TyperGroup)
    return found


CASES = [
    (command, kind)
    for command in commands(group())
    for kind in BAD
    if command[0] != ("serve",) or kind == "rubbish"  # loads the pipeline in a process, whose start takes seconds
]


@pytest.mark.parametrize(("command", "kind"), CASES, ids=lambda part: part if part in BAD else "-".join(part[0]))
def test_bad_arguments_end_in_a_message(
    command: tuple[tuple[str, ...], int], kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("folder.spacy").mkdir()
    Path("rubbish.spacy").write_bytes(bytes(range(256)))
    names, count = command
    more = ["--output", "out"] if names == ("train",) else []
    result = run(*names, *[BAD[kind]] * count, *more)
    assert isinstance(result.exception, SystemExit), repr(result.exception)
    assert result.exit_code in (1, 2)
    assert len(result.output.strip()) > 20


@pytest.mark.parametrize(
    "command", ["export bracketed a.spacy b.spacy", "render a.spacy a.spacy", "check . --output a.spacy"]
)
def test_what_is_read_is_not_replaced(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    DocBin(docs=[spacy.blank("xx")("Ann left.")]).to_disk("a.spacy")
    Path("b.spacy").symlink_to("a.spacy")
    before = Path("a.spacy").read_bytes()
    result = run(*command.split())
    assert (result.exit_code, Path("a.spacy").read_bytes()) == (1, before)
    assert "not written, since it is what was read. Name another file." in flat(result)


@pytest.mark.parametrize("error", [KeyError("bug"), AttributeError("bug"), TypeError("bug")])
def test_a_bug_keeps_its_traceback(error: Exception, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: object) -> None:
        raise error

    monkeypatch.setattr("spacy_span_selector.tools.formats.commands.read_spacy_file", fail)
    assert run("export", "bracketed", "a.spacy", tmp_path / "b").exception is error


@pytest.mark.parametrize("code", ["import none_such", "def (:", "1 / 0"])
def test_code_that_fails_is_named(code: str, tmp_path: Path) -> None:
    spacy.blank("xx").to_disk(tmp_path / "model")
    (tmp_path / "code.py").write_text(code)
    (tmp_path / "a.txt").write_text("Ann left.")
    paths = [tmp_path / name for name in ("model", "a.txt", "out", "code.py")]
    result = run("annotate", *paths[:3], "--code", paths[3])
    assert isinstance(result.exception, SystemExit) and result.exit_code == 1, repr(result.exception)
    assert "code.py: this code can't be run (" in flat(result)


def test_a_setting_of_a_pipeline_that_cannot_be_is_named_alone(tmp_path: Path) -> None:
    nlp = spacy.blank("xx")
    nlp.add_pipe("word_sentencizer")
    nlp.to_disk(tmp_path / "model")
    DocBin(docs=[nlp.make_doc("Ann left.")]).to_disk(tmp_path / "a.spacy")
    option = ["--components.word_sentencizer.overwrite", "perhaps"]
    result = run("evaluate", tmp_path / "model", tmp_path / "a.spacy", *option)
    assert isinstance(result.exception, SystemExit) and result.exit_code == 1, repr(result.exception)
    assert "word_sentencizer -> overwrite" in flat(result)
    assert len(result.output) < 500
