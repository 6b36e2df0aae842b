from __future__ import annotations

from collections.abc import Iterable
from io import BytesIO, StringIO
from pathlib import Path

from spacy_span_selector.tools.annotate import Job, Reading, annotate_to_stream
from spacy_span_selector.tools.annotate.annotator import Tick
from spacy_span_selector.tools.annotate.backends import Results, in_this_process
from spacy_span_selector.tools.annotate.inputs import find_inputs
from spacy_span_selector.tools.annotate.records import Part

from .conftest import read_lines


def backwards(job: Job, parts: Iterable[Part], tick: Tick) -> Results:
    """Finish the last part first, as a cluster may."""
    yield from reversed(list(in_this_process(job, parts, tick)))


def test_a_stream_has_documents_and_errors_in_order_however_parts_are_done(job: Job, reading: Reading, tmp_path: Path):
    (tmp_path / "a.jsonl").write_text("".join(f'{{"text": "{word}"}}\n' for word in ("Ann", "Boom", "Bob", "Boom")))
    out, errors = BytesIO(), StringIO()
    files = find_inputs([str(tmp_path / "a.jsonl")])
    annotate_to_stream(job, files, out, errors, reading=reading, part_words=1, backend=backwards)
    assert [line["text"] for line in read_lines(out.getvalue())] == ["Ann", "Bob"]
    assert [line["part"] for line in read_lines(errors.getvalue().encode())] == [1, 3]
