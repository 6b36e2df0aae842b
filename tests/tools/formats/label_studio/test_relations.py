import pytest

from spacy_span_selector.annotation import Argument, Frame
from spacy_span_selector.tools.formats.label_studio.reader import Labelled, LinkedMentions, Relation, find_annotation
from spacy_span_selector.tools.formats.reports import Report


def find(regions: dict[str, Labelled], *relations: Relation) -> tuple[list[LinkedMentions], list[Frame], Report]:
    report = Report()
    return *find_annotation(regions, relations, "t", report), report


def link(source: str, target: str, *labels: str, direction: str = "right") -> Relation:
    return Relation.model_validate({"from_id": source, "to_id": target, "labels": list(labels), "direction": direction})


def mention(start: int, *labels: str, note: str = "") -> Labelled:
    return Labelled((start, start + 1), list(labels or ["Mention"]), note)


def test_links_of_any_direction_and_label_join_mentions():
    regions = {name: mention(i) for i, name in enumerate("abcdef")}
    links = [link("e", "a"), link("c", "b", "refers to"), link("b", "a", direction="bi"), link("d", "d")]
    clusters, frames, report = find(regions, *links)
    assert [cluster.mentions for cluster in clusters] == [[(0, 1), (1, 2), (2, 3), (4, 5)], [(3, 4)], [(5, 6)]]
    assert not frames
    assert not report.findings


def test_the_type_is_the_first_label_of_another_name_and_the_name_the_first_note():
    regions = {"a": mention(1, "PER"), "b": mention(0), "c": mention(2, "LOC", note="ann"), "d": mention(3, "LOC")}
    clusters, _, _ = find(regions, link("b", "a"), link("c", "a"))
    assert clusters == [LinkedMentions([(0, 1), (1, 2), (2, 3)], "ann", "PER"), LinkedMentions([(3, 4)], "", "LOC")]


def test_arguments_may_be_regions_of_any_label():
    regions = {"a": mention(0), "b": mention(1, "Argument"), "v": mention(2, "Predicate"), "w": mention(3, "Predicate")}
    links = [link("v", "a", "ARG0", "ARG1"), link("b", "v", "ARG2"), link("v", "w", "ARG3"), link("v", "a", "ARG0")]
    links.append(link("v", "w", "ARG4", direction="left"))
    clusters, frames, report = find(regions, *links)
    assert [cluster.mentions for cluster in clusters] == [[(0, 1)]]
    assert report.findings == {"Left out arguments that are a second time in their frame": ["t: ARG0 at token 0."]}
    assert frames == [
        Frame(2, 3, [Argument(0, 1, "ARG0"), Argument(0, 1, "ARG1"), Argument(1, 2, "ARG2"), Argument(3, 4, "ARG3")]),
        Frame(3, 4, [Argument(2, 3, "ARG4")]),
    ]


def test_predicates_and_arguments_may_corefer():
    regions = {"v": mention(0, "Predicate", note="run.01"), "a": mention(1, "Argument"), "m": mention(2)}
    clusters, frames, _ = find(regions, link("m", "v", "coreferent"), link("m", "a", "coreferent"))
    assert clusters == [LinkedMentions([(0, 1), (1, 2), (2, 3)], "", "")]
    assert frames == [Frame(0, 1, [], "run.01")]


@pytest.mark.parametrize(
    "relation, message",
    [
        (link("a", "x"), "Left out relations of regions that are missing or left out"),
        (link("v", "a"), "Left out relations of predicates that have no label, the role"),
    ],
)
def test_relations_that_say_nothing_are_counted(relation: Relation, message: str):
    _, _, report = find({"a": mention(0), "v": mention(1, "Predicate")}, relation)
    assert list(report.findings) == [message]


def test_mentions_of_one_place_are_one():
    clusters, _, report = find({"a": mention(0), "b": mention(0)}, link("a", "b"))
    assert [cluster.mentions for cluster in clusters] == [[(0, 1)]]
    assert list(report.findings) == ["Left out mentions that are a second time in their cluster"]
