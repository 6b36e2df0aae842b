"""The quotations of LitBank: who says what.

Quotations name their speakers as the files of `coref/tsv` do, `Name-ID`. The numbers of clusters in `coref/conll` are
others, so that a speaker is found by the mentions that `coref/tsv` has of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from spacy.tokens import Doc

from ..annotation import Mention, Quotation, get_clusters, get_title, set_quotations
from .files import FILES, read_text
from .left_out import Report, shorten
from .nearest_mention import nearest_mention

QUOTATIONS_FOLDER, ENTITIES_FOLDER = Path("quotations/tsv"), Path("coref/tsv")
QUOTATIONS, SPEAKERS = "quotations that can't be read", "speakers of quotations"
QUOTE, SPEAKER, MENTION, ENTITY = "QUOTE", "ATTRIB", "MENTION", "COREF"

Line = tuple[str, list[str]]
"""File and number of a line, and its columns."""


def add_quotations(doc: Doc, source: Path, report: Report) -> None:
    """Add the quotations of a document, if the corpus has a file of them.

    A speaker is the mention of its cluster that is nearest to the quotation, outside of all quotations where there is
    one; of two that are as near, the one before.

    doc (Doc): A document, as `read_litbank_file` reads it.
    source (Path): The folder that holds `quotations/tsv` and `coref/tsv`.
    report (Report): Gets what is left out: files, quotations and speakers.
    """
    name = f"{get_title(doc)}.ann"
    path, entities_path = source / QUOTATIONS_FOLDER / name, source / ENTITIES_FOLDER / name
    if not path.is_file():
        return
    try:
        lines = _read_lines(path)
        entity_lines = _read_lines(entities_path) if entities_path.is_file() else []
    except (OSError, ValueError) as error:
        report.leave_out(FILES, str(error))
        return
    places = dict(_places(doc, lines, QUOTE, report))
    speakers = {
        columns[1]: (line, columns[2]) for line, columns in lines if columns[0] == SPEAKER and len(columns) == 3
    }
    clusters = _clusters_of_entities(doc, entity_lines)
    quoted = {i for start, end in places.values() for i in range(start, end)}
    quotations = []
    for id_, place in places.items():
        line, entity = speakers.get(id_, (str(path), ""))
        if entity in clusters:
            speaker = nearest_mention(place, clusters[entity], quoted)
        else:
            speaker = None
            found = f"quotation {shorten(id_)} is of {shorten(entity)}, which has no mention in {entities_path}."
            report.leave_out(SPEAKERS, f"{line}: {found}")
        quotations.append(Quotation(*place, speaker=speaker))
    set_quotations(doc, quotations)


def _read_lines(path: Path) -> list[Line]:
    lines = enumerate(read_text(path).split("\n"), start=1)
    return [(f"{path}:{number}", line.split("\t")) for number, line in lines if line]


def _places(doc: Doc, lines: Sequence[Line], kind: str, report: Report | None) -> Iterator[tuple[str, Mention]]:
    """The name and the tokens of each span of a kind. Those whose words differ from the document's are left
    out."""
    sentences = [(sentence.start, sentence.end) for sentence in doc.sents]
    for line, columns in lines:
        if columns[0] != kind:
            continue
        try:
            first, i, last, j = map(int, columns[2:6])
            start, end = sentences[first][0] + i, sentences[last][0] + j + 1
            complete = [token.text for token in doc[start:end]] == columns[6].split(" ")
        except (ValueError, IndexError):
            complete = False
        if complete:
            yield columns[1], (start, end)
        elif report is not None:
            expected = "the sentence and the word of its begin and end, and words of the document between them"
            report.leave_out(QUOTATIONS, f"{line}: found {shorten(' '.join(columns))}, expected {expected}.")


def _clusters_of_entities(doc: Doc, lines: Sequence[Line]) -> Mapping[str, list[Mention]]:
    """The mentions of the cluster of each entity, by its name."""
    cluster_of = {mention: cluster for cluster in get_clusters(doc) for mention in cluster}
    mentions = dict(_places(doc, lines, MENTION, None))
    return {
        columns[2]: cluster_of[mentions[columns[1]]]
        for _, columns in lines
        if columns[0] == ENTITY and len(columns) == 3 and mentions.get(columns[1]) in cluster_of
    }
