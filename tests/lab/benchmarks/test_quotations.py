import pytest
import spacy
from spacy.tokens import Doc

from lab.benchmarks.quotations import Counts, best_match, count, kind_of
from spacy_span_selector.annotation import Mention, Quotation, set_clusters, set_quotations
from spacy_span_selector.people.clustering import read_forms

NLP = spacy.blank("en")
TEXT = '" I know you , " said Tom to Ann .'
ME, YOU, TOM, ANN = (1, 2), (3, 4), (7, 8), (9, 10)
SAID = Quotation(0, 6, speaker=TOM, addressee=ANN)


def read(text: str) -> Doc:
    return Doc(NLP.vocab, words=text.split())


def counted(clusters: list[list[Mention]], *quotations: Quotation) -> Counts:
    """What is right where "I" is Tom and "you" is Ann."""
    reference, predicted = read(TEXT), read(TEXT)
    set_clusters(reference, [[ME, TOM], [YOU, ANN]])
    set_quotations(reference, [SAID])
    set_clusters(predicted, clusters)
    set_quotations(predicted, quotations)
    counts = Counts()
    count(predicted, reference, counts)
    return counts


def right(counts: Counts) -> set[str]:
    return {name.removesuffix(" right") for name, number in counts.items() if name.endswith(" right") and number}


OF_SPEAKERS = {
    *(f"{kind}, {by}" for kind in ("all", "explicit") for by in ("mention", "cluster")),
    "addressee, cluster",
}
OF_PRONOUNS = {f"{person}, {by}" for person in ("1 singular", "2") for by in ("link", "cluster")}
RIGHT = [[ME, TOM], [YOU, ANN]]


def test_what_is_the_same_is_right() -> None:
    counts = counted(RIGHT, SAID)
    assert right(counts) == OF_SPEAKERS | OF_PRONOUNS
    assert all(counts[name] == 1 for name in (*OF_SPEAKERS, *OF_PRONOUNS, "found", "all found"))


def test_a_quotation_that_is_not_found_or_has_another_speaker_is_wrong() -> None:
    nothing = counted(RIGHT)
    assert right(nothing) == right(counted(RIGHT, Quotation(0, 6, speaker=ANN, addressee=TOM))) == OF_PRONOUNS
    assert (nothing["all, mention"], nothing["addressee, cluster"], nothing["all found"]) == (1, 1, 0)


def test_the_mention_may_be_right_and_the_cluster_wrong() -> None:
    counts = counted([[YOU, TOM, ANN]], SAID)
    assert {"all, mention", "addressee, cluster"} <= right(counts)
    assert "all, cluster" not in right(counts)
    assert not any("cluster" in name for name in right(counted([[ME, ANN], [YOU, TOM]], SAID)) & OF_PRONOUNS)


def test_a_quotation_that_is_no_gold_one_is_counted_as_found_in_vain() -> None:
    counts = counted(RIGHT, SAID, Quotation(8, 10, speaker=TOM))
    assert (counts["found"], counts["all found"]) == (1, 2)


@pytest.mark.parametrize("speaker", [None, (6, 7)])
def test_a_gold_quotation_whose_speaker_is_in_no_cluster_counts_for_nothing(speaker: Mention | None) -> None:
    reference, predicted = read(TEXT), read(TEXT)
    set_quotations(reference, [Quotation(0, 6, speaker=speaker)])
    set_quotations(predicted, [SAID])
    counts = Counts()
    count(predicted, reference, counts)
    assert (counts["all, mention"], counts["found"]) == (0, 1)


@pytest.mark.parametrize(
    ("others", "expected"),
    [
        *(([], None), ([(12, 15)], None), ([(6, 16)], None)),
        *(([(0, 10)], 0), ([(5, 15)], 0), ([(2, 4)], 0), ([(0, 3), (1, 10)], 1)),
    ],
)
def test_a_match_shares_half_of_the_words_of_the_shorter_one(
    others: list[tuple[int, int]], expected: int | None
) -> None:
    quotations = [Quotation(*other) for other in others]
    assert best_match(Quotation(0, 10), quotations) == (None if expected is None else quotations[expected])


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ('" Go " said Tom .', "explicit"),
        ('Tom said , " Go "', "explicit"),
        ('" Go " he said .', "pronoun"),
        ('" Go " and Tom left .', "implicit"),
        ('" Go " said the man and then and then and then Tom .', "implicit"),
        ('" Go "', "implicit"),
    ],
)
def test_the_text_says_who_speaks_with_a_name_or_a_pronoun_or_not(text: str, kind: str) -> None:
    doc = read(text)
    first, last = (i for i, token in enumerate(doc) if token.text == '"')
    mentions = [(i, i + 1) for i, token in enumerate(doc) if token.text in ("Tom", "he")]
    evidence = dict(zip(mentions, (form.evidence for form in read_forms(doc, mentions)), strict=True))
    assert kind_of(doc, Quotation(first, last + 1), mentions, evidence) == kind


def test_accuracy_is_shown_with_how_many_there_are() -> None:
    counts = Counts()
    counts.add("all", True)
    counts.add("all", False)
    assert (counts.show("all"), counts.show("none")) == (" 50.0 (2)", "    -")
