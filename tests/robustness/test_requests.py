"""Hostile requests: each gets an answer that the page knows, or none."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import strategies as st

pytest.importorskip("starlette", reason="needs the extra 'serve'")
pytest.importorskip("uvicorn", reason="needs the extra 'serve'")

from spacy_span_selector.tools.serving import View, create_app

from ..tools.serving.pipelines import InThisProcess
from . import fuzzing
from .fuzzing import fuzz

HOST = b"127.0.0.1:8000"
MOST = 2_000
SECONDS = 10
# The statuses of answers: 307 to the page from a path without a slash, 503 where others wait.
KNOWN = {200, 307, 400, 403, 404, 405, 411, 413, 415, 431, 503}


@cache
def app() -> Any:
    worker: Any = InThisProcess(View, "a model", MOST)
    return create_app(worker)


ROUTES = [(route.path, method) for route in app().routes for method in sorted(route.methods)]
METHODS = sorted({method for _, method in ROUTES} | {"PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "PRI", "get", ""})
PATHS = sorted({path for path, _ in ROUTES} | {"", "//", "/..", "/%00", "/x", "/static/page.js", "*", "http://a/"})
NAMES = (
    *(b"host", b"origin", b"sec-fetch-site", b"content-type", b"content-length", b"transfer-encoding", b"cookie"),
    *(b"referer", b"x-forwarded-host", b"x-forwarded-for", b"forwarded", b"expect", b"range", b"accept-encoding"),
    *(b"authorization", b"connection", b"upgrade", b"te", b"if-none-match", b"x-http-method-override", b"", b"\xff"),
)
VALUES = (
    *(b"", b" ", b"\0", b"\xff\xfe", b"null", b"None", b"*", b"-1", b"1e9", b"9" * 5000, "²".encode(), b"a, b"),
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
    *(b"application/x-www-form-urlencoded", b"application/x-www-form-urlencoded; charset=utf-7", b"text/html", b";"),
    *(b"multipart/form-data", b"multipart/form-data; boundary=", b"application/json", b"a\r\nX: y", "🦊".encode()),
    b"a" * 70_000,
)
HOSTILE = "</textarea><script>alert(1)</script> $model ${x}"
ODD_TEXTS = (HOSTILE, "\u2028", "\u202eabc", "a\u0301" * 100, "שלום", "\x1b[31m", "= " * 50)
BODIES = (
    *(b"", b"text", b"text=", b"=", b"&&&", b"text=Ann+saw+Bob.", b"text=%", b"text=%zz", b"text=%ff%fe", b"text=%00"),
    *(b"text=%ED%A0%80", b"text=a&text=b", b"TEXT=a", b"text=a;text=b", b"\xff" * 50, b'{"text": "a"}', b"text=%0D%0A"),
    *(b"x=1&" * 5000, b"text=" + b"a" * MOST, b"text=" + b"a" * (MOST + 1), b"text=" + b"%F0%9F%98%80" * MOST),
    *(b"a" * 10**6, *(f"text={quote(text)}".encode() for text in ODD_TEXTS)),
)
headers = st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(VALUES)), max_size=3)


async def ask(
    method: str, path: str, given: Sequence[tuple[bytes, bytes]], body: bytes, parts: int, leave: bool
) -> tuple[int, bytes] | None:
    """Ask for a page, in parts; the sender may leave before all are sent. Without an answer there is no status."""
    sent: list[dict[str, Any]] = []
    size = max(1, -(-len(body) // parts))
    chunks = [body[i : i + size] for i in range(0, len(body), size)] or [b""]
    messages = [{"type": "http.request", "body": chunk, "more_body": True} for chunk in chunks]
    messages[-1] = {"type": "http.disconnect"} if leave else {**messages[-1], "more_body": False}
    coming = iter(messages)

    async def receive() -> dict[str, Any]:
        message = next(coming, None)
        if message is None and not leave:
            await asyncio.sleep(3600)  # it stays
        return message or {"type": "http.disconnect"}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    own = [] if b"host" in {name for name, _ in given} else [(b"host", HOST)]
    scope = {"type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method, "scheme": "http"}
    scope |= {"path": path, "raw_path": path.encode(), "query_string": b"", "root_path": ""}
    scope |= {"headers": [*own, *given], "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 8000)}
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
