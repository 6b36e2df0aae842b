"""Hostile requests and slow clients: each gets an answer that the page knows, or none, and others get theirs."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from typing import Any
from unittest.mock import patch
from urllib.parse import quote

import pytest
import spacy
from hypothesis import strategies as st

pytest.importorskip("starlette", reason="needs the extra 'serve'")
pytest.importorskip("uvicorn", reason="needs the extra 'serve'")

from spacy_span_selector.tools.serving import create_app, open_socket, run_app, server
from spacy_span_selector.tools.serving.view import Form, View

from . import fuzzing
from .fuzzing import fuzz, no_hang

HOST = b"127.0.0.1:8000"
MOST = 2_000
SECONDS = 10
KNOWN = {200, 307, 400, 403, 404, 405, 411, 413, 415, 431, 503}
"""The statuses of answers: 307 to the page from a path without a slash, 503 where others wait."""


class InThisProcess:
    """Annotates as a worker does, in this process."""

    seconds_to_load = 1.0

    def __init__(self) -> None:
        nlp = spacy.blank("en")
        nlp.add_pipe("sentencizer")
        nlp.add_pipe("rules_of_tests")
        self.form = Form("a model", MOST)
        self.view = View(nlp, self.form, False)

    def annotate(self, text: str) -> str:
        return self.view(text)

    def give_up(self) -> None:
        """There is nothing to end."""


@cache
def app() -> Any:
    return create_app(InThisProcess())  # type: ignore[arg-type]


ROUTES = [(route.path, method) for route in app().routes for method in sorted(route.methods)]
METHODS = sorted({method for _, method in ROUTES} | {"PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "PRI", "get", ""})
PATHS = sorted({path for path, _ in ROUTES} | {"", "//", "/..", "/%00", "/x", "/static/page.js", "*", "http://a/"})
NAMES = (
    *(b"host", b"origin", b"sec-fetch-site", b"content-type", b"content-length", b"transfer-encoding", b"cookie"),
    *(b"referer", b"x-forwarded-host", b"x-forwarded-for", b"forwarded", b"expect", b"range", b"accept-encoding"),
    *(b"authorization", b"connection", b"upgrade", b"te", b"if-none-match", b"x-http-method-override", b"", b"\xff"),
)
VALUES = (
    *(
        b"",
        b" ",
        b"\0",
        b"\xff\xfe",
        b"null",
        b"None",
        b"*",
        b"-1",
        b"1e9",
        b"9" * 5000,
        "²".encode(),
        b"a, b",
        b"a" * 70_000,
    ),
    *(
        b"http://[::1",
        b"http://[::1]:99999999",
        b"http://[",
        b"]",
        b"[::1",
        b"[::1]",
        b"::1",
        b":8000",
        b"//",
        b"http://",
    ),
    *(b"http://127.0.0.1:8000", b"http://127.0.0.1:8000@evil", b"http://evil#127.0.0.1:8000", b"127.0.0.1:8000:8000"),
    *(b"127.0.0.1", b"127.0.0.1.", b"localhost", b"LOCALHOST", b"evil", b"127.0.0.1:\xc2\xb2", "http://ⅰ.com".encode()),
    *(b"same-origin", b"cross-site", b"chunked", b"gzip, chunked", b"100-continue", b"bytes=0-", b"websocket"),
    *(
        b"application/x-www-form-urlencoded",
        b"application/x-www-form-urlencoded; charset=utf-7",
        b"multipart/form-data",
    ),
    *(b"multipart/form-data; boundary=", b"text/html", b"application/json", b";", b"a\r\nX: y", "🦊".encode()),
)
BODIES = (
    *(b"", b"text", b"text=", b"=", b"&&&", b"text=Ann+saw+Bob.", b"text=%", b"text=%zz", b"text=%ff%fe", b"text=%00"),
    *(b"text=%ED%A0%80", b"text=a&text=b", b"TEXT=a", b"text=a;text=b", b"\xff" * 50, b'{"text": "a"}', b"text=%0D%0A"),
    *(
        b"x=1&" * 5000,
        b"text=" + b"a" * MOST,
        b"text=" + b"a" * (MOST + 1),
        b"text=" + b"%F0%9F%98%80" * MOST,
        b"a" * 10**6,
    ),
    f"text={quote('</textarea><script>alert(1)</script> $model ${x}')}".encode(),
    *(
        f"text={quote(text)}".encode()
        for text in ("\u2028", "\u202eabc", "a\u0301" * 100, "שלום", "\x1b[31m", "= " * 50)
    ),
)
headers = st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(VALUES)), max_size=3)


async def ask(
    method: str, path: str, given: Sequence[tuple[bytes, bytes]], body: bytes, parts: int, leave: bool
) -> Any:
    """Ask for a page, in parts.

    leave (bool): Whether the sender leaves before all parts are sent.
    RETURNS (tuple[int, bytes] | None): The status and the page, None if there was no answer.
    """
    sent: list[dict[str, Any]] = []
    size = max(1, -(-len(body) // parts))
    chunks = [body[i : i + size] for i in range(0, len(body), size)] or [b""]
    messages = [{"type": "http.request", "body": chunk, "more_body": True} for chunk in chunks]
    messages[-1]["more_body"] = False
    if leave:
        messages[-1] = {"type": "http.disconnect"}
    coming = iter(messages)

    async def receive() -> dict[str, Any]:
        message = next(coming, None)
        if message is None:
            if not leave:
                await asyncio.sleep(3600)  # it stays
            message = {"type": "http.disconnect"}
        return message

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    names = {name for name, _ in given}
    own = [] if b"host" in names else [(b"host", HOST)]
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": [*own, *given],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 8000),
    }
    await asyncio.wait_for(app()(scope, receive, send), SECONDS)
    status = next((message["status"] for message in sent if message["type"] == "http.response.start"), None)
    page = b"".join(message.get("body", b"") for message in sent if message["type"] == "http.response.body")
    return None if status is None else (status, page)


def check(method: str, path: str, given: Sequence[tuple[bytes, bytes]], body: bytes, parts: int, leave: bool) -> None:
    with ThreadPoolExecutor(1) as pool:  # other tests of the process may have left a loop in this thread
        answer = pool.submit(asyncio.run, ask(method, path, given, body, parts, leave)).result()
    if answer is None:
        assert leave, "no answer"
        return
    status, page = answer
    assert status in KNOWN, (status, page[:300])
    assert b"Traceback" not in page and b"<script>alert" not in page
    origins = [value for name, value in given if name == b"origin"]
    hosts = [value for name, value in given if name == b"host"]
    if method == "POST" and status == 200:
        host = hosts[0] if hosts else HOST
        assert all(origin.partition(b"://")[2] == host for origin in origins[:1]), "another page's text was taken"


@pytest.mark.skipif(not fuzzing.times, reason="takes half a minute: tried by python -m tests.robustness")
@pytest.mark.parametrize(("path", "method"), ROUTES)
def test_every_header(path: str, method: str) -> None:
    """With each value, one at a time."""
    for name in NAMES:
        for value in VALUES:
            check(method, path, [(name, value)], b"text=Ann+saw+Bob.", 1, False)
            fuzzing.inputs[__name__] += 1


@fuzz(
    150,
    method=st.sampled_from([*METHODS, "POST", "POST", "POST"]),
    path=st.sampled_from([*PATHS, "/", "/", "/"]),
    given=headers,
    body=st.sampled_from(BODIES),
    parts=st.integers(1, 5),
    leave=st.booleans(),
)
def test_requests(
    method: str, path: str, given: list[tuple[bytes, bytes]], body: bytes, parts: int, leave: bool
) -> None:
    check(method, path, given, body, parts, leave)


@contextmanager
def running() -> Iterator[int]:
    """A server in a thread, and its port."""
    servers: list[Any] = []

    class Server(server.Server):
        def __init__(self, *arguments: Any) -> None:
            super().__init__(*arguments)
            servers.append(self)

    with open_socket("127.0.0.1", 0) as listening, patch.object(server, "Server", Server):
        thread = threading.Thread(target=run_app, args=(app(), listening, lambda: None), daemon=True)
        thread.start()
        try:
            yield listening.getsockname()[1]
        finally:
            if servers:
                servers[0].should_exit = True
            thread.join(SECONDS)
            assert not thread.is_alive(), "the server does not end"


def ask_for_page(port: int, body: bytes | None = None) -> float:
    """Seconds until the page is there."""
    begun = time.perf_counter()
    with socket.create_connection(("127.0.0.1", port), timeout=SECONDS) as client:
        if body is None:
            client.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
        else:
            lines = [b"POST / HTTP/1.1", b"Host: 127.0.0.1", b"Connection: close", b"Content-Length: %d" % len(body)]
            lines.append(b"Content-Type: application/x-www-form-urlencoded")
            client.sendall(b"\r\n".join([*lines, b"", body]))
        answer = b""
        while part := client.recv(65536):
            answer += part
    assert answer.startswith(b"HTTP/1.1 200"), answer[:200]
    return time.perf_counter() - begun


SLOW = (
    b"",
    b"G",
    b"GET / HTTP/1.1\r\n",
    b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ",
    b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 30\r\n\r\ntext=",
    b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\ntext=",
    b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 12\r\n\r\ntext=Ann ran",  # one is missing
    b"\x16\x03\x01\x02\x00\x01\x00",  # of TLS
    b"\0" * 100,
    b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" * 3,
)
"""The first bytes of slow clients, which then fall silent."""


def test_slow_clients() -> None:
    """More than there are connections: some say nothing, some a little at a time, and some leave."""
    slow: list[socket.socket] = []
    try:
        with running() as port, no_hang(60):
            ask_for_page(port)
            for number in range(server.MOST_CONNECTIONS + 10):
                client = socket.create_connection(("127.0.0.1", port), timeout=SECONDS)
                client.sendall(SLOW[number % len(SLOW)])
                if number % 4:
                    slow.append(client)
                else:
                    client.close()
            for byte in b" a":  # a byte a second
                time.sleep(0.5)
                for client in slow:
                    try:
                        client.sendall(bytes([byte]))
                    except OSError:
                        continue  # it was dropped
            assert ask_for_page(port, b"text=Ann+saw+Bob.") < SECONDS
            assert ask_for_page(port) < SECONDS
    finally:
        for client in slow:
            client.close()
