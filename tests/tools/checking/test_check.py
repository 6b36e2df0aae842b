from pathlib import Path

import pytest
from spacy.tokens import Doc, Span
from spacy.vocab import Vocab

from spacy_span_selector.annotation import Argument, Frame, Quotation, set_frames, set_quotations, set_title

from ...spans import put_spans
from .corpora import GOOD, OTHER, cases, check, make_doc, read, titles, write


def test_a_good_corpus_has_no_problem(tmp_path: Path) -> None:
    train, dev = write(tmp_path / "train.spacy", read(GOOD)), write(tmp_path / "dev.spacy", read(OTHER))
    checked = check(train, dev)
    assert checked.problems == {}
    assert checked.is_good
    assert ([*checked.files], checked.train_files) == ([train, dev], [train])


def test_all_problems_of_all_files_come_at_once(tmp_path: Path) -> None:
    crossing, wide = make_doc([(0, 2), (1, 3)]), make_doc([(2, 5), (0, 1)])
    set_title(wide, "the other")
    good = write(tmp_path / "good.spacy", read(GOOD))
    bad = write(tmp_path / "bad.spacy", [crossing, wide])
    damaged = tmp_path / "damaged.spacy"
    damaged.write_bytes(good.read_bytes()[:-20])
    (tmp_path / "bad.txt").write_text("[Ann met Tom.\n", encoding="utf-8")
    checked = check(tmp_path)
    (line,) = cases(checked, "cross an earlier one")
    assert line == f"{bad}: document 'the station', tokens 1:3: 'met Tom' and 'Ann met', tokens 0:2"
    assert cases(checked, "crosses a sentence") == [f"{bad}: document 'the other', tokens 2:5: 'Tom . He'"]
    assert cases(checked, "files that can't")[0].startswith(f"{damaged}: damaged")
    line, *_ = cases(checked, "places of bracketed text")
    assert line.startswith(f"{tmp_path / 'bad.txt'}: line 1, column 1: a mention that")
    assert len(checked.files) == 4
    assert not checked.is_good


@pytest.mark.parametrize(
    ("clusters", "reason"),
    [
        ([[(0, 1), (4, 5)], [(0, 1), (2, 3)]], "is also in an earlier cluster"),
        ([[(0, 1), (0, 1)]], "comes a second time in its cluster"),
    ],
)
def test_repeated_mentions_are_lost(tmp_path: Path, clusters: list[list[tuple[int, int]]], reason: str) -> None:
    doc = make_doc()
    for number, mentions in enumerate(clusters, start=1):
        put_spans(doc, f"coref_clusters_{number}", *mentions)
    checked = check(write(tmp_path / "train.spacy", [doc]))
    (line,) = cases(checked, reason)
    assert line.endswith("document 'the station', tokens 0:1: 'Ann'")
    assert not checked.is_good


def test_a_speaker_in_no_cluster_is_a_problem(tmp_path: Path) -> None:
    doc = make_doc([(0, 1)])
    set_quotations(doc, [Quotation(4, 7, speaker=(2, 3))])
    checked = check(write(tmp_path / "train.spacy", [doc]))
    assert cases(checked, "speakers and addressees")[0].endswith("'Tom', the speaker of 'He left .' at tokens 4:7")
    assert not checked.is_good


def test_an_argument_in_another_sentence_is_lost(tmp_path: Path) -> None:
    doc = make_doc()
    set_frames(doc, [Frame(1, 2, [Argument(0, 1, "ARG0"), Argument(4, 5, "ARG1")])])
    assert cases(check(write(tmp_path / "train.spacy", [doc])), "another sentence")[0].endswith("ARG1 'He'")


def test_what_has_no_label_is_a_problem_and_the_check_goes_on(tmp_path: Path) -> None:
    doc = make_doc([(0, 1), (4, 6)])
    set_frames(doc, [Frame(1, 2, [Argument(2, 3, "")])])
    doc.spans["sc"] = [Span(doc, 0, 1, "PER"), doc[2:3]]
    checked = check(write(tmp_path / "train.spacy", [doc, make_doc()]))
    assert cases(checked, "has no label")[0].endswith("document 'the station', tokens 2:3: 'Tom'")
    assert "role '' in document 'the station': 'Tom', tokens 2:3" in cases(checked, "that training stops at")[0]
    assert cases(checked, "without annotation")


def test_what_only_other_files_have_is_worth_to_know_and_not_lost(tmp_path: Path) -> None:
    train = write(tmp_path / "train.spacy", read(GOOD))
    other = OTHER.replace("ARG1 Ruth", "ARG2 Ruth").replace("thank.01", "thank.02")
    checked = check(train, write(tmp_path / "dev.spacy", read(other)))
    assert cases(checked, "a role that")[0].endswith("ARG2 'Ruth'")
    assert cases(checked, "rolesets of the component")[0].endswith("'thank.02' of 'thanked'")
    assert checked.is_good


def test_a_text_in_two_files_is_a_leak(tmp_path: Path) -> None:
    train = write(tmp_path / "train.spacy", read(GOOD))
    test = write(tmp_path / "test.spacy", read(GOOD.replace("=== the station", "=== again")))
    checked = check(train, test)
    (leak,) = cases(checked, "in another file")
    assert leak == f"{test}: document 'again': as document 'the station' of {train}, 8 words"
    assert not checked.is_good


@pytest.mark.parametrize(
    ("doc", "title", "loses"),
    [
        (make_doc([(0, 1), (4, 5)], boundaries=False), "without sentence boundaries, of which nothing is learnt", True),
        (make_doc(), "without annotation, of which nothing is learnt", True),
        (Doc(Vocab()), "without words, which readers leave out", False),
        (read(GOOD)[0], "whose text is in the same file twice", False),
    ],
)
def test_documents_of_which_nothing_is_learnt(tmp_path: Path, doc: Doc, title: str, loses: bool) -> None:
    checked = check(write(tmp_path / "train.spacy", [*read(GOOD), doc]))
    assert titles(checked) == [f"documents {title}"]
    assert checked.is_good is not loses


@pytest.mark.parametrize(
    ("name", "found"),
    [("missing.spacy", "no such file"), ("missing.txt", "no such file"), ("", "a folder without files such as *.bio")],
)
def test_what_is_missing_is_a_problem_like_any_other(tmp_path: Path, name: str, found: str) -> None:
    good = write(tmp_path / "train.spacy", read(GOOD))
    (tmp_path / "empty").mkdir()
    checked = check(tmp_path / "empty" / name, good)
    assert found in cases(checked, "files that can't")[0].lower()
    assert checked.files[good].documents == 1


def test_the_data_of_a_check_is_that_of_json(tmp_path: Path) -> None:
    data = check(write(tmp_path / "train.spacy", [*read(GOOD), *read(GOOD)])).as_data()
    assert data["good"] is True
    assert data["files"][0]["roles"] == {"ARG0": 4, "ARG1": 4}
    assert data["problems"][0]["cases"][0]["document"] == "document 'the station'"
