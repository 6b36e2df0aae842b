"""PropBank's frame files: a lexicon of rolesets, and the sentences that illustrate them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from spacy.tokens import Doc, Span
from spacy.vocab import Vocab

from ...annotation.lexicon import Lexicon, RoleEntry, RolesetEntry
from ..files import read_texts
from ..left_out import Report, shorten
from .examples import read_example

CURE = "Clone https://github.com/propbank/propbank-frames and name its folder."
BROKEN = "frame files that are not XML"
UNNAMED = "rolesets without a name"
REPEATED = "rolesets that come twice"
SAME_NUMBER = "roles with the number of another role of their roleset"
FORBIDDEN = "examples that are sentences of documents they must not be taken from"


class Frames(NamedTuple):
    """What frame files hold.

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
