"""The web application: a form, and below it the text that was sent, with its clusters and frames.

Whoever can reach the page may send text, other pages in the same browser included. So it answers only to the names that
it is known by, which other pages cannot make theirs; takes texts from its own form alone; and from no one more than it
was told to.
"""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import parse_qs, urlsplit

import anyio.to_thread
from spacy.language import Language
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from .view import View

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
BYTES_PER_CHARACTER = 12
"""The most that a character takes in a form: four bytes of UTF-8, each as `%F0`."""


def create_app(
    nlp: Language, *, name: str, most_characters: int, hosts: Sequence[str] = (), singletons: bool = False
) -> Starlette:
    """Create the application.

    nlp (Language): The pipeline. It annotates one text at a time.
    name (str): What the page calls it.
    most_characters (int): How long a text may be.
    hosts (Sequence[str]): The names or addresses by which the page is reached, apart from those of the computer itself.
    singletons (bool): Whether to show clusters of one mention.
    RETURNS (Starlette): The application.
    """
    view = View(nlp, name, min(most_characters, nlp.max_length), singletons)
    one_at_a_time = anyio.CapacityLimiter(1)

    async def home(request: Request) -> Response:
        return HTMLResponse(view.empty(), headers=HEADERS)

    async def annotate(request: Request) -> Response:
        check_origin(request)
        body = await read_body(request, BYTES_PER_CHARACTER * view.most_characters + 100)
        text = parse_qs(body.decode("utf-8", "replace"), keep_blank_values=True).get("text", [""])[0]
        text = text.replace("\r\n", "\n")
        if problem := view.problem(text):
            return HTMLResponse(view.empty(text, problem), status_code=400, headers=HEADERS)
        page = await anyio.to_thread.run_sync(view.annotated, text, limiter=one_at_a_time)
        return HTMLResponse(page, headers=HEADERS)

    return Starlette(
        routes=[Route("/", home, methods=["GET"]), Route("/", annotate, methods=["POST"])],
        middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=[*LOCAL, *hosts], www_redirect=False)],
    )


def check_origin(request: Request) -> None:
    """Refuse what another page sent. Browsers say with every form where it comes from, other programs need not.

    RAISES (HTTPException): If it did.
    """
    origin, site = request.headers.get("origin"), request.headers.get("sec-fetch-site")
    is_own = origin is None or urlsplit(origin).netloc == request.headers.get("host")
    if not is_own or site not in (None, "same-origin", "none"):
        raise HTTPException(403, "This was sent by another page. Use the form of this one.")


async def read_body(request: Request, most: int) -> bytes:
    """The body of a request, of which no more is kept in memory than is allowed.

    RAISES (HTTPException): If it is longer.
    """
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > most:
            raise HTTPException(413, f"The text is too long: more than {most:,} bytes were sent.")
    return bytes(body)
