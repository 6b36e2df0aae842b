"""`render`: an HTML page that shows clusters and frames."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from ..writing import write_file
from ._app import app, friendly_errors, load_pipeline, read_spacy_file


@app.command("render")
def render_cli(
    data: Annotated[Path, typer.Argument(help="A .spacy file, or a text file in the bracketed format")],
    out_path: Annotated[Path, typer.Argument(metavar="OUT.html", help="The page to write")],
    model: Annotated[
        str | None, typer.Option(help="Pipeline that annotates the texts first; by default, show what the file holds")
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Show at most this many documents")] = None,
    singletons: Annotated[bool, typer.Option(help="Show clusters of one mention too")] = False,
    lang: Annotated[str, typer.Option(help="Language whose tokenizer splits the text, without --model")] = "en",
) -> None:
    """Write an HTML page that shows the clusters and frames of documents."""
    import spacy

    from ..rendering import render_page

    with friendly_errors():
        nlp = spacy.blank(lang) if model is None else load_pipeline(model)
        docs: Iterable[Doc] = islice(_read_docs(data, nlp), limit)
        if model is not None:
            docs = nlp.pipe(_without_annotation(doc) for doc in docs)
        page = render_page(docs, singletons=singletons)
        write_file(out_path, page)
    typer.echo(f"Page: {out_path}")


def _read_docs(path: Path, nlp: Language) -> Iterator[Doc]:
    from ..corpora.bracketed import read_bracketed

    if not path.is_file():
        raise FileNotFoundError(f"{path}: no such file. Expected a .spacy file or a text file in the bracketed format.")
    if path.suffix == ".spacy":
        return read_spacy_file(path, nlp.vocab)
    return iter(read_bracketed(path, nlp))


def _without_annotation(doc: Doc) -> Doc:
    """A document of the same words, with the annotation that a pipeline may see."""
    from ..documents.given import GivenAnnotation, copy_words

    example = Example(copy_words(doc), doc)
    GivenAnnotation().copy(example)
    return example.predicted
