import socket
import sys
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import pytest

from spacy_span_selector.tools.files.runs import only_process_in

from ...commands import flat, refusal, run, success
from ...processes import spawn_fresh


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """What would be served: the names that are answered, and the address."""
    pytest.importorskip("starlette", reason="needs the extra 'serve'")
    pytest.importorskip("uvicorn", reason="needs the extra 'serve'")
    import spacy_span_selector.tools.serving

    found: list[tuple[Any, ...]] = []

    def run_app(page: Any, listening: socket.socket) -> None:
        (hosts,) = page.user_middleware
        found.append((hosts.kwargs["allowed_hosts"], listening.getsockname()))

    monkeypatch.setattr(spacy_span_selector.tools.serving, "run_app", run_app)
    return found


@pytest.fixture
def worker(monkeypatch: pytest.MonkeyPatch) -> MagicMock:
    """In the place of the process that annotates, which takes seconds to start."""
    import spacy_span_selector.tools.serving

    worker = MagicMock()
    monkeypatch.setattr(spacy_span_selector.tools.serving, "Worker", worker)
    return worker


def test_only_this_computer_reaches_it_by_default(served: list[tuple[Any, ...]], worker: MagicMock) -> None:
    said = success("serve", "my_model", "--port", 0, "--max-seconds", 7)
    ((hosts, (address, port)),) = served
    assert address == "127.0.0.1"
    assert {*hosts} == {"127.0.0.1", "localhost", "::1", "[::1]"}
    assert f"http://127.0.0.1:{port} " in said
    assert "network" not in said
    assert (worker.call_args.kwargs["name"], worker.call_args.kwargs["max_seconds"]) == ("my_model", 7)
    assert worker.return_value.close.called


@pytest.mark.usefixtures("worker", "served")
@pytest.mark.parametrize("host", ["127.0.0.2", "localhost"])
def test_every_address_of_this_computer_alone_is_served_without_a_warning(host: str) -> None:
    result = run("serve", "my_model", "--port", 0, "--host", host)
    assert (result.exit_code, "network" in result.output) == (0, False), result.output


@pytest.mark.usefixtures("worker")
def test_others_are_let_in_on_request_with_a_warning(served: list[tuple[Any, ...]], tmp_path: Path) -> None:
    more = ("--allow-host", "2001:db8::1", "--allow-host", "[2001:db8::2]")
    result = run("serve", "my_model", "--port", 0, "--host", "0.0.0.0", "--allow-host", "mine.test", *more)
    ((hosts, (address, _)),) = served
    assert address == "0.0.0.0"
    assert {"0.0.0.0", "mine.test", "[2001:db8::1]", "[2001:db8::2]"} <= {*hosts}  # as browsers write it
    assert "Whoever reaches 0.0.0.0 on the network" in flat(result)


@pytest.mark.parametrize("name", ["mine.test:8000", "[::1]:8000", "http://mine.test", ""])
def test_a_name_that_no_browser_sends_is_refused(served: list[tuple[Any, ...]], worker: MagicMock, name: str) -> None:
    said = refusal("serve", "my_model", "--port", 0, "--allow-host", name)
    assert f"'{name}' is no name or address of a computer" in said
    assert not served and not worker.called


@pytest.mark.usefixtures("worker")
def test_a_folder_is_corrected_on_this_computer_alone_or_with_a_warning(
    served: list[tuple[Any, ...]], tmp_path: Path
) -> None:
    assert "texts: no such folder" in refusal("serve", "my_model", "--port", 0, "--edit", tmp_path / "texts")
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts/a.txt").write_text("Ann ran.", encoding="utf-8")
    assert run("serve", "my_model", "--port", 0, "--edit", tmp_path / "texts").exit_code == 0
    result = run("serve", "my_model", "--port", 0, "--edit", tmp_path / "texts", "--host", "0.0.0.0")
    assert [address for _, (address, _) in served] == ["127.0.0.1", "0.0.0.0"]
    assert "can change files in" in flat(result)


def test_a_second_server_of_a_folder_is_told_where_the_first_is(
    served: list[tuple[Any, ...]], worker: MagicMock, tmp_path: Path
) -> None:
    (tmp_path / "a.txt").write_text("Ann ran.", encoding="utf-8")
    with only_process_in(tmp_path, "serve", "", "http://127.0.0.1:8123"):
        result = run("serve", "my_model", "--port", 0, "--edit", tmp_path)
    assert (result.exit_code, served, worker.called) == (1, [], False)
    assert "another 'serve' (http://127.0.0.1:8123, process" in flat(result)


def test_a_missing_pipeline_and_a_taken_port_are_named(
    served: list[tuple[Any, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spacy_span_selector.tools.serving.worker.get_context", spawn_fresh)
    assert "no_such_model" in refusal("serve", "no_such_model", "--port", 0)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert f"Can't serve on 127.0.0.1, port {port}" in refusal("serve", "no_such_model", "--port", port)
    assert served == []


@pytest.mark.parametrize("missing", ["starlette.applications", "uvicorn"])
def test_a_missing_library_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    for name in [name for name in sys.modules if name.startswith("spacy_span_selector.tools.serving")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, missing, None)
    assert "pip install 'spacy-span-selector[serve]'" in refusal("serve", "my_model")
