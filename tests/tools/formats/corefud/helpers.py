"""Small files of CorefUD, and what their entities are."""

from collections.abc import Sequence
from pathlib import Path

from spacy.tokens import Doc

from spacy_span_selector.annotation import ENTITY_TYPE, Mention, cluster_groups

DECLARED = "# global.Entity = eid-etype-head-other"


def row(index: str, form: str, misc: str = "_", head: str = "_") -> str:
    return "\t".join([index, form, form.lower(), "X", "XX", "_", head, "_", "_", misc])


def write(path: Path, *lines: str) -> Path:
    path.write_text("\n".join([*lines, "", ""]), encoding="utf-8")
    return path


def write_document(path: Path, *rows: str) -> Path:
    return write(path, "# newdoc id = tale", DECLARED, *rows)


def words(*miscs: str) -> list[str]:
    """The rows of a sentence of words called a, b, c, ..."""
    return [row(str(i), chr(ord("`") + i), misc) for i, misc in enumerate(miscs, start=1)]


def named_clusters(doc: Doc) -> dict[str, list[Mention]]:
    return {str(group.attrs["name"]): [(span.start, span.end) for span in group] for group in cluster_groups(doc)}


def entity_types(docs: Sequence[Doc]) -> list[str | None]:
    return [group.attrs.get(ENTITY_TYPE) for doc in docs for group in cluster_groups(doc)]
