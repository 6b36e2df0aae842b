"""OntoGUM: coreference in the scheme of OntoNotes, without singletons, in texts of sixteen genres.

All of it comes from https://github.com/amir-zeldes/gum (Zhu, Pradhan and Zeldes 2021): words, sentences and speakers
from `coref/ontogum/conllu`, clusters from `coref/ontogum/conll`, constituents from `const`, splits from `splits.md`.
GUM itself, in `coref/gum/conll`, marks every mention of the same texts with its type, such as `person`, and has
clusters in a scheme of its own.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Annotated

import typer
from spacy.tokens import Doc
from spacy.vocab import Vocab
from tqdm import tqdm

from ...annotation import (
    Mention,
    get_title,
    set_clusters,
    set_constituents,
    set_labelled_spans,
    set_speakers,
    set_title,
)
from .columns import parse_tree, read_coreference_column, split_trees
from .commands import SPLITS, OutDir, list_once, save_docs, split_docs
from .conllu import Sentence, make_doc, parse_conllu
from .files import FILES, read_text, read_texts
from .registry import Format
from .reports import DOCUMENTS, LONGEST_QUOTE, REPEATED_DOCUMENTS, Report, check_parts, shorten
from .speech import find_turns

CONLL_FOLDER = Path("coref/ontogum/conll")
GUM_FOLDER = Path("coref/gum/conll")
CONLLU_FOLDER = Path("coref/ontogum/conllu")
CONLLU_ARCHIVE = Path("coref/ontogum/conllu.tar.xz")
TREES_FOLDER = Path("const")
SPLITS_FILE = "splits.md"
HEADING = re.compile(r"## (?P<split>\w+)")
ITEM = re.compile(r"\s*\* (?P<name>\w+)")
CURE = "Expected a copy of https://github.com/amir-zeldes/gum."
REDDIT = "GUM_reddit_"
PARSES = "parses that can't be read or don't have the words of their sentence"
MASKED = re.compile(r"^# text = [_ ]+$", re.MULTILINE)
ENTITY_NUMBER = "-"  # what follows the type of an entity
COLUMNS = 3
END = "# end document"


def read_ontogum(
    source: str | Path,
    vocab: Vocab | None = None,
    *,
    names: Sequence[str] | None = None,
    singletons: Collection[str] = (),
    types: bool = True,
) -> list[Doc]:
    """Read documents of OntoGUM.

    A span in two clusters is kept in the cluster whose first mention comes first. Documents from Reddit, whose words
    the repository withholds, are left out unless its `get_text.py` has restored them.

    source (str | Path): A copy of the repository: the folder that holds `coref/ontogum`, with the words in
        `coref/ontogum/conllu` or packed in `coref/ontogum/conllu.tar.xz`.
    vocab (Vocab): Vocabulary of the documents; a new one if None.
    names (Sequence[str]): Documents to read, in this order; by default train, dev and test.
    singletons (Collection[str]): Documents in which each mention of GUM that OntoGUM does not have is a cluster of its
        own, so that all mentions are marked, as far as both schemes agree (Zhu et al. 2023, "Incorporating Singletons
        and Mention-based Features in Coreference Resolution").
    types (bool): Whether the mentions of GUM, with their types, become labelled spans.
    RETURNS (list[Doc]): Documents with words, spaces, lemmas, parts of speech, sentence starts, clusters with the names
        of the corpus, the mentions of GUM as labelled spans if the copy has `coref/gum/conll`, speaker
        turns where they are known, and constituents from automatic parses, without functions;
        the title is the document's name, such as `GUM_academic_art`, whose second part is the genre.
    RAISES (FileNotFoundError): If a folder is missing, naming it.
    RAISES (ValueError): If no document can be read, saying why.
    WARNS: Once, counting what is left out: documents that can't be read, brackets of mentions without a partner, spans
        in a second cluster, parts of speech that spaCy does not know, parses that can't be read or don't have the words
        of their sentence.
    """
    source = Path(source)
    vocab = Vocab() if vocab is None else vocab
    if names is None:
        names = list(dict.fromkeys(name for split in read_ontogum_splits(source).values() for name in split))
    for folder in (CONLL_FOLDER, TREES_FOLDER, *([GUM_FOLDER] if singletons else [])):
        if not (source / folder).is_dir():
            raise FileNotFoundError(f"{source / folder}: no such folder. {CURE}")
    report = Report()
    texts = read_texts(source / CONLLU_FOLDER, source / CONLLU_ARCHIVE, ".conllu", CURE, report)
    paths: dict[str, str] = {}
    for path in texts:
        if paths.setdefault(PurePosixPath(path).stem, path) != path:
            report.leave_out(REPEATED_DOCUMENTS, f"{path}: as {paths[PurePosixPath(path).stem]}.")
    docs: list[Doc] = []
    for name in tqdm(names, desc="OntoGUM", unit=" documents", leave=False, disable=None):
        path = paths.get(name, f"{(source / CONLLU_FOLDER).as_posix()}/{name}.conllu")
        text = texts.get(path)
        if name.startswith(REDDIT) and (text is None or MASKED.search(text)):
            continue
        try:
            if text is None:
                raise FileNotFoundError(f"{path}: no such file. {CURE}")
            words = _parse_words(text, name, path, report)
            docs.append(_make_doc(source, name, words, path, vocab, report, singletons=name in singletons, types=types))
        except (OSError, ValueError) as error:
            report.leave_out(DOCUMENTS, str(error))
    if names:
        report.require(docs, source, CURE)
    report.warn()
    return docs


def read_ontogum_splits(source: str | Path, *, genres: Collection[str] | None = None) -> dict[str, list[str]]:
    """The names of the documents of each split. The split `test2`, which is the corpus GENTLE, is left out.

    source (str | Path): A copy of the repository: the folder that holds `splits.md`.
    genres (Collection[str] | None): The genres to take, such as "news"; all if None.
    RETURNS (dict[str, list[str]]): Names of documents by split, `train`, `dev` and `test`, each once, also of those
        from Reddit.
    RAISES (FileNotFoundError): If the file is missing, naming it.
    RAISES (ValueError): If the file lacks a split, naming both, or there is no text of a genre.
    WARNS: Once, counting the documents that are listed twice.
    """
    path = Path(source) / SPLITS_FILE
    splits: dict[str, list[str]] = {split: [] for split in SPLITS}
    split = ""
    for line in read_text(path, CURE).split("\n"):
        if heading := HEADING.match(line):
            split = heading["split"]
        elif split in splits and (item := ITEM.match(line)):
            splits[split].append(item["name"])
    for split, names in splits.items():
        if not names:
            raise ValueError(f"{path}: found no document of {split!r}, expected `* NAME` under `## {split}`.")
    report = Report()
    splits = check_parts(splits, path, report)
    report.warn()
    if genres is None:
        return splits
    found = {_genre(name) for names in splits.values() for name in names}
    if unknown := sorted({*genres} - found):
        raise ValueError(f"{path}: no text has the genre {unknown[0]!r}; there are {', '.join(sorted(found))}.")
    return {split: [name for name in names if _genre(name) in genres] for split, names in splits.items()}


def _genre(name: str) -> str:
    """The genre of a document, which is the second part of its name, as in `GUM_news_iodine`."""
    return name.split("_")[1] if "_" in name else ""


def _parse_words(text: str, name: str, path: str, report: Report) -> list[Sentence]:
    documents, unreadable = parse_conllu(text, path, report)
    if name not in documents:
        expected = f"{path}: found the documents {list(documents)}, expected {name!r}."
        raise ValueError(unreadable.get(name) or next(iter(unreadable.values()), expected))
    return documents[name]


def _make_doc(
    source: Path,
    name: str,
    sentences: list[Sentence],
    path: str,
    vocab: Vocab,
    report: Report,
    *,
    singletons: bool,
    types: bool,
) -> Doc:
    doc = make_doc([sentence.words for sentence in sentences], vocab)
    set_title(doc, name)

    def read_clusters(folder: Path) -> dict[str, list[Mention]]:
        conll = source / folder / f"{name}.conll"
        words = [[word.form for word in sentence.words] for sentence in sentences]
        return parse_clusters(read_text(conll, CURE), str(conll), words, path, report)

    clusters, repeated = keep_first(read_clusters(CONLL_FOLDER))
    for start, end in repeated:
        report.leave_out("spans in a second cluster", f"{name}, word {start + 1}, {shorten(doc[start:end].text)}")
    entities: dict[str, list[Mention]] = {}
    if (singletons or types) and (source / GUM_FOLDER).is_dir():
        try:
            entities = read_clusters(GUM_FOLDER)
            if types:
                set_labelled_spans(doc, list(label_mentions(entities)))
        except (OSError, ValueError) as error:
            if singletons:  # without them, the mentions of the document would not all be marked
                raise
            report.leave_out(FILES, str(error))
    if singletons:
        marked = {mention for cluster in clusters.values() for mention in cluster}
        others = {mention for cluster in entities.values() for mention in cluster} - marked
        clusters |= {f"singleton-{number}": [mention] for number, mention in enumerate(sorted(others), start=1)}
    set_clusters(doc, list(clusters.values()), names=list(clusters))
    turns = find_turns([sentence.comments.get("speaker") for sentence in sentences for _ in sentence.words])
    if turns:
        set_speakers(doc, turns)
    set_constituents(doc, list(_read_constituents(source / TREES_FOLDER / f"{name}.ptb", sentences, report)))
    return doc


def _read_constituents(path: Path, sentences: Sequence[Sentence], report: Report) -> Iterable[tuple[int, int, str]]:
    try:
        trees = list(split_trees(read_text(path)))
        if len(trees) != len(sentences):
            raise ValueError(f"{path}: found {len(trees)} trees, expected {len(sentences)}")
    except (OSError, ValueError) as error:  # whatever is wrong with the file, the document is good without it
        for _ in sentences:
            report.leave_out(PARSES, str(error))
        return
    offset = 0
    for (line, tree), sentence in zip(trees, sentences, strict=True):
        try:
            words, phrases = parse_tree(tree, f"{path}:{line}")
            expected = [word.form for word in sentence.words]
            if words != expected:
                found, wanted = shorten(" ".join(words)), shorten(" ".join(expected))
                raise ValueError(f"{path}:{line}: found the words {found}, expected {wanted}")
            yield from ((offset + start, offset + end, label) for start, end, label in phrases)
        except ValueError as error:
            report.leave_out(PARSES, str(error))
        offset += len(sentence.words)


def parse_clusters(
    text: str, source: str, sentences: Sequence[Sequence[str]], words_source: str, report: Report
) -> dict[str, list[Mention]]:
    """Read the clusters of a document.

    text (str): The content of its file.
    source (str): What error messages call the file.
    sentences (Sequence[Sequence[str]]): The words of each sentence of the document. The file may lack a word, but not
        its row.
    words_source (str): What error messages call the file of the words.
    report (Report): Gets the brackets of mentions that are left out.
    RETURNS (dict[str, list[Mention]]): Token offsets of each cluster's mentions, by cluster.
    RAISES (ValueError): If the text is malformed, naming file and line, what was found, and what was expected.
    """
    words = [word for sentence in sentences for word in sentence]
    cells: list[str] = []
    numbers: list[int] = []  # line of each word
    ended = False
    for number, line in enumerate(text.split("\n"), start=1):
        place = f"{source}:{number}"
        if line.startswith("#"):
            ended = line.startswith(END)
        elif line:
            columns = line.split("\t")
            if len(columns) != COLUMNS:
                raise ValueError(f"{place}: found {len(columns)} columns separated by tabs, expected {COLUMNS}.")
            index, word, cell = columns
            i = len(cells)
            if index != str(i) or i == len(words) or word not in ("", words[i]):
                expected = f"word {i}, {words[i]!r}" if i < len(words) else f"`{END}`"
                found = f"word {index[:LONGEST_QUOTE]}, {shorten(word)}"
                raise ValueError(f"{place}: found {found}, expected {expected}, as in {words_source}.")
            cells.append(cell)
            numbers.append(number)
    if not ended:
        raise ValueError(f"{source}: the file ends without `{END}`. Is it complete?")
    if len(cells) < len(words):
        raise ValueError(f"{source}: found {len(cells)} words, expected {len(words)}, as in {words_source}.")
    rest = iter(cells)
    return read_coreference_column(
        [list(islice(rest, len(sentence))) for sentence in sentences], lambda i: f"{source}:{numbers[i]}", report
    )


def label_mentions(entities: Mapping[str, Sequence[Mention]]) -> set[tuple[int, int, str]]:
    """Label the mentions of GUM's entities with their types: `person-1` is a `person`, `place-2-Berlin` a `place`."""
    return {(*mention, name.partition(ENTITY_NUMBER)[0]) for name, mentions in entities.items() for mention in mentions}


def keep_first(clusters: dict[str, list[Mention]]) -> tuple[dict[str, list[Mention]], list[Mention]]:
    """Keep each span in one cluster only, the cluster whose first mention comes first.

    clusters (dict[str, list[Mention]]): Token offsets of each cluster's mentions, by cluster.
    RETURNS (tuple[dict[str, list[Mention]], list[Mention]]): The clusters, and the spans left out, as often as they
        were left out.
    """
    kept: dict[str, list[Mention]] = {}
    repeated: list[Mention] = []
    seen: set[Mention] = set()
    for name in sorted(clusters, key=lambda name: min(clusters[name])):
        kept[name] = []
        for mention in clusters[name]:
            if mention in seen:
                repeated.append(mention)
            else:
                seen.add(mention)
                kept[name].append(mention)
    return kept, repeated


def convert_ontogum(
    source: Annotated[Path, typer.Argument(help="Copy of amir-zeldes/gum")],
    out_dir: OutDir,
    singletons: Annotated[
        bool,
        typer.Option(
            "--singletons",
            help="Train on all mentions of GUM: those that OntoGUM lacks are singletons of the training documents",
        ),
    ] = False,
    types: Annotated[
        bool,
        typer.Option(
            help="Label the mentions of GUM with their types, such as person. Don't, if a pipeline learns other labels"
        ),
    ] = True,
    genre: Annotated[
        list[str] | None,
        typer.Option(help="Take only texts of this genre, such as news; may be repeated. By default all are taken"),
    ] = None,
) -> None:
    """Convert OntoGUM. Documents from Reddit are left out unless their words have been restored.

    OntoGUM marks no singletons. With --singletons its training documents have those of GUM: train with `annotation =
    "complete"` then, and `keep_singletons = false`, as dev and test stay as they are.
    """
    splits = read_ontogum_splits(source, genres=genre)
    marked = splits["train"] if singletons else ()
    read = read_ontogum(source, names=list_once(splits), singletons=marked, types=types)
    docs = {get_title(doc): doc for doc in read}
    save_docs(split_docs(docs, splits, out_dir))


FORMAT = Format(name="ontogum", title="OntoGUM", convert=convert_ontogum)
