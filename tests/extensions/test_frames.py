import pytest
import spacy
from spacy.tokens import Doc, SpanGroup

from spacy_span_selector.annotation import Argument, Frame, set_frames
from spacy_span_selector.extensions import SrlFrame, doc_frames, register_extensions

from ..spans import put_spans

NLP = spacy.blank("en")


@pytest.fixture(autouse=True)
def extensions() -> None:
    register_extensions()


@pytest.fixture
def doc() -> Doc:
    doc = NLP("Tom who sings gave Mary a hat today at noon .")
    roles = [(0, 3, "ARG0"), (4, 5, "ARG2"), (5, 7, "ARG1"), (7, 8, "ARGM-TMP"), (8, 10, "ARGM-TMP")]
    gave = Frame(3, 4, [Argument(*role) for role in roles], "give.01")
    sings = Frame(2, 3, [Argument(0, 1, "ARG0"), Argument(1, 2, "R-ARG0")])
    set_frames(doc, [gave, sings])
    return doc


@pytest.mark.parametrize(
    ("text", "frame", "expected"),
    [
        ("Ann has left", Frame(1, 2, [], "have.01"), True),
        ("Ann has to go", Frame(1, 2, [], "have.02"), True),
        ("Ann has n't left", Frame(1, 2, [Argument(2, 3, "ARGM-NEG")], "have.01"), True),
        ("They ’ve left", Frame(1, 2, []), True),
        ("Ann has hats", Frame(1, 2, [Argument(2, 3, "ARG1")], "have.03"), False),
        ("Ann has often left", Frame(1, 2, [Argument(2, 3, "ARGM-TMP")], "have.01"), False),
        ("Ann has left", Frame(2, 3, [], "leave.01"), False),
        ("It is done", Frame(2, 3, [], "done.08"), False),
    ],
)
def test_auxiliaries_are_be_have_and_do_without_arguments(text: str, frame: Frame, expected: bool) -> None:
    doc = Doc(NLP.vocab, words=text.split())
    set_frames(doc, [frame])
    assert [frame.is_auxiliary for frame in doc_frames(doc)] == [expected]


def texts(frame: SrlFrame) -> dict[str, list[str]]:
    return {role: [span.text for span in spans] for role, spans in frame.arguments.items()}


def scored(frame: SrlFrame) -> dict[tuple[int, int, str], float]:
    """The probability of each span, by its offsets and role."""
    labelled = [(span.start, span.end, role) for span, role in frame.labelled_spans()]
    return dict(zip(labelled, frame.scores or (), strict=True))


def test_doc_has_its_frames_in_the_order_of_their_predicates(doc: Doc):
    assert [(frame.predicate.text, frame.roleset) for frame in doc._.srl] == [("sings", None), ("gave", "give.01")]
    assert [frame.scores for frame in doc._.srl] == [None, None]
    expected = "[(ARG0=Tom, R-ARG0=who, V=sings), "
    expected += "give.01(ARG0=Tom who sings, V=gave, ARG2=Mary, ARG1=a hat, ARGM-TMP=today, ARGM-TMP=at noon)]"
    assert str(doc._.srl) == expected


def test_roles_and_their_spans_are_in_the_order_of_the_text(doc: Doc):
    predicate, *arguments = doc.spans["srl_2"]
    doc.spans["srl_2"] = [predicate, *arguments[::-1]]
    roles = texts(doc._.srl[1])
    assert list(roles) == ["ARG0", "ARG2", "ARG1", "ARGM-TMP"]
    assert roles["ARGM-TMP"] == ["today", "at noon"]


def test_continued_and_referring_arguments_keep_their_own_roles():
    doc = NLP("Rain, said Ann, that she likes")
    set_frames(doc, [Frame(2, 3, [Argument(0, 1, "ARG1"), Argument(3, 4, "ARG0"), Argument(5, 8, "C-ARG1")])])
    assert texts(doc._.srl[0]) == {"ARG1": ["Rain"], "ARG0": ["Ann"], "C-ARG1": ["that she likes"]}


def test_two_predicates_on_one_token_are_two_frames_and_scores_no_part_of_the_tuple():
    doc = NLP("Ann left")
    set_frames(doc, [Frame(1, 2, [Argument(0, 1, "ARG0")], "leave.01", [1.0, 0.5]), Frame(1, 2, [], "leave.02")])
    frame, other = doc._.srl
    predicate, roleset, arguments = frame
    assert (predicate.text, roleset, [*arguments], other.roleset) == ("left", "leave.01", ["ARG0"], "leave.02")
    assert frame == SrlFrame(predicate, roleset, arguments) and frame.scores == [0.5, 1.0]


def test_the_attribute_follows_changes_and_adds_nothing_to_the_document(doc: Doc):
    before = doc.to_bytes()
    assert len(doc._.srl) == 2
    assert doc.to_bytes() == before
    set_frames(doc, [])
    assert doc._.srl == NLP("Ann left")._.srl == NLP("")._.srl == []


def test_scores_are_those_of_the_labelled_spans():
    doc = NLP("Tom Ann gave hats")
    roles = [(0, 1, "B"), (1, 2, "A"), (1, 2, "B"), (2, 3, "A")]
    scores = [1.0, 0.5, 0.25, 0.75, 0.125]
    set_frames(doc, [Frame(2, 3, [Argument(*role) for role in roles], None, scores)])
    (frame,) = doc._.srl
    expected = dict(zip([(2, 3, "V"), *roles], scores, strict=True))
    assert scored(frame) == expected
    predicate, *arguments = doc.spans["srl_1"]
    doc.spans["srl_1"] = SpanGroup(doc, spans=[predicate, *arguments[::-1]], attrs={"scores": [1.0, *scores[:0:-1]]})
    (frame,) = doc._.srl
    assert scored(frame) == expected


def test_an_argument_that_is_there_twice_counts_once(doc: Doc):
    group = doc.spans["srl_1"]
    doc.spans["srl_1"] = SpanGroup(doc, spans=[*group, group[1]], attrs=dict(group.attrs))
    assert [len(frame.labelled_spans()) for frame in doc_frames(doc)] == [3, 6]


@pytest.mark.parametrize("place", [0, 3, 11])
def test_spans_without_tokens_are_left_out(doc: Doc, place: int):
    expected = list(map(repr, doc._.srl))
    spans = [(span.start, span.end, span.label_) for span in doc.spans["srl_1"]]
    put_spans(doc, "srl_1", *spans, (place, place, "ARG3"))
    put_spans(doc, "srl_3", (place, place, "V"), (0, 1, "ARG0"))
    assert list(map(repr, doc._.srl)) == expected


@pytest.mark.parametrize("descriptions", [["giver"], "giver", {"ARG0": 1}, {"ARG0": ""}, None])
def test_descriptions_that_are_no_texts_by_role_are_left_out(descriptions: object) -> None:
    doc = NLP("Ann left")
    set_frames(doc, [Frame(1, 2, [Argument(0, 1, "ARG0")])])
    doc.spans["srl_1"].attrs["descriptions"] = descriptions
    assert doc_frames(doc)[0].description("ARG0") == ""


@pytest.mark.parametrize(
    ("text", "place", "tag", "expected"),
    [
        ("They feared the war .", 3, "", True),
        ("We heard of their plan .", 4, "", True),
        ("Nobody saw his arrival .", 3, "", True),
        ("War broke out .", 0, "NOUN", True),
        ("They feared war .", 2, "NOUN", True),
        ("Stop !", 0, "", False),
        ("They feared war .", 2, "", False),
        ("They ran the race .", 1, "VERB", False),
        ("We must swim .", 2, "", False),
    ],
)
def test_nouns_without_arguments_are_bare(text: str, place: int, tag: str, expected: bool) -> None:
    doc = spacy.blank("en")(text)
    if tag:
        doc[place].pos_ = tag
    set_frames(doc, [Frame(place, place + 1, [], "x.01")])
    assert [frame.is_bare for frame in doc_frames(doc)] == [expected]
    set_frames(doc, [Frame(place, place + 1, [Argument(len(doc) - 1, len(doc), "ARG1")], "x.01")])
    assert [frame.is_bare for frame in doc_frames(doc)] == [False]
