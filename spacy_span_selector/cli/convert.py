"""`convert`: corpora to spaCy's binary format, one sub-command a corpus."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from spacy.tokens import Doc, DocBin
from wasabi import msg

from ._app import app, friendly_errors

REST_OF_PREDICATE = "C-V"  # the only role that is no argument

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


@convert_app.command("ewt")
def ewt_cli(
    source: Annotated[
        Path,
        typer.Argument(help="Folder with copies of propbank/propbank-release and UniversalDependencies/UD_English-EWT"),
    ],
    out_dir: Annotated[Path, typer.Argument(help="Folder for train.spacy, dev.spacy and test.spacy")],
) -> None:
    """Convert PropBank EWT, semantic roles in the English Web Treebank."""
    from ..corpora.ewt import read_ewt

    with friendly_errors():
        for split, docs in read_ewt(source).items():
            save_docs(docs, out_dir / f"{split}.spacy")


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


@convert_app.command("props")
def props_cli(
    words_path: Annotated[Path, typer.Argument(metavar="WORDS", help="One word a line; may be compressed, .gz")],
    props_path: Annotated[Path, typer.Argument(metavar="PROPS", help="The predicates and arguments of the same lines")],
    out_path: Annotated[Path, typer.Argument(metavar="OUT.spacy", help="The file to write")],
) -> None:
    """Convert a words file and a props file of the CoNLL-2005 shared task."""
    from ..corpora.props import read_props

    with friendly_errors():
        if out_path.suffix != ".spacy":
            raise ValueError(f"The file to write must end in .spacy; found {out_path}.")
        save_docs(read_props(words_path, props_path), out_path)


@convert_app.command("conll2012")
def conll2012_cli(
    source: Annotated[Path, typer.Argument(help="A file, or a folder whose *gold_conll files are read, at any depth")],
    out_path: Annotated[Path, typer.Argument(metavar="OUT.spacy", help="File to write")],
) -> None:
    """Convert files in the format of CoNLL-2012, such as OntoNotes."""
    from ..corpora.conll2012 import read_conll2012

    with friendly_errors():
        if out_path.suffix != ".spacy":
            raise ValueError(f"The file to write must end in .spacy; found {out_path}.")
        save_docs(read_conll2012(source), out_path)


def save_docs(docs: Sequence[Doc], path: Path) -> None:
    """Write documents to a .spacy file, with their titles, and print what it holds."""
    path.parent.mkdir(parents=True, exist_ok=True)
    DocBin(docs=docs, store_user_data=True).to_disk(path)
    typer.echo(f"{path}: {_describe(docs)}")


def _describe(docs: Sequence[Doc]) -> str:
    from ..annotation import get_clusters, get_frames, has_clusters_annotated, has_frames_annotated

    counts = [(len(docs), "documents"), (sum(len(doc) for doc in docs), "tokens")]
    if any(has_clusters_annotated(doc) for doc in docs):
        clusters = [cluster for doc in docs for cluster in get_clusters(doc)]
        counts += [(sum(len(cluster) for cluster in clusters), "mentions"), (len(clusters), "clusters")]
    if any(has_frames_annotated(doc) for doc in docs):
        frames = [frame for doc in docs for frame in get_frames(doc)]
        roles = [argument.role for frame in frames for argument in frame.arguments]
        counts += [(len(frames), "predicates"), (len(roles) - roles.count(REST_OF_PREDICATE), "arguments")]
    return ", ".join(f"{count:,} {name}" for count, name in counts)
