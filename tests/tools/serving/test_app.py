import re
from html import unescape
from typing import Any

import pytest
from starlette.testclient import TestClient

from spacy_span_selector.tools.serving import View, create_app

from ..rendering.policy import assert_nothing_is_blocked
from .pipelines import InThisProcess, loaded

OWN = "http://127.0.0.1:8000"
FORM = {"content-type": "application/x-www-form-urlencoded"}
ANN = {"text": "Ann sees her."}


def make_client(most_characters: int = 100, **options: Any) -> TestClient:
    worker: Any = InThisProcess(View, "my_<b>model", most_characters)
    return TestClient(create_app(worker, **options), base_url=OWN, raise_server_exceptions=False)


@pytest.fixture
def client() -> TestClient:
    return make_client()


def typed(page: str) -> str:
    """What the form holds."""
    (text,) = re.findall(r"<textarea[^>]*>\n(.*?)</textarea>", page, re.DOTALL)
    return unescape(text)


def test_the_form(client: TestClient) -> None:
    response = client.get("/")
    assert (response.status_code, typed(response.text)) == (200, "")
    assert "my_&lt;b&gt;model · up to 100 characters" in response.text
    assert "maxlength" not in response.text  # browsers would cut what is pasted, and say nothing
    assert_nothing_is_blocked(response.text, "'self'")


def test_a_text_is_annotated_and_stays_in_the_form(client: TestClient) -> None:
    response = client.post("/", data={"text": "Ann sees\r\n  & calls herself."})
    assert response.status_code == 200
    assert typed(response.text) == "Ann sees\n  & calls herself."
    assert re.findall(r'class="mention [^>]*>(.*?)<', response.text) == ["Ann", "herself"]
    assert "<dt>see.01</dt>" in response.text
    assert_nothing_is_blocked(response.text, "'self'")


def test_what_is_typed_is_escaped(client: TestClient) -> None:
    text = "</textarea><script>alert(1)</script> $model ${x}"
    page = client.post("/", data={"text": text}).text
    assert (typed(page), page.count("<script>")) == (text, 1)
    assert_nothing_is_blocked(page, "'self'")


def test_the_page_stands_in_no_frame_and_is_not_kept(client: TestClient) -> None:
    for response in (client.get("/"), client.post("/", data=ANN)):
        assert response.headers["content-security-policy"] == "frame-ancestors 'none'"
        assert response.headers["cache-control"] == "no-store"
        assert response.headers["x-content-type-options"] == "nosniff"


def test_a_text_that_is_too_long_is_refused_and_kept_in_the_form() -> None:
    client = make_client(most_characters=8)
    assert client.post("/", data={"text": "𝔸" * 8}).status_code == 200
    response = client.post("/", data={"text": "𝔸" * 9})
    assert (response.status_code, typed(response.text)) == (400, "𝔸" * 9)
    assert "The text has 9 characters, more than 8" in response.text
    assert client.post("/", data={"text": "a" * 1000}).status_code == 413


@pytest.mark.parametrize(
    ("bodies", "problem"),
    [
        ([b"text=", b"text=+%0D%0A+", b"other=x"], "There is no text"),
        ([b"text=a%00b"], "Character 2 of the text is U+0000"),
        ([b"text=%FF", b"text=\xff", b"text=%ED%A0%80"], "in UTF-8"),  # the last is half of a surrogate pair
        ([b"text=a&text=b"], "one field"),
    ],
)
def test_what_is_no_text_is_refused(client: TestClient, bodies: list[bytes], problem: str) -> None:
    for body in bodies:
        response = client.post("/", content=body, headers=FORM)
        assert (response.status_code, problem in response.text) == (400, True), body


def test_what_is_no_form_is_refused(client: TestClient) -> None:
    for kind in ("application/json", "multipart/form-data", "", ";"):
        assert client.post("/", content=b"text=Ann", headers={"content-type": kind}).status_code == 415


FOREIGN = ["https://example.com", "null", "", "http://[::1", "http://a@127.0.0.1:8000", "http://127.0.0.1:8001"]


def test_texts_come_from_the_own_page_and_from_programs(client: TestClient) -> None:
    own: list[dict[str, str]] = [{}, {"origin": OWN}, {"origin": OWN, "sec-fetch-site": "same-origin"}]
    foreign = [{"origin": origin} for origin in (*FOREIGN, "http://localhost:8000")]
    foreign += [{"sec-fetch-site": "cross-site"}, {"sec-fetch-site": "same-site", "origin": OWN}]
    for headers in own + foreign:
        response = client.post("/", data=ANN, headers=headers)
        expected = (200, True) if headers in own else (403, False)
        assert (response.status_code, "Ann" in response.text) == expected, headers


def test_only_known_names_are_answered() -> None:
    """Otherwise any page could read the answers by giving this computer a name of its own."""
    client = make_client(hosts=["mine.test"])
    known = ("127.0.0.1:8000", "localhost:8000", "mine.test")
    for host in (*known, "evil.test:8000", "127.0.0.1.evil.test", "", "[::1"):
        expected = 200 if host in known else 400
        assert client.get("/", headers={"host": host}).status_code == expected, host
        assert client.post("/", data=ANN, headers={"host": host}).status_code == expected, host


def test_a_text_that_may_be_sent_again_stays_in_the_form(client: TestClient) -> None:
    response = client.post("/", data={"text": "later"})
    assert (response.status_code, typed(response.text)) == (503, "later")
    assert int(response.headers["retry-after"]) > 0
    assert "Not &lt;now&gt;." in response.text


@pytest.mark.parametrize(("method", "path", "status"), [("PUT", "/", 405), ("GET", "/else", 404), ("HEAD", "/", 200)])
def test_nothing_else_is_served(client: TestClient, method: str, path: str, status: int) -> None:
    assert client.request(method, path).status_code == status


def test_texts_leave_nothing_in_the_vocabulary(client: TestClient) -> None:
    client.post("/", data=ANN)
    before = len(loaded().vocab.strings)
    client.post("/", data={"text": "Unheard-of wordings everywhere."})
    assert len(loaded().vocab.strings) == before
