import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from spacy_span_selector.tools.serving import open_socket

from ...browser import OpenPage
from .server_process import PATIENCE, ServerProcess, answer, serve


@pytest.fixture(scope="module")
def server() -> Iterator[ServerProcess]:
    with serve(max_seconds=3) as server:
        yield server


def test_a_text_that_is_typed_is_shown_with_its_clusters(server: ServerProcess, open_page: OpenPage) -> None:
    page = open_page(server.address)
    page.fill("textarea", "Ann sees herself.")
    page.click("button[type=submit]")
    page.hover(".mention >> text=herself")
    assert "mention 2 of 2" in page.inner_text("#card")
    page.fill("textarea", "<b>Bob</b> sees himself.")
    page.press("textarea", "Control+Enter")
    page.wait_for_selector("article:has-text('<b>Bob</b>')")
    assert page.input_value("textarea") == "<b>Bob</b> sees himself."
    page.problems[:] = [problem for problem in page.problems if not problem.endswith("/favicon.ico")]


def test_a_page_from_elsewhere_is_refused(server: ServerProcess, open_page: OpenPage) -> None:
    form = f'<form method="post" action="{server.address}"><input name="text" value="Ann ran."><button>Go</button>'
    page = open_page(form)
    page.click("button")
    page.wait_for_url(server.address)
    assert "sent by another page" in page.inner_text("body")
    page.problems.clear()


def test_what_can_not_be_served_on_is_named() -> None:
    with open_socket("127.0.0.1", 0) as listening:
        port = listening.getsockname()[1]
        with pytest.raises(OSError, match=rf"127.0.0.1, port {port}: .*--port"):
            open_socket("127.0.0.1", port)
    with pytest.raises(OSError, match=r"Can't serve on 192\.0\.2\.1, port 8000"):
        open_socket("192.0.2.1", 8000)


def wait_for(path: Path) -> None:
    """Wait until a text is under way that writes a file."""
    end = time.monotonic() + PATIENCE
    while not path.exists():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("please fail", "The pipeline failed at this text: RuntimeError: out of &lt;order&gt;"),
        ("please die", "The process that annotates ended at this text"),
    ],
)
def test_a_text_that_can_not_be_annotated_costs_no_other_one(server: ServerProcess, text: str, problem: str) -> None:
    sent = server.send(text), server.send("Ann sees herself.")
    status, page = answer(sent[0])
    assert (status, problem in page, f"{text}</textarea>" in page) == (500, True, True)
    status, page = answer(sent[1])
    assert (status, "<dt>see.01</dt>" in page) == (200, True)


def test_a_text_that_takes_too_long_is_given_up_and_one_whose_sender_has_left_is_dropped(
    server: ServerProcess, tmp_path: Path
) -> None:
    slow = server.send(f"{tmp_path}/first hold")
    wait_for(tmp_path / "first")
    server.send(f"{tmp_path}/second wait").close()
    after = server.send("Ann sees herself.")
    assert server.get()[0] == 200
    status, page = answer(slow)
    assert (status, "The text took more than 3 seconds, and was given up" in page) == (500, True)
    assert answer(after)[0] == 200
    assert not (tmp_path / "second").exists()


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_it_answers_while_a_text_is_annotated_and_ends_when_it_is_told_to(tmp_path: Path, stop: signal.Signals) -> None:
    with serve(most_waiting=3) as server:
        sent = [server.send(f"{tmp_path}/begun hold")]
        wait_for(tmp_path / "begun")
        sent += [server.send("Ann sees herself."), server.send("Ann sees herself.")]
        left = server.send("Ann sees herself.")
        assert server.get()[0] == 200
        status, page = answer(server.send("One too many."))
        assert (status, "Too many texts are waiting" in page, "One too many.</textarea>" in page) == (503, True, True)
        assert "\r\nretry-after: " in page.lower()
        left.close()
        told = time.monotonic()
        os.kill(server.process.pid, stop)
        for client in sent:
            status, page = answer(client)
            assert (status, "The server is being stopped" in page) == (503, True)
        assert server.wait() in (-stop, 0)  # 0 where whoever started this one ignores Ctrl-C
        assert time.monotonic() - told < 2


def test_the_process_that_annotates_ends_with_the_one_that_answers(tmp_path: Path) -> None:
    with serve() as server:
        server.send(f"{tmp_path}/begun wait")
        wait_for(tmp_path / "begun")
        server.process.kill()
        server.wait()
