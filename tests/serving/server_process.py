"""A server in a process of its own, and clients: python -m tests.serving.server_process SETTINGS."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote_plus

PATIENCE = 300
"""How many seconds anything may take that is to end at once: the machine may be busy."""


class ServerProcess:
    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        self.process = process
        self.port = int(process.stdout.readline())
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

    def wait(self) -> None:
        """Wait until all of its processes have ended: their output ends then."""
        self.process.communicate(timeout=PATIENCE)


def answer(client: socket.socket) -> tuple[int, str]:
    """The status of an answer, and all of it."""
    with client, client.makefile("rb") as file:
        content = file.read().decode()
    return int(content.split(" ", 2)[1]), content


@contextmanager
def serve(**settings: Any) -> Iterator[ServerProcess]:
    """Run a server until the block ends.

    settings: `max_seconds`, `most_waiting`; `most_files`, how many the process may open; `seconds_to_load`, what the
        worker says of that; constants of the module.
    """
    command = [sys.executable, "-m", __name__, json.dumps(settings)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield ServerProcess(process)
        finally:
            process.kill()


def main(
    max_seconds: float = 600,
    most_waiting: int = 2,
    most_files: int | None = None,
    seconds_to_load: float | None = None,
    **constants: float,
) -> None:
    from spacy_span_selector.serving import Worker, create_app, open_socket, run_app, server

    from .pipelines import load

    for name, value in constants.items():
        assert hasattr(server, name)
        setattr(server, name, value)
    if most_files is not None:
        import resource

        resource.setrlimit(resource.RLIMIT_NOFILE, (most_files, most_files))
    with (
        open_socket("127.0.0.1", 0) as listening,
        Worker(load, name="my_model", most_characters=1000, max_seconds=max_seconds) as worker,
    ):
        worker.seconds_to_load = seconds_to_load or worker.seconds_to_load
        print(listening.getsockname()[1], flush=True)
        run_app(create_app(worker, most_waiting=most_waiting), listening, worker.close)


if __name__ == "__main__":
    main(**json.loads(sys.argv[1]))
