"""Commands of the package, or of another program, run in this process."""

from typer import Typer
from typer.testing import CliRunner, Result

from spacy_span_selector.tools.cli import app


def run(*arguments: object, stdin: str | None = None, program: Typer = app) -> Result:
    return CliRunner().invoke(program, [*map(str, arguments)], input=stdin)


def flat(result: Result) -> str:
    """What a command says, in one line."""
    return " ".join(result.output.split())


def success(*arguments: object) -> str:
    """What a command says that does what it is told to, with its lines."""
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    return result.output


def refusal(*arguments: object, program: Typer = app) -> str:
    """What a command says in one line that ends with exit status 1."""
    result = run(*arguments, program=program)
    assert result.exit_code == 1, result.output
    return flat(result)
