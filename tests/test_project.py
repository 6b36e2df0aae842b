"""The spaCy projects: all paths that they name must exist, since weasel silently accepts misspelt outputs."""

import re
from pathlib import Path
from typing import Any

import pytest
import srsly
from spacy.util import dot_to_object, load_config, walk_dict
from weasel.schemas import ProjectConfigSchema, validate
from weasel.util.config import parse_config_overrides, substitute_project_variables

ROOT = Path(__file__).parents[1]
FILES = (ROOT / "project.yml", ROOT / "pipelines/project.yml")
VERSIONS = {"sm": "0.3.0", "md": "0.3.0"}
WHEELS = [f"en_span_selector_{name}-{version}-py3-none-any.whl" for name, version in VERSIONS.items()]
SOURCES = ("litbank", "ontogum", "ontonotes", "ewt", "frames", "gap")
"""The variables with the folders of corpora, which are downloaded or at hand."""

each_project = pytest.mark.parametrize("file", FILES, ids=lambda file: file.parent.name)


def load_project(file: Path = FILES[0], **variables: Any) -> dict[str, Any]:
    """A project with the values of its variables, of which some may be given."""
    given = {f"vars.{name}": value for name, value in variables.items()}
    project: dict[str, Any] = substitute_project_variables(srsly.read_yaml(file), given)
    return project


def paths(file: Path, kind: str) -> dict[Path, str]:
    """The paths that the commands of a project depend on or write, with the name of the command."""
    commands = load_project(file)["commands"]
    return {(file.parent / path).resolve(): command["name"] for command in commands for path in command.get(kind, [])}


@each_project
def test_project_is_valid(file: Path):
    assert validate(ProjectConfigSchema, load_project(file)) == []


@each_project
def test_no_entry_of_a_list_is_joined_to_the_one_before(file: Path):
    for written, read in zip(srsly.read_yaml(file)["commands"], load_project(file)["commands"], strict=True):
        for key in ("script", "deps", "outputs"):
            assert len(written.get(key, [])) == len(read.get(key, [])), f"{read['name']}: {key}"


@each_project
def test_workflows_name_commands(file: Path):
    project = load_project(file)
    commands = {command["name"] for command in project["commands"]}
    for steps in project["workflows"].values():
        assert set(steps) <= commands


@each_project
def test_every_dependency_is_in_the_repository_or_made_by_a_command(file: Path):
    made = {output for other in FILES for output in paths(other, "outputs")}
    variables = load_project()["vars"]
    for path, command in paths(file, "deps").items():
        downloaded = any(path.is_relative_to(ROOT / variables[source]) for source in SOURCES)
        assert path in made or downloaded or path.exists(), f"{command} depends on {path}, which nothing makes"


@each_project
def test_every_output_is_named_in_the_script_that_makes_it(file: Path):
    in_a_folder = {"model-best", "model-last", "config.json", *WHEELS}
    for command in load_project(file)["commands"]:
        script = " ".join(command["script"]).replace("--wheel-dir .", WHEELS[0])
        for output in command.get("outputs", []):
            made = Path(output).name in in_a_folder and str(Path(output).parent) in script
            assert output in script or made, f"{command['name']} does not make {output}"


def test_assets_are_pinned():
    for asset in load_project()["assets"]:
        assert re.fullmatch(r"[0-9a-f]{32}", asset["checksum"])
        where = asset["git"]["commit"] if "git" in asset else asset["url"]
        assert re.search(r"\b[0-9a-f]{40}\b", where), f"{asset['dest']} comes from no commit"


def test_every_asset_is_checked_before_it_is_converted():
    scripts = [command["script"] for command in load_project()["commands"] if command["name"].startswith("convert-")]
    checked = {script[0].split()[-1] for script in scripts if script[0].startswith("python scripts/check_assets.py ")}
    for asset in load_project()["assets"]:
        assert asset["dest"].startswith(tuple(f"{folder}/" for folder in checked)), f"{asset['dest']} is not checked"


def test_parent_folders_of_git_assets_are_made():
    project = load_project()
    for asset in project["assets"]:
        parent = Path(asset["dest"]).parent
        made = any(Path(folder).is_relative_to(parent) for folder in project["directories"])
        assert made, f"weasel needs the parent of {asset['dest']}"


def test_corpora_without_singletons_are_trained_without_them():
    trained = {command["name"]: " ".join(command["script"]) for command in load_project()["commands"]}
    for name in ("train-ontogum", "train-ontonotes"):
        assert "--components.structured_coref.keep_singletons false" in trained[name]


@pytest.mark.parametrize("task", ["coref", "srl"])
def test_settings_for_mpnet_replace_those_for_minilm(task: str):
    overrides = parse_config_overrides(load_project()["vars"][f"mpnet_{task}"].split())
    path = ROOT / f"configs/{task}_minilm.cfg"
    small, large = (load_config(path, overrides=settings) for settings in ({}, overrides))
    values = {".".join(keys): value for keys, value in walk_dict(large)}
    before = {".".join(keys): value for keys, value in walk_dict(small)}
    factor, rate = f"components.structured_{task}.learn_rate_factor", "training.optimizer.learn_rate.initial_rate"
    layers = "components.transformer.model.transformer_config.num_hidden_layers"
    changed = {name: value for name, value in values.items() if before.get(name) != value}
    assert changed == {"paths.encoder": "encoders/mpnet", factor: 20, rate: 0.00005, layers: 6}
    assert {factor, rate} <= set(before)


def test_the_smaller_pipeline_has_the_schedule_of_its_config() -> None:
    """The larger one has others, which are variables of its project."""
    config = load_config(ROOT / "pipelines/en_span_selector_sm.cfg")
    variables = load_project(ROOT / "pipelines/project.yml")["vars"]
    factors = {pipe.get("learn_rate_factor", variables["factor"]) for pipe in config["components"].values()}
    assert factors == {variables["factor"]}
    schedule = config["training"]["optimizer"]["learn_rate"]
    assert (schedule["initial_rate"], schedule["total_steps"]) == (variables["rate"], variables["steps"])


@pytest.mark.parametrize("name", VERSIONS)
def test_a_wheel_has_the_version_that_its_pipeline_states(name: str) -> None:
    (command,) = (command for command in load_project()["commands"] if command["name"] == f"build-{name}")
    given = parse_config_overrides(command["script"][0].partition(" pipelines ")[2].split())
    project = load_project(FILES[1], **{key.removeprefix("vars."): value for key, value in given.items()})
    stated = srsly.read_json(ROOT / f"pipelines/en_span_selector_{name}.json")["version"]
    assert command["outputs"] == [f"pipelines/{project['vars']['wheel']}-py3-none-any.whl"]
    assert project["vars"]["wheel"] == f"en_span_selector_{name}-{stated}"


@each_project
def test_settings_of_scripts_are_in_their_configs(file: Path):
    """An override of a misspelt name would add a setting."""
    for command in load_project(file)["commands"]:
        for line in command["script"]:
            words = line.split()
            for config in (file.parent / word for word in words if word.endswith(".cfg")):
                settings = load_config(config)
                for word in words:
                    if word.startswith("--") and "." in word:
                        dot_to_object(settings, word.removeprefix("--"))
