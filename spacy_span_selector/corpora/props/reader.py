"""CoNLL-2005 props: a file of words and a file of predicates and arguments, one line per token."""

from __future__ import annotations

import re
from pathlib import Path

from spacy.tokens import Doc
from spacy.vocab import Vocab

from ...annotation import PREDICATE_LABEL, Argument, Frame, set_frames
from ..files import read_text
from ..left_out import DOCUMENTS, Report
from ..starred_column import read_arguments_column

NO_PREDICATE = "-"
WHITE_SPACE = " \t\r"
SENSE = re.compile(r".+\.([0-9]+|[A-Z]{2})")
CONLL_ROLE = re.compile(r"^((?:[CR]-)*)A(?=[0-9AM])")

Line = tuple[int, list[str]]
"""The number of a line in its file, and its cells."""


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
