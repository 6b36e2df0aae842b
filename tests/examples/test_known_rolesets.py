from __future__ import annotations

import torch

from spacy_span_selector.annotation.lexicon import Lexicon
from spacy_span_selector.examples.known_rolesets import RAREST_TAG, KnownRolesets
from spacy_span_selector.layers.srl.roleset_roles import ABSENT, NO_TAG

LABELS = ["ARG0", "ARG2", "R-ARG2", "C-ARG1-DSP", "ARGM-TMP", "ARGA"]
CPU = torch.device("cpu")


def entry(name: str = "", **roles: tuple[str, str]) -> dict[str, object]:
    return {
        "name": name,
        "words": [],
        "roles": {role: {"description": text, "tag": tag} for role, (text, tag) in roles.items()},
    }


LEXICON: Lexicon = {
    "give.01": entry("transfer", ARG0=("giver", "PAG"), ARG2=("given to", "GOL")),
    "rain.01": entry(),
    "odd.01": entry("be odd", ARG0=("", "ODD")),
    **{f"more.{i:02}": entry(ARG0=("", "PAG"), ARG1=("", "GOL")) for i in range(RAREST_TAG)},
}  # type: ignore[dict-item]
KNOWN = KnownRolesets({"gave": {"give.01": 2, "give.99": 1}}, LEXICON, LABELS)


def tags_of(roleset: str) -> list[int]:
    row: list[int] = KNOWN.frame_table(CPU, [], strict=True).tags[KNOWN.numbers[roleset]].tolist()
    return row


def test_seen_rolesets_come_first() -> None:
    assert KNOWN.seen == 2
    assert [*KNOWN.numbers][:3] == ["give.01", "give.99", "more.00"]


def test_references_and_continuations_have_the_tag_of_their_role() -> None:
    goal, agent = 2, 3
    assert KNOWN.tags == 3
    assert tags_of("give.01") == [agent, goal, goal, ABSENT, NO_TAG, ABSENT]
    assert tags_of("more.00") == [agent, ABSENT, ABSENT, goal, NO_TAG, ABSENT]


def test_a_frame_without_roles_lacks_all_core_roles() -> None:
    assert tags_of("rain.01") == [ABSENT, ABSENT, ABSENT, ABSENT, NO_TAG, ABSENT]


def test_of_a_roleset_that_the_lexicon_lacks_nothing_is_known() -> None:
    assert tags_of("give.99") == [NO_TAG] * 6


def test_a_rare_function_tag_is_none() -> None:
    assert tags_of("odd.01")[:2] == [NO_TAG, ABSENT]


def test_unique_roles_are_marked() -> None:
    table = KNOWN.frame_table(CPU, ["ARG0", "ARGA", "ARG9"], strict=False)
    assert table.unique.tolist() == [True, False, False, False, False, True]
    assert not table.strict


def test_a_roleset_is_described() -> None:
    name, texts = KNOWN.describe("give.01", ["ARG0", "R-ARG2", "ARGM-TMP", "ARG4"])
    assert name == "transfer"
    assert texts == {"ARG0": "giver", "R-ARG2": "given to"}


def test_what_the_lexicon_does_not_say_is_none() -> None:
    assert KNOWN.describe("odd.01", ["ARG0"]) == ("be odd", None)
    assert KNOWN.describe("rain.01", ["ARG0"]) == (None, None)
    assert KNOWN.describe("give.99", ["ARG0"]) == KNOWN.describe(None, []) == (None, None)


def test_without_a_lexicon_there_are_no_tags() -> None:
    known = KnownRolesets({"gave": {"give.01": 2}}, {}, LABELS)
    assert known.tags == 0
    assert known.frame_table(CPU, [], strict=True).tags.tolist() == [[NO_TAG] * 6]
