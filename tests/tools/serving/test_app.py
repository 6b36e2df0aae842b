from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from typing import Any

import pytest
from spacy.language import Language

pytest.importorskip("starlette", reason="needs the extra 'serve'")
pytest.importorskip("uvicorn", reason="needs the extra 'serve'")
pytest.importorskip("httpx", reason="needs the extra 'dev'")

from starlette.testclient import TestClient

from spacy_span_selector.tools.serving.app import create_app
from spacy_span_selector.tools.serving.view import Form, View
from spacy_span_selector.tools.serving.worker import NotAnnotatedError

from ..rendering.policy import assert_nothing_is_blocked

OWN = "http://127.0.0.1:8000"
MakeClient = Callable[..., TestClient]


class InThisProcess:
    """Annotates as a `Worker` does, and is there at once."""

    seconds_to_load = 1.0

    def __init__(self, nlp: Language, form: Form) -> None:
        self.form = form
        self.view = View(nlp, form, False)

    def annotate(self, text: str) -> str:
        if text == "later":
            raise NotAnnotatedError("Not <now>.", later=True)
        return self.view(text)


@pytest.fixture
def make_client(nlp: Language) -> MakeClient:
    def make(name: str = "my_model", most_characters: int = 100, **options: Any) -> TestClient:
        app: Any = create_app(InThisProcess(nlp, Form(name, most_characters)), **options)  # type: ignore[arg-type]
        return TestClient(app, base_url=OWN, raise_server_exceptions=False)

    return make


def typed(page: str) -> str:
    """What the form holds."""
    (text,) = re.findall(r"<textarea[^>]*>\n(.*?)</textarea>", page, re.DOTALL)
    return unescape(text)


def test_the_form(make_client: MakeClient) -> None:
    response = make_client().get("/")
    assert response.status_code == 200
    assert typed(response.text) == ""
    assert "my_model · up to 100 characters" in response.text
    assert "maxlength" not in response.text  # browsers would cut what is pasted, and say nothing
    assert_nothing_is_blocked(response.text, "'self'")


def test_a_text_is_annotated_and_stays_in_the_form(make_client: MakeClient) -> None:
    response = make_client().post("/", data={"text": "Ann sees\r\n  & calls herself."})
    assert response.status_code == 200
    assert typed(response.text) == "Ann sees\n  & calls herself."
    assert re.findall(r'class="mention [^>]*>(.*?)<', response.text) == ["Ann", "herself"]
    assert "<dt>see.01</dt>" in response.text
    assert_nothing_is_blocked(response.text, "'self'")


def test_what_is_typed_is_escaped(make_client: MakeClient) -> None:
    text = "</textarea><script>alert(1)</script> $model ${x}"
    page = make_client(name="<b>").post("/", data={"text": text}).text
    assert typed(page) == text
    assert page.count("<script>") == 1 and "<b> ·" not in page
    assert_nothing_is_blocked(page, "'self'")


def test_the_page_stands_in_no_frame_and_is_not_kept(make_client: MakeClient) -> None:
    for response in (make_client().get("/"), make_client().post("/", data={"text": "Ann sees her."})):
        assert response.headers["content-security-policy"] == "frame-ancestors 'none'"
        assert response.headers["cache-control"] == "no-store"
        assert response.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("text", ["", " \r\n "])
def test_there_must_be_a_text(make_client: MakeClient, text: str) -> None:
    response = make_client().post("/", data={"text": text})
    assert (response.status_code, "There is no text" in response.text) == (400, True)
    assert make_client().post("/", data={"other": "x"}).status_code == 400


def test_a_text_that_is_too_long_is_refused_and_kept_in_the_form(make_client: MakeClient) -> None:
    client = make_client(most_characters=8)
    assert client.post("/", data={"text": "𝔸" * 8}).status_code == 200
    response = client.post("/", data={"text": "𝔸" * 9})
    assert (response.status_code, typed(response.text)) == (400, "𝔸" * 9)
    assert "The text has 9 characters, more than 8" in response.text


def test_no_more_is_kept_than_is_allowed(make_client: MakeClient) -> None:
    client = make_client(most_characters=8)
    headers = {"content-type": "application/x-www-form-urlencoded"}
    assert client.post("/", data={"text": "a" * 1000}).status_code == 413
    assert client.post("/", content=b"text=" + b"a" * 10_000, headers=headers).status_code == 413


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        (b"text=a%00b", "Character 2 of the text is U+0000"),
        (b"text=%FF", "in UTF-8"),
        (b"text=\xff", "in UTF-8"),
        (b"text=%ED%A0%80", "in UTF-8"),  # half of a surrogate pair
        (b"text=a&text=b", "one field"),
    ],
)
def test_what_is_no_text_is_refused(make_client: MakeClient, body: bytes, problem: str) -> None:
    headers = {"content-type": "application/x-www-form-urlencoded"}
    response = make_client().post("/", content=body, headers=headers)
    assert (response.status_code, problem in response.text) == (400, True)


@pytest.mark.parametrize("kind", ["application/json", "multipart/form-data", "", ";"])
def test_what_is_no_form_is_refused(make_client: MakeClient, kind: str) -> None:
    response = make_client().post("/", content=b"text=Ann", headers={"content-type": kind})
    assert response.status_code == 415


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://example.com"},
        {"origin": "null"},
        {"origin": ""},
        {"origin": "http://[::1"},
        {"origin": "http://a@127.0.0.1:8000"},
        {"origin": "http://127.0.0.1:8001"},
        {"origin": "http://localhost:8000"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site", "origin": OWN},
    ],
)
def test_other_pages_cannot_send_texts(make_client: MakeClient, headers: dict[str, str]) -> None:
    response = make_client().post("/", data={"text": "Ann sees her."}, headers=headers)
    assert response.status_code == 403
    assert "Ann" not in response.text


@pytest.mark.parametrize("headers", [{}, {"origin": OWN}, {"origin": OWN, "sec-fetch-site": "same-origin"}])
def test_the_own_page_and_programs_can(make_client: MakeClient, headers: dict[str, str]) -> None:
    assert make_client().post("/", data={"text": "Ann sees her."}, headers=headers).status_code == 200


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1:8000", 200),
        ("localhost:8000", 200),
        ("mine.test", 200),
        ("evil.test:8000", 400),
        ("127.0.0.1.evil.test", 400),
        ("", 400),
        ("[::1", 400),
    ],
)
def test_only_known_names_are_answered(make_client: MakeClient, host: str, status: int) -> None:
    """Otherwise any page could read the answers by giving this computer a name of its own."""
    client = make_client(hosts=["mine.test"])
    assert client.get("/", headers={"host": host}).status_code == status
    assert client.post("/", data={"text": "Ann sees her."}, headers={"host": host}).status_code == status


def test_a_text_that_may_be_sent_again_stays_in_the_form(make_client: MakeClient) -> None:
    response = make_client().post("/", data={"text": "later"})
    assert (response.status_code, typed(response.text)) == (503, "later")
    assert int(response.headers["retry-after"]) > 0
    assert "Not &lt;now&gt;." in response.text


@pytest.mark.parametrize(("method", "path", "status"), [("PUT", "/", 405), ("GET", "/else", 404), ("HEAD", "/", 200)])
def test_nothing_else_is_served(make_client: MakeClient, method: str, path: str, status: int) -> None:
    assert make_client().request(method, path).status_code == status


def test_texts_leave_nothing_in_the_vocabulary(make_client: MakeClient, nlp: Language) -> None:
    client = make_client()
    client.post("/", data={"text": "Ann sees her."})
    before = len(nlp.vocab.strings)
    client.post("/", data={"text": "Unheard-of wordings everywhere."})
    assert len(nlp.vocab.strings) == before
