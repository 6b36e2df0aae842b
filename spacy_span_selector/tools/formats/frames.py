"""PropBank's frame files: a lexicon of rolesets, and the sentences that illustrate them.

They come from https://github.com/propbank/propbank-frames. In the copy that `project.yml` pins, two files are no XML, a
roleset and a role come twice, and eight predicates and eleven arguments are not where they say: these are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Annotated
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import srsly
import typer
from spacy.tokens import Doc, Span
from spacy.vocab import Vocab

from ...annotation import Argument, Frame, set_frames, set_predicates, set_title
from ...annotation.lexicon import Lexicon, RoleEntry, RolesetEntry
from ...examples.corpus import read_docs
from .columns import BRACKET_OF_ESCAPE
from .commands import REST_OF_PREDICATE, save_docs
from .files import read_texts
from .registry import Format
from .reports import check_counts

CURE = "Expected a copy of https://github.com/propbank/propbank-frames."
COUNTS = (23_263, 467_122)
TRACE = re.compile(r"\[?\*(?:[A-Za-z?]+\*(?:-\d+)?|-\d+)\]?")
"""An empty category of the Penn Treebank, such as `*T*-1` or `*PRO*`, which stands for no word."""
UNKNOWN = "?"
WORDS = {"``": '"', "''": '"', **BRACKET_OF_ESCAPE}


def read_frames(source: Path, vocab: Vocab | None = None, *, without: Iterable[Doc] = ()) -> tuple[Lexicon, list[Doc]]:
    """Read all rolesets, and all examples: sentences that are annotated for one of their predicates, except those
    that documents `without` contain, such as a model is tested on."""
    vocab = Vocab() if vocab is None else vocab
    lexicon: Lexicon = {}
    examples: list[Doc] = []
    for _, text in sorted(read_texts(source / "frames", source / "frames.tar.xz", ".xml", CURE).items()):
        try:
            root = ElementTree.fromstring(text)
        except ElementTree.ParseError:
            continue
        for roleset in root.iter("roleset"):
            if (name := roleset.attrib["id"].strip()) not in lexicon:
                lexicon[name] = _read_roleset(roleset)
                examples += _read_examples(roleset, name, vocab)
    check_counts(source, examples, COUNTS, CURE)
    forbidden = {_letters(sentence) for doc in without for sentence in doc.sents}
    return dict(sorted(lexicon.items())), [doc for doc in examples if _letters(doc) not in forbidden]


def _letters(sentence: Doc | Span) -> str:
    """A sentence as corpora agree on it, whatever their words, marks and capitals."""
    return "".join(filter(str.isalnum, sentence.text.lower()))


def _read_roleset(roleset: Element) -> RolesetEntry:
    words = {" ".join((alias.text or "").replace("_", " ").split()).lower() for alias in roleset.iter("alias")}
    roles: dict[str, RoleEntry] = {}
    for role in roleset.iter("role"):
        number, tag = role.get("n", "").strip().upper(), role.get("f", "").strip().upper()
        entry = RoleEntry(description=role.get("descr", "").strip(), tag=tag if tag.isalnum() else "")
        if number not in ("", "M"):
            roles.setdefault(f"ARG{number}", entry)
    name = roleset.get("name", "").strip()
    return RolesetEntry(name=name, words=sorted(words - {""}), roles=dict(sorted(roles.items())))


def _read_examples(roleset: Element, name: str, vocab: Vocab) -> Iterator[Doc]:
    """The sentences of examples, without empty categories. Those whose predicate is not where they say are left out."""
    for number, example in enumerate(roleset.iter("example"), start=1):
        rel, tokens = example.find("propbank/rel"), (example.findtext("text") or "").split()
        if rel is None:
            continue  # made for AMR, or for a word that is no predicate
        located = [int(place) for place in rel.attrib["relloc"].split() if place != UNKNOWN]
        if not located or (rel.text or "").split() != [tokens[i] for i in located if i < len(tokens)]:
            continue
        is_word = [TRACE.fullmatch(token) is None for token in tokens]
        places = [sum(is_word[:i]) for i in range(len(tokens) + 1)]  # how many words stand before each token
        words = [WORDS.get(token, token) for token, kept in zip(tokens, is_word, strict=True) if kept]
        doc = Doc(vocab, words=words, sent_starts=[i == 0 for i in range(len(words))])
        marked = {places[i] for i in located}
        runs = [list(run) for is_marked, run in groupby(range(len(words)), key=marked.__contains__) if is_marked]
        (start, end), *rest = ((run[0], run[-1] + 1) for run in runs)
        arguments = [Argument(*piece, REST_OF_PREDICATE) for piece in rest]
        for element in example.iterfind("propbank/arg"):
            argument = _read_argument(element, tokens, places)
            if argument is not None and (argument.end <= start or end <= argument.start):
                arguments.append(argument)
        set_title(doc, f"{name} {number}")
        set_frames(doc, [Frame(start, end, arguments, name)])
        set_predicates(doc, [(start, end)])  # which says that others are not annotated
        yield doc


def _read_argument(element: Element, tokens: Sequence[str], places: Sequence[int]) -> Argument | None:
    """An argument; None if it stands for no word, or its words are not where it says."""
    if element.attrib["start"] == UNKNOWN:
        return None
    first, last = int(element.attrib["start"]), int(element.attrib["end"])
    if last >= len(tokens) or "".join(tokens[first : last + 1]) != "".join((element.text or "").split()):
        return None
    start, end = places[first], places[last + 1]
    return Argument(start, end, element.attrib["type"]) if start < end else None


def convert_frames(
    source: Annotated[Path, typer.Argument(help="Copy of propbank/propbank-frames")],
    out_dir: Annotated[Path, typer.Argument(help="Folder for lexicon.json and examples.spacy")],
    without: Annotated[list[Path] | None, typer.Option(help="Leave out its sentences; may be repeated")] = None,
) -> None:
    """Convert PropBank's frame files: a lexicon of rolesets, and examples with one annotated predicate each."""
    vocab = Vocab()
    tested = (doc for path in without or () for doc in read_docs(path, vocab))
    lexicon, examples = read_frames(source, vocab, without=tested)
    path = out_dir / "lexicon.json"
    save_docs({out_dir / "examples.spacy": examples}, others={path: srsly.json_dumps(lexicon)})
    words = {word for entry in lexicon.values() for word in entry["words"]}
    typer.echo(f"{path}: {len(lexicon):,} rolesets, {len(words):,} words")


FORMAT = Format(name="frames", title="PropBank's frame files", convert=convert_frames)
