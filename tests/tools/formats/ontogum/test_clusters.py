import re

import pytest

from spacy_span_selector.annotation import Mention
from spacy_span_selector.tools.formats.ontogum import keep_first, parse_clusters
from spacy_span_selector.tools.formats.reports import Report

from ..gum import CELLS, FIRST, WORDS, conll

SENTENCES = [WORDS[:FIRST], WORDS[FIRST:]]


def parse(text: str) -> tuple[dict[str, list[Mention]], list[str]]:
    """The clusters of a text, and what was left out."""
    report = Report()
    clusters = parse_clusters(text, "a.conll", SENTENCES, "a.conllu", report)
    return clusters, [case for cases in report.findings.values() for case in cases]


def test_cells_are_read_without_separators():
    assert parse(conll()) == ({"1": [(0, 1), (2, 3)], "2": [(2, 4), (7, 8)]}, [])


def test_a_word_may_be_missing_but_not_its_row():
    written = ["" if word == "Rex" else word for word in WORDS]
    assert len(parse(conll(CELLS, written))[0]) == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (conll().replace("1\tcalled", "1 called"), "a.conll:3: found 2 columns separated by tabs, expected 3"),
        (conll().replace("8\tbarked", "9\tbarked"), "a.conll:10: found word 9, 'barked', expected word 8, 'barked'"),
        (conll().replace("barked", "slept"), "found word 8, 'slept', expected word 8, 'barked', as in a.conllu"),
        (conll([*CELLS, "_"], [*WORDS, "!"]), "a.conll:12: found word 10, '!', expected `# end document`"),
        (conll(CELLS[:9], WORDS[:9]), "a.conll: found 9 words, expected 10, as in a.conllu"),
        (conll().replace("# end", "# and"), "a.conll: the file ends without `# end document`. Is it complete?"),
    ],
)
def test_malformed_files_are_named_with_the_line(text: str, message: str):
    with pytest.raises(ValueError, match=re.escape(message)):
        parse(text)


def test_a_bracket_without_a_partner_costs_its_mention_alone():
    clusters, cases = parse(conll([*CELLS[:3], "3)", *CELLS[4:]]))
    assert clusters == {"1": [(0, 1), (2, 3)], "2": [(7, 8)]}
    assert [case.partition(" of")[0] for case in cases] == ["a.conll:4: a mention", "a.conll:5: a mention"]


def test_a_span_stays_in_the_cluster_whose_first_mention_comes_first():
    clusters = {"late": [(4, 5), (6, 7)], "early": [(6, 7), (0, 2)]}
    assert keep_first(clusters) == ({"early": [(6, 7), (0, 2)], "late": [(4, 5)]}, [(6, 7)])


def test_a_span_twice_in_a_cluster_stays_once():
    assert keep_first({"a": [(0, 1), (0, 1), (2, 3)]}) == ({"a": [(0, 1), (2, 3)]}, [(0, 1)])
