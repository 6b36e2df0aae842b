import pytest
from spacy.vocab import Vocab

from spacy_span_selector.annotation import get_speakers, get_title
from spacy_span_selector.tools.formats.conllu import Sentence, Word, make_doc, parse_conllu
from spacy_span_selector.tools.formats.reports import Report


def row(index: str, form: str, misc: str = "_", lemma: str = "_", pos: str = "_", tag: str = "_") -> str:
    return "\t".join([index, form, lemma, pos, tag, "_", "_", "_", "_", misc])


def read(text: str) -> dict[str, list[Sentence]]:
    """The sentences of the documents of a text without faults."""
    report = Report()
    documents, unreadable = parse_conllu(text, "a.conllu", report)
    assert not unreadable
    assert not report.findings
    return documents


def parse(*rows: str) -> list[list[Word]]:
    """The words of the sentences of one document."""
    documents = read("\n".join(["# newdoc id = tale", *rows]))
    return [sentence.words for sentence in documents["tale"]]


def spaced(*rows: str) -> str:
    """The words of one sentence as text."""
    (sentence,) = parse(*rows)
    return "".join(word.form + " " * word.space for word in sentence)


def test_words_have_lemmas_and_parts_of_speech():
    (sentence,) = parse(row("1", "Boats", lemma="boat", pos="NOUN", tag="NNS"), row("2", "sank", "SpaceAfter=No"))
    assert sentence == [Word("Boats", "boat", "NOUN", "NNS", True), Word("sank", "", "", "", False)]


def test_documents_and_sentences_keep_their_order():
    lines = ["# newdoc id = b", "# text = Go", row("1", "Go"), "", row("1", "Stay"), "", "# newdoc id = a"]
    documents = read("\n".join([*lines, row("1", "Wait"), ""]))
    found = {name: [word.form for one in own for word in one.words] for name, own in documents.items()}
    assert found == {"b": ["Go", "Stay"], "a": ["Wait"]}
    assert [*documents] == ["b", "a"] and len(documents["b"]) == 2


def test_comments_belong_to_the_sentence_below_them():
    comments = ["# newdoc id = a", "# meta::genre = tale", "# newpar", "# speaker = Ann"]
    first, second = read("\n".join([*comments, row("1", "Go"), "", row("1", "No"), ""]))["a"]
    assert first.comments == {"meta::genre": "tale", "speaker": "Ann"}
    assert second.comments == {}


def test_a_document_is_made_of_sentences():
    rows = [row("1", "Go", "SpaceAfter=No", "go", "VERB", "VB"), row("2", "!"), "", row("1", "No")]
    ((title, sentences),) = read("\n".join(["# newdoc id = tale", "# speaker = Ann", *rows, ""])).items()
    doc = make_doc(title, sentences, Vocab())
    assert (doc.text, get_title(doc), get_speakers(doc)) == ("Go! No ", "tale", [(0, 2, "Ann")])
    assert [token.is_sent_start for token in doc] == [True, False, True]
    assert (doc[0].lemma_, doc[0].pos_, doc[0].tag_) == ("go", "VERB", "VB")


def test_white_space_and_soft_hyphens_in_words_are_kept():
    (sentence,) = parse(row("1", "1 000"), row("2", "har\xadbour"), row("3", "a\u2028b"))
    assert [word.form for word in sentence] == ["1 000", "har\xadbour", "a\u2028b"]


def test_other_notes_do_not_hide_the_space():
    assert spaced(row("1", "no", "CorrectForm=not|SpaceAfter=No"), row("2", "w", "CorrectSpaceAfter=No")) == "now "


def test_empty_nodes_are_left_out():
    assert spaced(row("0.1", "they"), row("1", "left"), row("1.1", "and"), row("2", "early")) == "left early "


def test_parts_of_a_word_have_no_space_between_them():
    assert spaced(row("1-2", "didn't"), row("1", "did"), row("2", "n't"), row("3", "go")) == "didn't go "
    assert spaced(row("1", "I"), row("2-3", "can't", "SpaceAfter=No"), row("2", "ca"), row("3", "n't")) == "I can't"


def test_parts_that_a_word_is_not_spelt_like_are_spaced():
    assert spaced(row("1-2", "du", "SpaceAfter=No"), row("1", "de"), row("2", "le"), row("3", ".")) == "de le. "


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (["1\tGo"], "a.conllu:5: found 2 columns separated by tabs, expected 10"),
        ([row("1", "Go"), row("3", "on")], "a.conllu:6: found 'on' as word '3', expected word 2"),
        ([row("1", "Go"), row("1", "Go")], "a.conllu:6: found 'Go' as word '1', expected word 2"),
        ([row("1", "")], "a.conllu:5: found '' as word '1', expected word 1"),
        ([row("1", "\u2003")], "a.conllu:5: found '\\u2003' as word '1', expected word 1"),
        ([row("2-3", "du")], "a.conllu:5: found 'du' as word '2-3', expected word 1"),
        ([row("1-2", "du"), row("1", "de")], "a.conllu:6: found the last word, 1, expected word 2"),
        ([row("1", "de"), row("2-1", "du"), row("2", "le")], "a.conllu:7: found the last word, 2, expected word 1"),
        (
            [row("1-3", "a"), row("1", "a"), row("2-3", "b")],
            "a.conllu:7: found words 2-3 inside 'a', expected them after",
        ),
        ([row("1-" + "9" * 5000, "du"), row("1", "du")], "a.conllu:5: found 'du' as word '1-99999"),
        (["# text = Go on", row("1", "Go")], "a.conllu:6: found the words 'Go', expected those of `# text`, 'Go on'"),
    ],
)
def test_a_document_that_cannot_be_read_costs_no_other(rows: list[str], message: str):
    lines = ["# newdoc id = a", row("1", "No"), "", "# newdoc id = b", *rows, ""]
    lines += ["# newdoc id = c", row("1", "Yes"), ""]
    documents, unreadable = parse_conllu("\n".join(lines), "a.conllu", Report())
    assert {name: len(sentences) for name, sentences in documents.items()} == {"a": 1, "c": 1}
    assert unreadable.keys() == {"b"}
    assert message in unreadable["b"]


def test_words_before_the_first_document_belong_to_none():
    lines = [row("1", "Go"), "", "# newdoc id = a", row("1", "No"), ""]
    documents, unreadable = parse_conllu("\n".join(lines), "a.conllu", Report())
    assert list(documents) == ["a"]
    assert unreadable[""].startswith("a.conllu:1: found '1\\tGo\\t")


def test_a_line_with_a_blank_ends_a_sentence():
    assert [len(words) for words in parse(row("1", "Go"), " ", row("1", "No"))] == [1, 1]


def test_documents_without_a_name_are_numbered():
    documents = read("\n".join(["# newdoc", row("1", "Go"), "", "# newdoc id = ", row("1", "No"), "", ""]))
    assert list(documents) == ["document 1", "document 2"]


def test_sentences_have_all_their_rows():
    (sentence,) = read("\n".join(["# newdoc id = a", row("1-2", "du"), row("1", "de"), row("2", "le", "X=y"), ""]))["a"]
    found = [(place, columns[0], columns[-1]) for place, columns in sentence.rows]
    assert found == [("a.conllu:2", "1-2", "_"), ("a.conllu:3", "1", "_"), ("a.conllu:4", "2", "X=y")]


def test_the_first_of_two_documents_of_a_name_stays():
    report = Report()
    lines = ["# newdoc id = a", row("1", "Go"), "", "# newdoc id = a", row("1", "No"), ""]
    documents, unreadable = parse_conllu("\n".join(lines), "a.conllu", report)
    assert [word.form for word in documents["a"][0].words] == ["Go"]
    assert not unreadable
    (case,) = report.findings["Left out documents that come a second time"]
    assert case == "a.conllu:4: found a second document named 'a'."


def test_comments_say_what_a_sentence_holds():
    lines = ["# sent_id = tale-0001", "# text = I can't  go", row("1", "I"), row("2-3", "can't"), row("2", "can")]
    lines += [row("3", "not"), row("3.1", "then"), row("4", "go"), "", "# sent_id = tale-2", row("1", "No"), ""]
    assert [len(words) for words in parse(*lines)] == [4, 1]


@pytest.mark.parametrize("names", [("tale-0", "tale-1"), ("tale-7", "tale-9"), ("7-7", "tale")])
def test_an_excerpt_may_have_any_sentences(names: tuple[str, str]):
    first, second = names
    assert len(parse(f"# sent_id = {first}", row("1", "No"), "", f"# sent_id = {second}", row("1", "No"))) == 2


def test_unknown_parts_of_speech_are_left_out_and_counted():
    report = Report()
    lines = ["# newdoc id = a", row("1", "Go", pos="VERB"), row("2", "on", pos="PARTICLE", tag="RP"), ""]
    documents, _ = parse_conllu("\n".join(lines), "a.conllu", report)
    doc = make_doc("a", documents["a"], Vocab())
    assert [(token.pos_, token.tag_) for token in doc] == [("VERB", ""), ("", "RP")]
    assert report.findings == {"Left out parts of speech that spaCy does not know": ["a.conllu:3: found 'PARTICLE'."]}
