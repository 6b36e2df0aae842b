from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
from spacy.language import Language

from ..browser import OpenPage

pytest.importorskip("starlette", reason="needs the extra 'serve'")
pytest.importorskip("uvicorn", reason="needs the extra 'serve'")

import uvicorn

from spacy_span_selector.serving import create_app, open_socket, run_app


@pytest.fixture
def address(nlp: Language, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Where a server runs, in a thread."""
    servers = []

    class Server(uvicorn.Server):
        def __init__(self, config: uvicorn.Config) -> None:
            super().__init__(config)
            servers.append(self)

    monkeypatch.setattr(uvicorn, "Server", Server)
    with open_socket("127.0.0.1", 0) as listening:
        app = create_app(nlp, name="my_model", most_characters=1000)
        thread = threading.Thread(target=run_app, args=(app, listening), daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/"
        servers[0].should_exit = True
        thread.join(10)


def test_a_text_that_is_typed_is_shown_with_its_clusters(address: str, open_page: OpenPage) -> None:
    page = open_page(address)
    page.fill("textarea", "Ann sees herself.")
    page.click("button[type=submit]")
    page.hover(".mention >> text=herself")
    assert "mention 2 of 2" in page.inner_text("#card")
    page.fill("textarea", "<b>Bob</b> sees himself.")
    page.press("textarea", "Control+Enter")
    page.wait_for_selector("article:has-text('<b>Bob</b>')")
    assert page.input_value("textarea") == "<b>Bob</b> sees himself."
    page.problems[:] = [problem for problem in page.problems if not problem.endswith("/favicon.ico")]


def test_a_page_from_elsewhere_is_refused(address: str, open_page: OpenPage) -> None:
    page = open_page(f'<form method="post" action="{address}"><input name="text" value="Ann ran."><button>Go</button>')
    page.click("button")
    page.wait_for_url(address)
    assert "sent by another page" in page.inner_text("body")
    page.problems.clear()


def test_a_port_that_is_taken_is_named() -> None:
    with open_socket("127.0.0.1", 0) as listening:
        port = listening.getsockname()[1]
        with pytest.raises(OSError, match=rf"127.0.0.1, port {port}: .*--port"):
            open_socket("127.0.0.1", port)


def test_an_address_of_another_computer_is_named() -> None:
    with pytest.raises(OSError, match=r"Can't serve on 192\.0\.2\.1, port 8000"):
        open_socket("192.0.2.1", 8000)
