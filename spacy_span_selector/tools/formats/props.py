"""CoNLL-2005 props: a file of words and a file of predicates and arguments, one line per token."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated

import typer
from spacy.tokens import Doc, Span
from spacy.vocab import Vocab

from ...annotation import (
    PREDICATE_LABEL,
    Argument,
    Frame,
    describe_doc,
    get_frames,
    get_sentences,
    has_frames_annotated,
    set_frames,
)
from .columns import WRITABLE_LABEL, read_arguments_column, write_starred_column
from .commands import read_all, save_docs, save_texts, split_paths
from .files import check_writable, read_text
from .registry import Format
from .reports import DOCUMENTS, Report, list_names

NO_PREDICATE = "-"
WHITE_SPACE = " \t\r"
SENSE = re.compile(r".+\.([0-9]+|[A-Z]{2})")
CONLL_ROLE = re.compile(r"^((?:[CR]-)*)A(?=[0-9AM])")

Line = tuple[int, list[str]]
"""The number of a line in its file, and its cells."""
PROPBANK_ROLE = re.compile(r"^((?:[CR]-)*)ARG(?=[0-9AM])")
PLACEHOLDER = "_"


def read_props(words_path: str | Path, props_path: str | Path, vocab: Vocab | None = None) -> list[Doc]:
    """Read the sentences of a words file and a props file of the CoNLL-2005 shared task.

    words_path (str | Path): One word per line, blank lines between sentences.
    props_path (str | Path): The same lines: the first column has the lemma or the roleset of a predicate, or `-`, and
        then there is one column of arguments per predicate of the sentence. Either file may be compressed, `.gz`.
    vocab (Vocab): Vocabulary of the documents; a new one if None.
    RETURNS (list[Doc]): One document per sentence, because the format has no documents, with gold words (spacing is
        unknown) and frames. Roles have PropBank's names: `A0` and `AM-TMP` become `ARG0` and `ARGM-TMP`. A frame has
        a roleset if the first column has a sense, as in `give.01`. Its predicate is the `V` that covers the word with
        the entry in the first column, or this word alone if there is none; any other `V` is read as `C-V`.
    RAISES (FileNotFoundError): If a file is missing, naming it.
    RAISES (ValueError): If the files do not have the same number of sentences, with the first one that differs; if no
        sentence can be read, saying why.
    WARNS: Once, counting what is left out: sentences that can't be read, and brackets of arguments without a partner.
    """
    words_path, props_path = Path(words_path), Path(props_path)
    words, props = _read_sentences(words_path), _read_sentences(props_path)
    for path, sentences in ((words_path, words), (props_path, props)):
        if not sentences:
            raise ValueError(f"{path}: found no sentence, expected one line per word.")
    vocab = Vocab() if vocab is None else vocab
    report = Report()
    docs: list[Doc] = []
    for word_lines, prop_lines in zip(words, props, strict=False):
        try:
            if len(word_lines) != len(prop_lines):
                raise ValueError(
                    f"{words_path}:{word_lines[0][0]}: found a sentence of {len(word_lines)} word(s), but of "
                    f"{len(prop_lines)} line(s) at {props_path}:{prop_lines[0][0]}. Expected one line per word in both."
                )
            docs.append(_make_doc(words_path, word_lines, props_path, prop_lines, vocab, report))
        except ValueError as error:
            report.leave_out(DOCUMENTS, str(error))
    if len(words) != len(props):  # then a sentence may have the frames of another
        raise ValueError(
            f"{words_path} has {len(words)} sentence(s), but {props_path} has {len(props)}. "
            f"Expected the same number in both, with blank lines between them. {report.first(DOCUMENTS)}".rstrip()
        )
    if words:
        report.require(docs, words_path)
    report.warn()
    return docs


def to_propbank_role(role: str) -> str:
    """PropBank's name of a CoNLL-2005 role: `ARG0` for `A0`, `R-ARGM-TMP` for `R-AM-TMP`; other names stay."""
    return CONLL_ROLE.sub(r"\1ARG", role)


def _read_sentences(path: Path) -> list[list[Line]]:
    sentences: list[list[Line]] = [[]]
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        cells = re.split(f"[{WHITE_SPACE}]+", line.strip(WHITE_SPACE))
        if cells != [""]:
            sentences[-1].append((number, cells))
        elif sentences[-1]:
            sentences.append([])
    return [sentence for sentence in sentences if sentence]


def _make_doc(
    words_path: Path, words: list[Line], props_path: Path, props: list[Line], vocab: Vocab, report: Report
) -> Doc:
    doc = Doc(vocab, words=_read_words(words_path, words), sent_starts=[i == 0 for i in range(len(words))])
    set_frames(doc, _read_frames(props_path, props, report))
    return doc


def _read_words(path: Path, lines: list[Line]) -> list[str]:
    for number, cells in lines:
        if len(cells) != 1:
            raise ValueError(f"{path}:{number}: found {len(cells)} words in a line, expected one.")
    return [word for _, (word,) in lines]


def _read_frames(path: Path, lines: list[Line], report: Report) -> list[Frame]:
    def place(i: int) -> str:
        return f"{path}:{lines[i][0]}"

    names = [cells[0] for _, cells in lines]
    predicates = [i for i, name in enumerate(names) if name != NO_PREDICATE]
    for i, (_, cells) in enumerate(lines):
        if len(cells) != 1 + len(predicates):
            raise ValueError(
                f"{place(i)}: found {len(cells)} column(s), expected {1 + len(predicates)}: the first one, in which "
                f"this sentence has {len(predicates)} predicate(s), and one per predicate."
            )
    frames = []
    for column, predicate in enumerate(predicates, start=1):
        spans = read_arguments_column([cells[column] for _, cells in lines], place, report)
        verbs = [(start, end) for start, end, role in spans if role == PREDICATE_LABEL]
        start, end = next((verb for verb in verbs if verb[0] <= predicate < verb[1]), (predicate, predicate + 1))
        arguments = [
            Argument(first, last, f"C-{role}" if role == PREDICATE_LABEL else to_propbank_role(role))
            for first, last, role in spans
            if (first, last, role) != (start, end, PREDICATE_LABEL)
        ]
        roleset = names[predicate] if SENSE.fullmatch(names[predicate]) else None
        frames.append(Frame(start, end, arguments, roleset))
    return frames


def write_props(docs: Iterable[Doc], *, rolesets: bool = False) -> str:
    """Write the frames of documents as props.

    docs (Iterable[Doc]): Documents with frames. A document without sentence boundaries becomes one sentence.
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
    for doc in docs:
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
    for doc in docs:
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
    """Check whether a roleset can be written, so that it is read back."""
    return SENSE.fullmatch(roleset) is not None and _one_word(roleset) == roleset


def _one_word(text: str) -> str:
    return PLACEHOLDER.join(text.split()) or PLACEHOLDER


def convert_props(
    words_path: Annotated[Path, typer.Argument(metavar="WORDS", help="One word per line; may be compressed, .gz")],
    props_path: Annotated[Path, typer.Argument(metavar="PROPS", help="The predicates and arguments of the same lines")],
    out_path: Annotated[Path, typer.Argument(metavar="OUT.spacy", help="The file to write")],
) -> None:
    """Convert a words file and a props file of the CoNLL-2005 shared task."""
    split_paths([words_path, props_path, out_path])
    save_docs({out_path: read_props(words_path, props_path)})


def export_props(
    data: Annotated[
        Path, typer.Argument(metavar="DOCS.spacy", help="Documents with semantic roles, gold or predicted")
    ],
    out_path: Annotated[Path, typer.Argument(metavar="OUT.props", help="The file of props to write")],
    words: Annotated[Path | None, typer.Option(help="Write the words to this file, one per line")] = None,
    rolesets: Annotated[bool, typer.Option(help="Name predicates by their roleset, not by their first word")] = False,
) -> None:
    """Write semantic roles as CoNLL-2005 props, which the official scorer of that task compares."""
    docs = read_all(data)
    if not any(has_frames_annotated(doc) for doc in docs):
        raise ValueError(f"{data} has no semantic roles: expected documents with frames, `doc.spans['srl_1']`.")
    texts = {out_path: write_props(docs, rolesets=rolesets)}
    save_texts(texts if words is None else texts | {words: write_words(docs)})


FORMAT = Format(
    name="props",
    title="CoNLL-2005 props, words and roles in two files",
    suffixes=(".props",),
    convert=convert_props,
    export=export_props,
)
