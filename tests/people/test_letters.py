"""Who writes a letter, and texts that are none."""

import pytest
import spacy

from spacy_span_selector.annotation import get_speakers
from spacy_span_selector.people.letters import UNSIGNED, read_letter
from spacy_span_selector.people.transcripts import notice_turns

ENGLISH = spacy.blank("en")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Dear Ann,\n\nI am late.\n\nBest regards,\nTom Lee", "Tom Lee"),
        ("Hi Ann,\nI am late.\nLove, Tom", "Tom"),
        ("Hello Ann!\nI am late.\nTom", "Tom"),
        ("Dear Ann,\nI am late, and you wait for me there?", UNSIGNED),
        ("My dear brother,\n\nI am late.\n\nYour loving sister,\nAnn Lee", "Ann Lee"),
        ("Good morning Ms. Ann,\n\nI am late.\n\nBest,\nTom", "Tom"),
        ("To whom it may concern,\n\nI am late.\n\nYours,\nTom", "Tom"),
        ("Hi,\n\nI am late.\n\nThanks\nTom Lee", "Tom Lee"),
        ("Dear all,\n\nI am late.\n\nKind regards,\nTom", "Tom"),
        ("Dear Ann,\n\nThanks for the gift, it is lovely.\n\nSee you soon,\nTom", "Tom"),
        ("Dear Ann,\n\nI am late.\n\nBest,\nTom\n\nThanks again for all", "Tom"),
        ("Dear Ann,\n\nI am late.\n\nAttachment: Invoice", UNSIGNED),
        ("Hi Ann, I am late. Wait for me! Best, Tom", "Tom"),
        ("Hello Ann Lee! I am late. - Tom", "Tom"),
        ("Hi Ann, I am late. Many thanks,\nTom", "Tom"),
        ("Hi Ann, the train is late. Best regards, Tom Lee, Rome", "Tom Lee"),
        ("Hi Ann, thanks for the gift. See you in Rome.", UNSIGNED),
        ("Hi Ann, I am late, but I will be at home.", UNSIGNED),
    ],
)
def test_the_signature_names_who_writes_a_letter(text: str, name: str) -> None:
    (turn,) = read_letter(text, ENGLISH.vocab)
    assert (turn.name, turn.start) == (name, 0)
    assert name == UNSIGNED or not text[turn.start : turn.end].endswith(name)


def test_a_place_and_a_date_may_stand_before_a_greeting() -> None:
    letter, prose = "Dear Ann,\nI am late.\nLove, Tom", "Tom wrote this when he was ill in bed, as he often was."
    (turn,) = read_letter(f"Lyon, 3 May 1820\n\n{letter}", ENGLISH.vocab)
    assert (turn.name, turn.start) == ("Tom", 18)
    assert read_letter(f"{prose}\n{letter}", ENGLISH.vocab) == []


NO_LETTERS = ["Dear me, said Ann.\nTom left.", "Ann left.\nBest,\nTom", "Dear Ann,", "Poor Ann, she left.", ""]
NO_LETTERS += [
    "Hello Ann, said Tom. I am late.",
    "Dear Ann, a film, is old. Tom is in it",
    "Hello,\nI am late.\nTom",
    "Hello,\nsaid the boy to the girl.\nThanks for coming\nAnn laughed.",
    'Hi Ann, you left? "No," I said.',
]


@pytest.mark.parametrize("text", NO_LETTERS)
def test_without_a_greeting_in_a_line_of_its_own_or_of_a_name_there_is_no_letter(text: str) -> None:
    assert read_letter(text, ENGLISH.vocab) == []


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Ann: Are you in?\nBob: I am.\nAnn: Good.", ["Ann", "Bob", "Ann"]),
        ("Q. Were you there?\nA. I was.", ["Q", "A"]),
        ("12/03/24, 12:03 - Ann: Are you in?\n12/03/24, 12:04 - Bob: I am.", ["Ann", "Bob"]),
        ("Title: Summer\nAuthor: Ann Lee\nPages: 20", []),
        ("Ann: Are you in?\n" + "It was a long day, and nobody came.\n" * 30 + "Bob: I am.", []),
    ],
)
def test_talk_is_noticed_where_nearly_all_lines_tell_of_it(text: str, names: list[str]) -> None:
    doc = ENGLISH(text)
    words = [token.text for token in doc]
    notice_turns(doc)
    assert [name for *_, name in get_speakers(doc)] == names
    assert [token.text for token in doc] == words
