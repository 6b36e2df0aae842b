"""A server in a process of its own, and clients."""

import multiprocessing
import os
import signal
import socket
import stat
from collections.abc import Iterator
from contextlib import closing, contextmanager
from multiprocessing.connection import Connection
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
    """

    def __init__(self, process: Any, output: Connection) -> None:
        self.process, self.output = process, output
        self.port = output.recv()
        self.address = f"http://127.0.0.1:{self.port}/"

    def connect(self, lines: str, body: str = "") -> socket.socket:
        client = socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)
        headers = f"Host: 127.0.0.1\r\nConnection: close\r\nContent-Length: {len(body)}"
        client.sendall(f"{lines}\r\n{headers}\r\n\r\n{body}".encode())
        return client

    def send(self, text: str) -> socket.socket:
        kind = "Content-Type: application/x-www-form-urlencoded"
        return self.connect(f"POST / HTTP/1.1\r\n{kind}", f"text={quote_plus(text)}")

    def get(self) -> tuple[int, str]:
        return answer(self.connect("GET / HTTP/1.1"))

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
def serve(**settings: Any) -> Iterator[ServerProcess]:
    """Run a server with a worker of these settings until the block ends."""
    output, inner = fresh_context().Pipe(duplex=False)
    process = start(_run, inner, settings)
    inner.close()
    try:
        yield ServerProcess(process, output)
    finally:
        process.kill()
        process.join(PATIENCE)


def _run(output: Connection, settings: dict[str, Any]) -> None:
    from spacy_span_selector.tools.serving import Worker, create_app, open_socket, run_app, worker

    from .pipelines import load

    # Forks of the server: fresh processes, which test_worker.py starts, take seconds.
    worker.get_context = lambda method: multiprocessing.get_context("fork")  # type: ignore[assignment]
    prepare = worker.prepare_worker
    worker.prepare_worker = lambda: (_let_go(), prepare())  # type: ignore[attr-defined]
    try:
        with open_socket("127.0.0.1", 0) as listening, closing(Worker(load, name="my_model", **settings)) as annotator:
            output.send(listening.getsockname()[1])
            run_app(create_app(annotator), listening)
    except KeyboardInterrupt:  # ends as a program does
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.raise_signal(signal.SIGINT)


def _let_go() -> None:
    """As in a fresh process, no client waits for this one, and no signal means what it does to the server."""
    for name in os.listdir("/dev/fd"):
        try:
            if stat.S_ISSOCK(os.fstat(int(name)).st_mode):
                os.close(int(name))
        except OSError:  # it was that of the list
            continue
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
