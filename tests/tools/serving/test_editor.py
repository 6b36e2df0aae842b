import json
import os
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import spacy
from starlette.testclient import TestClient

from spacy_span_selector.annotation import get_clusters
from spacy_span_selector.tools.formats.bracketed import read_bracketed
from spacy_span_selector.tools.serving import Drafting, TextFolder, create_editor

from .pipelines import TEXT, InThisProcess

OWN = "http://127.0.0.1:8000"
WRITING = {"x-span-selector": "edit", "content-type": "application/json"}
AT_SEA = "/documents/at%20sea"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "at sea.txt").write_text(TEXT, encoding="utf-8")
    return tmp_path


@pytest.fixture
def client(folder: Path) -> TestClient:
    return make_client(folder)


def make_client(folder: Path, worker: Any = None) -> TestClient:
    return TestClient(create_editor(worker or InThisProcess(Drafting), TextFolder(folder)), base_url=OWN)


def correction(found: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """What the page would send of a document."""
    clusters = [{key: cluster[key] for key in ("name", "mentions")} for cluster in found["clusters"]]
    return {"text": found["text"], "clusters": clusters, "frames": found["frames"], **changes}


def put(client: TestClient, version: str, sent: Any) -> Any:
    body = sent if isinstance(sent, bytes) else json.dumps(sent).encode()
    return client.put(AT_SEA, content=body, headers={**WRITING, "if-match": version})


def test_a_document_is_opened_as_the_pipeline_has_it(client: TestClient) -> None:
    response = client.get(AT_SEA)
    found = response.json()
    assert (response.status_code, found["title"], found["saved"], found["notes"]) == (200, "at sea", False, [])
    assert " ".join(text for text, _ in found["tokens"]) == "Ann saw her brother . “ He ran , ” she said ."
    assert found["sentences"] == [[0, 5, None], [5, 13, None]]
    assert [cluster["mentions"] for cluster in found["clusters"]] == [[[0, 1], [2, 3], [10, 11]], [[2, 4], [6, 7]]]
    assert [cluster["links"] for cluster in found["clusters"]] == [[1.0, 0.3, 0.9], [0.8, 0.2]]
    assert [cluster["antecedents"] for cluster in found["clusters"]] == [[None, 0, 1], [None, 0]]
    assert [frame["roleset"] for frame in found["frames"]] == ["see.01", "run.02"]


def test_what_is_saved_is_opened_again_and_is_nothing_else(client: TestClient, folder: Path) -> None:
    response = client.get(AT_SEA)
    clusters = [{"name": "Ann", "mentions": [[10, 11], [0, 1]]}, {"name": "", "mentions": [[2, 4]]}]
    frames = [{"predicate": [11, 12], "roleset": "", "arguments": [[10, 11, "ARG0"]]}]
    sent = correction(response.json(), clusters=clusters, frames=frames)
    saved = put(client, response.headers["etag"], sent)
    assert (saved.status_code, saved.json()) == (200, {"name": "at sea", "next": None})
    assert (folder / "at sea.brackets.txt").read_text("utf-8") == (
        "=== at sea\n[Ann|Ann] saw [her brother].\n“He ran,” [she|Ann] said.\n"
        "> “He ran,” [ARG0 she] [V said].\n< [Ann “He ran,”] she said.\n"
    )
    clusters[0]["mentions"].sort()  # type: ignore[attr-defined]
    for opened in (client, make_client(folder)):
        again = opened.get(AT_SEA)
        assert again.headers["etag"] == saved.headers["etag"] != response.headers["etag"]
        assert (again.json()["saved"], correction(again.json())) == (True, sent)


def test_what_an_editor_has_changed_beside_clusters_and_frames_stays(client: TestClient, folder: Path) -> None:
    response = client.get(AT_SEA)
    version = put(client, response.headers["etag"], correction(response.json())).headers["etag"]
    file = folder / "at sea.brackets.txt"
    file.write_text(f"{file.read_text('utf-8')}[] “[PERSON He] ran,” she said.\n", "utf-8")
    response = client.get(AT_SEA)
    assert response.headers["etag"] != version
    sent = correction(response.json(), clusters=[])
    for answer in (put(client, response.headers["etag"], sent), client.post(AT_SEA, json=sent, headers=WRITING)):
        name = answer.json()["name"]
        assert "[PERSON He]" in (folder / f"{name}.brackets.txt").read_text("utf-8")


def test_of_two_who_correct_a_version_the_second_is_told(client: TestClient, folder: Path) -> None:
    response = client.get(AT_SEA)
    sent, version = correction(response.json()), response.headers["etag"]
    assert client.put(AT_SEA, json=sent, headers=WRITING).status_code == 428  # of which version?
    assert put(client, version, sent).status_code == 200
    before = (folder / "at sea.brackets.txt").read_bytes()
    refused = put(client, version, {**sent, "clusters": []})
    assert (refused.status_code, "saved elsewhere" in refused.json()["problem"]) == (409, True)
    beside = client.post(AT_SEA, json={**sent, "clusters": []}, headers=WRITING)
    assert (beside.status_code, beside.json()["name"]) == (201, "at sea-2")
    (doc,) = read_bracketed(folder / "at sea-2.brackets.txt", spacy.blank("en"))
    assert get_clusters(doc) == []
    assert (folder / "at sea.brackets.txt").read_bytes() == before
    assert client.get(f"{AT_SEA}-2").headers["etag"] == beside.headers["etag"]


RAW, CORRECTED = "at sea.txt", "at sea.brackets.txt"


@pytest.mark.parametrize("is_new_server", [False, True])
@pytest.mark.parametrize(
    "change",
    [
        lambda folder: (folder / RAW).write_text("Another text.", encoding="utf-8"),
        lambda folder: (folder / RAW).write_bytes(b"\xff"),
        lambda folder: (folder / RAW).unlink(),
        lambda folder: (folder / RAW).rename(folder / "at land.txt"),
        lambda folder: (folder / CORRECTED).write_text("[Ann saw", encoding="utf-8"),
        lambda folder: (folder / CORRECTED).write_text("Ann saw her mother.", encoding="utf-8"),
        lambda folder: (folder / CORRECTED).mkdir(),
        lambda folder: os.mkfifo(folder / CORRECTED),
    ],
    ids=["changed", "damaged", "deleted", "renamed", "corrected badly", "corrected", "a folder", "a pipe"],
)
def test_a_correction_is_kept_beside_whatever_becomes_of_its_document(
    client: TestClient, folder: Path, change: Callable[[Path], object], is_new_server: bool
) -> None:
    response = client.get(AT_SEA)
    version, found = response.headers["etag"], response.json()
    if is_new_server:  # which knows only what the page has kept
        client = make_client(folder)
    change(folder)
    before = sorted(folder.iterdir())
    sent = correction(found, clusters=[{"name": "Ann", "mentions": [[0, 1], [10, 11]]}])
    refused = put(client, version, sent)
    assert (refused.status_code, list(refused.json())) == (409, ["problem"])
    assert sorted(folder.iterdir()) == before
    beside = client.post(
        AT_SEA, json=sent | ({"original": found["original"]} if is_new_server else {}), headers=WRITING
    )
    assert (beside.status_code, beside.json()["name"]) == (201, "at sea-2")
    again = client.get(f"{AT_SEA}-2").json()
    assert (correction(again), again["tokens"]) == (sent, found["tokens"])
    assert sorted(folder.iterdir()) == sorted([*before, folder / "at sea-2.brackets.txt"])


def test_a_folder_that_is_gone_for_a_while_is_told_and_served_again(folder: Path) -> None:
    with make_client(folder) as client:
        response = client.get(AT_SEA)
        folder.rename(folder.with_name("elsewhere"))
        put_ = lambda: put(client, response.headers["etag"], correction(response.json()))  # noqa: E731
        for answer in (client.get("/"), client.get("/text/at%20sea"), client.get(AT_SEA), put_()):
            assert (answer.status_code, "the folder can't be read" in answer.json()["problem"]) == (503, True)
        folder.with_name("elsewhere").rename(folder)
        assert put_().status_code == 200


@pytest.mark.parametrize("name", ["x" * 243, "ä" * 121 + "x", "taken", "piped"])
def test_a_text_that_could_not_be_saved_is_told_before_it_is_corrected(folder: Path, name: str) -> None:
    (folder / f"{name}.txt").write_text("Ann ran.", encoding="utf-8")
    (folder / "taken.brackets.txt").mkdir()
    os.mkfifo(folder / "piped.brackets.txt")
    client = make_client(folder)
    answer = client.get(f"/documents/{name}")
    assert (answer.status_code, "Rename one of them" in answer.json()["problem"]) == (500, True)
    assert "Rename one of them" in client.get("/").text


@pytest.mark.parametrize("method", ["PUT", "POST"])
def test_only_the_own_page_can_write(client: TestClient, folder: Path, method: str) -> None:
    response = client.get(AT_SEA)
    body = json.dumps(correction(response.json()))
    for name, value, status in [
        ("x-span-selector", None, 403),
        ("origin", "http://127.0.0.1:8001", 403),
        ("sec-fetch-site", "cross-site", 403),
        ("host", "evil.test", 400),
        ("content-type", "text/plain", 415),
        ("content-type", None, 415),
        ("origin", OWN, 201 if method == "POST" else 200),
    ]:
        assert [path.name for path in folder.iterdir()] == ["at sea.txt"]
        headers = {**WRITING, "if-match": response.headers["etag"], name: value}
        if value is None:
            del headers[name]
        assert client.request(method, AT_SEA, content=body, headers=headers).status_code == status
    assert len(list(folder.iterdir())) == 2
    for path in ("/", "/text/at%20sea", AT_SEA):
        assert client.get(path, headers={"host": "evil.test"}).status_code == 400


def test_nothing_outside_of_the_folder_is_read_or_written(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("A secret.", encoding="utf-8")
    (tmp_path / "inside").mkdir()
    (tmp_path / "inside/at sea.txt").write_text(TEXT, encoding="utf-8")
    client = make_client(tmp_path / "inside")
    sent = correction(client.get(AT_SEA).json())
    dots = ("..%2Fsecret", "%2E%2E%2Fsecret", "C:%5Csecret", "%00")
    for name in ("other", "at sea.brackets", "at sea.txt", *dots):
        for response in (
            client.get(f"/documents/{name}"),
            client.get(f"/text/{name}"),
            client.put(f"/documents/{name}", json=sent, headers={**WRITING, "if-match": "x"}),
            client.post(f"/documents/{name}", json=sent, headers=WRITING),
        ):
            assert response.status_code in (404, 405), name
            assert "secret." not in response.text
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["at sea.txt", "inside", "secret.txt"]


def test_what_is_no_correction_is_refused(client: TestClient, folder: Path) -> None:
    version = client.get(AT_SEA).headers["etag"]
    bodies = {b"{": 400, b"\xff": 400, b"[" * 100_000: 400, b'{"a": "\\ud800"}': 422, b"[]": 422, b" " * 1_000_000: 413}
    for body, status in bodies.items():
        answer = put(client, version, body)
        assert (answer.status_code, list(answer.json())) == (status, ["problem"]), body[:20]
    assert len(list(folder.iterdir())) == 1


def test_a_correction_that_can_not_be_written_is_told(
    client: TestClient, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(path: Path, content: str) -> None:
        raise OSError(f"{path}: not written (No space left on device).")

    response = client.get(AT_SEA)
    monkeypatch.setattr("spacy_span_selector.tools.serving.folder.write_file", fail)
    answer = put(client, response.headers["etag"], correction(response.json()))
    assert (answer.status_code, "No space left" in answer.json()["problem"]) == (500, True)


def test_the_list_has_the_most_doubtful_first_and_what_is_corrected_last(folder: Path) -> None:
    for name, text in {"a": "Bob ran.", "broken": "please fail", "b": "Eve ran."}.items():
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")
    (folder / "b.brackets.txt").write_text("[Eve] ran.", encoding="utf-8")
    (folder / "c.txt").write_bytes(b"\xff")
    worker = InThisProcess(Drafting)
    with make_client(folder, worker) as client:
        end = time.monotonic() + 60
        while "not annotated yet" in (page := client.get("/").text):
            assert time.monotonic() < end
            time.sleep(0.02)
    found = re.findall(r"<li>.*?<bdi>(.*?)</bdi></b>(.*?)</a></li>", page)
    rows = [" ".join([name, *re.findall(r">([^<]+)<", about)]) for name, about in found]
    assert rows[:2] == ["at sea 13 words 2 doubtful links 20%", "a 3 words no doubtful links"]
    assert rows[2].startswith("broken The pipeline failed at this text: out of &lt;order&gt;")
    assert "c.txt: byte 0 is not UTF-8" in rows[3]
    assert rows[4] == "b corrected"
    assert [source.name for source in worker.asked] == ["a", "at sea", "broken"]
    assert "1 of 5 corrected" in page


def test_names_and_texts_are_escaped(tmp_path: Path) -> None:
    name = "<b>$x&amp;'\"#?"
    (tmp_path / f"{name}.txt").write_text("<script>alert(1)</script> ran.", encoding="utf-8")
    client = make_client(tmp_path)
    page = client.get("/").text
    (address,) = re.findall(r'href="(/text/[^"]*)"', page)
    assert "<b>$x" not in page
    opened = client.get(address).text
    assert opened.count("<script>") == 1 and "<b>$x" not in opened
    (address,) = re.findall(r'data-address="([^"]*)"', opened)
    assert client.get(address).json()["title"] == name
    assert client.get(address).headers["content-type"] == "application/json"


@pytest.mark.parametrize("path", ["/", "/text/at%20sea"])
def test_pages_may_do_little(client: TestClient, path: str) -> None:
    page = client.get(path)
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', page.text)
    assert re.sub(r"'sha256-[^']*'", "HASH", policy) == (
        "default-src 'none'; style-src HASH; script-src HASH; connect-src 'self'; base-uri 'none'; form-action 'none'"
    )
    assert not re.search(r"<[^>]+\s(style|on\w+)=", page.text)
    assert page.headers["content-security-policy"] == "frame-ancestors 'none'"
    assert page.headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    ("file", "text", "problem"),
    [
        ("at sea.brackets.txt", "[Ann saw her brother.", "at sea.brackets.txt:1:1: a mention"),
        ("at sea.brackets.txt", "=== a\nA.\n=== b\nB.", "2 documents, expected one"),
        ("at sea.txt", "word " * 1000, "more than 1,000"),
    ],
)
def test_a_file_that_can_not_be_read_is_told(
    client: TestClient, folder: Path, file: str, text: str, problem: str
) -> None:
    (folder / file).write_text(text, encoding="utf-8")
    answer = client.get(AT_SEA)
    assert (answer.status_code, problem in answer.json()["problem"]) == (500, True)
    assert problem in client.get("/").text
