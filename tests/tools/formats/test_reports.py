import pickle
import warnings

import pytest
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_span_selector.annotation import Frame, set_annotates, set_clusters, set_frames, set_predicates, set_title
from spacy_span_selector.tools.formats.label_studio import write_label_studio
from spacy_span_selector.tools.formats.registry import formats
from spacy_span_selector.tools.formats.reports import (
    DOCUMENTS,
    CorpusWarning,
    Report,
    check_counts,
    leave_out_repeated,
    shorten,
)

HOLD_FRAMES = ("bracketed", "conll2012", "label-studio")


@pytest.mark.parametrize("name", ["bio", "bracketed", "conll2012", "corefud", "jsonlines", "label-studio"])
def test_formats_count_what_they_cannot_say_of_types_and_predicates(name: str):
    doc = Doc(Vocab(), words=["Ann", "left"])
    set_clusters(doc, [[(0, 1)]])
    set_frames(doc, [Frame(1, 2, [])])
    set_predicates(doc, [(1, 2)])
    set_annotates(doc, ["PER"])
    losses = {"the types that": name != "label-studio", "given predicates alone": name in HOLD_FRAMES}
    with pytest.warns(CorpusWarning) as caught:
        (formats.get(name).write or write_label_studio)([doc])
    assert {what: what in str(caught[0].message) for what in losses} == losses


def test_a_report_is_one_warning_with_the_first_cases_of_each_kind():
    report = Report()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        report.warn()  # of nothing
    for i in range(7):
        report.leave_out("trees", f"a.txt:{i}")
    report.add("Kept leaves", "b.txt:1")
    with pytest.warns(UserWarning) as caught:
        report.warn()
    (warning,) = caught
    first = "\n    ".join(f"a.txt:{i}" for i in range(5))
    assert str(warning.message) == f"Left out trees: 7. The first: {first}\nKept leaves: 1. The first: b.txt:1"


def test_a_warning_can_be_sent_to_another_process():
    warning = CorpusWarning({"Left out brackets": ["a.conll:1", "a.conll:2"]})
    back = pickle.loads(pickle.dumps(warning))
    assert (str(back), back.findings) == (str(warning), warning.findings)
    assert str(type(warning)(*warning.args)) == str(warning)  # as pytest-xdist does


def test_nothing_that_can_be_read_is_an_error_with_the_first_reason():
    report = Report()
    report.require(["document"], "a.txt")
    with pytest.raises(ValueError, match=r"^a\.txt: found no document that can be read\. Fetch it again\.$"):
        report.require([], "a.txt", "Fetch it again.")
    report.leave_out("files that can't be read", "b.txt: not in UTF-8.")
    with pytest.raises(ValueError, match=r"can be read\. b\.txt: not in UTF-8\.$"):
        report.require([], "a.txt", "Fetch it again.")
    report.leave_out(DOCUMENTS, "a.txt:1: damaged.")
    report.leave_out(DOCUMENTS, "a.txt:2: damaged.")
    with pytest.raises(ValueError, match=r"can be read\. a\.txt:1: damaged\.$"):
        report.require([], "a.txt", "Fetch it again.")


def test_long_texts_are_quoted_in_part():
    assert shorten("it's") == '"it\'s"'
    assert len(shorten("x" * 100_000)) < 100


VOCAB = Vocab()


def make_doc(title: str, text: str) -> Doc:
    doc = Doc(VOCAB, words=text.split())
    if title:
        set_title(doc, title)
    return doc


def leave_out(*docs: Doc) -> tuple[list[int], dict[str, list[str]]]:
    """Which documents are kept, and what is reported."""
    report = Report()
    kept = leave_out_repeated([(f"a.txt:{i}", doc) for i, doc in enumerate(docs)], report)
    return [i for i, doc in enumerate(docs) if any(doc is each for each in kept)], report.findings


def test_documents_that_come_again_are_left_out_but_not_others_of_their_title_or_without_one():
    texts = [("a", "Ann left"), ("b", "Ann left"), ("a", "Ann left"), ("a", "Leo left"), ("", "Yes"), ("", "Yes")]
    assert leave_out(*[make_doc(title, text) for title, text in texts]) == (
        [0, 1, 3, 4, 5],
        {
            "Left out documents that come a second time": ["a.txt:2: document 'a', as in a.txt:0."],
            "Kept different documents of the same name": ["a.txt:3: document 'a', as in a.txt:0. Rename one."],
        },
    )


def test_another_copy_than_the_pinned_one_is_named():
    docs = [Doc(Vocab(), words=["a", "b"]), Doc(Vocab(), words=["c"])]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_counts("litbank", docs, (2, 3), "Expected another.")
    message = (
        "litbank: found 2 documents of 3 words, expected 3 documents of 1,000 words: not the copy .* Expected another"
    )
    with pytest.warns(UserWarning, match=message):
        check_counts("litbank", docs, (3, 1_000), "Expected another.")
