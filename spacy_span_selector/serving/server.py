"""Running the application on a port of this computer."""

from __future__ import annotations

import socket

import uvicorn
from starlette.applications import Starlette


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


def run_app(app: Starlette, listening: socket.socket) -> None:
    """Serve until the process is told to stop."""
    config = uvicorn.Config(app, log_level="warning", server_header=False, proxy_headers=False)
    uvicorn.Server(config).run(sockets=[listening])
