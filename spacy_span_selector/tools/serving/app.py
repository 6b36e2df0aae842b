"""The application with a form, and below it the text that was sent, with its clusters and frames."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from urllib.parse import parse_qs

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from .requests import HEADERS, RETRY, check_origin, make_application, read_body, sender_leaves
from .turns import Turns
from .worker import NotAnnotatedError, Worker

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

    return make_application([Route("/", home, methods=["GET"]), Route("/", annotate, methods=["POST"])], hosts)


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
