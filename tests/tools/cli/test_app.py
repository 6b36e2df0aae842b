from spacy.cli import app as spacy_app
from spacy.util import registry
from typer import Context
from typer.main import get_command


def test_spacy_finds_the_commands_through_the_entry_point():
    registry.cli.get_all()
    group = get_command(spacy_app).commands["span-selector"]
    assert {"convert", "evaluate", "render"} <= set(group.commands)
    convert = group.commands["convert"]
    assert {"bracketed", "litbank"} <= set(convert.list_commands(Context(convert)))
