"""OntoGUM's coreference files: three columns, the number of a word in its document, the word, and its brackets."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from ...annotation import Mention
from ..coreference_column import read_coreference_column
from ..left_out import LONGEST_QUOTE, Report, shorten

COLUMNS = 3
END = "# end document"


def parse_clusters(
    text: str, source: str, sentences: Sequence[Sequence[str]], words_source: str, report: Report
) -> dict[str, list[Mention]]:
    """Read the clusters of a document.

    text (str): The content of its file.
    source (str): What error messages call the file.
    sentences (Sequence[Sequence[str]]): The words of each sentence of the document. The file may lack a word, but not
        its row.
    words_source (str): What error messages call the file of the words.
    report (Report): Gets the brackets of mentions that are left out.
    RETURNS (dict[str, list[Mention]]): Token offsets of each cluster's mentions, by cluster.
    RAISES (ValueError): If the text is malformed, naming file and line, what was found, and what was expected.
    """
    words = [word for sentence in sentences for word in sentence]
    cells: list[str] = []
    numbers: list[int] = []  # line of each word
    ended = False
    for number, line in enumerate(text.split("\n"), start=1):
        place = f"{source}:{number}"
        if line.startswith("#"):
            ended = line.startswith(END)
        elif line:
            columns = line.split("\t")
            if len(columns) != COLUMNS:
                raise ValueError(f"{place}: found {len(columns)} columns separated by tabs, expected {COLUMNS}.")
            index, word, cell = columns
            i = len(cells)
            if index != str(i) or i == len(words) or word not in ("", words[i]):
                expected = f"word {i}, {words[i]!r}" if i < len(words) else f"`{END}`"
                found = f"word {index[:LONGEST_QUOTE]}, {shorten(word)}"
                raise ValueError(f"{place}: found {found}, expected {expected}, as in {words_source}.")
            cells.append(cell)
            numbers.append(number)
    if not ended:
        raise ValueError(f"{source}: the file ends without `{END}`. Is it complete?")
    if len(cells) < len(words):
        raise ValueError(f"{source}: found {len(cells)} words, expected {len(words)}, as in {words_source}.")
    rest = iter(cells)
    return read_coreference_column(
        [list(islice(rest, len(sentence))) for sentence in sentences], lambda i: f"{source}:{numbers[i]}", report
    )


def keep_first(clusters: dict[str, list[Mention]]) -> tuple[dict[str, list[Mention]], list[Mention]]:
    """Keep each span in one cluster only, the cluster whose first mention comes first.

    clusters (dict[str, list[Mention]]): Token offsets of each cluster's mentions, by cluster.
    RETURNS (tuple[dict[str, list[Mention]], list[Mention]]): The clusters, and the spans left out, as often as they
        were left out.
    """
    kept: dict[str, list[Mention]] = {}
    repeated: list[Mention] = []
    seen: set[Mention] = set()
    for name in sorted(clusters, key=lambda name: min(clusters[name])):
        kept[name] = []
        for mention in clusters[name]:
            if mention in seen:
                repeated.append(mention)
            else:
                seen.add(mention)
                kept[name].append(mention)
    return kept, repeated
