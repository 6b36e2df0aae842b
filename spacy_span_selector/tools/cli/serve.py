"""`serve`: pages on this computer that show what a pipeline finds in a text, or correct it in a folder of texts."""

from __future__ import annotations

from contextlib import ExitStack, closing
from functools import partial
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated

import typer
from wasabi import msg

from ._app import Model, app


@app.command("serve")
def serve_cli(
    model: Model,
    edit: Annotated[Path | None, typer.Option(metavar="FOLDER", help="Correct its texts, in NAME.brackets.txt")] = None,
    host: Annotated[str, typer.Option(help="Address to listen on, by default for this computer")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 for any that is free")] = 8000,
    allow_host: Annotated[list[str] | None, typer.Option(help="Another name by which browsers reach the page")] = None,
    max_characters: Annotated[int, typer.Option(min=1, help="Longest text that is annotated")] = 50_000,
    max_seconds: Annotated[float, typer.Option(min=1, help="Longest time that a text may take")] = 120,
    max_waiting: Annotated[int, typer.Option(min=0, help="Most texts that wait while one is annotated")] = 8,
    singletons: Annotated[bool, typer.Option(help="Show clusters of one mention too")] = False,
) -> None:
    """Serve a page to type into or, with --edit, pages to correct a folder of texts. It needs the extra 'serve'."""
    try:
        from ..files.pipelines import load_pipeline
        from ..files.runs import only_process_in
        from ..serving import Drafting, TextFolder, View, Worker, create_app, create_editor, open_socket, run_app
    except ImportError as error:
        cure = "Install them with: python -m pip install 'spacy-span-selector[serve]'"
        raise ImportError(f"The page needs starlette and uvicorn. {cure}") from error
    others = [_without_port(name) for name in allow_host or ()]
    folder = None if edit is None else TextFolder(edit)
    make_view = Drafting if folder else partial(View, singletons=singletons)
    with open_socket(host, port) as listening, ExitStack() as stack:
        shown = f"http://{f'[{host}]' if ':' in host else host}:{listening.getsockname()[1]}"
        if folder:
            stack.enter_context(only_process_in(folder.path, "serve", "correct its texts there", shown))
        worker = Worker(
            partial(load_pipeline, model),
            name=model,
            most_characters=max_characters,
            max_seconds=max_seconds,
            most_waiting=max_waiting,
            make_view=make_view,
        )
        stack.enter_context(closing(worker))
        hosts = [f"[{name}]" if ":" in name else name for name in (host, *others)]
        page = create_editor(worker, folder, hosts=hosts) if folder else create_app(worker, hosts=hosts)
        if not ip_address(listening.getsockname()[0]).is_loopback:
            what = f"change files in {edit}" if folder else "send texts to this page"
            msg.warn(f"Whoever reaches {host} on the network can {what}.")
        typer.echo(f"{model}: {shown} (stop with Ctrl+C)")
        run_app(page, listening)


def _without_port(name: str) -> str:
    """A name or an address, as browsers send one beside the port; a name with a port or of a page is refused."""
    if name.count(":") == 1 or "]:" in name or "/" in name or not name:
        raise ValueError(f"--allow-host: '{name}' is no name or address of a computer. Leave out 'http://' and port.")
    return name.strip("[]")
