"""`serve`: a page on this computer to type text into and to see its clusters and frames."""

from __future__ import annotations

from ipaddress import ip_address
from typing import Annotated

import typer
from wasabi import msg

from ._app import app, friendly_errors, load_pipeline


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
    singletons: Annotated[bool, typer.Option(help="Show clusters of one mention too")] = False,
) -> None:
    """Serve a page to type text into and to see its clusters and frames. It needs the extra 'serve'."""
    with friendly_errors():
        try:
            from ..serving import create_app, open_socket, run_app
        except ImportError as error:
            raise ImportError(
                "The page needs starlette and uvicorn. "
                "Install them with: python -m pip install 'spacy-span-selector[serve]'"
            ) from error
        with open_socket(host, port) as listening:
            nlp = load_pipeline(model)
            page = create_app(
                nlp,
                name=model,
                most_characters=max_characters,
                hosts=[host, *(allow_host or ())],
                singletons=singletons,
            )
            if not _is_local(host):
                msg.warn(f"Whoever reaches {host} on the network can send texts to this page.")
            shown = f"[{host}]" if ":" in host else host
            typer.echo(f"{model}: http://{shown}:{listening.getsockname()[1]} (stop with Ctrl+C)")
            run_app(page, listening)


def _is_local(host: str) -> bool:
    """Whether only this computer reaches an address."""
    try:
        return ip_address(host).is_loopback
    except ValueError:  # a name
        return host == "localhost"
