"""PropBank EWT: semantic roles of verbs, nouns and adjectives in the English Web Treebank.

The roles come from https://github.com/propbank/propbank-release, which masks the words. The words and the splits come
from https://github.com/UniversalDependencies/UD_English-EWT.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from spacy.tokens import Doc
from spacy.vocab import Vocab
from tqdm import tqdm

from ...annotation import Argument, Frame, set_constituents, set_frames, set_title
from ..conllu import Word, make_doc, parse_conllu
from ..files import read_text, read_texts
from ..left_out import DOCUMENTS, Report, list_names
from ..repeated import REPEATED, check_parts
from .alignment import Pair, align_sentences, align_tokens
from .skeleton import Skeleton, parse_skeletons

PROPBANK = "propbank-release"
UD = "UD_English-EWT"
SKELETON_FOLDER = "data/google/ewt"
SKELETON_ARCHIVE = "data_google_ewt_gold_skel.tar.xz"
SKELETON_SUFFIX = ".xml.gold_skel"
SPLITS = ("train", "dev", "test")
NOT_ANNOTATED = 29  # number of documents of UD that propbank-release of 2022 left out
MOST_UNKNOWN = 10  # documents that either side may lack more because they are damaged
WORST_ALIGNMENT = 0.5  # cost per word; the documents of EWT cost at most half of that


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
            report.leave_out(REPEATED, f"{path}: as {first}.")
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
