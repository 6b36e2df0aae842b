"""PropBank's frame files: a lexicon of rolesets, and the sentences that illustrate them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, NamedTuple
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import srsly
import typer
from spacy.tokens import Doc, Span
from spacy.vocab import Vocab

from ...annotation import Argument, Frame, set_frames, set_predicates, set_title
from ...annotation.lexicon import Lexicon, RoleEntry, RolesetEntry
from ...examples.corpus import read_docs
from .columns import BRACKET_OF_ESCAPE, REPEATED_ARGUMENTS, read_number
from .commands import REST_OF_PREDICATE, save_docs
from .files import read_texts
from .registry import Format
from .reports import Report, shorten

CURE = "Clone https://github.com/propbank/propbank-frames and name its folder."
BROKEN = "frame files that are not XML"
UNNAMED = "rolesets without a name"
REPEATED = "rolesets that come twice"
SAME_NUMBER = "roles with the number of another role of their roleset"
FORBIDDEN = "examples that are sentences of documents they must not be taken from"
NO_PREDICATE = "examples without a predicate"
WRONG_PREDICATE = "examples whose predicate is not where they say"
WRONG_ARGUMENTS = "arguments of examples that are not where they say"
TRACE = re.compile(r"\[?\*(?:[A-Za-z?]+\*(?:-\d+)?|-\d+)\]?")
"""An empty category of the Penn Treebank, such as `*T*-1` or `*PRO*`, which stands for no word."""
WORDS = {"``": '"', "''": '"', **BRACKET_OF_ESCAPE}

Places = list[int]
"""For each token of an example, how many words stand before it."""


class Frames(NamedTuple):
    """The content of frame files.

    lexicon (Lexicon): Every roleset.
    examples (list[Doc]): A sentence each, annotated for one predicate; others in it are not.
    """

    lexicon: Lexicon
    examples: list[Doc]


def read_frames(source: Path, vocab: Vocab | None = None, *, without: Iterable[Doc] = ()) -> Frames:
    """Read frame files. What can't be read is left out and reported once, as a warning.

    source (Path): A copy of propbank/propbank-frames, which has a folder `frames`, or its archive `frames.tar.xz`.
    vocab (Vocab | None): The vocabulary of the examples.
    without (Iterable[Doc]): Documents with sentence boundaries, of which no sentence may be an example, such as those
        that a model is tested on.
    RAISES (FileNotFoundError): If there are no frame files.
    RAISES (ValueError): If no roleset can be read.
    """
    vocab = vocab or Vocab()
    report = Report()
    forbidden = {_letters(sentence) for doc in without for sentence in doc.sents}
    lexicon: Lexicon = {}
    examples: list[Doc] = []
    texts = read_texts(source / "frames", source / "frames.tar.xz", ".xml", CURE, report)
    for path, text in sorted(texts.items()):
        try:
            root = ElementTree.fromstring(text)
        except ElementTree.ParseError as error:
            report.leave_out(BROKEN, f"{path}: {error}. Expected XML: correct the line, or fetch the file again.")
            continue
        for roleset in root.iter("roleset"):
            name = (roleset.get("id") or "").strip()
            if not name:
                report.leave_out(UNNAMED, f"{path}: a roleset without 'id'.")
            elif name in lexicon:
                report.leave_out(REPEATED, f"{path}: {name!r} was read before.")
            else:
                lexicon[name] = _read_roleset(roleset, f"{path}: {name!r}", report)
                for place, example in enumerate(roleset.iter("example"), start=1):
                    where = f"{path}: example {place} of {name!r}"
                    doc = read_example(vocab, example, name, where, report)
                    if doc is not None and _letters(doc) in forbidden:
                        report.leave_out(FORBIDDEN, where)
                    elif doc is not None:
                        examples.append(doc)
    report.require([*lexicon], source)
    report.warn()
    return Frames(dict(sorted(lexicon.items())), examples)


def _letters(sentence: Doc | Span) -> str:
    """A sentence as corpora agree on it, whatever their words, marks and capitals."""
    return "".join(filter(str.isalnum, sentence.text.lower()))


def _read_roleset(roleset: Element, place: str, report: Report) -> RolesetEntry:
    words = {" ".join((alias.text or "").replace("_", " ").split()).lower() for alias in roleset.iter("alias")}
    roles: dict[str, RoleEntry] = {}
    for role in roleset.iter("role"):
        label = f"ARG{role.get('n', '').strip().upper()}"
        if label in roles:
            report.leave_out(SAME_NUMBER, f"{place}, {label}: {shorten(role.get('descr', ''))}.")
        elif label not in ("ARG", "ARGM"):
            roles[label] = _read_role(role)
    return RolesetEntry(
        name=roleset.get("name", "").strip(), words=sorted(words - {""}), roles=dict(sorted(roles.items()))
    )


def _read_role(role: Element) -> RoleEntry:
    tag = role.get("f", "").strip().upper()
    return RoleEntry(description=role.get("descr", "").strip(), tag=tag if tag.isalnum() else "")


def read_example(vocab: Vocab, example: Element, roleset: str, place: str, report: Report) -> Doc | None:
    """Read an example.

    vocab (Vocab): The vocabulary of the document.
    example (Element): The example.
    roleset (str): The roleset that it illustrates.
    place (str): File and number, for messages.
    report (Report): Gets what can't be read.
    RETURNS (Doc | None): One sentence, without empty categories. Its predicate is also a given predicate, as others are
        not annotated. None if it has no predicate, or not where it says.
    """
    tokens = (example.findtext("text") or "").split()
    annotation = example.find("propbank")
    rel = None if annotation is None else annotation.find("rel")
    if annotation is None or rel is None:
        return None  # made for AMR, or for a word that is no predicate
    is_word = [TRACE.fullmatch(token) is None for token in tokens]
    places: Places = [sum(is_word[:i]) for i in range(len(tokens) + 1)]
    relloc = rel.get("relloc") or ""
    expected = "".join((rel.text or "").split())
    located = [number for number in map(read_number, relloc.split()) if number is not None and number < len(tokens)]
    if not located or "".join(tokens[i] for i in located) != expected or not all(is_word[i] for i in located):
        report.leave_out(WRONG_PREDICATE, f"{place}: {shorten(expected)} at {shorten(relloc)}.")
        return None
    words = [WORDS.get(token, token) for token, kept in zip(tokens, is_word, strict=True) if kept]
    doc = Doc(vocab, words=words, sent_starts=[i == 0 for i in range(len(words))])
    set_title(doc, f"{roleset} {place.rsplit('example ', 1)[-1].split(' of ')[0]}")
    (start, end), *rest = _runs([places[i] for i in sorted({*located})])
    arguments = [Argument(*run, REST_OF_PREDICATE) for run in rest]
    for argument in annotation.iter("arg"):
        found = _read_argument(argument, tokens, places)
        if isinstance(found, str):
            report.leave_out(WRONG_ARGUMENTS, f"{place}: {found}")
        elif found in arguments:
            report.leave_out(REPEATED_ARGUMENTS, f"{place}: {found.role}.")
        elif found is not None and not (found.start < end and start < found.end):
            arguments.append(found)
    set_frames(doc, [Frame(start, end, arguments, roleset)])
    set_predicates(doc, [(start, end)])
    return doc


def _read_argument(argument: Element, tokens: Sequence[str], places: Places) -> Argument | str | None:
    """An argument; what is wrong with it; or None if it stands for no word."""
    written = tuple(argument.get(name) or "" for name in ("start", "end"))
    role, text = argument.get("type") or "", "".join((argument.text or "").split())
    if written == ("?", "?"):
        return None
    first, last = map(read_number, written)
    if first is None or last is None or not first <= last < len(tokens) or not role:
        where = f"from {shorten(written[0])} to {shorten(written[1])}; there are {len(tokens)} tokens"
        return f"{role or 'an argument'} {shorten(text)} {where}."
    there = "".join(tokens[first : last + 1])
    if there != text:
        return f"{role} {shorten(text)} from {first} to {last}; found {shorten(there)}."
    start, end = places[first], places[last + 1]
    return Argument(start, end, role) if start < end else None


def _runs(places: Sequence[int]) -> list[tuple[int, int]]:
    """Ascending places as runs without gaps, end exclusive."""
    runs: list[tuple[int, int]] = []
    for place in places:
        if runs and runs[-1][1] == place:
            runs[-1] = (runs[-1][0], place + 1)
        else:
            runs.append((place, place + 1))
    return runs


def convert_frames(
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
    vocab = Vocab()
    frames = read_frames(source, vocab, without=(doc for path in without or () for doc in read_docs(path, vocab)))
    path = out_dir / "lexicon.json"
    save_docs({out_dir / "examples.spacy": frames.examples}, others={path: srsly.json_dumps(frames.lexicon)})
    words = {word for entry in frames.lexicon.values() for word in entry["words"]}
    typer.echo(f"{path}: {len(frames.lexicon):,} rolesets, {len(words):,} words")


FORMAT = Format(name="frames", title="PropBank's frame files", convert=convert_frames)
