"""The spaCy project: all paths that it names must exist, since weasel silently accepts misspelt outputs."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import srsly
from spacy.cli import app
from typer.testing import CliRunner
from weasel.schemas import ProjectConfigSchema, validate

ROOT = Path(__file__).parents[1]


def load_project() -> dict[str, Any]:
    project: dict[str, Any] = srsly.read_yaml(ROOT / "project.yml")
    return project


def test_project_is_valid():
    assert validate(ProjectConfigSchema, load_project()) == []


def test_workflows_name_commands():
    project = load_project()
    commands = {command["name"] for command in project["commands"]}
    for steps in project["workflows"].values():
        assert set(steps) <= commands


SOURCES = ("litbank", "ontogum", "ontonotes", "ewt", "frames")


def test_every_dependency_is_in_the_repository_or_made_by_a_command():
    project = load_project()
    outputs = {output for command in project["commands"] for output in command["outputs"]}
    for command in project["commands"]:
        for dependency in command.get("deps", []):
            made = dependency in outputs or dependency.startswith(
                (*(f"${{vars.{name}}}" for name in SOURCES), "corpus/${vars.corpus}")
            )
            named = re.sub(r"\$\{vars\.(\w*config|encoder)\}", lambda match: project["vars"][match[1]], dependency)
            there = named in outputs or (ROOT / named).exists()
            assert made or there, f"{command['name']} depends on {dependency}, which nothing makes"


# Files that commands write to a folder given in their script; all other outputs are paths in the script.
MADE_IN_A_FOLDER = {
    "model-best",
    "model-last",
    "en_span_selector_sm-0.1.0-py3-none-any.whl",
    "config.json",
    "train.spacy",
    "dev.spacy",
    "test.spacy",
    "lexicon.json",
    "examples.spacy",
}


def test_assets_are_pinned():
    for asset in load_project()["assets"]:
        assert re.fullmatch(r"[0-9a-f]{32}", asset["checksum"])
        where = asset["git"]["commit"] if "git" in asset else asset["url"]
        assert re.search(r"\b[0-9a-f]{40}\b", where), f"{asset['dest']} comes from no commit"


def test_every_asset_is_checked_before_it_is_converted():
    scripts = [command["script"] for command in load_project()["commands"] if command["name"].startswith("convert-")]
    checked = {script[0].split()[-1] for script in scripts if script[0].startswith("python scripts/check_assets.py ")}
    folders = [load_project()["vars"][name.removeprefix("${vars.").removesuffix("}")] for name in checked]
    for asset in load_project()["assets"]:
        assert asset["dest"].startswith(tuple(f"{folder}/" for folder in folders)), f"{asset['dest']} is not checked"


def test_parent_folders_of_git_assets_are_made():
    project = load_project()
    for asset in project["assets"]:
        assert str(Path(asset["dest"]).parent) in project["directories"], f"weasel needs the parent of {asset['dest']}"


def test_every_output_is_named_in_the_script_that_makes_it():
    for command in load_project()["commands"]:
        script = " ".join(command["script"])
        for output in command["outputs"]:
            in_folder = Path(output).name in MADE_IN_A_FOLDER and str(Path(output).parent) in script
            assert output in script or in_folder, f"{command['name']} does not make {output}"


def test_corpora_without_singletons_are_trained_without_them():
    trained = {command["name"]: " ".join(command["script"]) for command in load_project()["commands"]}
    for name in ("train-ontogum", "train-ontonotes"):
        assert "--components.structured_coref.keep_singletons false" in trained[name]


def run(*arguments: object) -> str:
    """Run `spacy project` in this process, and return what it says."""
    result = CliRunner().invoke(app, ["project", *map(str, arguments)])
    assert result.exit_code == 0, f"{result.output}\n{result.exception!r}"
    return result.output


def test_document_describes_all_commands_workflows_and_assets(tmp_path: Path):
    run("document", ROOT, "--output", tmp_path / "README.md")
    text, project = (tmp_path / "README.md").read_text(encoding="utf-8"), load_project()
    for name in [*project["workflows"], *(command["name"] for command in project["commands"])]:
        assert f"| `{name}` |" in text
    for asset in project["assets"]:
        assert asset["dest"] in text


@pytest.mark.parametrize("workflow", sorted(load_project()["workflows"]))
def test_run_goes_through_a_workflow(workflow: str, tmp_path: Path):
    shutil.copy(ROOT / "project.yml", tmp_path)
    output = run("run", workflow, tmp_path, "--dry")
    assert all(name in output for name in load_project()["workflows"][workflow])


def git(folder: Path, *arguments: str) -> None:
    name = ("-c", "user.name=test", "-c", "user.email=test@example.com")
    subprocess.run(["git", *name, *arguments], cwd=folder, check=True, capture_output=True)


def test_assets_are_downloaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """From repositories and files on this disk, in the place of those on GitHub."""
    assets, server = load_project()["assets"], tmp_path / "server"
    for asset in assets:
        if "git" not in asset:
            file = server / asset["url"].removeprefix("https://raw.githubusercontent.com/")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(asset["dest"], encoding="utf-8")
            continue
        repository = server / asset["git"]["repo"].removeprefix("https://github.com/")
        if not (repository / ".git").exists():
            repository.mkdir(parents=True, exist_ok=True)
            git(repository, "init", "--initial-branch", asset["git"]["branch"])
        file = repository / asset["git"]["path"] / "file.txt"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(asset["dest"], encoding="utf-8")
        git(repository, "add", ".")
        git(repository, "commit", "--message", "A file")
    for name, value in {
        "COUNT": "1",
        "KEY_0": f"url.file://{server}/.insteadOf",
        "VALUE_0": "https://github.com/",
    }.items():
        monkeypatch.setenv(f"GIT_CONFIG_{name}", value)
    project = tmp_path / "project"
    project.mkdir()
    text = (ROOT / "project.yml").read_text(encoding="utf-8")
    local = text.replace("https://raw.githubusercontent.com/", f"file://{server}/")
    (project / "project.yml").write_text(local, encoding="utf-8")
    run("assets", project)
    for asset in assets:
        dest = project / asset["dest"]
        assert (dest / "file.txt" if dest.is_dir() else dest).read_text(encoding="utf-8") == asset["dest"]


def test_the_documentation_is_that_of_the_project(tmp_path: Path):
    run("document", ROOT, "--output", tmp_path / "project.md")
    expected = (tmp_path / "project.md").read_text(encoding="utf-8").replace("](project.yml)", "](../project.yml)")
    cure = "Run 'python -m spacy project document . --output docs/project.md', and let its link lead to ../project.yml."
    assert (ROOT / "docs/project.md").read_text(encoding="utf-8") == expected, cure
