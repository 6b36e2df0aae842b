"""PropBank EWT: semantic roles of verbs, nouns and adjectives in the English Web Treebank.

The roles come from https://github.com/propbank/propbank-release, which masks the words. The words and the splits come
from https://github.com/UniversalDependencies/UD_English-EWT.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from math import inf
from pathlib import Path, PurePosixPath
from typing import Annotated, NamedTuple

import typer
from spacy.tokens import Doc
from spacy.vocab import Vocab
from tqdm import tqdm

from ...annotation import PREDICATE_LABEL, Argument, Frame, set_constituents, set_frames, set_title
from .columns import FRAMES, PARSES, read_arguments_column, read_starred_column
from .commands import SPLITS, OutDir, save_docs
from .conllu import Word, make_doc, parse_conllu
from .files import read_text, read_texts
from .registry import Format
from .reports import DOCUMENTS, REPEATED_DOCUMENTS, Report, check_parts, list_names

PROPBANK = "propbank-release"
UD = "UD_English-EWT"
SKELETON_FOLDER = "data/google/ewt"
SKELETON_ARCHIVE = "data_google_ewt_gold_skel.tar.xz"
SKELETON_SUFFIX = ".xml.gold_skel"
NOT_ANNOTATED = 29  # number of documents of UD that propbank-release of 2022 left out
MOST_UNKNOWN = 10  # documents that either side may lack more because they are damaged
WORST_ALIGNMENT = 0.5  # cost per word; the documents of EWT cost at most half of that
SENTENCE_COLUMN, TOKEN_COLUMN, POS_COLUMN, TREE_COLUMN, ROLESET_COLUMN = 1, 2, 4, 5, 7
FRAME_COLUMNS = 8  # the first column of arguments
NOTHING = "-"
Step = tuple[int, int]
Pair = tuple[range, range]  # tokens and their words, or sentences of both sides

SENTENCE_STEPS: list[Step] = [(1, 1), (1, 2), (1, 0)]
LARGEST_GROUP = 5  # as in "A-B-1", one word and five tokens
TOKEN_STEPS: list[Step] = [
    *((1, size) for size in range(2, LARGEST_GROUP + 1)),
    *((size, 1) for size in range(2, LARGEST_GROUP + 1)),
    (1, 1),
]

# Costs, in units of one different part of speech. Splitting and joining cost so much that a few revised parts of speech
# do not shift a sentence.
GROUP_COST = 2.0
MEMBER_COST = 0.5  # for each member after the second
JOINED_PREDICATE_COST = 0.5
LINKS = frozenset({"GW", "HYPH"})  # "goes with" and hyphens belong to the token after them
STEM = 2  # number of letters that lemma and roleset of a predicate share, as in "difference" and "differ.02"


def read_ewt(source: str | Path, vocab: Vocab | None = None) -> dict[str, list[Doc]]:
    """Read PropBank EWT, the frames of propbank-release on the words of UD_English-EWT.

    source (str | Path): The folder that holds copies of both repositories, `propbank-release` (with its folder
        `data/google/ewt`, or with that folder in `data_google_ewt_gold_skel.tar.xz`) and `UD_English-EWT`.
    vocab (Vocab): Vocabulary of the documents; a new one if None.
    RETURNS (dict[str, list[Doc]]): Documents by split, `train`, `dev` and `test`, in UD's order, without those that
        PropBank does not annotate: words with their spacing, lemmas and parts of speech, sentence starts, frames with
        rolesets, and the phrases of the treebank as constituents; the title is "GENRE/NAME".
    RAISES (FileNotFoundError): If a file is missing, naming it.
    RAISES (ValueError): If the two repositories don't have the same documents, or no document can be read.
    WARNS: Once, counting what is left out: documents that can't be read or do not align; frames, arguments and parses
        that can't be read; parts of speech that spaCy does not know. Documents in two splits are kept in both.
    """
    source = Path(source)
    vocab = Vocab() if vocab is None else vocab
    report = Report()
    read = {split: _read_words(source / UD / f"en_ewt-ud-{split}.conllu", report) for split in SPLITS}
    splits = check_parts({split: list(documents) for split, (documents, _) in read.items()}, source / UD, report)
    skeletons = _read_skeletons(source / PROPBANK, report)
    _check_documents({name for names in read.values() for part in names for name in part}, skeletons, report)
    docs: dict[str, list[Doc]] = {}
    for split, names in splits.items():
        docs[split] = []
        annotated = [name for name in names if name in skeletons]
        for name in tqdm(annotated, desc=f"EWT {split}", unit=" documents", leave=False, disable=None):
            try:
                docs[split].append(
                    _make_doc(name, parse_skeletons(*skeletons[name], report), read[split][0][name], vocab)
                )
            except ValueError as error:
                report.leave_out(DOCUMENTS, str(error))
    report.require([doc for part in docs.values() for doc in part], source)
    report.warn()
    return docs


def _read_words(path: Path, report: Report) -> tuple[dict[str, list[list[Word]]], set[str]]:
    """The sentences of the documents of one split, by "GENRE/NAME", and the names of those that can't be read."""
    cure = f"Expected a copy of https://github.com/UniversalDependencies/{UD} in {path.parent.parent}."
    documents, unreadable = parse_conllu(read_text(path, cure), str(path), report)
    for message in unreadable.values():
        report.leave_out(DOCUMENTS, message)
    words = {_change_name(name): [sentence.words for sentence in documents[name]] for name in documents}
    return words, {_change_name(name) for name in unreadable if name}


def _change_name(name: str) -> str:
    """The name "GENRE/NAME" of a document that UD calls GENRE-NAME."""
    return name.replace("-", "/", 1)


def _read_skeletons(propbank: Path, report: Report) -> dict[str, tuple[str, str]]:
    """The content and the path of the skeleton files, by "GENRE/NAME"."""
    cure = f"Expected a copy of https://github.com/propbank/{PROPBANK} in {propbank.parent}."
    texts = read_texts(propbank / SKELETON_FOLDER, propbank / SKELETON_ARCHIVE, SKELETON_SUFFIX, cure, report)
    skeletons: dict[str, tuple[str, str]] = {}
    for path, text in texts.items():
        _, first = skeletons.setdefault(_document_name(path), (text, path))
        if first != path:
            report.leave_out(REPEATED_DOCUMENTS, f"{path}: as {first}.")
    return skeletons


def _document_name(path: str) -> str:
    """The name "GENRE/NAME" of the document in a file GENRE/00/NAME.xml.gold_skel."""
    genre, _, name = PurePosixPath(path).parts[-3:]
    return f"{genre}/{name.removesuffix(SKELETON_SUFFIX)}"


def _check_documents(names: set[str], skeletons: dict[str, tuple[str, str]], report: Report) -> None:
    unknown = [
        f"{path}: {UD} has no document {name!r}, expected each document in both."
        for name, (_, path) in skeletons.items()
        if name not in names
    ]
    if len(unknown) > MOST_UNKNOWN:
        raise ValueError(f"{unknown[0]} The same holds for {len(unknown) - 1:,} others. Is the copy complete?")
    for message in unknown:
        report.leave_out(DOCUMENTS, message)
    missing = sorted(names - skeletons.keys())
    found = f"{PROPBANK}: {len(missing):,} documents of {UD} have no {SKELETON_SUFFIX} file"
    expected = f"expected at most {NOT_ANNOTATED}. Is the copy complete?"
    if len(missing) > NOT_ANNOTATED + MOST_UNKNOWN:
        raise ValueError(f"{found}, such as {missing[0]!r}; {expected}")
    if len(missing) > NOT_ANNOTATED:
        report.leave_out(DOCUMENTS, f"{found}: {list_names(missing)}; {expected}")


def _make_doc(name: str, skeletons: Sequence[Skeleton], sentences: Sequence[Sequence[Word]], vocab: Vocab) -> Doc:
    aligned = _align_document(name, skeletons, sentences)
    doc = make_doc([sentence for _, sentence, _ in aligned], vocab)
    offset = 0  # of the sentence in the document
    constituents: list[tuple[int, int, str]] = []
    frames: list[Frame] = []
    for skeleton, sentence, pairs in aligned:
        starts = [offset + members.start for tokens, members in pairs for _ in tokens]
        ends = [offset + members.stop for tokens, members in pairs for _ in tokens]
        constituents += [(starts[start], ends[end - 1], label) for start, end, label in skeleton.constituents]
        for frame in skeleton.frames:
            arguments = [Argument(starts[start], ends[end - 1], role) for start, end, role in frame.arguments]
            frames.append(Frame(starts[frame.start], ends[frame.end - 1], arguments, frame.roleset))
        offset += len(sentence)
    set_title(doc, name)
    set_constituents(doc, constituents)
    set_frames(doc, frames)
    return doc


def _align_document(
    name: str, skeletons: Sequence[Skeleton], sentences: Sequence[Sequence[Word]]
) -> list[tuple[Skeleton, list[Word], list[Pair]]]:
    """The sentences of a document: skeleton, words, and the alignment of their tokens."""
    aligned = []
    cost = 0.0
    for rows, columns in align_sentences(skeletons, sentences):
        words = [word for column in columns for word in sentences[column]]
        if words:
            pairs, sentence_cost = align_tokens(skeletons[rows.start], words)
            cost += sentence_cost
            aligned.append((skeletons[rows.start], words, pairs))
    if not aligned or cost > WORST_ALIGNMENT * sum(len(words) for _, words, _ in aligned):
        found = f"its {len(skeletons)} sentences in {PROPBANK} do not fit its {len(sentences)} in {UD}"
        raise ValueError(f"document {name!r}: {found}. Expected both as released, with all sentences.")
    return aligned


class Skeleton(NamedTuple):
    """A sentence without its words.

    tags (list[str]): Part of speech of each token.
    rolesets (list[str | None]): Roleset of each token that is a predicate.
    constituents (list[tuple[int, int, str]]): Start, end (exclusive) and label of each phrase, outer ones first.
    frames (list[Frame]): Predicates with their arguments, in offsets of tokens.
    """

    tags: list[str]
    rolesets: list[str | None]
    constituents: list[tuple[int, int, str]]
    frames: list[Frame]


def parse_skeletons(text: str, source: str, report: Report) -> list[Skeleton]:
    """Read the sentences of a `gold_skel` file.

    text (str): The content of the file: one row per token, columns separated by blanks, an empty line after each
        sentence.
    source (str): What error messages call the file.
    report (Report): Gets the arguments, frames and parses that are left out because they can't be read.
    RETURNS (list[Skeleton]): The sentences, in order. A frame that is listed for two tokens of its predicate, with
        the same arguments, is kept once.
    RAISES (ValueError): If the text is malformed, naming file and line, what was found, and what was expected.
    """
    return [
        _parse_sentence(rows, index, source, first_line, report)
        for index, (first_line, rows) in enumerate(_split_sentences(text))
    ]


def _split_sentences(text: str) -> Iterator[tuple[int, list[list[str]]]]:
    """The number of the first line of each sentence, and its rows."""
    rows: list[list[str]] = []
    for number, line in enumerate([*text.split("\n"), ""], start=1):
        columns = line.split()
        if columns:
            rows.append(columns)
        elif rows:
            yield number - len(rows), rows
            rows = []


def _parse_sentence(rows: list[list[str]], index: int, source: str, first_line: int, report: Report) -> Skeleton:
    def place(token: int) -> str:
        return f"{source}:{first_line + token}"

    width = max(len(rows[0]), FRAME_COLUMNS)
    for i, row in enumerate(rows):
        if len(row) != width:
            raise ValueError(f"{place(i)}: found {len(row)} columns, expected {width}.")
        if row[SENTENCE_COLUMN] != str(index) or row[TOKEN_COLUMN] != str(i):
            found = f"sentence {row[SENTENCE_COLUMN]}, token {row[TOKEN_COLUMN]}"
            raise ValueError(f"{place(i)}: found {found}, expected sentence {index}, token {i}. Is the file complete?")
    columns = list(zip(*rows, strict=True))
    rolesets = [None if cell == NOTHING else cell for cell in columns[ROLESET_COLUMN]]
    senses = [(i, roleset) for i, roleset in enumerate(rolesets) if roleset is not None]
    if len(senses) != width - FRAME_COLUMNS:
        found = f"{len(senses)} rolesets and {width - FRAME_COLUMNS} columns of arguments"
        raise ValueError(f"{place(0)}: the sentence that starts here has {found}, expected the same number of both.")
    frames: list[Frame] = []
    for (i, roleset), cells in zip(senses, columns[FRAME_COLUMNS:], strict=True):
        spans = read_arguments_column(cells, place, report)
        predicates = [(start, end) for start, end, label in spans if label == PREDICATE_LABEL]
        if len(predicates) != 1:
            found = f"{len(predicates)} spans `({PREDICATE_LABEL}*)` in the column of {roleset}"
            report.leave_out(FRAMES, f"{place(i)}: found {found}, expected one.")
            continue
        frame = Frame(*predicates[0], [Argument(*span) for span in spans if span[2] != PREDICATE_LABEL], roleset)
        if frame not in frames:
            frames.append(frame)
    try:
        constituents = read_starred_column(columns[TREE_COLUMN], place)
    except ValueError as error:
        report.leave_out(PARSES, str(error))
        constituents = []
    return Skeleton(list(columns[POS_COLUMN]), rolesets, constituents, frames)


def align_sentences(skeletons: Sequence[Skeleton], sentences: Sequence[Sequence[Word]]) -> list[Pair]:
    """Align the sentences of a document: each of the treebank is one or two of UD, or none if it has no predicate.

    skeletons (Sequence[Skeleton]): The sentences of the treebank.
    sentences (Sequence[Sequence[Word]]): The sentences of UD.
    RETURNS (list[Pair]): Skeletons and their sentences; empty if there is no such alignment.
    """
    if len(skeletons) == len(sentences):
        return [(range(i, i + 1), range(i, i + 1)) for i in range(len(skeletons))]

    def cost(rows: range, columns: range) -> float:
        if not columns and skeletons[rows.start].frames:
            return inf
        tags = Counter(skeletons[rows.start].tags)
        others = Counter(word.tag for j in columns for word in sentences[j])
        return ((tags - others) + (others - tags)).total()

    pairs, total = _align(len(skeletons), len(sentences), SENTENCE_STEPS, cost)
    return pairs if total < inf else []


def align_tokens(skeleton: Skeleton, words: Sequence[Word]) -> tuple[list[Pair], float]:
    """Align the tokens of a sentence with its words: one to one, one to many or many to one.

    skeleton (Skeleton): The sentence of the treebank.
    words (Sequence[Word]): The words of UD.
    RETURNS (tuple[list[Pair], float]): Tokens and their words; the cost of the alignment, infinity if there is none.
    """

    def cost(tokens: range, members: range) -> float:
        return _token_cost(skeleton, words, tokens, members)

    if len(skeleton.tags) == len(words):
        pairs = [(range(i, i + 1), range(i, i + 1)) for i in range(len(words))]
        total = sum(cost(*pair) for pair in pairs)
        if total <= 2 * GROUP_COST:  # any other alignment splits a token and joins others
            return pairs, total
    return _align(len(skeleton.tags), len(words), TOKEN_STEPS, cost)


def _token_cost(skeleton: Skeleton, words: Sequence[Word], tokens: range, members: range) -> float:
    """The cost of aligning these tokens with these words."""
    distances = [_tag_distance(skeleton.tags[i], words[j].tag) for i in tokens for j in members]
    cost = sum(distances) / len(distances)
    rolesets = [roleset for i in tokens if (roleset := skeleton.rolesets[i]) is not None]
    cost += sum(not any(_share_stem(roleset, words[j].lemma) for j in members) for roleset in rolesets)
    size = max(len(tokens), len(members))
    if size > 1:
        cost += GROUP_COST + MEMBER_COST * (size - 2)
        cost += sum(words[j].space for j in members[:-1])
        cost += skeleton.tags[tokens[-1]] in LINKS
    if len(tokens) > 1:
        cost += JOINED_PREDICATE_COST * len(rolesets)
    return cost


def _tag_distance(tag: str, other: str) -> float:
    """0 for the same part of speech, 0.5 for the same family, such as NN and NNPS, and 1 for any other."""
    return 0.0 if tag == other else 0.5 if tag[:2] == other[:2] else 1.0


def _share_stem(roleset: str, lemma: str) -> bool:
    return roleset[:STEM].lower() == lemma[:STEM].lower()


def _align(
    rows: int, columns: int, steps: Sequence[Step], cost: Callable[[range, range], float]
) -> tuple[list[Pair], float]:
    """The cheapest path from (0, 0) to (rows, columns), and its cost; infinity if there is no path."""
    best: dict[tuple[int, int], tuple[float, Step]] = {(rows, columns): (0.0, (0, 0))}  # cost to the end, next step
    for i in range(rows, -1, -1):
        for j in range(columns, -1, -1):
            options = [
                (cost(range(i, i + down), range(j, j + right)) + best[i + down, j + right][0], (down, right))
                for down, right in steps
                if (i + down, j + right) in best
            ]
            if options:
                best[i, j] = min(options, key=lambda option: option[0])
    if (0, 0) not in best:
        return [], inf
    pairs = []
    i = j = 0
    while (i, j) != (rows, columns):
        down, right = best[i, j][1]
        pairs.append((range(i, i + down), range(j, j + right)))
        i, j = i + down, j + right
    return pairs, best[0, 0][0]


def convert_ewt(
    source: Annotated[
        Path,
        typer.Argument(help="Folder with copies of propbank/propbank-release and UniversalDependencies/UD_English-EWT"),
    ],
    out_dir: OutDir,
) -> None:
    """Convert PropBank EWT, semantic roles in the English Web Treebank."""
    save_docs({out_dir / f"{split}.spacy": docs for split, docs in read_ewt(source).items()})


FORMAT = Format(name="ewt", title="PropBank EWT", convert=convert_ewt)
