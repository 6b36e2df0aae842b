import pytest

from spacy_span_selector.documents.visible import EMOJI, is_blank, split_words, visible


@pytest.mark.parametrize(
    "text",
    [
        "\U0001f389",
        "\U0001f469\u200d\U0001f680",
        "\U0001f44d\U0001f3fd",
        "\U0001f1e9\U0001f1ea",
        "1\ufe0f\u20e3",
        "#\u20e3",
        "\u2764",
        "\u2764\ufe0f\u200d\U0001f525",
        "\u2708\ufe0f",
        "\u261d\U0001f3fb",
        "\U0001f937\u200d\u2640\ufe0f",
        "\U0001f3f4\U000e0067\U000e0062\U000e007f",
        "\U0001f170\ufe0f",
        "\u2b50",
    ],
)
def test_an_emoji_is_blank(text: str) -> None:
    assert EMOJI.match(text)
    assert is_blank(text)
    assert visible(text) == ""


@pytest.mark.parametrize(
    "text", ["\u00a9", "\u2122", "\u00ae\ufe0f", "1", "#", "*", "\u2708", "\u2714", ":)", "<3", "\u2192"]
)
def test_symbols_digits_and_emoticons_are_no_emoji(text: str) -> None:
    assert not EMOJI.search(text)
    assert not is_blank(text)


@pytest.mark.parametrize("character", [*"\u00ad\u200b\u200c\u200d\u2060\ufeff\u200e\u202a\u2066\ufe0f\u180e\x9f"])
@pytest.mark.parametrize("word", ["Janet", "\u00c9lo\u00efse", "\u0410\u043d\u043d\u0430", "\u1f08\u03bd\u03bd\u03b1"])
def test_a_word_is_the_word_without_what_nobody_sees(character: str, word: str) -> None:
    assert visible(f"{word[:2]}{character}{word[2:]}") == visible(character + word) == visible(word + character) == word


@pytest.mark.parametrize(
    "text", ["\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", "\u0915\u094d\u200d\u0937", "\u0e01\u200b\u0e02"]
)
def test_joiners_stay_where_they_carry_meaning(text: str) -> None:
    assert visible(text) == text


def test_words_are_split_as_their_language_does() -> None:
    assert [word[:2] for word in split_words("Ann Lee's dog.", "en")] == [
        *(("Ann", True), ("Lee", False), ("'s", True), ("dog", False), (".", False))
    ]
    assert split_words("l'eau", "fr") == (("l'", False, "l'"), ("eau", False, "eau"))
    assert split_words("can't", "en") == (("ca", False, "can"), ("n't", False, "not"))
    assert split_words("Ann Lee", "no language") == (("Ann Lee", False, "ann lee"),)
