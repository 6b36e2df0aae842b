import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_span_selector import doc_from_transcript
from spacy_span_selector.annotation import get_speakers
from spacy_span_selector.people.transcripts import read_turns

from ..untrained import pipeline_of

NLP = pipeline_of("en", "word_sentencizer")

MAIL = """From: Ann Lee <ann@example.org>
To: Bob
Subject: The key

See below. I'll ask Tom.

-----Original Message-----
From: bob@example.org
Sent: Monday

I lost
the key.
"""
REPLY = "No.\n\nOn Mon, 6 May 2024 at 10:12 AM Ann Lee <ann@example.org> wrote:\n> Did you\n> see him?\n\nYes!\n"
PLAY = "SCENE I. A room.\n\nHAMLET. [Aside.] To be,\n\nEnter OPHELIA.\n\nOPHELIA. My lord\n\nACT II\n\nA street\n"
SCREENPLAY = "INT. ROOM\n\nANN\n(quietly)\nWhere were\nyou?\n\nShe turns.\n\nBOB\nAt work\n"

LOGS = {
    "roles": ("user: I saw him.\nassistant: You saw me?", "user: I saw him. | assistant: You saw me?"),
    "roles with a system": ("system: You are kind.\nuser: write a list\n\n- one\n- two\n\nassistant: done",
     "system: You are kind. | user: write a list - one - two | assistant: done"),
    "numbered roles": ("agent_1: the lamp is out\nagent_2: I know\nagent_1: fix it.",
     "agent_1: the lamp is out | agent_2: I know | agent_1: fix it."),
    "Human and AI": ("Human: hi\nAI: hello, human\nHuman: bye", "Human: hi | AI: hello, human | Human: bye"),
    "lower case": ("mia: did he call\nolaf: no\nmia: he said he would.",
     "mia: did he call | olaf: no | mia: he said he would."),
    "lower case, two lines": ("mia: hi\nolaf: hello", "mia: hi | olaf: hello"),
    "prompt": ("USER> where is it?\nBOT> In the box.\nUSER> thanks",
     "USER: where is it? | BOT: In the box. | USER: thanks"),
    "bold with the colon": ("**Mia Berg:** I fell.\n\n**Olaf:** You did?", "Mia Berg: I fell. | Olaf: You did?"),
    "bold before the colon": ("**Mia**: I fell.\n**Olaf**: You did?", "Mia: I fell. | Olaf: You did?"),
    "italics": ("*Mia*: I fell.\n_Olaf_: You did?", "Mia: I fell. | Olaf: You did?"),
    "headings": ("### Mia\nI fell.\n\n### Olaf\nYou did?\n\n### Mia\nYes.",
     "Mia: I fell. | Olaf: You did? | Mia: Yes."),
    "headings of roles": ("## User\nhi\n\n## Assistant\nhello there", "User: hi | Assistant: hello there"),
    "brackets": ("[Mia] I fell.\n[Olaf] You did?\n[Mia] Yes.", "Mia: I fell. | Olaf: You did? | Mia: Yes."),
    "brackets and colon": ("[Mia]: It rained.\n[Olaf]: So it did.", "Mia: It rained. | Olaf: So it did."),
    "diarization": ("[SPEAKER_00]: It rained.\n[SPEAKER_01]: So it did.\n[SPEAKER_00]: Well.",
     "SPEAKER_00: It rained. | SPEAKER_01: So it did. | SPEAKER_00: Well."),
    "angle": ("<A> It rained.\n<B> So it did.", "A: It rained. | B: So it did."),
    "IRC without times": ("<mia> hi all\n* olaf waves\n<@olaf> hello\n-!- tom has joined",
     "mia: hi all | olaf: hello"),
    "IRC": ("[12:03] <mia> hi\n[12:03] * olaf waves\n[12:04] -!- tom [~t@h] has joined #x\n[12:04] <@olaf> yes, "
     "mia: now",
     "mia: hi | olaf: yes, mia: now"),
    "irssi": ("12:03 <@mia> hi\n12:04 -!- tom has joined\n12:05 < olaf> yes", "mia: hi | olaf: yes"),
    "WeeChat": ("2024-03-12 12:03:11\tmia\thi\n2024-03-12 12:03:15\t-->\ttom (t@h) has joined\n2024-03-12 "
     "12:04:11\t@olaf\tyes",
     "mia: hi | olaf: yes"),
    "LINE": ("2024/03/12(Tue)\n14:05\tMia\thi\n14:06\tOlaf\tyes", "Mia: hi | Olaf: yes"),
    "WhatsApp, Android": ("12/03/24, 14:05 - Messages are end-to-end encrypted.\n12/03/24, 14:05 - Mia Berg: hi\n"
     "and bye\n12/03/24, 2:06\u202fPM - \u202a+49 170 123\u202c: yes",
     "Mia Berg: hi and bye | +49 170 123: yes"),
    "WhatsApp, iOS": ("[12.03.24, 14:05:33] Mia: hi\n\u200e[12.03.24, 14:06:00] Olaf: \u200eimage omitted\n"
     "[12.03.24, 14:07:00] Olaf changed the name",
     "Mia: hi | Olaf: image omitted"),
    "WhatsApp, old": ("28-09-16 11:20:19: Mia: hi\n28-09-16 11:20:33: Olaf: yes", "Mia: hi | Olaf: yes"),
    "Telegram": ("Mia Berg, [12.03.24 14:05]\nhi\nthere\n\nOlaf, [12.03.24 14:06]\nyes",
     "Mia Berg: hi there | Olaf: yes"),
    "Slack": ("Mia Berg  2:05 PM\nhi\nOlaf  2:06 PM\nyes", "Mia Berg: hi | Olaf: yes"),
    "Slack, the time below": ("Mia Berg\n  2:05 PM\nhi\nOlaf\n  2:06 PM\nyes", "Mia Berg: hi | Olaf: yes"),
    "Discord": ("mia_b — Today at 2:05 PM\nhi\nolaf — Yesterday at 14:06\nyes", "mia_b: hi | olaf: yes"),
    "Discord, exported": ("[12-Mar-24 02:05 PM] mia#1234\nhi\n\n[12-Mar-24 02:06 PM] olaf#1\nyes",
     "mia#1234: hi | olaf#1: yes"),
    "Teams": ("[12/3/2024 2:05 PM] Mia Berg\nhi\n[12/3/2024 2:06 PM] Olaf\nyes", "Mia Berg: hi | Olaf: yes"),
    "Zoom": ("14:05:33 From Mia Berg to Everyone: hi\n14:06:00 From  Olaf  to  Mia (Direct Message):\n\tyes",
     "Mia Berg: hi | Olaf: yes"),
    "Pidgin": ("(12:03:11 PM) mia: hi\n(12:03:40 PM) olaf: yes", "mia: hi | olaf: yes"),
    "times alone": ("Mia: hi\n\n00:05:00\n\nOlaf: yes\n\n00:10:00\n\nwell", "Mia: hi | Olaf: yes well"),
    "Otter": ("Mia Berg  0:05\nI fell.\n\nOlaf  0:09\nYou did?", "Mia Berg: I fell. | Olaf: You did?"),
    "letters in court": ("MR. LEE: Go on.\nQ.  Did you see him?\nA.  I did.\nTHE COURT: Louder.\nQ.  When?\nA.  "
     "At noon.",
     "MR. LEE: Go on. | Q: Did you see him? | A: I did. | THE COURT: Louder. | Q: When? | A: At noon."),
    "letters with colons": ("Q: Who came?\nA: Tom.", "Q: Who came? | A: Tom."),
    "asides": ("MIA (laughing): I fell.\nOLAF [off]: You did?", "MIA: I fell. | OLAF: You did?"),
    "Cyrillic": ("Анна: Привет.\nБорис: Да?", "Анна: Привет. | Борис: Да?"),
    "Chinese": ("李雷：你好。\n韩梅梅：你好吗？", "李雷: 你好。 | 韩梅梅: 你好吗？"),
    "Arabic": ("علي: مرحبا\nسارة: أهلا", "علي: مرحبا | سارة: أهلا"),
    "hyphens": ("José-María: hola\nÉlodie: oui", "José-María: hola | Élodie: oui"),
    "emoji": ("🦊: hi\n🐻: hello\n🦊: bye", "🦊: hi | 🐻: hello | 🦊: bye"),
    "WebVTT": ("WEBVTT - talk\nKind: captions\n\nNOTE by us: x\n\nSTYLE\n::cue { color: red }\n\nintro\n00:01.000 "
     "--> 00:02.000 align:start\n<v.loud Mia Berg>I <i>never</i>\n\n00:02.000 --> 00:03.000\n<v Mia Berg>saw "
     "him.</v>\n\n00:03.000 --> 00:04.000\n[music]\n\n4\n00:04.000 --> 00:05.000\n<v Olaf>You\ndid?",
     "Mia Berg: I never saw him. | Olaf: You did?"),
    "voices alone": ("<v Mia>I fell.</v>\n<v Olaf>You did?</v>", "Mia: I fell. | Olaf: You did?"),
    "two voices in a cue": ("WEBVTT\n\n00:01.000 --> 00:02.000\n<v Mia>Hi!</v> <v Olaf>Yes?</v>",
     "Mia: Hi! | Olaf: Yes?"),
    "SRT": ("1\r\n00:00:01,000 --> 00:00:02,000\r\nMIA: I <i>fell</i>\r\n\r\n2\r\n00:00:02,500 --> "
     "00:00:03,000\r\ndown.\r\n\r\n3\r\n00:00:04,000 --> 00:00:05,000\r\n- OLAF: You did?\r\n- Yes.\r\n",
     "MIA: I fell down. | OLAF: You did?"),
    "SRT of capitals": ("1\n00:00:01,000 --> 00:00:02,000\n>> MIA: I fell.\n>> You did?\n\n2\n00:00:02,500 --> "
     "00:00:03,000\n>> MIA: Yes.",
     "MIA: I fell. | MIA: Yes."),
    "Whisper": ("[00:00.000 --> 00:02.000]  MIA: It rained.\n[00:02.000 --> 00:03.000]  OLAF: So it did.",
     "MIA: It rained. | OLAF: So it did."),
    "byte order mark": ("\ufeffMia: hi\r\nOlaf: yes\rMia: no", "Mia: hi | Olaf: yes | Mia: no"),
    "empty turns": ("Mia:\nOlaf: yes\nMia:\n", "Olaf: yes"),
}  # fmt: skip
"""Logs as tools write them, and their turns."""

NO_LOGS = {
    "ratio": "The ratio was 3: 4.",
    "note": "Note: He came late.",
    "recipe": "Ingredients: flour, two eggs, milk.\nMethod: Mix it all and bake.\nServes: 4",
    "list of ingredients": "ingredients: two eggs\nmethod: stir",
    "addresses": "See http://x.org and https://y.org: both.",
    "mail headers": "Subject: The key\nDate: Monday\n\nThe key is gone.",
    "times": "12:30 lunch\n14:00 talk",
    "verses": "John 3:16 For God so loved the world.\nJohn 3:17 For God sent him.",
    "record": "Species: oak\nHeight: 31 m\nPlace: Leeds",
    "records": "city: Leeds\nage: 31\n\ncity: York\nage: 24",
    "code": "def f(x):\n    if x:\n        return 1\n    else:\n        return 2\n\ntry:\n    f(1)\nexcept: raise",
    "YAML": "version: 3\nservices:\n  web: nginx\n  db: postgres\nversion: 4",
    "CSS": "a {\n  color: red;\n  margin: 0;\n}\nb {\n  color: blue;\n  margin: 1;\n}",
    "HTML": "<p> You came. </p>\n<b> I left. </b>\n<p> We met. </p>",
    "log of software": "[INFO] Started.\n[ERROR] Disk full.\n[INFO] Stopped.",
    "software": "error: no such file\nwarning: old\nerror: you lost",
    "book": "It was late.\n\nHe had one thought: to go home.\n\nShe stayed.",
    "headings": "# The town\n\nIt is old.\n\n## Usage\nYou walk.\n\n## Install\nYou stay.",
    "changelog": "### Added\n- you can run\n\n### Fixed\n- a bug\n\n### Added\n- you can walk",
    "quiz": "Q. Who came?\nA. Ann\nB. Bob\nC. Tom",
    "letters": "A. Paris\nB. Rome\nC. Oslo",
    "tasks": "[x] buy milk\n[ ] call you\n[x] run",
    "references": "[1] Smith, 2004.\n[2] Lee, 2005.",
    "links": "[Foo]: https://x.org\n[Bar]: https://y.org",
    "captions of nobody": "1\n00:00:01,000 --> 00:00:02,000\nI fell.\n\n2\n00:00:02,500 --> 00:00:03,000\n- Did "
     "you?\n- Yes.",
    "agenda": "12:30 Lunch\nin the park\n14:00 Talk\nby a guest",
    "poem": "O heart: be still\nand you, my soul: sleep",
    "chapter": "Chapter One: The Boy\n\nThere was a boy: he ran.",
    "colons of prose": "He said one thing: go.\nShe said: no.\nHe said: why?",
    "shell": "C:\\> dir\nC:\\> cd x",
    "blank": " \n\t\n",
}  # fmt: skip


def turns(text: str, kind: str | None = None) -> list[tuple[str, str]]:
    doc = doc_from_transcript(NLP, text, kind)
    assert doc.text == text
    return [(name, doc[start:end].text) for start, end, name in get_speakers(doc)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ann:  Hi.\nDr.  Bob: Oh! [laughs] No\nyes", [("Ann", "Hi."), ("Dr. Bob", "Oh!"), ("Dr. Bob", "No\nyes")]),
        ("[12:03] Ann: hi\n12:04 <bob> [x] hi", [("Ann", "hi"), ("bob", "[x] hi")]),
        ("2024-05-01, 12:03 - Ann Lee: hi\n2024-05-01, 12:04 - Bob left\n2024-05-01, 12:04 - Tom: ok",
         [("Ann Lee", "hi"), ("Tom", "ok")]),
        (MAIL, [("Ann Lee", "See below. I'll ask Tom."), ("bob@example.org", "I lost\nthe key.")]),
        (REPLY, [("Ann Lee", "> Did you\n> see him?")]),
        (PLAY, [("HAMLET", "To be,"), ("OPHELIA", "My lord")]),
        (SCREENPLAY, [("ANN", "Where were\nyou?"), ("BOB", "At work")]),
        ("HAMLET: (aside) To be\nOPHELIA: My lord", [("HAMLET", "To be"), ("OPHELIA", "My lord")]),
    ],
)  # fmt: skip
def test_turns_are_found(text: str, expected: list[tuple[str, str]]) -> None:
    assert turns(text) == expected


def spoken(text: str) -> str:
    """Turns with their words, of which those of the format are left out."""
    doc = doc_from_transcript(NLP, text)
    assert doc.text == text
    parts = [(doc[start].idx, doc[start:end].text) for start, end, _ in get_speakers(doc)]
    found = [
        (turn.name, " ".join(words for place, words in parts if turn.start <= place < turn.end))
        for turn in read_turns(text)[1]
    ]
    return " | ".join(f"{name}: {' '.join(words.split())}" for name, words in found if words)


@pytest.mark.parametrize("name", LOGS)
def test_logs_are_read_as_they_are(name: str) -> None:
    text, expected = LOGS[name]
    assert spoken(text) == expected


@pytest.mark.parametrize("name", NO_LOGS)
def test_what_is_no_log_has_no_turns(name: str) -> None:
    with pytest.raises(ValueError, match="No turns of a dialogue"):
        doc_from_transcript(NLP, NO_LOGS[name])


def test_whoever_names_the_kind_is_believed() -> None:
    text = "mia: it rained\nolaf: it did"
    assert read_turns(text)[1] == []
    assert turns(text, "dialogue") == [("mia", "it rained"), ("olaf", "it did")]


def test_what_is_said_goes_on_behind_the_time_of_a_cue() -> None:
    text = LOGS["SRT"][0]
    doc = NLP(doc_from_transcript(NLP, text))
    assert [doc[start:end].text for start, end, _ in get_speakers(doc)] == ["I", "fell", "down.", "You did?"]
    assert "down." in [sentence.text.strip() for sentence in doc.sents]
    assert "<i>" in [token.text for token in doc]  # which is no "i"


@pytest.mark.parametrize(
    "text",
    ["a:" * 500_000, "[" * 1_000_000, "a: b\n" * 40_000, "Ann: [\n" * 40_000, "From: a\n" * 40_000,
     f"A{' ' * 1_000_000}x", "WEBVTT\n\n" + "00:01.000 --> 00:02.000\n<v Ann>Hi <i>x</i>\n\n" * 5_000],
    ids=range(7),
)  # fmt: skip
def test_time_grows_as_the_text_does(text: str) -> None:
    begun = time.process_time()
    read_turns(text)
    assert time.process_time() - begun < 10  # one or two, and minutes if it were its square


def test_the_kind_says_what_is_read() -> None:
    text = "One.\n\nTom: ok\n\n[12:03] Bob: yes"
    assert turns(text, "chat") == [("Bob", "yes")]
    assert turns(text, "dialogue") == [("Tom", "ok"), ("Tom", "Bob: yes")]


def test_labels_and_headers_are_sentences() -> None:
    doc = NLP(doc_from_transcript(NLP, "DR. NO: Go. Why?\nANN: no"))
    assert [sentence.text.strip() for sentence in doc.sents] == ["DR. NO:", "Go.", "Why?", "ANN:", "no"]
    doc = NLP(doc_from_transcript(NLP, MAIL))
    assert [sentence.text.strip() for sentence in doc.sents][:4] == [
        "From: Ann Lee <ann@example.org>", "To: Bob", "Subject: The key", "See below."
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        ("Ann left. She ran.", None, r"No turns of a dialogue, .* starting 'Ann left.*Expected lines such as 'Ann: Hi"),
        ("Ann: hi", "chat", r"No turns of chat were found .*give its turns to doc_from_turns"),
        ("", None, "No turns"),
        (
            "Ann: hi",
            "novel",
            "The kind of a transcript is 'novel'; expected one of chat, dialogue, email, play, or None",
        ),
        (None, None, "The text of a transcript is None; expected a string"),
        ("Ann: \ud800", None, "can't be split into words"),
    ],
)
def test_what_is_no_transcript_is_an_error(text: Any, kind: str | None, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        doc_from_transcript(NLP, text, kind)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(
    st.lists(
        st.sampled_from([*"\n\n  :.[]()<>é", "> ", "Ann", "BOB", "12:03", "From: ", "To: ", "On ", "wrote:", "Exit"]),
        max_size=30,
    ),
    st.sampled_from([None, "chat", "dialogue", "email", "play"]),
)  # fmt: skip
def test_turns_of_any_text_are_in_order_and_within_it(parts: list[str], kind: str | None) -> None:
    text = "".join(parts)
    labels, found = read_turns(text, kind)
    last = 0
    for turn in found:
        assert last <= turn.start <= turn.end <= len(text)
        assert all(turn.start <= start < end <= turn.end for start, end in turn.directions)
        assert turn.name == " ".join(turn.name.split())
        last = turn.end
    assert all(0 <= start < end <= len(text) for start, end in labels)


def test_turns_without_words_are_none() -> None:
    with pytest.raises(ValueError, match="No turns of dialogue were found in the text starting 'Ann:'"):
        doc_from_transcript(NLP, "Ann:", "dialogue")
