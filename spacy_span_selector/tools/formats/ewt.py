"""PropBank EWT: semantic roles of verbs, nouns and adjectives in the English Web Treebank.

The roles come from https://github.com/propbank/propbank-release, which masks the words. The words and the splits come
from https://github.com/UniversalDependencies/UD_English-EWT. `project.yml` pins both: what does not fit is an error.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from operator import itemgetter, ne
from pathlib import Path, PurePosixPath
from typing import Annotated

import typer
from spacy.tokens import Doc
from spacy.vocab import Vocab

from ...annotation import PREDICATE_LABEL, Argument, Frame, set_constituents, set_frames
from .columns import EMPTY_CELL, read_starred_column, split_blocks
from .commands import SPLITS, OutDir, save_docs
from .conllu import Sentence, Word, make_doc, parse_all
from .files import read_text, read_texts
from .registry import Format
from .reports import Report, check_counts

PROPBANK, UD = "propbank-release", "UD_English-EWT"
CURE = f"Expected copies of https://github.com/propbank/{PROPBANK} and https://github.com/UniversalDependencies/{UD}."
COUNTS = (1_145, 254_552)
SKELETON_FOLDER, SKELETON_ARCHIVE = "data/google/ewt", "data_google_ewt_gold_skel.tar.xz"
SKELETON_SUFFIX = ".xml.gold_skel"
POS_COLUMN, TREE_COLUMN, ROLESET_COLUMN, FIRST_FRAME = 4, 5, 7, 8
SPLIT_SENTENCES = {"reviews-275919": 9}  # UD has two in place of this one

STEPS = [(1, 2), (1, 3), (2, 1), (3, 1), (4, 1), (5, 1), (1, 1)]  # how many tokens may be how many words
GROUP_COST = 2.0  # as much as two other parts of speech, so that a few revised ones do not shift a sentence
LINKS = frozenset({"GW", "HYPH"})  # "goes with" and hyphens belong to the token after them


def read_ewt(source: str | Path, vocab: Vocab | None = None) -> dict[str, list[Doc]]:
    """Read the documents of train, dev and test that PropBank annotates, in UD's order, with titles "GENRE/NAME".

    source (str | Path): The folder that holds copies of both repositories, `propbank-release` and `UD_English-EWT`.
        Of the former, `data/google/ewt` may be packed as `data_google_ewt_gold_skel.tar.xz`.
    """
    propbank, ud = Path(source) / PROPBANK, Path(source) / UD
    vocab = Vocab() if vocab is None else vocab
    report = Report()
    texts = read_texts(propbank / SKELETON_FOLDER, propbank / SKELETON_ARCHIVE, SKELETON_SUFFIX, CURE)
    files = map(PurePosixPath, texts)  # GENRE/00/NAME.xml.gold_skel, which is GENRE-NAME in UD
    paths = {f"{file.parts[-3]}-{file.name.removesuffix(SKELETON_SUFFIX)}": str(file) for file in files}
    docs: dict[str, list[Doc]] = {}
    for split in SPLITS:
        path = ud / f"en_ewt-ud-{split}.conllu"
        documents = parse_all(read_text(path, CURE), str(path), report)
        annotated = [name for name in documents if name in paths]
        docs[split] = [_make_doc(name, paths[name], texts[paths[name]], documents[name], vocab) for name in annotated]
    report.warn()
    check_counts(source, [*chain(*docs.values())], COUNTS, CURE)
    return docs


def _make_doc(name: str, path: str, text: str, parsed: Sequence[Sentence], vocab: Vocab) -> Doc:
    sentences = [*parsed]
    if name in SPLIT_SENTENCES:
        first = SPLIT_SENTENCES[name]
        before, after = sentences[first : first + 2]
        sentences[first : first + 2] = [before._replace(words=before.words + after.words)]
    doc = make_doc(name.replace("-", "/", 1), sentences, vocab)
    offset = 0  # of the sentence in the document
    constituents: list[tuple[int, int, str]] = []
    frames: list[Frame] = []
    # UD lacks the last sentence of email-enronsent26_02.
    for rows, (words, *_) in zip(split_blocks(text, path), sentences, strict=False):
        place = [place for place, _ in rows].__getitem__
        columns = list(zip(*(line.split() for _, line in rows), strict=True))
        members = align_tokens(columns[POS_COLUMN], words)
        starts, ends = [offset + word.start for word in members], [offset + word.stop for word in members]
        for start, end, label in read_starred_column(columns[TREE_COLUMN], place):
            constituents.append((starts[start], ends[end - 1], label))
        rolesets = [cell for cell in columns[ROLESET_COLUMN] if cell != EMPTY_CELL]
        for roleset, cells in zip(rolesets, columns[FIRST_FRAME:], strict=True):
            spans = read_starred_column(cells, place)
            arguments = [Argument(starts[start], ends[end - 1], role) for start, end, role in spans]
            (predicate,) = (argument for argument in arguments if argument.role == PREDICATE_LABEL)
            arguments.remove(predicate)
            frame = Frame(predicate.start, predicate.end, arguments, roleset)
            if frame not in frames:  # three are listed for two tokens of their predicate
                frames.append(frame)
        offset += len(words)
    set_constituents(doc, constituents)
    set_frames(doc, frames)
    return doc


def align_tokens(tags: Sequence[str], words: Sequence[Word]) -> list[range]:
    """The words of each token of a sentence: tokens and words are aligned one to one, one to many or many to one."""
    # Any other alignment of as many words splits a token and joins others.
    if len(tags) == len(words) and sum(map(ne, tags, (word.tag for word in words))) <= 2 * GROUP_COST:
        return [range(i, i + 1) for i in range(len(words))]
    # For tokens and words from these places on: the least cost, and the words of these tokens.
    best: dict[tuple[int, int], tuple[float, list[range]]] = {(len(tags), len(words)): (0.0, [])}
    for i in range(len(tags), -1, -1):
        for j in range(len(words), -1, -1):
            options = [
                (_group_cost(tags[i:m], words[j:n]) + best[m, n][0], [*[range(j, n)] * (m - i), *best[m, n][1]])
                for m, n in ((i + n_tokens, j + n_words) for n_tokens, n_words in STEPS)
                if (m, n) in best
            ]
            if options:
                best[i, j] = min(options, key=itemgetter(0))
    return best[0, 0][1]


def _group_cost(tags: Sequence[str], words: Sequence[Word]) -> float:
    """The cost of aligning these tokens with these words, in units of one different part of speech."""
    cost = sum(tag != word.tag for tag in tags for word in words) / (len(tags) * len(words))
    if len(tags) == len(words):
        return cost
    return cost + GROUP_COST + sum(word.space for word in words[:-1]) + (tags[-1] in LINKS)


def convert_ewt(
    source: Annotated[Path, typer.Argument(help="Folder with copies of propbank-release and UD_English-EWT")],
    out_dir: OutDir,
) -> None:
    """Convert PropBank EWT, semantic roles in the English Web Treebank."""
    save_docs({out_dir / f"{split}.spacy": docs for split, docs in read_ewt(source).items()})


FORMAT = Format(name="ewt", title="PropBank EWT", convert=convert_ewt)
