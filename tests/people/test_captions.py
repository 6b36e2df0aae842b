import pytest

from spacy_span_selector.people.captions import find_captions, hide
from spacy_span_selector.people.transcripts import read_turns

TEXT = (
    "WEBVTT\n\nNOTE x\ny\n\nfirst\n00:01.000 --> 00:02.000 line:0\n<v Ann>I <b>saw</b>\n2\n00:02.000 --> 00:03.000\nhim"
)


def test_cues_and_tags_are_found_and_hidden() -> None:
    found = find_captions(TEXT)
    assert [TEXT[start:end] for start, end in found.cues] == [
        "WEBVTT", "NOTE x\ny", "first\n00:01.000 --> 00:02.000 line:0", "2\n00:02.000 --> 00:03.000"
    ]  # fmt: skip
    assert [TEXT[start:end] for start, end in found.tags] == ["<b>", "</b>"]
    assert [change.name for change in found.changes] == ["", "", "", "Ann", ""]  # none after a cue without a voice
    shown = hide(TEXT, found.cues)
    assert (len(shown), shown.split()) == (len(TEXT), ["<v", "Ann>I", "<b>saw</b>", "him"])


def test_other_texts_have_no_captions() -> None:
    assert not any(find_captions("From 9:00 --> home\n<v Ann>I saw him."))


@pytest.mark.parametrize(
    "cue", ["<i>- Hi there.</i>\n<i>- Hi to you.</i>", "{\\an8}- Hi.\n- Hi.", "00:00:01,500 --> 00:00:02,000\nHi."]
)
def test_what_is_hidden_twice_moves_nothing(cue: str) -> None:
    text = f"1\n00:00:01,000 --> 00:00:02,000\n{cue}\n\n2\n00:00:03,000 --> 00:00:04,000\nANN: Were you here?\n"
    turns = read_turns(text)[1]
    assert [text[turn.start : turn.end] for turn in turns if turn.name == "ANN"] in ([], ["Were you here?"])
    assert len(hide(text, [(0, 9), (4, 12)])) == len(text)
