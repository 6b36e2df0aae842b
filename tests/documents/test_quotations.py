import itertools
import random
import re

import pytest
import spacy
from spacy.tokens import Doc

from spacy_span_selector.documents.quotations import LONGEST, find_quotations, quotation_numbers

NLP = spacy.blank("en")


def quotations(doc: Doc) -> list[str]:
    """The text of each quotation, in the order of their numbers."""
    numbers = quotation_numbers(doc).tolist()
    return [
        " ".join(token.text for token, number in zip(doc, numbers, strict=True) if number == wanted)
        for wanted in range(1, max(numbers, default=0) + 1)
    ]


def in_words(text: str) -> Doc:
    """A document of words whose spaces are not known."""
    return Doc(NLP.vocab, words=text.split())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('"Go," she said. "Now!"', ['" Go , "', '" Now ! "']),
        ("“Go,” she said. “Now!”", ["“ Go , ”", "“ Now ! ”"]),
        ("«Va», dit-elle. « Va ! »", ["« Va »", "« Va ! »"]),
        ("»Geh«, sagte sie. »Geh!«", ["» Geh «", "» Geh ! «"]),
        ("„Geh“, sagte sie. „Geh!“", ["„ Geh “", "„ Geh ! “"]),
        ("”Gå”, sade hon.", ["” Gå ”"]),
        ("「行く」", ["「 行く 」"]),
        ("‘Go,’ she said. ‘Now!’", ["‘ Go , ’", "‘ Now ! ’"]),
        ("'Go,' she said. 'Now!'", ["' Go , '", "' Now ! '"]),
        ("“He said ‘no’ to me.”", ["“ He said ‘ no ’ to me . ”"]),
        ("'He said “no” to me,' said Ann. 'Did he?'", ["' He said “ no ” to me , '", "' Did he ? '"]),
        ("'Go,' said Ann. 'Ann?' 'To “The Ship”.'", ["' Go , '", "' Ann ? '", "' To “ The Ship ” . '"]),
        ("The boys' house and the girls' house.", []),
        ("Ann left. She stayed.", []),
        ("", []),
        ('"', ['"']),
        ('She left." He stayed.', []),
        ("One paragraph. “It began. “And went on.” He stayed.", ["“ It began . “ And went on . ”"]),
        ('One paragraph. "It began. "And went on." He stayed.', ['" It began . " And went on . "']),
        ("She began: “I am", ["“ I am"]),
    ],
)
def test_quotations_are_found(text: str, expected: list[str]) -> None:
    assert quotations(NLP.make_doc(text)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('" Go , " she said . " Now ! "', ['" Go , "', '" Now ! "']),
        ("“ Go , ” she said . “‘ Now ! ’”", ["“ Go , ”", "“‘ Now ! ’”"]),
        ("' Go , ' she said , ' or I 'll call the boys ' pa . '", ["' Go , '", "' or I 'll call the boys ' pa . '"]),
        ("`` Go , '' she said .", ["`` Go , ''"]),
        ("nothin ' at all , sayin ' nothin '", []),
        ("She left . ” He stayed . “ Go . ”", ["“ Go . ”"]),
    ],
)
def test_quotations_are_found_where_spaces_are_not_known(text: str, expected: list[str]) -> None:
    assert quotations(in_words(text)) == expected


def test_a_mark_that_nothing_closes_opens_no_quotation() -> None:
    doc = in_words("“ " + "word " * (LONGEST + 1) + "“ Go . ” She left .")
    assert quotations(doc) == ["“ Go . ”"]
    assert quotations(in_words("“ " + "word " * (LONGEST + 1))) == []


def test_a_long_speech_opens_a_quotation_again_and_again() -> None:
    (speech,) = quotations(in_words(("“ " + "word " * (LONGEST - 1)) * 3 + "”"))
    assert len(speech.split()) == 3 * LONGEST + 1


@pytest.mark.parametrize("opening, closing", ['""', "“”", "''", "‘’", "«»", "»«"])
@pytest.mark.parametrize("seed", range(3))
def test_a_random_dialogue_is_read_as_it_was_made(opening: str, closing: str, seed: int) -> None:
    draw = random.Random(seed)
    text, expected = "", []
    for _ in range(30):
        words = " ".join(draw.choice(["ann", "left", "the", "boat"]) for _ in range(draw.randint(1, 6)))
        if draw.random() < 0.5:
            text += f"{opening}{words}{draw.choice(',.!?')}{closing} "
            expected.append(len(words.split()) + 3)
        else:
            text += words + draw.choice([".", ",", " --"]) + " "
    assert [len(quotation.split()) for quotation in quotations(NLP.make_doc(text))] == expected


def found(text: str) -> list[tuple[str, int]]:
    """The text and the level of each quotation."""
    doc = NLP.make_doc(text)
    return [(doc[start:end].text, level) for start, end, level in find_quotations(doc)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("“He said ‘no’ to me.”", [("“He said ‘no’ to me.”", 0), ("‘no’", 1)]),
        ("'He said \"no\" to me,' said Ann.", [("'He said \"no\" to me,'", 0), ('"no"', 1)]),
        ("\"'Go!' he said.\"", [("\"'Go!' he said.\"", 0), ("'Go!'", 1)]),
        ("« Il dit “non” », dit-elle.", [("« Il dit “non” »", 0), ("“non”", 1)]),
        ("「 he 『 no 』 」", [("「 he 『 no 』 」", 0), ("『 no 』", 1)]),
        ("“It’s the boys’ house,” he said.", [("“It’s the boys’ house,”", 0)]),
        ("‘The boys’ house,’ he said. ‘’Tis theirs.’", [("‘The boys’ house,’", 0), ("‘’Tis theirs.’", 0)]),
        ("'Heathcliff': so they call him.", [("'Heathcliff'", 0)]),
        ("‘Read “Mary”,’ he said. She read “Mary”.", [("‘Read “Mary”,’", 0), ("“Mary”", 1), ("“Mary”", 0)]),
    ],
)  # fmt: skip
def test_a_quotation_within_another_has_the_level_1(text: str, expected: list[tuple[str, int]]) -> None:
    assert found(text) == expected


@pytest.mark.parametrize("opening, closing", ["“”", '""', "''", "‘’", "«»"])
def test_a_speech_of_several_paragraphs_that_each_open_it_is_one_quotation(opening: str, closing: str) -> None:
    speech = f"{opening}One.\n\n{opening}Two.\n\n{opening}Three.{closing}"
    no = f"{opening}No!{closing}"
    assert found(f"He said:\n\n{speech}\n\n{no} said Ann.") == [(speech, 0), (no, 0)]


@pytest.mark.parametrize("opening, closing", ["“”", '""', "''", "«»"])
def test_a_quotation_that_is_not_closed_ends_with_its_paragraph(opening: str, closing: str) -> None:
    text = f"{opening}One.\n\nTwo.\n\n{opening}Three,{closing} she said.\n\nFour."
    assert found(text) == [(f"{opening}One.", 0), (f"{opening}Three,{closing}", 0)]


@pytest.mark.parametrize("dash", ["—", "--", "– ", "― "])
def test_paragraphs_that_begin_with_a_dash_are_quotations_where_there_are_hardly_any_marks(dash: str) -> None:
    dialogue = [f"{dash}Come up, sir.\nCome up!", f"{dash}Where?", f"{dash}There, fool.", f"{dash}No!"]
    text = f"\n\nHe waited.{dash}\n\n".join(dialogue)
    assert found(f"{text}\n\nA “fool”.") == [*((speech, 0) for speech in dialogue), ("“fool”", 0)]
    assert found(text.replace("fool", "“fool”"))[3] == ("“fool”", 1)


def test_a_dash_is_none_of_a_dialogue_beside_quotation_marks() -> None:
    text = "\n\n".join(["“Go,” said Ann.", "—Then he went.", "—Then she went.", "—Then all went."])
    assert found(text) == [("“Go,”", 0)]


def test_a_dash_begins_a_sentence_where_paragraphs_are_not_known() -> None:
    doc = in_words("He said : — Come up . He went . — Where ? — To the ship .")
    found = [doc[start:end].text for start, end, _ in find_quotations(doc)]
    assert found == ["— Come up .", "— Where ?", "— To the ship ."]


@pytest.mark.parametrize("seed", range(20))
def test_outer_quotations_never_overlap_and_inner_ones_lie_within_them(seed: int) -> None:
    draw = random.Random(seed)
    text = "".join(draw.choice(["\n\n", " ", "ann", "left", ".", ",", "—", *"\"“”'‘’«»„`"]) for _ in range(300))
    doc = NLP.make_doc(text)
    quotations = find_quotations(doc)
    outer = [(start, end) for start, end, level in quotations if level == 0]
    assert all(before[1] <= after[0] for before, after in itertools.pairwise(outer))
    for start, end, level in quotations:
        assert 0 <= start < end <= len(doc)
        assert level == 0 or any(first <= start and end <= last for first, last in outer)


SPOKEN = [  # what stands in brackets is no speech
    ("en", "— I do not know, [said her brother.] I never saw it."),
    ("en", "— Where is he? [she asked, turning round. —] I can't see him."),
    ("en", "— Come in! [cried the keeper of the tower.]"),
    ("en", "— Come in! [the keeper cried, and he shut the door.] You are late."),
    ("en", "— I am late, [Ada Quill answered,] but you waited."),
    ("en", "— I am late, [Ada answered, with a sigh, looking at him,] but I came."),
    ("en", "— The boat, [he said,] is gone."),
    ("en", "— The boat is gone, [whispered old Marten.] I saw it. It was, [he added softly,] my own."),
    ("en", "— Why? [I asked.]"),
    ("en", "— Why? [asked Mr. Dole.] He never told us."),
    ("en", "— Wait ... [murmured his aunt, her eyes shut.] I hear them."),
    ("en", "— Here, [they shouted:] we found it!"),
    ("en", "— It rains, [said the pilot, who had woken up.] We stay."),
    ("en", "— It rains, [the pilot told her.] We stay."),
    ("en", "—I don't know [— said her cousin —] but I guess."),
    ("en", "—I don't know[—said her cousin. He sat down.]"),
    ("en", "— Go, [said Ilse. She left. —] Now!"),
    ("en", "— Where is it,[\nhis father\nsaid.] I am\ntired.\n\n"),
    ("es", "—No sé [—dijo ella—.] Mañana lo veremos."),
    ("es", "—Ven [—dijo Marta—,] que es tarde."),
    ("es", "—¿Quién es? [—preguntó él, y se fue.]"),
    ("ru", "— Нет, [— сказал он. —] Я не знаю."),
    ("ru", "— Я думаю, [— сказал он, —] что это правда."),
    ("ru", "— Да! [— крикнула Анна.]"),
    ("pl", "— Nie wiem [— powiedział. —] Zobaczymy."),
    ("pl", "— Idziesz? [— zapytała Anna.]"),
    ("fr", "— Où est-il ? [— demanda-t-elle. —] Je ne le vois pas."),
]


@pytest.mark.parametrize(("language", "marked"), SPOKEN)
def test_the_tag_of_a_paragraph_behind_a_dash_is_narration(language: str, marked: str) -> None:
    doc = spacy.blank(language).make_doc(marked.replace("[", "").replace("]", ""))
    spoken = [part.strip() for part in re.split(r"\[[^]]*\]", marked)]
    assert [doc[start:end].text for start, end, _ in find_quotations(doc)] == [part for part in spoken if part]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "— I thought — no, I knew — that he lied."),
        ("en", "— When I came, he told me everything."),
        ("en", "— If you ask me, she said so herself."),
        ("en", "— Come, tell the keeper."),
        ("en", "— Well, say nothing."),
        ("en", "— My aunt, who said it, is dead."),
        ("en", "— The keeper said he would come."),
        ("en", "— You know--he went home--and that's all."),
        ("en", "— What does he want? The keeper said he was ill."),
        ("ru", "— Москва — столица."),
        ("pl", "— Moja matka — nauczycielka."),
        ("fr", "– Non, dit-il. Je ne sais pas."),
    ],
)
def test_a_paragraph_behind_a_dash_without_a_known_tag_is_one_quotation(language: str, text: str) -> None:
    doc = spacy.blank(language).make_doc("\n\n".join([text, "— Oh.", "— Ah!"]))
    assert [doc[start:end].text for start, end, _ in find_quotations(doc)] == [text, "— Oh.", "— Ah!"]


@pytest.mark.parametrize(
    "text",
    [
        "– milk\n– eggs\n– bread",
        "— Milk,\n— eggs,\n— bread",
        "-- the door\n\n-- the key\n\n-- the lock\n\n-- see below.",
        "- He came, said Ann.\n- He left.\n- She slept.",
        "He left.\n\n— The editor",
    ],
)
def test_a_list_is_no_dialogue(text: str) -> None:
    assert found(text) == []


def test_words_in_marks_lie_within_the_speech_or_the_tag() -> None:
    text = "— Read “Mary”, said the “keeper”. Then read “Emma”.\n\n— Why?\n\n— So.\n\n— No!\n\n— Oh.\n\n— Ah.\n\n"
    text += "\n\n".join(["— Well."] * 6)
    assert [one for one in found(text) if "“" in one[0]] == [
        ("— Read “Mary”,", 0), ("“Mary”", 1), ("“keeper”", 0), ("Then read “Emma”.", 0), ("“Emma”", 1)
    ]  # fmt: skip


@pytest.mark.parametrize("opening, closing", ['""', "“”", "''", "‘’", "«»", "»«", "„“"])
@pytest.mark.parametrize("between", [" ", "\n", "\n\n", "  "])
def test_quotations_side_by_side_are_two(opening: str, closing: str, between: str) -> None:
    first, second = f"{opening}I saw it.{closing}", f"{opening}No!{closing}"
    assert found(f"They met. {first}{between}{second} It rained.") == [(first, 0), (second, 0)]
