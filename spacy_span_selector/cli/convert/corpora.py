"""`convert CORPUS SOURCE OUT_DIR`: corpora with splits for training, development and testing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain
from pathlib import Path
from typing import Annotated

import srsly
import typer
from spacy.tokens import Doc
from spacy.vocab import Vocab

from ._app import OutDir, SpeakerMarkers, convert_app, save_docs


@convert_app.command("litbank")
def litbank_cli(
    source: Annotated[
        Path, typer.Argument(help="Copy of dbamman/litbank, with dbamman/lrec2020-coref in it or beside it")
    ],
    out_dir: OutDir,
    fold: Annotated[int, typer.Option(help="Fold of the ten-fold cross-validation, 0 to 9")] = 0,
) -> None:
    """Convert one fold of LitBank."""
    from ...annotation import get_title
    from ...corpora.litbank import read_litbank, read_litbank_fold

    splits = read_litbank_fold(source, fold)
    docs = {get_title(doc): doc for doc in read_litbank(source, names=_list_once(splits))}
    save_docs({out_dir / f"{split}.spacy": _choose(names, docs) for split, names in splits.items()})


@convert_app.command("ontogum")
def ontogum_cli(
    source: Annotated[Path, typer.Argument(help="Copy of amir-zeldes/gum")],
    out_dir: OutDir,
    speaker_markers: SpeakerMarkers = False,
    singletons: Annotated[
        bool,
        typer.Option(
            "--singletons",
            help="Train on all mentions of GUM: those that OntoGUM lacks are singletons of the training documents",
        ),
    ] = False,
    genre: Annotated[
        list[str] | None,
        typer.Option(help="Take texts of this genre alone, such as news; may be repeated. By default all are taken"),
    ] = None,
) -> None:
    """Convert OntoGUM. Documents from Reddit are left out unless their words have been restored.

    OntoGUM marks no singletons. With --singletons its training documents have those of GUM: train with `annotation =
    "complete"` then, and `keep_singletons = false`, as dev and test stay as they are.
    """
    from ...annotation import get_title
    from ...corpora.ontogum import read_ontogum, read_ontogum_splits

    splits = read_ontogum_splits(source, genres=genre)
    read = read_ontogum(source, names=_list_once(splits), singletons=splits["train"] if singletons else ())
    docs = {get_title(doc): doc for doc in read}
    files = {out_dir / f"{split}.spacy": _choose(names, docs) for split, names in splits.items()}
    save_docs(files, speaker_markers=speaker_markers)


@convert_app.command("ewt")
def ewt_cli(
    source: Annotated[
        Path,
        typer.Argument(help="Folder with copies of propbank/propbank-release and UniversalDependencies/UD_English-EWT"),
    ],
    out_dir: OutDir,
) -> None:
    """Convert PropBank EWT, semantic roles in the English Web Treebank."""
    from ...corpora.ewt import read_ewt

    save_docs({out_dir / f"{split}.spacy": docs for split, docs in read_ewt(source).items()})


@convert_app.command("frames")
def frames_cli(
    source: Annotated[Path, typer.Argument(help="Copy of propbank/propbank-frames")],
    out_dir: Annotated[Path, typer.Argument(help="Folder for lexicon.json and examples.spacy")],
    without: Annotated[
        list[Path] | None,
        typer.Option(
            help="A .spacy file of which no sentence may be an example, such as dev and test; may be repeated"
        ),
    ] = None,
) -> None:
    """Convert PropBank's frame files: a lexicon of rolesets, and examples with one annotated predicate each."""
    from ...corpora.frames import read_frames
    from ...examples.corpus import read_docs

    vocab = Vocab()
    frames = read_frames(source, vocab, without=(doc for path in without or () for doc in read_docs(path, vocab)))
    path = out_dir / "lexicon.json"
    save_docs({out_dir / "examples.spacy": frames.examples}, others=[(path, srsly.json_dumps(frames.lexicon))])
    words = {word for entry in frames.lexicon.values() for word in entry["words"]}
    typer.echo(f"{path}: {len(frames.lexicon):,} rolesets, {len(words):,} words")


def _list_once(splits: Mapping[str, Iterable[str]]) -> list[str]:
    """The names of the documents of all splits, each once, so that what is wrong is reported once."""
    return list(dict.fromkeys(chain(*splits.values())))


def _choose(names: Iterable[str], docs: Mapping[str, Doc]) -> list[Doc]:
    """The documents of a split that could be read."""
    return [docs[name] for name in names if name in docs]
