import pytest

from spacy_span_selector.tools.formats.columns import find_nested


@pytest.mark.parametrize(
    "spans, nested",
    [
        ([(0, 3, "A"), (2, 5, "B")], [(0, 3, "A")]),
        ([(2, 5, "B"), (0, 3, "A"), (3, 5, "C")], [(0, 3, "A"), (3, 5, "C")]),
        ([(0, 2, "A"), (0, 3, "B")], [(0, 3, "B"), (0, 2, "A")]),
        ([(0, 2, "A"), (0, 2, "B")], [(0, 2, "A"), (0, 2, "B")]),
        ([(0, 2, "A"), (2, 4, "B")], [(0, 2, "A"), (2, 4, "B")]),
    ],
)
def test_of_spans_that_cross_the_first_is_kept(spans: list[tuple[int, int, str]], nested: list[tuple[int, int, str]]):
    assert find_nested(spans) == nested
