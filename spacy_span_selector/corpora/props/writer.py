"""Documents to CoNLL-2005 props, which the official scorer `srl-eval.pl` compares: the inverse of the reader."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from spacy.tokens import Doc, Span

from ...annotation import PREDICATE_LABEL, Argument, Frame, describe_doc, get_frames, get_sentences
from ...documents.speaker_markers import remove_speaker_markers
from ..left_out import list_names
from ..starred_column import WRITABLE_LABEL, write_starred_column
from ..writable import check_writable
from .reader import NO_PREDICATE, SENSE

PROPBANK_ROLE = re.compile(r"^((?:[CR]-)*)ARG(?=[0-9AM])")
PLACEHOLDER = "_"


def write_props(docs: Iterable[Doc], *, rolesets: bool = False) -> str:
    """Write the frames of documents as props.

    docs (Iterable[Doc]): Documents with frames. A document without sentence boundaries becomes one sentence. Speaker
        markers are left out.
    rolesets (bool): Whether the first column has the roleset of a predicate where it is known, which `read_props`
        reads back. By default it has the predicate's first word in lower case, which is the same for gold and
        predicted documents: the official scorer counts all arguments of a predicate as missed if the first columns
        differ.
    RETURNS (str): The text of a props file, with CoNLL-2005's names of roles: `A0` for `ARG0`. The entry in the first
        column is at the first token of the predicate.
    RAISES (ValueError): If a document has a character that no text file can hold, naming it.
    WARNS: Once, counting what the format cannot hold and is left out: all frames but the first of those whose
        predicates start at the same token; predicates without tokens or across a sentence boundary; arguments without
        tokens, outside the sentence, or overlapping their predicate or an argument that starts earlier; roles that are
        not one word without brackets and stars; rolesets that `read_props` does not know as such.
    """
    sentences: list[str] = []
    n_frames = n_arguments = n_rolesets = 0
    incomplete: list[str] = []
    for doc in map(remove_speaker_markers, docs):
        frames, lost_frames, lost_arguments = _writable_frames(doc)
        written = [_write_sentence(sentence, frames, rolesets) for sentence in _sentences(doc)]
        sentences.append(check_writable(doc, "".join(written)))
        n_frames += lost_frames
        n_arguments += lost_arguments
        unnamed = [frame for frame in frames.values() if rolesets and frame.roleset and not _is_sense(frame.roleset)]
        n_rolesets += len(unnamed)
        if lost_frames or lost_arguments or unnamed:
            incomplete.append(describe_doc(doc))
    if incomplete:
        warnings.warn(
            f"{n_frames} frame(s) and {n_arguments} argument(s) left out of the props, and {n_rolesets} roleset(s): "
            "they cannot show two predicates that start at one token, overlapping arguments of one predicate, anything "
            "that leaves its sentence, roles of several words or with brackets or stars, or rolesets unlike `give.01` "
            f"({list_names(incomplete)}).",
            stacklevel=2,
        )
    return "".join(sentences)


def write_words(docs: Iterable[Doc]) -> str:
    """Write the words of documents, one per line with blank lines between sentences: the file that props belong to.

    docs (Iterable[Doc]): The documents that `write_props` is given.
    RETURNS (str): The text of a words file. White space inside a word becomes `_`, as does a word of white space.
    RAISES (ValueError): If a document has a character that no text file can hold, naming it.
    WARNS: Once, counting these words.
    """
    texts: list[str] = []
    changed: Counter[str] = Counter()
    for doc in map(remove_speaker_markers, docs):
        sentences = [[_one_word(token.text) for token in sentence] for sentence in _sentences(doc)]
        texts.append(check_writable(doc, "".join("\n".join(words) + "\n\n" for words in sentences)))
        if number := sum(_one_word(token.text) != token.text for token in doc):
            changed[describe_doc(doc)] += number
    if changed:
        found = f"Wrote `{PLACEHOLDER}` for white space in {changed.total()} word(s)"
        warnings.warn(f"{found} ({list_names(changed)}).", stacklevel=2)
    return "".join(texts)


def to_conll_role(role: str) -> str:
    """The name of a PropBank role in CoNLL-2005: `A0` for `ARG0`, `R-AM-TMP` for `R-ARGM-TMP`; other names stay."""
    return PROPBANK_ROLE.sub(r"\1A", role)


def _sentences(doc: Doc) -> Iterator[Span]:
    if len(doc):
        yield from get_sentences(doc)


def _writable_frames(doc: Doc) -> tuple[dict[int, Frame], int, int]:
    """The frames that can be written, by first token, and the numbers of frames and of arguments left out."""
    sentence_of = {token.i: sentence for sentence in _sentences(doc) for token in sentence}
    writable: dict[int, Frame] = {}
    lost_frames = lost_arguments = 0
    for frame in get_frames(doc):
        sentence = sentence_of.get(frame.start)  # None for a predicate without tokens at the end
        if sentence is None or frame.start in writable or not frame.start < frame.end <= sentence.end:
            lost_frames += 1
            continue
        arguments: list[Argument] = []
        for argument in sorted(frame.arguments):
            inside = sentence.start <= argument.start < argument.end <= sentence.end
            taken = [frame[:2], *(other[:2] for other in arguments)]
            apart = all(argument.end <= start or end <= argument.start for start, end in taken)
            if inside and apart and WRITABLE_LABEL.fullmatch(argument.role):
                arguments.append(argument)
        lost_arguments += len(frame.arguments) - len(arguments)
        writable[frame.start] = frame._replace(arguments=arguments)
    return writable, lost_frames, lost_arguments


def _write_sentence(sentence: Span, frames: Mapping[int, Frame], rolesets: bool) -> str:
    columns = [[NO_PREDICATE] * len(sentence)]
    for token in sentence:
        if token.i in frames:
            frame = frames[token.i]
            columns[0][token.i - sentence.start] = _name_predicate(frame, token.text, rolesets)
            arguments = [(start, end, to_conll_role(role)) for start, end, role in frame.arguments]
            spans = [(frame.start, frame.end, PREDICATE_LABEL), *arguments]
            columns.append(write_starred_column(spans, range(sentence.start, sentence.end)))
    widths = [max(map(len, column)) for column in columns]
    lines = [
        " ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in zip(*columns, strict=True)
    ]
    return "\n".join(lines) + "\n\n"


def _name_predicate(frame: Frame, word: str, rolesets: bool) -> str:
    name = frame.roleset if rolesets and frame.roleset and _is_sense(frame.roleset) else _one_word(word.lower())
    return PLACEHOLDER if name == NO_PREDICATE else name


def _is_sense(roleset: str) -> bool:
    """Whether a roleset can be written, so that it is read back."""
    return SENSE.fullmatch(roleset) is not None and _one_word(roleset) == roleset


def _one_word(text: str) -> str:
    return PLACEHOLDER.join(text.split()) or PLACEHOLDER
