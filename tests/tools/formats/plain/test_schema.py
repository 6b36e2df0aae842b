import configparser
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from spacy.lang.en import English

from spacy_span_selector import to_dict
from spacy_span_selector.tools.formats.plain import FORMAT, json_schema

from .documents import full_doc

ROOT = Path(__file__).parents[4]
DOC = full_doc(English().vocab)
SCHEMA = json_schema()
VALIDATOR = Draft202012Validator(SCHEMA)


def test_it_is_a_schema_of_the_format():
    Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["properties"]["format"]["const"] == FORMAT
    version = FORMAT.rpartition(".v")[2]
    assert SCHEMA["$id"].endswith(f":v{version}")


def test_it_names_all_keys_that_are_written_and_no_other():
    def columns(key: str) -> set[str]:
        name = SCHEMA["properties"][key].get("$ref", "").rpartition("/")[2]
        return {*SCHEMA["$defs"][name]["properties"]} if name else set()

    written = {key: {*value} if isinstance(value, dict) else set() for key, value in to_dict(DOC, tokens=True).items()}
    written["frames"].add("roleset_name")  # of rolesets that differ
    written["arguments"].add("description")
    assert written == {key: columns(key) for key in SCHEMA["properties"]}


@pytest.mark.parametrize(
    "wrong",
    [
        {"format": "spacy_span_selector.Doc.v1"},
        {"text": None},
        {"id": 7},
        {"sentences": {"start": [0]}},
        {"sentences": [{"start": 0, "end": 3}]},
        {"tokens": {"start": [-1], "end": [2]}},
        {"clusters": {}},
        {"mentions": {"start": [0], "end": [3]}},
        {"mentions": {"cluster": [0], "start": [0], "end": [3], "score": [1.5]}},
        {"mentions": {"cluster": [0], "start": [0], "end": [3], "antecedent": ["0"]}},
        {"frames": {"start": [0], "end": [3], "roleset": "give.01"}},
        {"arguments": {"start": [0], "end": [3], "role": ["ARG0"]}},
        {"arguments": {"frame": [0], "start": [0], "end": [3], "role": [None]}},
        {"rolesets": {"roleset": ["give.01"], "name": ["transfer"], "roles": [["ARG0", "giver"]]}},
        {"speakers": {"start": [0], "end": [3]}},
        {"quotations": {"start": [0]}},
        {"quotations": {"start": [0], "end": [3], "cue_start": ["said"]}},
        {"labelled_spans": {"start": [0], "end": [3]}},
        {"characters": {"name": ["Ann"], "cluster": [0], "count": [2]}},
        {"characters": {"name": ["Ann"], "cluster": [0], "count": [2], "names": [["Ann"]]}},
    ],
)
def test_other_data_is_not_valid(wrong: dict[str, Any]):
    data = to_dict(DOC)
    assert VALIDATOR.is_valid(data) and not VALIDATOR.is_valid({**data, **wrong})


def test_files_of_the_package_are_installed_with_it():
    config = configparser.ConfigParser()
    config.read(ROOT / "setup.cfg", encoding="utf-8")
    patterns = [pattern.strip() for pattern in config["options.package_data"]["spacy_span_selector"].split(",")]
    package = ROOT / "spacy_span_selector"
    installed = {path for pattern in patterns for path in package.glob(pattern)}
    others = {path for path in package.rglob("*") if path.is_file() and path.suffix not in (".py", ".pyc")}
    assert others == installed
