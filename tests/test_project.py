"""The spaCy project: all paths that it names must exist, since weasel silently accepts misspelt outputs."""

import re
from pathlib import Path
from typing import Any

import srsly
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
    "config.json",
    "train.spacy",
    "dev.spacy",
    "test.spacy",
    "lexicon.json",
    "examples.spacy",
}


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
