import pytest
from spacy.tokens import Doc, DocBin, SpanGroup
from spacy.vocab import Vocab

from spacy_span_selector.annotation import (
    CONSTITUENTS_KEY,
    PREDICATES_KEY,
    Argument,
    Frame,
    frame_groups,
    frame_keys,
    get_frames,
    get_predicates,
    has_frames_annotated,
    set_constituents,
    set_frames,
    set_predicates,
)

GIVEN = [Argument(0, 1, "ARG0"), Argument(2, 4, "ARG2"), Argument(4, 6, "ARG1")]
GAVE = Frame(1, 2, GIVEN, "give.01", [1.0, 0.75, 0.5, 0.25])
LEFT = Frame(8, 9, [Argument(7, 8, "ARG0")])


@pytest.fixture
def doc() -> Doc:
    return Doc(Vocab(), words=["Ann", "gave", "her", "brother", "a", "key", ".", "He", "left", "."])


def test_a_group_holds_the_predicate_then_its_arguments(doc: Doc) -> None:
    set_frames(doc, [GAVE])
    group = doc.spans["srl_1"]
    arguments = [("Ann", "ARG0"), ("her brother", "ARG2"), ("a key", "ARG1")]
    assert [(span.text, span.label_) for span in group] == [("gave", "V"), *arguments]
    assert group.name == "srl_1"
    assert group.attrs == {"roleset": "give.01", "scores": [1.0, 0.75, 0.5, 0.25]}


def test_frames_and_arguments_are_sorted_by_place_and_scores_go_with_them(doc: Doc) -> None:
    shuffled = GAVE._replace(arguments=[GAVE.arguments[i] for i in (2, 0, 1)], scores=[1.0, 0.25, 0.75, 0.5])
    set_frames(doc, [LEFT, shuffled])
    assert get_frames(doc) == [GAVE, LEFT]


def test_frames_on_one_span_keep_their_order_and_a_span_may_have_two_roles(doc: Doc) -> None:
    twice = Frame(1, 2, [Argument(0, 1, "ARG0"), Argument(0, 1, "ARG1")])
    frames = [Frame(1, 2, [Argument(4, 6, "ARG1")], "b.01"), twice, twice, Frame(1, 2, [], "a.01"), Frame(1, 4, [])]
    set_frames(doc, frames)
    assert get_frames(doc) == frames


def test_frames_are_replaced_and_other_groups_kept(doc: Doc) -> None:
    for key in ("other", "srl_spans", PREDICATES_KEY):
        doc.spans[key] = [doc[0:2]]
    doc.spans["srl_7"] = SpanGroup(doc, name="something", spans=[doc[0:1]])
    set_frames(doc, [LEFT], prefix="srl")
    assert set(doc.spans) == {"other", "srl_spans", PREDICATES_KEY, "srl_1"}


def test_the_first_span_of_a_group_is_the_predicate_whatever_its_label(doc: Doc) -> None:
    doc.spans["srl_1"] = []
    assert frame_groups(doc) == get_frames(doc) == []
    assert not has_frames_annotated(doc)
    doc.spans["srl_1"] = [doc[1:2], doc[0:1]]
    assert get_frames(doc) == [Frame(1, 2, [Argument(0, 1, "")])]


def test_frames_are_in_the_numeric_order_of_their_keys(doc: Doc) -> None:
    for number in (10, 9, 2):
        doc.spans[f"srl_{number}"] = [doc[number - 2 : number - 1]]
    assert frame_keys(doc) == ["srl_2", "srl_9", "srl_10"]
    assert [frame.start for frame in get_frames(doc)] == [0, 7, 8]


def test_another_prefix_holds_other_frames(doc: Doc) -> None:
    set_frames(doc, [GAVE])
    set_frames(doc, [LEFT], prefix="roles")
    assert (get_frames(doc), get_frames(doc, "roles")) == ([GAVE], [LEFT])
    assert has_frames_annotated(doc, "roles")


@pytest.mark.parametrize(
    ("frames", "predicates", "annotated"),
    [([LEFT], None, True), ([], [], True), ([LEFT], [], True), ([], None, False), ([], [(8, 9)], False)],
    ids=["frames", "no predicates", "both", "nothing", "predicates alone"],
)
def test_a_document_is_annotated_if_it_has_frames_or_an_empty_list_of_predicates(
    doc: Doc, frames: list[Frame], predicates: list[tuple[int, int]] | None, annotated: bool
) -> None:
    set_frames(doc, frames, predicates_key=None)
    if predicates is not None:
        set_predicates(doc, predicates)
    assert has_frames_annotated(doc) is annotated


def test_a_document_is_annotated_once_its_frames_are_set_even_if_there_are_none(doc: Doc) -> None:
    set_frames(doc, [], prefix="roles", predicates_key="verbs")
    assert has_frames_annotated(doc, "roles", "verbs") and not has_frames_annotated(doc)
    assert set(doc.spans) == {"verbs"} and get_predicates(doc, "verbs") == []


def test_frames_leave_the_given_predicates_alone(doc: Doc) -> None:
    set_frames(doc, [], predicates_key=None)
    set_frames(doc, [LEFT])
    assert set(doc.spans) == {"srl_1"}
    set_predicates(doc, [(8, 9)])
    set_frames(doc, [])
    assert get_predicates(doc) == [(8, 9)]


def test_given_predicates_may_be_none_or_not_given(doc: Doc) -> None:
    assert get_predicates(doc) is None
    set_predicates(doc, [])
    assert get_predicates(doc) == []
    set_predicates(doc, [(8, 9), (1, 2)])
    assert get_predicates(doc) == [(8, 9), (1, 2)]
    assert {span.label_ for span in doc.spans[PREDICATES_KEY]} == {"V"}
    assert get_predicates(doc, key="others") is None


def test_constituents_are_replaced(doc: Doc) -> None:
    set_constituents(doc, [(0, 1, "NP")])
    set_constituents(doc, [(0, 7, "S"), (2, 4, "NP")])
    assert [(span.start, span.end, span.label_) for span in doc.spans[CONSTITUENTS_KEY]] == [(0, 7, "S"), (2, 4, "NP")]


def test_frames_survive_doc_bin(doc: Doc) -> None:
    set_frames(doc, [GAVE, LEFT])
    set_predicates(doc, [])
    (loaded,) = DocBin().from_bytes(DocBin(docs=[doc]).to_bytes()).get_docs(Vocab())
    assert get_frames(loaded) == [GAVE, LEFT]
    assert get_predicates(loaded) == []
