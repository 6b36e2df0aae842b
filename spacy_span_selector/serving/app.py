"""The web application: a form, and below it the text that was sent, with its clusters and frames.

Whoever can reach the page may send text, other pages in the same browser included. So it answers only to the names that
it is known by, which other pages cannot make theirs; takes texts from its own form alone; and from no one more than it
was told to.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine, Sequence
from typing import Any
from urllib.parse import parse_qs

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from .worker import NotAnnotatedError, Worker

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
FORM_TYPE = "application/x-www-form-urlencoded"
BYTES_PER_CHARACTER = 12
"""The most that a character takes in a form: four bytes of UTF-8, each as `%F0`."""

logger = logging.getLogger(__name__)


def create_app(worker: Worker, *, hosts: Sequence[str] = (), most_waiting: int = 8) -> Starlette:
    """Create the application.

    worker (Worker): The process that annotates.
    hosts (Sequence[str]): The names or addresses by which the page is reached, apart from those of the computer itself.
    most_waiting (int): How many texts may wait while one is annotated.
    RETURNS (Starlette): The application.
    """
    form = worker.form
    turns = Turns(worker, most_waiting)

    async def home(request: Request) -> Response:
        return HTMLResponse(form.page(), headers=HEADERS)

    async def annotate(request: Request) -> Response:
        body = await read_body(request, BYTES_PER_CHARACTER * form.most_characters + 100)
        check_origin(request)
        text = read_text(request, body)
        if problem := form.problem(text):
            return HTMLResponse(form.page(text, problem), status_code=400, headers=HEADERS)
        try:
            return HTMLResponse(await turns.annotate(text, sender_leaves(request)), headers=HEADERS)
        except NotAnnotatedError as error:
            if error.later:
                return HTMLResponse(form.page(text, str(error)), status_code=503, headers=HEADERS | RETRY)
            logger.warning("%s", error)
            return HTMLResponse(form.page(text, str(error)), status_code=500, headers=HEADERS)

    return Starlette(
        routes=[Route("/", home, methods=["GET"]), Route("/", annotate, methods=["POST"])],
        middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=[*LOCAL, *hosts], www_redirect=False)],
        exception_handlers={ClientDisconnect: answer_nobody, SenderLeftError: answer_nobody},
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


def read_text(request: Request, body: bytes) -> str:
    """The text that a form holds.

    RAISES (HTTPException): If it is no form with one field, or not in UTF-8.
    """
    kind = request.headers.get("content-type", FORM_TYPE)
    if kind.partition(";")[0].strip().lower() != FORM_TYPE:
        raise HTTPException(415, f"Expected a form of the type {FORM_TYPE}.")
    try:
        fields = parse_qs(body.decode(), keep_blank_values=True, errors="strict", max_num_fields=1)
    except ValueError as error:
        raise HTTPException(400, "Expected a form with one field, text, in UTF-8.") from error
    return fields.get("text", [""])[0].replace("\r\n", "\n")


async def sender_leaves(request: Request) -> None:
    """Wait until the sender of a request, which has been read, has left."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def answer_nobody(request: Request, error: Exception) -> Response:
    """The answer to a sender who has left, which goes nowhere."""
    return Response(status_code=400)


class SenderLeftError(Exception):
    """There is nobody to answer any more."""


class Turns:
    """Lets texts that come at the same time take turns."""

    def __init__(self, worker: Worker, most_waiting: int) -> None:
        """Initialize it.

        worker (Worker): Annotates them.
        most_waiting (int): How many texts may wait while one is annotated.
        """
        self._worker = worker
        self._most_waiting = most_waiting
        self._texts = 0
        self._turn = asyncio.Lock()  # those who wait get it in the order in which they came
        self._under_way: asyncio.Task[bytes] | None = None

    async def annotate(self, text: str, left: Coroutine[Any, Any, None]) -> bytes:
        """Make the page of a text when it is its turn.

        A text whose sender has left before its turn is dropped. One that is under way then goes on for as long as it
        takes to load the pipeline, which the next one would have to wait for if it were ended.

        text (str): The text.
        left (Coroutine[Any, Any, None]): Returns when its sender has left.
        RETURNS (bytes): The page.
        RAISES (NotAnnotatedError): If it was not annotated, or too many wait.
        RAISES (SenderLeftError): If its sender has left.
        """
        gone = asyncio.create_task(left)
        self._texts += 1
        try:
            if self._texts > 1 + self._most_waiting:
                problem = "Too many texts are waiting. Send yours again in a minute."
                raise NotAnnotatedError(problem, later=True)
            answer = asyncio.create_task(self._annotate(text))
            await asyncio.wait({answer, gone}, return_when=asyncio.FIRST_COMPLETED)
            if answer.done():
                return answer.result()
            if answer is not self._under_way:
                answer.cancel()
            while not (await asyncio.wait({answer}, timeout=self._worker.seconds_to_load))[0]:
                await asyncio.to_thread(self._worker.give_up)
            await asyncio.gather(answer, return_exceptions=True)  # whatever it is
            raise SenderLeftError
        finally:
            self._texts -= 1
            gone.cancel()

    async def _annotate(self, text: str) -> bytes:
        async with self._turn:
            self._under_way = asyncio.current_task()
            return await asyncio.to_thread(self._worker.annotate, text)
