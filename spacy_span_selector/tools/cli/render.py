"""`render`: an HTML page that shows clusters and frames."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from wasabi import msg

from ..files.pipelines import load_pipeline
from ..files.writing import write_file
from ._app import app


@app.command("render")
def render_cli(
    data: Annotated[Path, typer.Argument(help="A .spacy file, another that its name tells of, or a text file")],
    out_path: Annotated[Path, typer.Argument(metavar="OUT.html", help="The page to write")],
    model: Annotated[str | None, typer.Option(help="Pipeline that annotates first; default: as in the file")] = None,
    bracketed: Annotated[bool, typer.Option("--bracketed", help="With --model: the text file is no raw text")] = False,
    limit: Annotated[int | None, typer.Option(min=1, help="Show at most this many documents")] = None,
    singletons: Annotated[bool, typer.Option(help="Show clusters of one mention too")] = False,
    lang: Annotated[str, typer.Option(help="Language whose tokenizer splits the text, without --model")] = "en",
) -> None:
    """Write an HTML page that shows the clusters and frames of documents.

    A text file is in the bracketed format or, with --model, raw text, one document, whose lines may end anywhere. With
    --bracketed too, the pipeline is given the words, sentences and speakers of the format, as of a .spacy file.
    """
    import spacy

    from ..formats.registry import BRACKETED, formats, recognise_format
    from ..rendering import Page

    if str(out_path) == "-":
        raise ValueError("-: render writes a file, and nothing to the standard output. Name a file.")
    nlp = spacy.blank(lang) if model is None else load_pipeline(model)
    if bracketed and model is None:
        raise ValueError("--bracketed says what the text is that a pipeline annotates: name one with --model.")
    if not data.is_file():
        found = "a folder" if data.is_dir() else "no such file"
        raise FileNotFoundError(f"{data}: {found}. Expected a .spacy file or a text file.")
    format_ = recognise_format(data) or formats.get(BRACKETED)
    if model is not None and not bracketed and format_.name == BRACKETED:
        docs: Iterable[Doc] = nlp.pipe([_read_text(data, nlp)])
    else:
        docs = islice(format_.read_docs(data, nlp), limit)
        if model is not None:
            docs = nlp.pipe(_without_annotation(doc) for doc in docs)
    page = Page(singletons=singletons)
    for doc in docs:
        page.add(doc)
    write_file(out_path, page.finish(), read=[data])
    typer.echo(f"Page: {out_path}")


def _read_text(path: Path, nlp: Language) -> Doc:
    """The document of a file of raw text, with the name of the file as its title."""
    from ...annotation import set_title
    from ...people.tokenized import make_doc
    from ..formats.bracketed import HEADING
    from ..formats.files import read_text

    text = read_text(path).strip()
    if not text:
        raise ValueError(f"{path}: has no text.")
    if text.startswith(f"{HEADING} "):
        msg.warn(f"{path} is read as raw text. If it is in brackets, as its first line is, pass --bracketed.")
    try:
        doc = make_doc(nlp, text)
    except ValueError as error:  # such as a text that is too long
        raise ValueError(f"{path}: can't be split into tokens: {error}") from error
    set_title(doc, path.stem)
    return doc


def _without_annotation(doc: Doc) -> Doc:
    """A document of the same words, with the annotation that a pipeline may see."""
    from ...documents.given import GivenAnnotation, copy_words

    example = Example(copy_words(doc), doc)
    GivenAnnotation().copy(example)
    return example.predicted
