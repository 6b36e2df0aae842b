"""The demo corpus, and the demo as a user runs it, with a few steps of training.

Its commands run in this process, as each start takes seconds; `noxfile.py` runs them from the shell.
"""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import spacy
import srsly
from spacy.cli import app
from spacy.tokens import Doc
from typer.testing import CliRunner
from weasel.util import split_command

import spacy_span_selector.tools.cli  # noqa: F401  adds its commands to spaCy's
from spacy_span_selector.annotation import Frame, get_frames, has_frames_annotated
from spacy_span_selector.tools.formats.bracketed import read_bracketed

ROOT = Path(__file__).parents[1]
SPLITS = ("train", "dev", "test")
GENRES = ("narrative", "dialogue", "news")


@pytest.fixture(scope="module")
def texts_with_roles() -> dict[str, list[Doc]]:
    """The texts of each file that are annotated for semantic roles."""
    docs = {split: read_bracketed(ROOT / f"assets/demo/{split}.txt", spacy.blank("en")) for split in SPLITS}
    return {split: [doc for doc in docs[split] if has_frames_annotated(doc)] for split in SPLITS}


def role_counts() -> dict[str, dict[str, int]]:
    """The table of semantic roles in assets/README.md, by file and column."""
    lines = (ROOT / "assets/README.md").read_text(encoding="utf-8").splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("| file | texts with roles"))
    header, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[start : start + 6]]
    return {
        row[0]: {name: int(cell.replace(",", "")) for name, cell in zip(header[1:], row[1:], strict=True)}
        for row in rows
    }


def is_light(frame: Frame) -> bool:
    return (frame.roleset or "").endswith(".LV")


@pytest.mark.parametrize("split", SPLITS)
def test_roles_are_counted_in_the_guide(texts_with_roles: dict[str, list[Doc]], split: str):
    docs = texts_with_roles[split]
    frames = [frame for doc in docs for frame in get_frames(doc)]
    counted = {
        "texts with roles": len(docs),
        "sentences": sum(len(list(doc.sents)) for doc in docs),
        "predicates": len(frames),
        "of these light": sum(map(is_light, frames)),
        "arguments": sum(argument.role != "C-V" for frame in frames for argument in frame.arguments),
    }
    row = role_counts()[split]
    assert {name: row[name] for name in counted} == counted
    assert row["verbs"] + row["nouns"] + row["adjectives"] == row["predicates"]


def test_guide_sums_up_the_files():
    counts = role_counts()
    assert counts["all"] == {name: sum(counts[split][name] for split in SPLITS) for name in counts["all"]}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A copy of the project after `spacy project run all`, which is the working directory."""
    folder = tmp_path_factory.mktemp("project")
    shutil.copy(ROOT / "project.yml", folder)
    for name in ("assets", "configs"):
        shutil.copytree(ROOT / name, folder / name)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr("weasel.cli.run.run_command", run_command)
        run_command(["python", "-m", "spacy", "project", "run", "all", ".", "--vars.demo_steps", "50"])
        yield folder


def run_command(command: str | list[str], **options: object) -> None:
    """Run `python -m spacy` in this process."""
    _, module, name, *arguments = split_command(command) if isinstance(command, str) else command
    assert (module, name) == ("-m", "spacy")
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, f"{result.output}\n{result.exception!r}"


@pytest.mark.slow
def test_demo_learns_to_find_mentions(project: Path):
    assert srsly.read_json(project / "metrics/demo.json")["coref_ment_f"] > 0.3


@pytest.mark.slow
def test_demo_shows_every_test_text(project: Path):
    page = (project / "output/demo.html").read_text(encoding="utf-8")
    assert page.count("<article ") == (project / "assets/demo/test.txt").read_text(encoding="utf-8").count("=== ")
