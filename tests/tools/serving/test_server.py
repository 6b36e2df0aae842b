from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from ...browser import OpenPage
from .server_process import PATIENCE, ServerProcess, answer, serve

pytest.importorskip("starlette", reason="needs the extra 'serve'")
pytest.importorskip("uvicorn", reason="needs the extra 'serve'")

from spacy_span_selector.tools.serving import open_socket


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with serve(tmp_path_factory.mktemp("server"), max_seconds=5) as server:
        yield server


@pytest.fixture
def address(server: ServerProcess) -> str:
    return server.address


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


def wait_for(path: Path) -> None:
    """Wait until a text is under way that writes a file."""
    end = time.monotonic() + PATIENCE
    while not path.exists():
        assert time.monotonic() < end
        time.sleep(0.05)


def assert_annotated(found: tuple[int, str]) -> None:
    status, page = found
    assert (status, "<dt>see.01</dt>" in page) == (200, True)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("please fail", "The pipeline failed at this text: RuntimeError: out of &lt;order&gt;"),
        ("please die", "The process that annotates ended at this text (exit code 3)"),
        ("/dev/null wait", "The text took more than 5 seconds, and was given up"),
    ],
)
def test_a_text_that_can_not_be_annotated_costs_no_other_one(server: ServerProcess, text: str, problem: str) -> None:
    sent = server.send(text), server.send("Ann sees herself.")
    status, page = answer(sent[0])
    assert (status, problem in page, f"{text}</textarea>" in page) == (500, True, True)
    assert_annotated(answer(sent[1]))


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_it_answers_while_a_text_is_annotated_and_ends_when_it_is_told_to(tmp_path: Path, stop: signal.Signals) -> None:
    with serve(tmp_path, most_waiting=2) as server:
        sent = [server.send(f"{tmp_path}/begun hold")]
        wait_for(tmp_path / "begun")
        sent += [server.send("Ann sees herself."), server.send("Ann sees herself.")]
        assert server.get()[0] == 200
        refused = server.send("One too many.")
        status, page = answer(refused)
        assert (status, "Too many texts are waiting" in page, "One too many.</textarea>" in page) == (503, True, True)
        assert "\r\nretry-after: " in page.lower()
        server.send_signal(stop)
        for client in sent:
            status, page = answer(client)
            assert (status, "The server is being stopped" in page) == (503, True)
        assert server.wait() in (-stop, 0)  # 0 where whoever started this one ignores Ctrl-C


def test_nobody_waits_for_those_who_have_left(tmp_path: Path) -> None:
    with serve(tmp_path, seconds_to_load=1) as server:
        sent = [server.send(f"{tmp_path}/first wait")]
        wait_for(tmp_path / "first")
        sent += [server.send(f"{tmp_path}/second wait")]
        for client in sent:
            client.close()
        assert_annotated(server.post("Ann sees herself."))
        assert not (tmp_path / "second").exists()


def test_the_process_that_annotates_ends_with_the_one_that_answers(tmp_path: Path) -> None:
    with serve(tmp_path) as server:
        server.send(f"{tmp_path}/begun wait")
        wait_for(tmp_path / "begun")
        server.send_signal(signal.SIGKILL)
        server.wait()


@pytest.fixture(scope="module")
def in_need(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """A server that may open few files, and is soon out of patience."""
    pytest.importorskip("resource", reason="the system sets no limits")
    with serve(tmp_path_factory.mktemp("server"), most_files=150, SECONDS_TO_SEND=2) as server:
        yield server


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n",
        b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\na",
    ],
)
def test_who_sends_slowly_is_dropped(in_need: ServerProcess, sent: bytes) -> None:
    with in_need.connect(sent) as client:
        assert client.recv(1) == b""


def test_connections_that_are_held_open_keep_nobody_out(in_need: ServerProcess) -> None:
    held = [in_need.connect(b"GET / HTTP/1.1\r\nHost: ") for _ in range(200)]
    for _ in range(20):
        assert in_need.get()[0] == 200
    for client in held:
        client.close()
    in_need.send_signal(signal.SIGINT)
    in_need.wait()
    assert in_need.errors.read_text().count("\n") < 30
