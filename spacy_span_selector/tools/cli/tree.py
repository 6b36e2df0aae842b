"""`tree`: draw the best tree of each sentence as an HTML page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from spacy.language import Language
from spacy.tokens import Doc

from ..files.writing import write_file
from ..formats.commands import check_spacy_file
from ._app import app, load_pipeline

if TYPE_CHECKING:
    from ..rendering.trees import SentenceTree


@app.command("tree")
def tree_cli(
    model: Annotated[str, typer.Argument(help="A trained pipeline: a path or the name of a package")],
    text: Annotated[str, typer.Argument(help="A text, a text file, or a .spacy file, of which words are given")],
    out_path: Annotated[Path, typer.Argument(metavar="OUT.html", help="The page to write")],
    limit: Annotated[int, typer.Option(min=1, help="Show at most this many sentences")] = 20,
) -> None:
    """Draw the best binary tree of each sentence, with its selected spans and their probabilities."""
    from ...scoring.task import all_tasks, find_tasks
    from ..rendering.trees import render_tree_page

    nlp = load_pipeline(model)
    components = list(find_tasks(nlp))
    if not components:
        lacking = " and ".join(f"no {task.factory}" for task in all_tasks())
        raise ValueError(f"{model} has {lacking}, but {', '.join(nlp.pipe_names)}.")
    sentences = list(islice(_trees(nlp, _read_docs(text, nlp), components), limit))
    if not sentences:
        raise ValueError(f"There is no sentence to draw: {text[:60]!r} has none, or no component scores spans.")
    write_file(out_path, render_tree_page(sentences, nlp.lang or "und"))
    typer.echo(f"Page: {out_path}")


def _read_docs(text: str, nlp: Language) -> Iterator[Doc]:
    from ...documents.tokenized import make_doc
    from ...examples.corpus import create_corpus
    from ..formats.files import read_text

    path = Path(text)
    if path.suffix == ".spacy":
        check_spacy_file(path)
        yield from (example.predicted for example in create_corpus(path)(nlp))
    else:
        try:
            is_file, is_folder = path.is_file(), path.is_dir()
        except OSError:  # a text may be too long for a name
            is_file = is_folder = False
        if is_folder or (not is_file and len(text.split()) == 1 and (path.suffix or len(path.parts) > 1)):
            found = "a folder" if is_folder else "no such file"
            raise FileNotFoundError(f"{path}: {found}. Expected a text, a text file, or a .spacy file.")
        words = (read_text(path) if is_file else text).split()
        if not words:
            raise ValueError(f"There is no text to draw: {f'{path} is empty' if is_file else repr(text)}.")
        yield make_doc(nlp, " ".join(words))


def _trees(nlp: Language, docs: Iterable[Doc], components: list[str]) -> Iterator[list[SentenceTree]]:
    """Yield the trees of each sentence, one for each component that scores spans."""
    from ..annotate.pipelines import annotate_with_selections
    from ..rendering.trees import SentenceTree

    for _, selections in annotate_with_selections(nlp, docs, components):
        by_sentence: dict[int, list[SentenceTree]] = {}
        for name, selection in selections.items():
            if selection.selector.spans_may_cross:
                raise ValueError(
                    f"The spans that '{name}' selects may cross, so there is no tree that has them all. "
                    "Use a pipeline with the structured or the laminar selector."
                )
            spans = selection.spans()
            for first, weights in selection.sentences():
                last = first + len(weights)
                own = {(start - first, end - first): score for start, end, score in spans if first <= start < last}
                words = [token.text for token in selection.words.doc[first:last]]
                by_sentence.setdefault(first, []).append(SentenceTree(name, words, own, weights))
        yield from (by_sentence[first] for first in sorted(by_sentence))
