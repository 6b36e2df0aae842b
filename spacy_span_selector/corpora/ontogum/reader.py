"""OntoGUM: coreference in the scheme of OntoNotes, without singletons, in texts of sixteen genres.

All of it comes from https://github.com/amir-zeldes/gum (Zhu, Pradhan and Zeldes 2021): words, sentences and speakers
from `coref/ontogum/conllu`, clusters from `coref/ontogum/conll`, constituents from `const`, splits from `splits.md`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from spacy.tokens import Doc
from spacy.vocab import Vocab
from tqdm import tqdm

from ...annotation import set_clusters, set_constituents, set_speakers, set_title
from ..conllu import Sentence, make_doc, parse_conllu
from ..files import read_text, read_texts
from ..left_out import warn_left_out
from ..penn_trees import parse_tree, split_trees
from ..turns import find_turns
from .clusters import keep_first, parse_clusters

CONLL_FOLDER = Path("coref/ontogum/conll")
CONLLU_FOLDER = Path("coref/ontogum/conllu")
CONLLU_ARCHIVE = Path("coref/ontogum/conllu.tar.xz")
TREES_FOLDER = Path("const")
SPLITS_FILE = "splits.md"
SPLITS = ("train", "dev", "test")
HEADING = re.compile(r"## (?P<split>\w+)")
ITEM = re.compile(r"\s*\* (?P<name>\w+)")
CURE = "Expected a copy of https://github.com/amir-zeldes/gum."
REDDIT = "GUM_reddit_"
MASKED = re.compile(r"^# text = [_ ]+$", re.MULTILINE)


class Lost(NamedTuple):
    """Messages about what was left out."""

    documents: list[str]
    mentions: list[str]
    parses: list[str]


def read_ontogum(source: str | Path, vocab: Vocab | None = None, *, names: Sequence[str] | None = None) -> list[Doc]:
    """Read documents of OntoGUM.

    A span in two clusters is kept in the cluster whose first mention comes first. Documents from Reddit, whose words
    the repository withholds, are left out unless its `get_text.py` has restored them.

    source (str | Path): A copy of the repository: the folder that holds `coref/ontogum`, with the words in
        `coref/ontogum/conllu` or packed in `coref/ontogum/conllu.tar.xz`.
    vocab (Vocab): Vocabulary of the documents; a new one if None.
    names (Sequence[str]): Documents to read, in this order; by default train, dev and test.
    RETURNS (list[Doc]): Documents with words, spaces, lemmas, parts of speech, sentence starts, clusters with the names
        of the corpus, speaker turns where they are known, and constituents from automatic parses, without functions;
        the title is the document's name, such as `GUM_academic_art`, whose second part is the genre.
    RAISES (FileNotFoundError): If a folder is missing, naming it.
    RAISES (ValueError): If no document can be read, saying why.
    WARNS: Once for each kind, counting what is left out: documents that can't be read, spans in a second cluster,
        parses that can't be read or don't have the words of their sentence.
    """
    source = Path(source)
    vocab = Vocab() if vocab is None else vocab
    if names is None:
        names = [name for split in read_ontogum_splits(source).values() for name in split]
    for folder in (CONLL_FOLDER, TREES_FOLDER):
        if not (source / folder).is_dir():
            raise FileNotFoundError(f"{source / folder}: no such folder. {CURE}")
    texts = read_texts(source / CONLLU_FOLDER, source / CONLLU_ARCHIVE, ".conllu", CURE)
    paths = {PurePosixPath(path).stem: path for path in texts}
    lost = Lost([], [], [])
    docs: list[Doc] = []
    for name in tqdm(names, desc="OntoGUM", unit=" documents", leave=False, disable=None):
        path = paths.get(name, f"{(source / CONLLU_FOLDER).as_posix()}/{name}.conllu")
        text = texts.get(path)
        if name.startswith(REDDIT) and (text is None or MASKED.search(text)):
            continue
        try:
            if text is None:
                raise FileNotFoundError(f"{path}: no such file. {CURE}")
            docs.append(_make_doc(source, name, _parse_words(text, name, path), path, vocab, lost))
        except (OSError, ValueError) as error:
            lost.documents.append(str(error))
    if names and not docs:
        raise ValueError(
            f"{source}: found no document that can be read. {lost.documents[0] if lost.documents else CURE}"
        )
    warn_left_out("documents that can't be read", lost.documents)
    warn_left_out("spans in a second cluster", lost.mentions)
    warn_left_out("parses that can't be read or don't have the words of their sentence", lost.parses)
    return docs


def read_ontogum_splits(source: str | Path) -> dict[str, list[str]]:
    """The names of the documents of each split. The split `test2`, which is the corpus GENTLE, is left out.

    source (str | Path): A copy of the repository: the folder that holds `splits.md`.
    RETURNS (dict[str, list[str]]): Names of documents by split, `train`, `dev` and `test`, also of those from Reddit.
    RAISES (FileNotFoundError): If the file is missing, naming it.
    RAISES (ValueError): If the file lacks a split, naming both.
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
    return splits


def _parse_words(text: str, name: str, path: str) -> list[Sentence]:
    documents = parse_conllu(text, path)
    if name not in documents:
        raise ValueError(f"{path}: found the documents {list(documents)}, expected {name!r}.")
    return documents[name]


def _make_doc(source: Path, name: str, sentences: list[Sentence], path: str, vocab: Vocab, lost: Lost) -> Doc:
    doc = make_doc([sentence.words for sentence in sentences], vocab)
    set_title(doc, name)
    conll = source / CONLL_FOLDER / f"{name}.conll"
    text = read_text(conll, CURE)
    clusters, repeated = keep_first(parse_clusters(text, str(conll), [token.text for token in doc], path))
    lost.mentions.extend(f"{name}, word {start + 1}, {doc[start:end].text!r}" for start, end in repeated)
    set_clusters(doc, list(clusters.values()), names=list(clusters))
    turns = find_turns([sentence.comments.get("speaker") for sentence in sentences for _ in sentence.words])
    if turns:
        set_speakers(doc, turns)
    set_constituents(doc, list(_read_constituents(source / TREES_FOLDER / f"{name}.ptb", sentences, lost)))
    return doc


def _read_constituents(path: Path, sentences: Sequence[Sentence], lost: Lost) -> Iterable[tuple[int, int, str]]:
    trees = list(split_trees(read_text(path))) if path.is_file() else []
    if len(trees) != len(sentences):
        lost.parses.extend([f"{path}: found {len(trees)} trees, expected {len(sentences)}"] * len(sentences))
        return
    offset = 0
    for (line, tree), sentence in zip(trees, sentences, strict=True):
        try:
            words, phrases = parse_tree(tree, f"{path}:{line}")
            expected = [word.form for word in sentence.words]
            if words != expected:
                raise ValueError(f"{path}:{line}: found the words {' '.join(words)!r}, expected {' '.join(expected)!r}")
            yield from ((offset + start, offset + end, label) for start, end, label in phrases)
        except ValueError as error:
            lost.parses.append(str(error))
        offset += len(sentence.words)
