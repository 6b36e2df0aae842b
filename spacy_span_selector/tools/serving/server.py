"""Running the application on a port of this computer.

A connection carries one request. Whoever sends it slowly, or reads the answer slowly, is dropped after a while, and at
once where others wait for a connection, of which there are not many.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import socket
from collections.abc import Callable

import uvicorn
from starlette.applications import Starlette
from uvicorn.protocols.http.h11_impl import H11Protocol

MOST_CONNECTIONS = 50
"""The most that are open at once; others wait in the operating system. Each takes a file, of which there may be few."""

SECONDS_TO_SEND, SECONDS_TO_READ = 30, 120
"""The time that a client may take to send its request, and to read the answer: a page may have some megabytes."""

PATIENCE = 2.0
"""The seconds that a client may take for either while others wait for a connection."""

logger = logging.getLogger(__name__)


def open_socket(host: str, port: int) -> socket.socket:
    """Open the port, so that an error is known before a pipeline is loaded.

    host (str): Name or address of the interface.
    port (int): Number of the port; 0 for any that is free.
    RETURNS (socket.socket): The socket that listens.
    RAISES (OSError): If it can't be opened, naming both.
    """
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        return socket.create_server(address[:2], family=family)
    except OSError as error:
        reason = error.strerror or str(error)
        raise OSError(f"Can't serve on {host}, port {port}: {reason}. Choose others with --host and --port.") from error


def run_app(app: Starlette, listening: socket.socket, stop: Callable[[], object]) -> None:
    """Serve until the process is told to stop.

    app (Starlette): The application.
    listening (socket.socket): The socket that listens.
    stop (Callable[[], object]): Called then: what is under way is to end.
    """
    config = uvicorn.Config(
        app,
        http=Connection,
        loop="asyncio",
        ws="none",
        headers=[("Connection", "close")],
        log_level="error",  # all else is about what clients do
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=1,
    )
    gc.freeze()  # all that was imported stays to the end, which need not look at it then
    Server(config, listening, stop).run()


class Connection(H11Protocol):
    """A connection, which is closed if its client takes too long.

    waits_since (float | None): Since when it waits for its client to send or to read; None while an answer is made.
    """

    waits_since: float | None = None
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for a request."""
        super().connection_made(transport)
        self._wait(SECONDS_TO_SEND)

    def data_received(self, data: bytes) -> None:
        """Wait no longer when the request is complete."""
        super().data_received(data)
        if self.cycle and not self.cycle.more_body and not self.cycle.response_complete:
            self._wait_no_longer()

    def on_response_complete(self) -> None:
        """Wait until the answer has been read."""
        super().on_response_complete()
        self._wait(SECONDS_TO_READ)

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        super().connection_lost(exc)
        self._wait_no_longer()

    def _wait(self, seconds: float) -> None:
        self._wait_no_longer()
        self.waits_since = self.loop.time()
        self._timer = self.loop.call_later(seconds, self.transport.abort)

    def _wait_no_longer(self) -> None:
        self.waits_since = None
        if self._timer is not None:
            self._timer.cancel()


class Server(uvicorn.Server):
    """A server that opens no more connections than it can serve, and ends at once when it is told to."""

    def __init__(self, config: uvicorn.Config, listening: socket.socket, stop: Callable[[], object]) -> None:
        """Initialize it; for the arguments see `run_app`."""
        super().__init__(config)
        self._listening = listening
        self._stop = stop

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to open connections."""
        await super().startup(sockets=[])  # asyncio's own loop would try again and again where there are no files left
        self._listening.setblocking(False)
        self._opening = asyncio.create_task(self._open_connections())

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Answer what is under way, and close all connections."""
        self._opening.cancel()
        self._listening.close()
        self._stop()
        self._drop_waiting(0)
        await super().shutdown(sockets=[])

    async def _open_connections(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            try:
                accepted, _ = await loop.sock_accept(self._listening)
            except OSError as error:
                logger.warning("No connection can be opened: %s.", error.strerror or error)
                await asyncio.sleep(1)
                continue
            while len(self.server_state.connections) >= MOST_CONNECTIONS:
                self._drop_waiting(PATIENCE)
                await asyncio.sleep(0.05)
            await loop.connect_accepted_socket(self._make_connection, accepted)

    def _make_connection(self) -> Connection:
        return Connection(self.config, self.server_state, self.lifespan.state)

    def _drop_waiting(self, seconds: float) -> None:
        """Close the connections that have waited for their clients for so long."""
        now = asyncio.get_running_loop().time()
        for connection in list(self.server_state.connections):
            since = connection.waits_since if isinstance(connection, Connection) else None
            if since is not None and now - since >= seconds:
                connection.transport.abort()
