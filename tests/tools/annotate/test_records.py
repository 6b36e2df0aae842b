from dataclasses import replace

import pytest

from spacy_span_selector.people.transcripts import Turn
from spacy_span_selector.tools.annotate.records import Part, Record, cut_into_parts

from .conftest import make_records


def test_parts_have_so_many_words_and_a_longer_text_has_its_own():
    records = make_records("a" * 20, "b" * 20, "c" * 200, "", "d", "e")
    parts = list(cut_into_parts(records, 10))
    assert [[record.content[:1] for record in part.records] for part in parts] == [["a", "b"], ["c"], ["", "d", "e"]]
    assert [part.number for part in parts] == [0, 1, 2]
    assert parts[-1].end == 6
    broken = [Record("x", "x", 0, problem="none")] * 25
    assert [len(part.records) for part in cut_into_parts(broken, 10)] == [10, 10, 5]


@pytest.mark.parametrize(
    "change",
    [
        *({"id": "other"}, {"content": "other"}, {"content": b"", "version": "1"}),
        *({"fields": {"n": 1}}, {"problem": "bad"}, {"speakers": (Turn("A", 0, 1),)}),
    ],
)
def test_the_digest_is_that_of_names_texts_fields_and_problems(change: dict[str, object]):
    records = make_records("Ann", "Bob")
    other = [records[0], replace(records[1], **change)]
    assert Part(0, records).digest() != Part(0, other).digest()
    assert Part(0, records).digest() == Part(1, make_records("Ann", "Bob")).digest()
    assert Part(0, make_records("Ann", "")).digest() != Part(0, make_records("", "Ann")).digest()
