"""The application with a form, from whom an application takes requests, and serving it on a port of this computer.

Whoever can reach a page may send something to it, other pages in the same browser included. So an application answers
to its own names, which no other page has, takes what its own pages send, and of that no more than it was told to.
"""

from __future__ import annotations

import logging
import socket
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from urllib.parse import parse_qs

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from .worker import BusyError, NotAnnotatedError, Worker

LOCAL = ("127.0.0.1", "localhost", "::1", "[::1]")  # the names of the computer itself
MOST_CONNECTIONS = 50
FORM_TYPE = "application/x-www-form-urlencoded"
BYTES_PER_CHARACTER = 12  # the most that a character takes in a form: four bytes of UTF-8, each as `%F0`

HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "frame-ancestors 'none'",  # the page itself says the rest
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}
RETRY = {"Retry-After": "60"}

logger = logging.getLogger(__name__)


def open_socket(host: str, port: int) -> socket.socket:
    """Open a port, 0 for any that is free, so that an error is known before a pipeline is loaded."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        return socket.create_server(address[:2], family=family)
    except OSError as error:
        reason = error.strerror or str(error)
        raise OSError(f"Can't serve on {host}, port {port}: {reason}. Choose others with --host and --port.") from error


def run_app(app: Starlette, listening: socket.socket) -> None:
    """Serve an application until the process is told to stop."""
    config = uvicorn.Config(
        app,
        ws="none",
        log_level="error",  # all else is about what clients do
        server_header=False,
        proxy_headers=False,
        limit_concurrency=MOST_CONNECTIONS,
        timeout_graceful_shutdown=1,
    )
    uvicorn.Server(config).run(sockets=[listening])


def create_app(worker: Worker, *, hosts: Sequence[str] = ()) -> Starlette:
    """Create the application with a form, and below it the text that was sent, with its clusters and frames.

    hosts (Sequence[str]): The names or addresses by which the page is reached, apart from those of the computer itself.
    """
    form = worker.form

    async def home(request: Request) -> Response:
        return HTMLResponse(form.page(), headers=HEADERS)

    async def annotate(request: Request) -> Response:
        text = read_text(await read_body(request, BYTES_PER_CHARACTER * form.most_characters + 100, FORM_TYPE))
        if problem := form.problem(text):
            return HTMLResponse(form.page(text, problem), 400, HEADERS)
        try:
            return HTMLResponse(await worker.annotate(text, request), headers=HEADERS)
        except BusyError as error:
            return HTMLResponse(form.page(text, str(error)), 503, HEADERS | RETRY)
        except NotAnnotatedError as error:
            logger.warning("%s", error)
            return HTMLResponse(form.page(text, str(error)), 500, HEADERS)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        await worker.stop()

    routes = [Route("/", home, methods=["GET"]), Route("/", annotate, methods=["POST"])]
    return make_application(routes, hosts, lifespan)


def make_application(
    routes: Sequence[Route], hosts: Sequence[str], lifespan: Callable[[Starlette], AbstractAsyncContextManager[None]]
) -> Starlette:
    """Make an application that answers to its own names: these hosts, and those of the computer itself."""

    async def answer_nobody(request: Request, error: Exception) -> Response:
        return Response(status_code=400)  # to a sender who has left

    own_names = Middleware(TrustedHostMiddleware, allowed_hosts=[*LOCAL, *hosts], www_redirect=False)
    handlers = {ClientDisconnect: answer_nobody}
    return Starlette(routes=routes, middleware=[own_names], exception_handlers=handlers, lifespan=lifespan)


async def read_body(request: Request, most: int, kind: str) -> bytes:
    """The body of a request of such a kind and length, unless another page has sent it."""
    body = bytearray()
    length = 0
    async for chunk in request.stream():  # to its end: if the connection were closed before, nobody saw the answer
        length += len(chunk)
        if length <= most:
            body += chunk
    if length > most:
        raise HTTPException(413, f"The text is too long: {length:,} bytes were sent, more than {most:,}.")
    # Browsers say with every form where it comes from, other programs need not.
    origin, site = request.headers.get("origin"), request.headers.get("sec-fetch-site")
    is_own = origin is None or origin.partition("://")[2] == request.headers.get("host")
    if not is_own or site not in (None, "same-origin", "none"):
        raise HTTPException(403, "This was sent by another page. Use the form of this one.")
    # What says nothing of its type may be a form, and nothing else.
    if request.headers.get("content-type", FORM_TYPE).partition(";")[0].strip().lower() != kind:
        raise HTTPException(415, f"Expected content of the type {kind}.")
    return bytes(body)


def read_text(body: bytes) -> str:
    try:
        fields = parse_qs(body.decode(), keep_blank_values=True, errors="strict", max_num_fields=1)
    except ValueError as error:
        raise HTTPException(400, "Expected a form with one field, text, in UTF-8.") from error
    return fields.get("text", [""])[0].replace("\r\n", "\n")
