"""The application that corrects the documents of a folder: a list of them, a page for each, and what that page reads
and saves.

    GET  /                   the list
    GET  /text/NAME          the page of a document
    GET  /documents/NAME     the document, as JSON, with its version as ETag
    PUT  /documents/NAME     saves a correction of the version that If-Match names; 409 if there is another one by now
    POST /documents/NAME     saves a correction beside it

What is written must come from a page of the application: it has the header `HEADER`, which no page from elsewhere may
set.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections import OrderedDict
from collections.abc import AsyncIterator, Coroutine, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any, NamedTuple

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from .corrections import correct, describe, doubts, load_doc
from .drafts import Draft
from .folder import ChangedError, Source, TextFolder
from .listing import Entry, list_page, text_page
from .requests import HEADERS, RETRY, check_origin, make_application, read_body, sender_leaves
from .turns import Turns
from .worker import NotAnnotatedError, Worker

HEADER = "X-Span-Selector"
BYTES_PER_CHARACTER = 200
"""Ample for a correction: a mention takes some forty, a frame several hundred."""
MOST_DRAFTS = 50
"""So many are kept in memory."""
PATIENCE = 2.0
"""The seconds to wait before trying again to annotate where too many texts wait."""

logger = logging.getLogger(__name__)


class Problem(HTTPException):
    """An answer that says what is wrong, which is sent as JSON."""


def create_editor(worker: Worker, folder: TextFolder, *, hosts: Sequence[str] = (), most_waiting: int = 8) -> Starlette:
    """Create the application.

    Beside answering it annotates the documents that were not corrected yet, so that the list can have those first whose
    links the pipeline doubts most.

    worker (Worker): The process that annotates, with the view `Drafting`.
    folder (TextFolder): The documents.
    hosts (Sequence[str]): The names or addresses by which it is reached, apart from those of the computer itself.
    most_waiting (int): How many texts may wait while one is annotated.
    RETURNS (Starlette): The application.
    """
    drafts = Drafts(Turns(worker, most_waiting), folder)
    most_bytes = worker.form.most_characters * BYTES_PER_CHARACTER + 100_000

    async def home(request: Request) -> Response:
        return HTMLResponse(list_page(drafts.entries(), worker.form.name), headers=HEADERS)

    async def page(request: Request) -> Response:
        return HTMLResponse(text_page(find(request)), headers=HEADERS)

    async def read(request: Request) -> Response:
        opened = await open_(request)
        if request.headers.get("if-none-match") == etag(opened.source):
            return Response(status_code=304, headers=HEADERS | {"ETag": etag(opened.source)})
        known = describe(load_doc(opened.draft))
        known |= {"saved": opened.source.is_corrected, "notes": opened.draft.notes}
        return JSONResponse(known, headers=HEADERS | {"ETag": etag(opened.source)})

    async def save(request: Request) -> Response:
        posted = await read_posted(request)
        version = request.headers.get("if-match")
        if version is None:
            raise Problem(428, "Say with If-Match which version was corrected.")
        opened = await open_(request)
        if version != etag(opened.source):
            raise Problem(409, CHANGED)
        return await saved(request, opened, posted, beside=False)

    async def save_beside(request: Request) -> Response:
        posted = await read_posted(request)
        return await saved(request, await open_(request), posted, beside=True)

    async def saved(request: Request, opened: Opened, posted: Any, *, beside: bool) -> Response:
        try:
            source = await asyncio.to_thread(drafts.save, opened, posted, beside=beside)
        except ValueError as error:
            raise Problem(422, str(error)) from error
        except ChangedError as error:
            raise Problem(409, CHANGED) from error
        except OSError as error:
            logger.warning("%s", error)
            raise Problem(500, str(error)) from error
        after = next((entry.name for entry in drafts.entries() if not entry.is_corrected and not entry.problem), None)
        status = 201 if beside else 200
        answer = {"name": source.name, "next": after}
        return JSONResponse(answer, status_code=status, headers=HEADERS | {"ETag": etag(source)})

    async def read_posted(request: Request) -> Any:
        body = await read_body(request, most_bytes)
        check_origin(request)
        if HEADER not in request.headers:
            raise Problem(403, f"Corrections come from the page of the document, with the header {HEADER}.")
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            raise Problem(415, "Expected JSON, of the type application/json.")
        try:
            return json.loads(body)
        except (ValueError, RecursionError) as error:
            raise Problem(400, f"Expected JSON in UTF-8 ({error}).") from error

    def find(request: Request) -> str:
        name: str = request.path_params["name"]
        if name not in folder.names():
            raise Problem(404, "There is no such document in the folder.")
        return name

    async def open_(request: Request) -> Opened:
        try:
            return await drafts.open(find(request), sender_leaves(request))
        except NotAnnotatedError as error:
            headers = RETRY if error.later else None
            raise Problem(503 if error.later else 500, str(error), headers=headers) from error

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        under_way = asyncio.create_task(drafts.look_at_all())
        yield
        under_way.cancel()
        with suppress(asyncio.CancelledError):
            await under_way

    app = make_application(
        [
            Route("/", home, methods=["GET"]),
            Route("/text/{name}", page, methods=["GET"]),
            Route("/documents/{name}", read, methods=["GET"]),
            Route("/documents/{name}", save, methods=["PUT"]),
            Route("/documents/{name}", save_beside, methods=["POST"]),
        ],
        hosts,
        lifespan,
    )
    app.add_exception_handler(Problem, tell)
    return app


CHANGED = "The document was saved elsewhere meanwhile, in another tab or by another program."


def etag(source: Source) -> str:
    """The version of a document as HTTP has it."""
    return f'"{source.version}"'


async def tell(request: Request, error: Exception) -> Response:
    """Say what is wrong, as JSON."""
    assert isinstance(error, Problem)
    headers = HEADERS | dict(error.headers or {})
    return JSONResponse({"problem": error.detail}, status_code=error.status_code, headers=headers)


class Opened(NamedTuple):
    """A document and its draft."""

    source: Source
    draft: Draft


class Drafts:
    """The drafts of a folder, which are made when they are needed, and what is known of all of them."""

    def __init__(self, turns: Turns, folder: TextFolder) -> None:
        """Initialize it.

        turns (Turns): Makes drafts, one at a time.
        folder (TextFolder): The documents.
        """
        self._turns = turns
        self._folder = folder
        self._kept: OrderedDict[str, Draft] = OrderedDict()  # by version, the latest last
        self._known: dict[str, Entry] = {}

    def entries(self) -> list[Entry]:
        """All documents: those first that are not corrected, of which the pipeline doubts a link most."""
        known = self._known
        entries = (
            known[name] if name in known and known[name].is_corrected == is_corrected else Entry(name, is_corrected)
            for name, is_corrected in self._folder.names().items()
        )
        return sorted(entries, key=Entry.order)

    async def open(self, name: str, left: Coroutine[Any, Any, None]) -> Opened:
        """Open a document.

        name (str): Its name.
        left (Coroutine[Any, Any, None]): Returns when nobody waits for it any more.
        RETURNS (Opened): The document.
        RAISES (NotAnnotatedError): If it can't be read or annotated.
        """
        try:
            source = await asyncio.to_thread(self._folder.read, name)
        except (KeyError, OSError, ValueError) as error:
            left.close()
            self._known[name] = Entry(name, self._folder.names().get(name, False), problem=str(error))
            raise NotAnnotatedError(str(error), later=False) from error
        draft = self._kept.get(source.version)
        if draft is None:
            try:
                draft = await self._turns.annotate(source, left)
            except NotAnnotatedError as error:
                if not error.later:
                    self._known[name] = Entry(name, source.is_corrected, problem=str(error))
                raise
            self._keep(source, draft)
        else:
            left.close()
        return Opened(source, draft)

    def save(self, opened: Opened, posted: Any, *, beside: bool) -> Source:
        """Save a correction.

        opened (Opened): The document that was corrected.
        posted (Any): The correction.
        beside (bool): Whether to save it under a name of its own.
        RETURNS (Source): What was saved.
        RAISES (ValueError): If it can't be saved as it is, saying where and why.
        RAISES (ChangedError): If the document has changed meanwhile.
        RAISES (OSError): If it can't be written.
        """
        doc = load_doc(opened.draft)
        content = correct(doc, posted)
        if beside:
            return self._folder.save_beside(opened.source.name, content)
        return self._folder.save(opened.source.name, content, opened.source.version)

    async def look_at_all(self) -> None:
        """Make the drafts of all documents that are not corrected, one after the other, to know which are doubtful."""
        for name, is_corrected in self._folder.names().items():
            while not is_corrected and name not in self._known:
                try:
                    await self.open(name, _forever())
                except NotAnnotatedError as error:
                    if not error.later:
                        break
                    await asyncio.sleep(PATIENCE)

    def _keep(self, source: Source, draft: Draft) -> None:
        self._kept[source.version] = draft
        while len(self._kept) > MOST_DRAFTS:
            self._kept.popitem(last=False)
        doc = load_doc(draft)
        self._known[source.name] = Entry(source.name, source.is_corrected, len(doc), tuple(doubts(doc)))


async def _forever() -> None:
    """Wait, as nobody does who may leave."""
    await asyncio.Event().wait()
