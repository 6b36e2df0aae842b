import warnings

from spacy.cli import app as spacy_app
from spacy.util import registry
from typer import Context
from typer.main import get_command

from spacy_span_selector.tools.cli._app import friendly_errors


def test_spacy_finds_the_commands_through_the_entry_point():
    registry.cli.get_all()
    group = get_command(spacy_app).commands["span-selector"]
    assert {"convert", "evaluate", "render"} <= set(group.commands)
    convert = group.commands["convert"]
    assert {"bracketed", "litbank"} <= set(convert.list_commands(Context(convert)))


def test_a_warning_names_no_place_in_the_code_while_a_command_runs():
    before = warnings.formatwarning("lost: 1", UserWarning, "a.py", 7)
    with friendly_errors():
        assert warnings.formatwarning("lost: 1", UserWarning, "a.py", 7) == "UserWarning: lost: 1\n"
    assert warnings.formatwarning("lost: 1", UserWarning, "a.py", 7) == before
