"""`convert`: corpora to spaCy's binary format, one sub-command a corpus."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from spacy.tokens import Doc, DocBin
from wasabi import msg

from ._app import app, friendly_errors

convert_app = typer.Typer(
    name="convert", help="Convert a corpus to .spacy files.", no_args_is_help=True, rich_markup_mode=None
)
app.add_typer(convert_app)


@convert_app.command("litbank")
def litbank_cli(
    source: Annotated[
        Path, typer.Argument(help="Copy of dbamman/litbank, with dbamman/lrec2020-coref in it or beside it")
    ],
    out_dir: Annotated[Path, typer.Argument(help="Folder for train.spacy, dev.spacy and test.spacy")],
    fold: Annotated[int, typer.Option(help="Fold of the ten-fold cross-validation, 0 to 9")] = 0,
) -> None:
    """Convert one fold of LitBank."""
    from spacy.vocab import Vocab

    from ..corpora.litbank import read_litbank, read_litbank_fold

    with friendly_errors():
        vocab = Vocab()
        for split, names in read_litbank_fold(source, fold).items():
            save_docs(read_litbank(source, vocab, names=names), out_dir / f"{split}.spacy")


@convert_app.command("bracketed")
def bracketed_cli(
    paths: Annotated[
        list[Path], typer.Argument(metavar="FILE... OUT.spacy", help="Files to read, and the file to write")
    ],
    lang: Annotated[str, typer.Option(help="Language whose tokenizer splits the text")] = "en",
) -> None:
    """Convert files in the bracketed plain-text format."""
    import spacy

    from ..corpora.bracketed import read_bracketed

    *sources, out_path = paths
    if not sources or out_path.suffix != ".spacy":
        found = " ".join(map(str, paths))
        msg.fail(f"The last path, the file to write, must end in .spacy, after files to read; found {found}.", exits=1)
    with friendly_errors():
        nlp = spacy.blank(lang)
        save_docs([doc for path in sources for doc in read_bracketed(path, nlp)], out_path)


def save_docs(docs: Sequence[Doc], path: Path) -> None:
    """Write documents to a .spacy file, with their titles, and print what it holds."""
    from ..annotation import get_clusters

    clusters = [cluster for doc in docs for cluster in get_clusters(doc)]
    path.parent.mkdir(parents=True, exist_ok=True)
    DocBin(docs=docs, store_user_data=True).to_disk(path)
    typer.echo(
        f"{path}: {len(docs):,} documents, {sum(len(doc) for doc in docs):,} tokens, "
        f"{sum(len(cluster) for cluster in clusters):,} mentions, {len(clusters):,} clusters"
    )
