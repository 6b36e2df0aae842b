"""Every writer, then its reader: what is written is the same, or it is said what is left out, or it is refused."""

import json
import unicodedata
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import pytest
import spacy
from hypothesis import strategies as st
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from spacy_span_selector import annotation, from_dict, to_dict
from spacy_span_selector.annotation import Argument, Frame
from spacy_span_selector.tools.formats.label_studio import write_label_studio
from spacy_span_selector.tools.formats.registry import formats

from .fuzzing import fuzz
from .inventory import EXPORTED

NLP = spacy.blank("xx")
LENGTH = 6
ODD = (
    *"\0\n\r\t \x0b\x1c\x1b\x85\u2028\u2029\ufeff\u200b\u202e\u00a0\u3000#>@:-_*()|[]\\/\"'=0",
    *("a\0b", "a\nb", "a\rb", "\r\n", "a\tb", "a b", "  ", "a\x1cb", "a\x85b", "a\u2028b", "a\u00a0b"),
    *("# a", "#begin document (a); part 000", "#end document", "===", "=== a", "> [V=x y]", "@A: b", "[a|b]", "\\n"),
    *("(0)", "(A0*", "*)", "<b>", "&amp;", "<speaker>", "</speaker>", "e1-person-1-", "Entity=(e1)", "SpaceAfter=No"),
    *("%7C", "null", "None", "1.1"),
)
CONTROLS = [c for c in map(chr, range(0x10000)) if unicodedata.category(c) in ("Cc", "Zl", "Zp", "Zs")]
names = st.one_of(st.just("a"), st.just("ARG0"), st.sampled_from(ODD), st.sampled_from(ODD).map(lambda odd: f"x{odd}y"))


class Drawn(NamedTuple):
    """A document: two clusters, a frame, two labelled spans and two turns, where it has them, called as may be."""

    words: list[str]
    title: str
    speaker: str | None
    cluster: str | None
    entity: str
    role: str | None
    roleset: str
    label: str | None

    def doc(self) -> Doc:
        doc = Doc(Vocab(), words=self.words, spaces=[True] * LENGTH, sent_starts=[i in (0, 3) for i in range(LENGTH)])
        if self.title:
            annotation.set_title(doc, self.title)
        if self.speaker is not None:
            annotation.set_speakers(doc, [(0, 3, self.speaker), (3, LENGTH, "Bob")])
        if self.cluster is not None:
            types = [self.entity, ""] if self.entity else None
            annotation.set_clusters(
                doc, [[(0, 1), (3, 4)], [(1, 2), (4, 6)]], names=[self.cluster, ""], entity_types=types
            )
        if self.role is not None:
            annotation.set_frames(doc, [Frame(1, 2, [Argument(0, 1, self.role), Argument(2, 3, "ARG1")], self.roleset)])
        if self.label is not None:
            annotation.set_labelled_spans(doc, [(0, 2, self.label), (1, 2, "PER")])
        return doc


maybe = st.one_of(st.just("a"), st.just("a"), names)
some_words = st.lists(st.sampled_from(["Ann", "left", "her"]) | names, min_size=LENGTH, max_size=LENGTH)
drawn_docs = st.builds(
    Drawn,
    words=some_words.filter(lambda drawn: any(word.strip() for word in drawn)),
    title=maybe,
    speaker=st.none() | maybe,
    cluster=st.none() | maybe,
    entity=st.just("") | maybe,
    role=st.none() | maybe,
    roleset=st.just("") | maybe,
    label=st.none() | maybe,
)


def write_text(path: Path, text: str) -> None:
    with open(path, "w", encoding="utf-8", newline="") as stream:  # as commands write it
        stream.write(text)


def read_plain(path: Path) -> list[Doc]:
    return [from_dict(json.loads(line), Vocab()) for line in path.read_text(encoding="utf-8").split("\n")]


def written_by(name: str) -> Callable[[list[Doc], Path], None]:
    write = formats.get(name).write
    return lambda docs, path: write_text(path, write(docs))


def read_by(name: str) -> Callable[[Path], list[Doc]]:
    return lambda path: [*formats.get(name).read_docs(path, NLP)]


ALL = {"words", "title", "speakers", "clusters", "names", "types", "frames", "rolesets", "labelled"}
BRACKETED = {"characters", "title on one line", "speakers by sentence", "numbers of mentions", "numbers of arguments"}
TASKS = {"characters", "title", "clusters of words", "numbers of arguments", "labels"}
HOLDS = {
    "bracketed": BRACKETED | {"labels"},
    "bio": {"words", "title on one line", "labelled"},
    "conll2012": {"words", "clusters", "frames", "rolesets"},
    "corefud": {"text words", "title on one line", "clusters of words"},
    "jsonlines": {"words", "title", "speakers", "clusters", "names"},
}
FORMATS: dict[str, tuple[Callable[[list[Doc], Path], None], Callable[[Path], Iterable[Doc]], set[str]]] = {
    "plain data": (
        lambda docs, path: write_text(path, "\n".join(json.dumps(to_dict(doc, tokens=True)) for doc in docs)),
        read_plain,
        ALL,
    ),
    "spacy": (lambda docs, path: DocBin(docs=docs, store_user_data=True).to_disk(path), read_by("spacy"), ALL),
    "label-studio": (
        lambda docs, path: write_text(path, write_label_studio(docs, annotations=True)),
        read_by("label-studio"),
        TASKS,
    ),
    **{name: (written_by(name), read_by(name), held) for name, held in HOLDS.items()},
}
"""How documents are written to a file and read, and what it holds of them: keys of `state`."""


def test_every_format_is_known() -> None:
    """A new one needs what it holds here."""
    assert {*FORMATS} >= EXPORTED


def one_space(text: str) -> str:
    return " ".join(text.split())


def inside(doc: Doc, start: int, end: int) -> list[str]:
    """The words of a span: white space is none."""
    return [token.text for token in doc[start:end] if token.text.strip()]


def clusters_of_words(doc: Doc) -> list[list[list[str]]]:
    clusters = [
        [words for mention in cluster if (words := inside(doc, *mention))] for cluster in annotation.get_clusters(doc)
    ]
    return sorted(cluster for cluster in clusters if cluster)


def state(doc: Doc) -> dict[str, Any]:
    """The annotation of a document, part of it in several ways."""
    groups = list(annotation.cluster_groups(doc))
    frames = annotation.get_frames(doc)
    speakers = {
        i: one_space(speaker) for start, end, speaker in annotation.get_speakers(doc) for i in range(start, end)
    }
    return {
        "words": [token.text for token in doc],
        "text words": inside(doc, 0, len(doc)),
        "characters": "".join(doc.text.split()),
        "title": annotation.get_title(doc),
        "title on one line": one_space(annotation.get_title(doc)),
        "speakers": annotation.get_speakers(doc),
        "speakers by sentence": [speakers.get(sentence.start, "") for sentence in doc.sents if sentence.text.strip()],
        "clusters": annotation.get_clusters(doc),
        "names": [group.attrs.get("name", "") for group in groups],
        "types": [{span.label_ for span in group} for group in groups],
        "frames": [(frame.start, frame.end, [tuple(a) for a in frame.arguments]) for frame in frames],
        "rolesets": [frame.roleset for frame in frames],
        "clusters of words": clusters_of_words(doc),
        "numbers of mentions": [len(group) for group in groups],
        "numbers of arguments": [len(frame.arguments) for frame in frames],
        "labelled": annotation.get_labelled_spans(doc),
        "labels": sorted(span.label for span in annotation.get_labelled_spans(doc)),
    }


def check_round_trip(drawn: list[Drawn], name: str) -> None:
    """Check that documents are read back as they are, if nothing is said of what is left out or refused."""
    write, read, held = FORMATS[name]
    if name == "label-studio":  # a task without annotation is none that can be read
        drawn = [one._replace(cluster=one.cluster or "a") for one in drawn]
    docs = [one._replace(title=f"{i}{one.title}").doc() for i, one in enumerate(drawn)]
    with TemporaryDirectory() as folder, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        path = Path(folder) / "docs.spacy"
        try:
            write(docs, path)
        except ValueError as error:
            assert str(error)
            return
        back = [*read(path)]
    if caught:
        return  # what is left out was counted
    assert len(back) == len(docs)
    for key in sorted(held):
        assert [state(doc)[key] for doc in back] == [state(doc)[key] for doc in docs], key


@fuzz(60, drawn=st.lists(drawn_docs, min_size=1, max_size=2), name=st.sampled_from(sorted(FORMATS)))
def test_what_is_written_is_read_back(drawn: list[Drawn], name: str) -> None:
    check_round_trip(drawn, name)


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_white_space_and_control_characters_are_read_back(name: str) -> None:
    for odd in (f"a{character}b" for character in CONTROLS):
        check_round_trip([Drawn(["So", odd, "is", "Ann", "left", "."], *[odd] * (len(Drawn._fields) - 1))], name)
