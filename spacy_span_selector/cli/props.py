"""`props`: the semantic roles of a .spacy file in the CoNLL-2005 format."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ._app import app, friendly_errors, open_spacy_file


@app.command("props")
def props_cli(
    data: Annotated[Path, typer.Argument(help="A .spacy file with semantic roles, gold or predicted")],
    out_path: Annotated[Path, typer.Argument(metavar="OUT.props", help="The file of props to write")],
    words: Annotated[Path | None, typer.Option(help="Write the words to this file, one a line")] = None,
    rolesets: Annotated[bool, typer.Option(help="Name predicates by their roleset, not by their first word")] = False,
) -> None:
    """Write semantic roles as CoNLL-2005 props, which the official scorer compares."""
    from spacy.vocab import Vocab

    from ..annotation import has_frames_annotated
    from ..corpora.props_writer import write_props, write_words

    with friendly_errors():
        docs = list(open_spacy_file(data).get_docs(Vocab()))
        if not any(has_frames_annotated(doc) for doc in docs):
            raise ValueError(f"{data} has no semantic roles: expected documents with frames, `doc.spans['srl_1']`.")
        texts = {out_path: write_props(docs, rolesets=rolesets)}
        if words is not None:
            texts[words] = write_words(docs)
        for path, text in texts.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            typer.echo(f"Written: {path}")
