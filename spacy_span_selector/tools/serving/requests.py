"""Requests, and from whom they are taken.

Whoever can reach a page may send something to it, other pages in the same browser included. So an application answers
only to the names that it is known by, which other pages cannot make theirs; takes what its own pages send alone; and
from no one more than it was told to.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from .turns import SenderLeftError

LOCAL = ("127.0.0.1", "localhost", "::1", "[::1]")
"""The names of the computer itself."""

HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "frame-ancestors 'none'",  # the page itself says the rest
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}
RETRY = {"Retry-After": "60"}

Lifespan = Callable[[Starlette], AbstractAsyncContextManager[None]]
"""What happens around the life of an application."""


def make_application(routes: Sequence[Route], hosts: Sequence[str], lifespan: Lifespan | None = None) -> Starlette:
    """Make an application that answers to its own names alone.

    routes (Sequence[Route]): What it answers.
    hosts (Sequence[str]): The names or addresses by which it is reached, apart from those of the computer itself.
    lifespan (Lifespan | None): What happens around its life.
    RETURNS (Starlette): The application.
    """
    return Starlette(
        routes=routes,
        middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=[*LOCAL, *hosts], www_redirect=False)],
        exception_handlers={ClientDisconnect: answer_nobody, SenderLeftError: answer_nobody},
        lifespan=lifespan,
    )


async def read_body(request: Request, most: int) -> bytes:
    """The body of a request, of which no more is kept in memory than is allowed.

    What is longer is read, too: if the connection were closed before, its sender would not see the answer.

    RAISES (HTTPException): If it is longer.
    """
    body = bytearray()
    length = 0
    async for chunk in request.stream():
        length += len(chunk)
        if length <= most:
            body += chunk
    if length > most:
        raise HTTPException(413, f"The text is too long: {length:,} bytes were sent, more than {most:,}.")
    return bytes(body)


def check_origin(request: Request) -> None:
    """Refuse what another page sent. Browsers say with every form where it comes from, other programs need not.

    RAISES (HTTPException): If it did.
    """
    origin, site = request.headers.get("origin"), request.headers.get("sec-fetch-site")
    is_own = origin is None or origin.partition("://")[2] == request.headers.get("host")
    if not is_own or site not in (None, "same-origin", "none"):
        raise HTTPException(403, "This was sent by another page. Use the form of this one.")


async def sender_leaves(request: Request) -> None:
    """Wait until the sender of a request, which has been read, has left."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def answer_nobody(request: Request, error: Exception) -> Response:
    """The answer to a sender who has left, which goes nowhere."""
    return Response(status_code=400)
