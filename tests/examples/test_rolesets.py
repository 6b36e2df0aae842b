import math

import pytest
import torch
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_span_selector.annotation import Frame, set_frames
from spacy_span_selector.annotation.lexicon import Lexicon
from spacy_span_selector.examples.rolesets import (
    RAREST_TAG,
    KnownRolesets,
    LookUpSenses,
    RolesetCounts,
    add_lexicon,
    count_rolesets,
    number_rolesets,
)
from spacy_span_selector.layers.spans.layout import Spans
from spacy_span_selector.layers.srl.roles import ABSENT, NO_TAG

VOCAB = Vocab()


def make_doc(words: list[str], lemmas: list[str] | None = None, rolesets: dict[int, str | None] | None = None) -> Doc:
    """A document whose tokens with a roleset, None among them, are predicates."""
    doc = Doc(VOCAB, words=words, lemmas=lemmas)
    set_frames(doc, [Frame(i, i + 1, [], roleset) for i, roleset in (rolesets or {}).items()])
    return doc


def look_up(
    docs: list[Doc], counts: RolesetCounts, predicates: list[tuple[int, int]], lexicon: Lexicon | None = None
) -> list[dict[str, float]]:
    """How often the form or lemma of each predicate was seen with each roleset."""
    starts, ends = torch.tensor(predicates, dtype=torch.long).view(-1, 2).T
    numbers = number_rolesets(counts, {})
    pairs, log_counts = LookUpSenses(docs, counts, numbers, lexicon)(Spans(starts, ends))
    found: list[dict[str, float]] = [{} for _ in predicates]
    for predicate, number, count in zip(pairs.left.tolist(), pairs.right.tolist(), log_counts.tolist(), strict=True):
        found[predicate][list(numbers)[number]] = round(math.exp(count), 4)
    assert pairs.left.tolist() == sorted(pairs.left.tolist())
    return found


def words_of_rolesets(**rolesets: list[str]) -> Lexicon:
    """A lexicon that knows the words of each roleset: "leave_01" is that of "leave.01"."""
    return {f"{name[:-3]}.{name[-2:]}": {"name": "", "words": words, "roles": {}} for name, words in rolesets.items()}


COUNTS = {"left": {"depart.01": 1, "leave.02": 3}, "leave": {"leave.02": 2}, "took off": {"take_off.07": 1}}


def test_forms_and_lemmas_are_counted() -> None:
    docs = [
        make_doc(["Left", "left", "leaves"], ["leave"] * 3, {0: "leave.02", 1: "depart.01", 2: "leave.02"}),
        make_doc(["left", "runs"], rolesets={0: "leave.02", 1: None}),
    ]
    both = {"depart.01": 1, "leave.02": 2}
    assert count_rolesets(docs, "srl") == {"leave": both, "leaves": {"leave.02": 1}, "left": both}


def test_a_form_that_is_its_lemma_is_counted_once() -> None:
    assert count_rolesets([make_doc(["leave"], ["leave"], {0: "leave.02"})], "srl") == {"leave": {"leave.02": 1}}


def test_predicates_of_several_words_are_counted_whole() -> None:
    doc = Doc(VOCAB, words=["took", "off"], lemmas=["take", "off"])
    set_frames(doc, [Frame(0, 2, [], "take_off.07")], prefix="roles")
    assert count_rolesets([doc], "roles") == {"take off": {"take_off.07": 1}, "took off": {"take_off.07": 1}}
    assert count_rolesets([doc], "srl") == {}


def test_the_form_is_looked_up_before_the_lemma() -> None:
    doc = make_doc(["LEFT", "leaving", "leaving"], ["leave", "leave", "Leave"])
    found = look_up([doc], COUNTS, [(0, 0), (1, 1), (2, 2)])
    assert found == [{"depart.01": 1, "leave.02": 3}, {"leave.02": 2}, {"leave.02": 2}]


def test_what_was_never_seen_has_no_rolesets() -> None:
    doc = make_doc(["ran", "left"])
    assert look_up([doc], COUNTS, [(0, 0), (1, 1)]) == [{}, {"depart.01": 1, "leave.02": 3}]
    assert (look_up([doc], {}, [(1, 1)]), look_up([doc], COUNTS, [])) == ([{}], [])


@pytest.mark.parametrize("lemmas", [None, ["", "", ""]])
def test_words_without_lemmas_are_looked_up_by_their_form(lemmas: list[str] | None) -> None:
    doc = make_doc(["went", "took", "off"], lemmas)
    assert look_up([doc], {**COUNTS, "": {"void.01": 1}}, [(0, 0), (1, 2)]) == [{}, {"take_off.07": 1}]


def test_what_a_form_may_be_a_form_of_is_looked_up_last() -> None:
    doc = make_doc(["leaving", "leaving"], ["", "left"])
    assert look_up([doc], COUNTS, [(0, 0), (1, 1)]) == [{"leave.02": 2}, {"depart.01": 1, "leave.02": 3}]


LEXICON = words_of_rolesets(leave_09=["leave"], depart_01=["depart"], go_off_01=["go off", "depart"])


def test_rolesets_of_the_lexicon_come_after_those_that_were_seen() -> None:
    assert [*number_rolesets(COUNTS, LEXICON)] == ["depart.01", "leave.02", "take_off.07", "go_off.01", "leave.09"]


def test_only_words_that_were_never_seen_have_the_rolesets_of_the_lexicon() -> None:
    added = {"depart": {"depart.01": 1, "go_off.01": 1}, "go off": {"go_off.01": 1}}
    assert add_lexicon(COUNTS, LEXICON) == {**COUNTS, **added}


def test_the_most_common_roleset_of_a_word_that_was_never_seen_comes_first() -> None:
    lexicon = words_of_rolesets(fried_02=["fry"], fry_01=["fry"])
    assert [*add_lexicon({}, lexicon)["fry"]] == ["fry.01", "fried.02"]


def test_rolesets_of_another_word_are_left_out() -> None:
    """Of "leaned" all are, so those of its base form count; "decision" is a word of its roleset by the lexicon."""
    counts = {
        "leaned": {"learn.01": 1},
        "lean": {"lean.01": 2},
        "lie": {"lay.01": 1, "lie.07": 8},
        "lay": {"lay.01": 3, "lie.07": 1, "wait.01": 1},
        "left": {"leave_out.03": 1},
        "decision": {"decide.01": 2},
    }
    names = {roleset for row in counts.values() for roleset in row}
    lexicon: Lexicon = {name: {"name": "", "words": [], "roles": {}} for name in names}
    lexicon["decide.01"]["words"] = ["decide", "decision"]
    doc = make_doc([*counts])
    assert look_up([doc], counts, [(i, i) for i in range(len(counts))], lexicon) == [
        {"lean.01": 2},
        {"lean.01": 2},
        {"lie.07": 8},
        {"lay.01": 3, "lie.07": 1},
        {"leave_out.03": 1},
        {"decide.01": 2},
    ]


def test_a_participle_in_the_perfect_has_the_rolesets_of_its_verb() -> None:
    counts = {"drunk": {"drunk.01": 1}, "drink": {"drink.01": 15}}
    lexicon = words_of_rolesets(drunk_01=["drunk"], drink_01=["drink"])
    docs = [make_doc(["he", "had", "drunk"]), make_doc(["he", "was", "drunk"])]
    assert look_up(docs, counts, [(2, 2), (5, 5)], lexicon) == [{"drink.01": 15}, {"drunk.01": 1}]


def test_a_roleset_of_another_word_is_better_than_none() -> None:
    lexicon = words_of_rolesets(believe_01=["believe"])
    assert look_up([make_doc(["beleive"])], {"beleive": {"believe.01": 1}}, [(0, 0)], lexicon) == [{"believe.01": 1}]


def test_what_the_lexicon_lacks_may_be_of_any_word() -> None:
    lexicon = words_of_rolesets(leave_02=["leave"])
    assert look_up([make_doc(["left"])], COUNTS, [(0, 0)], lexicon) == [{"leave.02": 3, "depart.01": 1}]


def test_predicates_of_a_batch_are_found_in_their_documents() -> None:
    docs = [make_doc(["Ann", "left"]), Doc(VOCAB), make_doc(["took", "off"]), make_doc(["leave"])]
    found = look_up(docs, COUNTS, [(1, 1), (2, 3), (4, 4)])
    assert found == [{"depart.01": 1, "leave.02": 3}, {"take_off.07": 1}, {"leave.02": 2}]


LABELS = ["ARG0", "ARG2", "R-ARG2", "C-ARG1-DSP", "ARGM-TMP", "ARGA"]
CPU = torch.device("cpu")
GOAL, AGENT = 2, 3


def entry(name: str = "", **roles: tuple[str, str]) -> dict[str, object]:
    return {
        "name": name,
        "words": [],
        "roles": {role: {"description": text, "tag": tag} for role, (text, tag) in roles.items()},
    }


LEXICON_KNOWN: Lexicon = {
    "give.01": entry("transfer", ARG0=("giver", "PAG"), ARG2=("given to", "GOL")),
    "rain.01": entry(),
    "odd.01": entry("be odd", ARG0=("", "ODD")),
    **{f"more.{i:02}": entry(ARG0=("", "PAG"), ARG1=("", "GOL")) for i in range(RAREST_TAG)},
}  # type: ignore[dict-item]
KNOWN = KnownRolesets({"gave": {"give.01": 2, "give.99": 1}}, LEXICON_KNOWN, LABELS)


@pytest.mark.parametrize(
    ("roleset", "tags"),
    [
        ("give.01", [AGENT, GOAL, GOAL, ABSENT, NO_TAG, ABSENT]),
        ("more.00", [AGENT, ABSENT, ABSENT, GOAL, NO_TAG, ABSENT]),
        ("rain.01", [ABSENT, ABSENT, ABSENT, ABSENT, NO_TAG, ABSENT]),  # a frame without roles
        ("give.99", [NO_TAG] * 6),  # the lexicon lacks it
        ("odd.01", [NO_TAG, ABSENT, ABSENT, ABSENT, NO_TAG, ABSENT]),  # a rare function tag
    ],
)
def test_references_and_continuations_have_the_tag_of_their_role(roleset: str, tags: list[int]) -> None:
    assert KNOWN.frame_table(CPU, [], strict=True).tags[KNOWN.numbers[roleset]].tolist() == tags


def test_seen_rolesets_come_first() -> None:
    assert (KNOWN.seen, KNOWN.tags) == (2, 3)
    assert [*KNOWN.numbers][:3] == ["give.01", "give.99", "more.00"]


def test_unique_roles_are_marked() -> None:
    table = KNOWN.frame_table(CPU, ["ARG0", "ARGA", "ARG9"], strict=False)
    assert table.unique.tolist() == [True, False, False, False, False, True]
    assert not table.strict


def test_a_roleset_is_described_as_far_as_the_lexicon_goes() -> None:
    texts = {"ARG0": "giver", "R-ARG2": "given to"}
    assert KNOWN.describe("give.01", ["ARG0", "R-ARG2", "ARGM-TMP", "ARG4"]) == ("transfer", texts)
    assert KNOWN.describe("odd.01", ["ARG0"]) == ("be odd", None)
    assert KNOWN.describe("rain.01", ["ARG0"]) == (None, None)
    assert KNOWN.describe("give.99", ["ARG0"]) == KNOWN.describe(None, []) == (None, None)


def test_without_a_lexicon_there_are_no_tags() -> None:
    known = KnownRolesets({"gave": {"give.01": 2}}, {}, LABELS)
    assert known.tags == 0
    assert known.frame_table(CPU, [], strict=True).tags.tolist() == [[NO_TAG] * 6]
