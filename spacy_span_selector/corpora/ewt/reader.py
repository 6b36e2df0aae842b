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
from .alignment import Pair, align_sentences, align_tokens
from .skeleton import Skeleton, parse_skeletons

PROPBANK = "propbank-release"
UD = "UD_English-EWT"
SKELETON_FOLDER = "data/google/ewt"
SKELETON_ARCHIVE = "data_google_ewt_gold_skel.tar.xz"
SKELETON_SUFFIX = ".xml.gold_skel"
SPLITS = ("train", "dev", "test")
NOT_ANNOTATED = 29  # number of documents of UD that propbank-release of 2022 left out
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
    RAISES (ValueError): If a file is malformed or a document does not align, naming file and line or the document, what
        was found, and what was expected.
    """
    source = Path(source)
    vocab = Vocab() if vocab is None else vocab
    splits = {split: _read_words(source / UD / f"en_ewt-ud-{split}.conllu") for split in SPLITS}
    skeletons = _read_skeletons(source / PROPBANK)
    _check_documents({name for documents in splits.values() for name in documents}, skeletons)
    docs: dict[str, list[Doc]] = {}
    for split, documents in splits.items():
        annotated = [name for name in documents if name in skeletons]
        docs[split] = [
            _make_doc(name, parse_skeletons(*skeletons[name]), documents[name], vocab)
            for name in tqdm(annotated, desc=f"EWT {split}", unit=" documents", leave=False, disable=None)
        ]
    return docs


def _read_words(path: Path) -> dict[str, list[list[Word]]]:
    """The sentences of the documents of one split, by "GENRE/NAME"."""
    cure = f"Expected a copy of https://github.com/UniversalDependencies/{UD} in {path.parent.parent}."
    documents = parse_conllu(read_text(path, cure), str(path))
    return {
        name.replace("-", "/", 1): [sentence.words for sentence in sentences] for name, sentences in documents.items()
    }


def _read_skeletons(propbank: Path) -> dict[str, tuple[str, str]]:
    """The content and the path of the skeleton files, by "GENRE/NAME"."""
    cure = f"Expected a copy of https://github.com/propbank/{PROPBANK} in {propbank.parent}."
    texts = read_texts(propbank / SKELETON_FOLDER, propbank / SKELETON_ARCHIVE, SKELETON_SUFFIX, cure)
    return {_document_name(path): (text, path) for path, text in texts.items()}


def _document_name(path: str) -> str:
    """The name "GENRE/NAME" of the document in a file GENRE/00/NAME.xml.gold_skel."""
    genre, _, name = PurePosixPath(path).parts[-3:]
    return f"{genre}/{name.removesuffix(SKELETON_SUFFIX)}"


def _check_documents(names: set[str], skeletons: dict[str, tuple[str, str]]) -> None:
    unknown = [name for name in skeletons if name not in names]
    if unknown:
        path = skeletons[unknown[0]][1]
        raise ValueError(f"{path}: {UD} has no document {unknown[0]!r}, expected each document in both.")
    missing = sorted(names - skeletons.keys())
    if len(missing) > NOT_ANNOTATED:
        found = f"{len(missing):,} documents of {UD} have no {SKELETON_SUFFIX} file, such as {missing[0]!r}"
        raise ValueError(f"{PROPBANK}: {found}; expected at most {NOT_ANNOTATED}. Is the copy complete?")


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
