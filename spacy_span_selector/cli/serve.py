"""`serve`: a page on this computer to type text into and to see its clusters and frames."""

from __future__ import annotations

from functools import partial
from ipaddress import ip_address
from typing import Annotated

import typer
from wasabi import msg

from ._app import app


@app.command("serve")
def serve_cli(
    model: Annotated[str, typer.Argument(help="A trained pipeline: a path or the name of a package")],
    host: Annotated[str, typer.Option(help="Address to listen on; by default only this computer reaches it")] = (
        "127.0.0.1"
    ),
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 for any that is free")] = 8000,
    allow_host: Annotated[
        list[str] | None, typer.Option(help="A name or address in addition to --host by which browsers reach the page")
    ] = None,
    max_characters: Annotated[int, typer.Option(min=1, help="Longest text that is annotated")] = 50_000,
    max_seconds: Annotated[float, typer.Option(min=1, help="Longest time that a text may take")] = 120,
    max_waiting: Annotated[int, typer.Option(min=0, help="Most texts that wait while one is annotated")] = 8,
    singletons: Annotated[bool, typer.Option(help="Show clusters of one mention too")] = False,
) -> None:
    """Serve a page to type text into and to see its clusters and frames. It needs the extra 'serve'."""
    try:
        from ..annotate.pipelines import load_pipeline
        from ..serving import Worker, create_app, open_socket, run_app
    except ImportError as error:
        raise ImportError(
            "The page needs starlette and uvicorn. "
            "Install them with: python -m pip install 'spacy-span-selector[serve]'"
        ) from error
    load = partial(load_pipeline, model)
    with (
        open_socket(host, port) as listening,
        Worker(
            load, name=model, most_characters=max_characters, max_seconds=max_seconds, singletons=singletons
        ) as worker,
    ):
        page = create_app(worker, hosts=[host, *(allow_host or ())], most_waiting=max_waiting)
        if not _is_local(host):
            msg.warn(f"Whoever reaches {host} on the network can send texts to this page.")
        shown = f"[{host}]" if ":" in host else host
        typer.echo(f"{model}: http://{shown}:{listening.getsockname()[1]} (stop with Ctrl+C)")
        run_app(page, listening, worker.close)


def _is_local(host: str) -> bool:
    """Check if only this computer reaches an address."""
    try:
        return ip_address(host).is_loopback
    except ValueError:  # a name
        return host == "localhost"
