"""The application that corrects the documents of a folder.

    GET  /                   the list of them
    GET  /text/NAME          the page of a document
    GET  /documents/NAME     the document, as JSON, with its version as ETag
    PUT  /documents/NAME     saves a correction of the version that If-Match names; 409 if it is not there by now
    POST /documents/NAME     saves a correction beside it, whatever has become of the document

What is written must come from a page of the application: it has the header `HEADER`, which no page from elsewhere may
set. What is wrong is said as JSON.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from .corrections import correct, describe
from .drafts import Drafts
from .folder import ChangedError, GoneError, Source, TextFolder
from .pages import list_page, text_page
from .server import HEADERS, RETRY, make_application, read_body
from .worker import BusyError, NotAnnotatedError, Worker

HEADER = "X-Span-Selector"
BYTES_PER_CHARACTER = 200  # ample for a correction: a mention takes some forty, a frame several hundred
NOT_THERE = "There is no such document in the folder."
STATUS = {ChangedError: 409, NotAnnotatedError: 500, OSError: 500, BusyError: 503, GoneError: 503}

logger = logging.getLogger(__name__)


def create_editor(worker: Worker, folder: TextFolder, *, hosts: Sequence[str] = ()) -> Starlette:
    """Create the application; for its arguments see `create_app`. The worker has the view `Drafting`.

    Beside answering it annotates the documents that were not corrected yet, so that the list can have those first whose
    links the pipeline doubts most.
    """
    drafts = Drafts(worker, folder)
    most_bytes = worker.form.most_characters * BYTES_PER_CHARACTER + 100_000

    async def home(request: Request) -> Response:
        return HTMLResponse(list_page(drafts.entries(), worker.form.name), headers=HEADERS)

    async def page(request: Request) -> Response:
        return HTMLResponse(text_page(find(request)), headers=HEADERS)

    async def read(request: Request) -> Response:
        source, draft = await drafts.open(find(request), request)
        known = describe(draft.load()) | {"saved": source.is_corrected, "notes": draft.notes}
        return JSONResponse(known, headers=HEADERS | {"ETag": source.version})

    async def save(request: Request) -> Response:
        posted = await read_posted(request, most_bytes)
        version = None if request.method == "POST" else request.headers.get("if-match", "")
        if version == "":
            raise HTTPException(428, "Say with If-Match which version was corrected.")
        name: str = request.path_params["name"]
        if name not in {*folder.names(), *folder.seen}:
            raise HTTPException(404, f"{NOT_THERE} Put a text of this name there, and save again.")
        if version:
            await asyncio.to_thread(folder.check, name, version)
            _, draft = await drafts.open(name, request)
        else:
            draft = await drafts.recall(name, posted, request)

        def store() -> Source:
            content = correct(draft.load(), posted)
            return folder.save(name, content, version) if version else folder.save_beside(name, content)

        try:
            saved = await asyncio.to_thread(store)
        except ValueError as error:
            raise HTTPException(422, str(error)) from error
        after = next((entry.name for entry in drafts.entries() if not entry.is_corrected and not entry.problem), None)
        answer = {"name": saved.name, "next": after}
        return JSONResponse(answer, 200 if version else 201, HEADERS | {"ETag": saved.version})

    def find(request: Request) -> str:
        name: str = request.path_params["name"]
        if name not in folder.names():
            raise HTTPException(404, NOT_THERE)
        return name

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        under_way = asyncio.create_task(drafts.look_at_all())
        yield
        under_way.cancel()
        await worker.stop()

    routes = [
        Route("/", home, methods=["GET"]),
        Route("/text/{name}", page, methods=["GET"]),
        Route("/documents/{name}", read, methods=["GET"]),
        Route("/documents/{name}", save, methods=["PUT", "POST"]),
    ]
    app = make_application(routes, hosts, lifespan)
    for kind in (HTTPException, *STATUS):
        app.add_exception_handler(kind, tell)
    return app


async def read_posted(request: Request, most_bytes: int) -> Any:
    body = await read_body(request, most_bytes, "application/json")
    if HEADER not in request.headers:
        raise HTTPException(403, f"Corrections come from the page of the document, with the header {HEADER}.")
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as error:
        raise HTTPException(400, f"Expected JSON in UTF-8 ({error}).") from error


async def tell(request: Request, error: Exception) -> Response:
    if not isinstance(error, HTTPException):
        if isinstance(error, OSError):
            logger.warning("%s", error)
        status = next(STATUS[kind] for kind in type(error).__mro__ if kind in STATUS)
        error = HTTPException(status, str(error), RETRY if status == 503 else None)
    return JSONResponse({"problem": error.detail}, error.status_code, HEADERS | dict(error.headers or {}))
