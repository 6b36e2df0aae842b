from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_span_selector.annotation import set_title
from spacy_span_selector.corpora.reports import Report, check_parts, leave_out_repeated

VOCAB = Vocab()


def make_doc(title: str, text: str) -> Doc:
    doc = Doc(VOCAB, words=text.split())
    if title:
        set_title(doc, title)
    return doc


def leave_out(*docs: Doc) -> tuple[list[int], dict[str, list[str]]]:
    """Which documents are kept, and what is reported."""
    report = Report()
    kept = leave_out_repeated(docs, [f"a.txt:{i}" for i in range(len(docs))], report)
    return [i for i, doc in enumerate(docs) if any(doc is each for each in kept)], report.findings


def test_the_first_of_documents_with_the_same_title_and_words_is_kept():
    docs = [make_doc("a", "Ann left"), make_doc("b", "Ann left"), make_doc("a", "Ann left"), make_doc("a", "Ann left")]
    assert leave_out(*docs) == (
        [0, 1],
        {
            "Left out documents that come a second time": [
                "a.txt:2: document 'a', as in a.txt:0.",
                "a.txt:3: document 'a', as in a.txt:0.",
            ]
        },
    )


def test_different_documents_of_one_title_are_kept_and_reported():
    assert leave_out(make_doc("a", "Ann left"), make_doc("a", "Leo left")) == (
        [0, 1],
        {"Kept different documents of the same name": ["a.txt:1: document 'a', as in a.txt:0. Rename one."]},
    )


def test_documents_without_a_title_may_repeat_each_other():
    assert leave_out(make_doc("", "Yes"), make_doc("", "Yes")) == ([0, 1], {})


def test_a_document_is_listed_once_in_each_part():
    report = Report()
    parts = {"train": ["a", "b", "a"], "dev": ["b", "c"], "test": ["c", "b"]}
    assert check_parts(parts, "list", report) == {"train": ["a", "b"], "dev": ["b", "c"], "test": ["c", "b"]}
    repeated, in_two = report.findings.values()
    assert repeated == ["list: 'a' in train."]
    assert in_two == [
        "list: 'b' in train and dev. Remove it from one.",
        "list: 'c' in dev and test. Remove it from one.",
        "list: 'b' in train and test. Remove it from one.",
    ]
