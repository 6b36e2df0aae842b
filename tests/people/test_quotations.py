"""What users see of quotations; `test_events.py` has what they are to predicates."""

import re

import pytest
import spacy
from spacy.tokens import Doc

from spacy_span_selector.annotation import Quotation, set_clusters, set_quotations
from spacy_span_selector.extensions import register_extensions
from spacy_span_selector.people.quotations import doc_quotations

register_extensions()
NLP = spacy.blank("en")

TEXT = '"Where is Tom?" cried the elder. "I told him: \'Go home!\'" said Ann <b>. "Oh."'


def place(doc: Doc, text: str) -> tuple[int, int]:
    """The tokens of the first occurrence of a text."""
    at = doc.text.index(text)
    span = doc.char_span(at, at + len(text))
    assert span is not None
    return span.start, span.end


@pytest.fixture
def doc() -> Doc:
    doc = NLP(TEXT)
    elder, ann, tom = place(doc, "the elder"), place(doc, "Ann"), place(doc, "Tom")
    set_clusters(doc, [[elder], [ann, place(doc, "I")], [tom, place(doc, "him")]])
    where, told = place(doc, '"Where is Tom?"'), place(doc, "\"I told him: 'Go home!'\"")
    set_quotations(
        doc,
        [
            Quotation(*where, speaker=elder, addressee=ann, cue=place(doc, "cried the elder"), score=0.875),
            Quotation(*told, speaker=ann, cue=place(doc, "said Ann <b>"), score=0.5),
            Quotation(*place(doc, "'Go home!'"), speaker=place(doc, "I"), addressee=tom),
            Quotation(*place(doc, '"Oh."')),
        ],
    )
    return doc


def test_a_quotation_knows_who_speaks_to_whom(doc: Doc) -> None:
    where, told, go, oh = doc._.quotations
    clusters = doc._.coref_clusters
    assert (where.speaker, where.addressee) == (clusters[1], clusters[2])
    assert (where.speaker_mention.text, where.addressee_mention.text) == ("the elder", "Ann")
    assert (where.cue.text, where.score) == ("cried the elder", 0.875)
    assert (told.speaker, told.addressee, told.addressee_name) == (clusters[2], None, None)
    assert (go.speaker_name, go.addressee_name) == ("Ann", "Tom")
    assert (oh.speaker, oh.speaker_mention, oh.speaker_name, oh.cue, oh.score) == (None, None, None, None, None)


def test_a_mention_without_a_cluster_speaks_for_itself(doc: Doc) -> None:
    set_clusters(doc, [])
    where = doc._.quotations[0]
    assert (where.speaker, where.speaker_name, where.addressee_name) == (None, "the elder", "Ann")


def test_names_are_on_one_line(doc: Doc) -> None:
    broken = Doc(doc.vocab, words=["Go", "!", "Ann", "\n", "Lee", "ran", "."])
    set_quotations(broken, [Quotation(0, 2, speaker=(2, 5))])
    assert [one.speaker_name for one in broken._.quotations] == ["Ann Lee"]
    set_clusters(broken, [[(2, 5)]])
    assert [one.speaker_name for one in broken._.quotations] == ["Ann Lee"]


def test_one_within_another_knows_it(doc: Doc) -> None:
    where, told, go, oh = doc._.quotations
    assert [quotation.level for quotation in (where, told, go, oh)] == [0, 0, 1, 0]
    assert (go.inside, told.inside) == (told, None)


def test_one_that_crosses_another_is_not_in_it() -> None:
    doc = NLP("a b c d e f")
    doc.spans.update({f"quotations_{i}": [doc[slice(*edges)]] for i, edges in enumerate([(2, 5), (0, 3), (0, 3)], 1)})
    assert [(one.span.start, one.level) for one in doc._.quotations] == [(0, 0), (0, 0), (2, 0)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('"Go," he said. "Now!"', 'Go," he said. "Now!'),
        ("“Go!\n\n“Now!", "Go!\n\n“Now!"),
        (["``", "Go", "!", "''"], "Go !"),
        ("« Va ! »", "Va !"),
        (["「", "行け", "」"], "行け"),
        ("- Go!", "- Go!"),
        (' "Go" \n', "Go"),
        ("\"He said 'go'\"", "He said 'go'"),
        ('"', ""),
    ],
)
def test_its_text_has_no_marks_around_it(text: str | list[str], words: str) -> None:
    doc = NLP(text) if isinstance(text, str) else Doc(NLP.vocab, words=text)
    set_quotations(doc, [Quotation(0, len(doc))])
    assert doc._.quotations[0].text == words


def test_it_prints_who_says_what(doc: Doc) -> None:
    assert repr([doc._.quotations[0], doc._.quotations[3]]) == '[the elder: "Where is Tom?", ?: "Oh."]'


def test_a_cluster_and_a_person_know_what_they_say(doc: Doc) -> None:
    ann = doc._.coref_clusters[2]
    assert [span.text for span in ann.quotations] == ["\"I told him: 'Go home!'\"", "'Go home!'"]
    assert doc._.coref_clusters[0].quotations == []
    (person,) = [person for person in doc._.characters if person.name == "Ann"]
    assert person.quotations == ann.quotations


def test_rows_have_the_same_columns(doc: Doc) -> None:
    rows = [quotation.row() for quotation in doc._.quotations]
    assert len({tuple(row) for row in rows}) == 1
    said = {"text": "Go home!", "cue": None, "score": None, "level": 1, "start": 46, "end": 56}
    assert rows[2] == {"speaker": "Ann", "speaker_cluster": 2, "addressee": "Tom", "addressee_cluster": 0, **said}


def test_notebooks_show_them_as_a_table(doc: Doc) -> None:
    table = doc._.quotations._repr_html_()
    assert re.findall("<th>(.*?)</th>", table) == ["speaker", "says", "addressee", "cue", "probability"]
    cells = re.findall("<td.*?>(.*?)</td>", table)
    assert cells[:5] == ["the elder", "Where is Tom?", "Ann", "cried the elder", "0.88"]
    assert cells[8] == "said Ann &lt;b&gt;"
    assert doc._.quotations[3]._repr_html_().count("<td") == 1


def test_the_cast_has_a_column_for_them_if_anyone_speaks(doc: Doc) -> None:
    assert "<th>quotations</th>" in doc._.characters._repr_html_()
    doc.spans["quotations_1"] = [doc[3:3]]  # what has no tokens is left out
    assert len(doc._.quotations) == 3
    set_quotations(doc, [])
    assert "<th>quotations</th>" not in doc._.characters._repr_html_()


def test_another_prefix_can_be_read(doc: Doc) -> None:
    set_quotations(doc, [Quotation(0, 2, speaker=(1, 2))], prefix="said")
    set_clusters(doc, [[(1, 2), (3, 4)]], prefix="people")
    (quotation,) = doc_quotations(doc, "said", "people")
    assert quotation.speaker == [doc[1:2], doc[3:4]]
