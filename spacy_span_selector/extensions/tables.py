"""Spans as plain data, and clusters and frames as HTML tables, which a notebook shows as the value of a cell.

The tables need no style sheet and no script, so they are shown wherever notebooks are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from spacy.tokens import Span


def span_to_dict(span: Span) -> dict[str, Any]:
    """A span as plain data: its character offsets in the text of the document, end exclusive, and its text."""
    return {"start": span.start_char, "end": span.end_char, "text": span.text}


CONTEXT = 6  # tokens before and after a mention
MOST_MENTIONS = 12  # of a cluster, in a table of several clusters


def table(headings: Sequence[str], rows: Iterable[Sequence[str]], caption: str = "") -> str:
    """A table. Columns that are empty in all of its rows are left out.

    rows (Iterable[Sequence[str]]): The markup of each cell of each row.
    """
    rows = list(rows)
    used = [i for i in range(len(headings)) if not rows or any(row[i] for row in rows)]
    lines = [f"<caption>{escape(caption)}</caption>"] if caption else []
    lines.append(f"<thead><tr>{''.join(f'<th>{headings[i]}</th>' for i in used)}</tr></thead>")
    for row in rows:
        cells = [f'<td dir="auto" style="text-align: start">{row[i]}</td>' for i in used]
        lines.append(f"<tr>{''.join(cells)}</tr>")
    return "\n".join(["<table>", *lines, "</table>"])


def in_context(span: Span) -> str:
    """The markup of a span in bold among the words around it, as far as they belong to the same text."""
    doc = span.doc
    before = doc[max(0, span.start - CONTEXT) : span.start].text_with_ws
    after = span.text_with_ws[len(span.text) :] + doc[span.end : span.end + CONTEXT].text
    start = "…" if span.start > CONTEXT else ""
    end = "…" if span.end + CONTEXT < len(doc) else ""
    return f"{start}{escape(before)}<b>{escape(span.text)}</b>{escape(after)}{end}"


def in_list(spans: Sequence[Span]) -> str:
    """The markup of several spans, of which the first ones are shown."""
    shown = ", ".join(escape(span.text) for span in spans[:MOST_MENTIONS])
    return f"{shown}, …" if len(spans) > MOST_MENTIONS else shown


def probability(score: float | None) -> str:
    """A probability, "" if it is unknown."""
    return "" if score is None else f"{score:.2f}"
