"""A server in a process of its own, and clients."""

from __future__ import annotations

import multiprocessing
import os
import signal
import socket
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote_plus

import pytest

from ...processes import fresh_context, start

PATIENCE = 300
"""How many seconds anything may take that is to end at once: the machine may be busy."""


class ServerProcess:
    """A server that is under way.

    process (Any): Its process.
    output (Connection): Says its port, and ends with all of its processes.
    errors (Path): The file of what it writes.
    """

    def __init__(self, process: Any, output: Connection, errors: Path) -> None:
        self.process, self.output, self.errors = process, output, errors
        self.port = output.recv()
        self.address = f"http://127.0.0.1:{self.port}/"

    def connect(self, sent: bytes) -> socket.socket:
        """Open a connection and send something."""
        client = socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)
        client.sendall(sent)
        return client

    def send(self, text: str) -> socket.socket:
        """Send a text."""
        body = f"text={quote_plus(text)}"
        headers = f"Host: 127.0.0.1\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: {len(body)}"
        return self.connect(f"POST / HTTP/1.1\r\n{headers}\r\n\r\n{body}".encode())

    def post(self, text: str) -> tuple[int, str]:
        return answer(self.send(text))

    def get(self) -> tuple[int, str]:
        return answer(self.connect(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"))

    def send_signal(self, number: int) -> None:
        os.kill(self.process.pid, number)

    def wait(self) -> int:
        """Wait until all of its processes have ended, and return the exit status."""
        assert self.output.poll(PATIENCE)
        with pytest.raises(EOFError):
            self.output.recv()
        self.process.join(PATIENCE)
        status: int = self.process.exitcode
        return status


def answer(client: socket.socket) -> tuple[int, str]:
    """The status of an answer, and all of it."""
    with client, client.makefile("rb") as file:
        content = file.read().decode()
    return int(content.split(" ", 2)[1]), content


@contextmanager
def serve(folder: Path, **settings: Any) -> Iterator[ServerProcess]:
    """Run a server until the block ends.

    folder (Path): Where to write what it prints.
    settings: `max_seconds`, `most_waiting`; `most_files`, how many the process may open; `seconds_to_load`, what the
        worker says of that; constants of the module.
    """
    output, inner = fresh_context().Pipe(duplex=False)
    process = start(_run, inner, folder / "errors.txt", settings)
    inner.close()
    try:
        yield ServerProcess(process, output, folder / "errors.txt")
    finally:
        process.kill()
        process.join(PATIENCE)


def _run(output: Connection, errors: Path, settings: dict[str, Any]) -> None:
    with errors.open("w") as file:
        for descriptor in (1, 2):
            os.dup2(file.fileno(), descriptor)
    try:
        main(output, **settings)
    except KeyboardInterrupt:  # ends as a program does
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.raise_signal(signal.SIGINT)


def main(
    output: Connection,
    max_seconds: float = 600,
    most_waiting: int = 2,
    most_files: int | None = None,
    seconds_to_load: float | None = None,
    **constants: float,
) -> None:
    from spacy_span_selector.tools.serving import Worker, create_app, open_socket, run_app, server, worker

    from .pipelines import load

    worker.get_context = lambda method: FORKED  # type: ignore[assignment]
    for name, value in constants.items():
        assert hasattr(server, name)
        setattr(server, name, value)
    if most_files is not None:
        import resource

        resource.setrlimit(resource.RLIMIT_NOFILE, (most_files, most_files))
    with (
        open_socket("127.0.0.1", 0) as listening,
        Worker(load, name="my_model", most_characters=1000, max_seconds=max_seconds) as annotator,
    ):
        annotator.seconds_to_load = seconds_to_load or annotator.seconds_to_load
        output.send(listening.getsockname()[1])
        run_app(create_app(annotator, most_waiting=most_waiting), listening, annotator.close)


def _forked(target: Callable[..., None], args: tuple[Any, ...], daemon: bool) -> Any:
    return multiprocessing.get_context("fork").Process(target=_without_sockets, args=(target, *args), daemon=daemon)


def _without_sockets(target: Callable[..., None], connection: Connection, *arguments: Any) -> None:
    """As in a fresh process, no client waits for this one, and no signal means what it does to the server."""
    for name in os.listdir("/dev/fd"):
        try:
            is_socket = stat.S_ISSOCK(os.fstat(int(name)).st_mode)
        except OSError:  # it was that of the list
            continue
        if is_socket and int(name) != connection.fileno():
            os.close(int(name))
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    target(connection, *arguments)


FORKED = SimpleNamespace(Pipe=multiprocessing.Pipe, Process=_forked)
"""Starts the processes that annotate: forks of the server, as fresh ones, which test_worker.py starts, take seconds."""
