"""The examples of docs/recipes.md run, each with the files that it names."""

import re
from pathlib import Path
from typing import Any

import pytest

from .test_docs_in_your_pipeline import joint

TEXT = (Path(__file__).parent.parent / "docs/recipes.md").read_text(encoding="utf-8")
RECIPES = {
    section.partition("\n")[0]: "".join(re.findall(r"```python\n(.*?)```", section, re.DOTALL))
    for section in TEXT.split("\n## ")[1:]
}
MAIL = """From ann@example.org Wed May  1 12:00:00 2024
From: ann@example.org
Subject: a hat
Content-Type: text/plain; charset=utf-8

Tom gave Mary a hat. She liked it.
"""


@pytest.fixture(scope="module")
def namespace() -> dict[str, Any]:
    return {"nlp": joint(), "Path": Path}


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_there_is_a_recipe_for_each_kind_of_text() -> None:
    texts = ["A folder of novels", "A mailbox", "A chat export"]
    assert [*RECIPES] == [*texts, "A notebook", "A web service", "A knowledge graph"]


@pytest.mark.parametrize(
    ("recipe", "file", "content", "printed"),
    [
        ("A folder of novels", "novels/emma.txt", "Emma met Mr. Lee. He bowed.", "emma ["),
        ("A mailbox", "mail.mbox", MAIL, "a hat ["),
        ("A mailbox", "mail.mbox", MAIL.replace("utf-8", "x-unknown") + MAIL, "a hat ["),
        ("A chat export", "chat.txt", "[12:03] Ann: I saw him.\n[12:04] Ann: He left.\n", "{'Ann'} ["),
        ("A notebook", None, "", ""),
    ],
)
def test_recipes_run(
    recipe: str, file: str | None, content: str, printed: str, namespace: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    if file is not None:
        Path(file).parent.mkdir(exist_ok=True)
        Path(file).write_text(content, encoding="utf-8")
    exec(RECIPES[recipe], namespace)
    assert capsys.readouterr().out.startswith(printed)


def test_the_service_answers_with_plain_data(namespace: dict[str, Any]) -> None:
    pytest.importorskip("starlette", reason="needs the extra 'serve'")
    pytest.importorskip("httpx", reason="needs the extra 'dev'")
    from starlette.testclient import TestClient

    exec(RECIPES["A web service"], namespace)
    assert TestClient(namespace["app"]).post("/", content="Tom left.").json()["text"] == "Tom left."


def test_a_graph_has_the_triples_of_events(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("networkx", reason="is not part of any extra")
    from spacy_span_selector.people.events import Triple

    class Event:
        def triples(self) -> list[Triple]:
            return [Triple("Ann", "give.01", "a key", "ARG1")]

    class Found:
        events = (Event(),)

    found: Any = Found()
    found._ = found
    exec(RECIPES["A knowledge graph"], {"nlp": lambda text: found})
    edges, triple = capsys.readouterr().out.splitlines()
    assert edges == "[('Ann', 'a key', 'give.01')]"
    assert triple == "<https://example.org/Ann> <https://example.org/give.01> <https://example.org/a%20key> ."
