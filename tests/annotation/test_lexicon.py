import json
from pathlib import Path
from typing import Any

import pytest
from spacy.util import registry

from spacy_span_selector.annotation.lexicon import check_lexicon, read_lexicon

GIVE = {"name": "transfer", "words": ["give"], "roles": {"ARG0": {"description": "giver", "tag": "PAG"}}}


def test_it_is_read_by_its_registered_name(tmp_path: Path) -> None:
    path = tmp_path / "lexicon.json"
    path.write_text(json.dumps({"give.01": GIVE}))
    assert registry.readers.get("spacy_span_selector.Lexicon.v1")(path) == {"give.01": GIVE}
    assert read_lexicon(None) is None


@pytest.mark.parametrize("text", ["", "{", "\x00"])
def test_what_is_no_json_names_the_file(text: str, tmp_path: Path) -> None:
    path = tmp_path / "lexicon.json"
    path.write_text(text)
    with pytest.raises(ValueError, match=r"lexicon\.json: not a lexicon"):
        read_lexicon(path)


@pytest.mark.parametrize(
    "entry",
    [
        None,
        {},
        {**GIVE, "more": 1},
        {**GIVE, "name": 1},
        {**GIVE, "words": "give"},
        {**GIVE, "words": [1]},
        {**GIVE, "roles": []},
        {**GIVE, "roles": {"ARG0": "giver"}},
        {**GIVE, "roles": {"ARG0": {"description": "giver"}}},
        {**GIVE, "roles": {"ARG0": {"description": "giver", "tag": None}}},
    ],
)
def test_an_entry_of_another_form_is_named(entry: Any) -> None:
    with pytest.raises(ValueError, match=r"here: roleset 'go\.01' is .*; expected"):
        check_lexicon({"give.01": GIVE, "go.01": entry}, "here")


def test_a_list_is_no_lexicon() -> None:
    with pytest.raises(ValueError, match="here: expected rolesets by name"):
        check_lexicon([GIVE], "here")
