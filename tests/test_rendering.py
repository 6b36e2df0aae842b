import re
from html import unescape

import pytest
import spacy

from spacy_span_selector.corpora.bracketed import parse_bracketed
from spacy_span_selector.rendering import cluster_color, render_clusters

NLP = spacy.blank("en")


def render(text: str, *, singletons: bool = False) -> str:
    return render_clusters(parse_bracketed(text, NLP), singletons=singletons)


def labels(page: str) -> list[str]:
    """The labels that are drawn under the text."""
    return [label for label in re.findall(r'z-index[^>]*">(.*?)</span>', page) if label]


def test_page_shows_title_legend_and_one_label_a_mention():
    page = render("=== At sea\n[Ann Lee|ann] saw that [she|ann] had lost [the map].")
    assert "<h2>At sea</h2>" in page
    assert "<b>1</b> Ann Lee (2)" in page
    assert labels(page) == ["1", "1"]


@pytest.mark.parametrize(("singletons", "expected"), [(False, ["1", "1"]), (True, ["1", "2", "1"])])
def test_singletons_are_optional(singletons: bool, expected: list[str]):
    assert labels(render("[Ann|ann] had [a map] and [she|ann] ran.", singletons=singletons)) == expected


def test_speakers_stand_in_front_of_their_turns():
    page = render("@Ann: [I|a] go.\nSilence.\n@Bob: [You|a] go.")
    assert re.findall(r'class="speaker">(.*?)<', page) == ["Ann:", "Bob:"]


def test_markup_in_text_titles_speakers_and_mentions_is_escaped():
    attack = "<script>alert(1)</script>"
    page = render(f"=== {attack}\n@{attack}: [{attack}|<b>] saw [{attack}|<b>] and {attack}.", singletons=True)
    assert "<script" not in page
    assert "<b>alert" not in page
    assert page.count("&lt;script&gt;") >= 6


def test_spacing_is_that_of_the_text():
    text = '"[Ann|a]\'s dog," [she|a] said ([her|a] voice low), "is here."'
    tokens = re.sub(r'<span style="[^"]*z-index[^"]*">[^<]*</span>|<[^>]*>', "", render(text).split("</p>")[1])
    assert unescape(tokens).strip() == '"Ann\'s dog," she said (her voice low), "is here."'


def test_neighbouring_clusters_have_different_colors():
    assert len({cluster_color(i) for i in range(60)}) == 60


def test_documents_without_clusters_sentences_or_text_are_shown():
    docs = [NLP("Ann left. She ran."), NLP("")]
    page = render_clusters(docs)
    assert page.count("<article>") == 2
    assert "Ann left. She ran." in page
    assert "<h2>Document 2</h2>" in page


def test_a_page_without_documents_is_a_page():
    assert render_clusters([]).startswith("<!DOCTYPE html>")


def test_mentions_over_a_sentence_boundary_are_shown_in_the_first_sentence():
    (doc,) = parse_bracketed("a [b|x]\n[c|x]", NLP)
    doc.spans["coref_clusters_1"] = [doc[1:3], doc[2:3]]
    assert labels(render_clusters([doc])) == ["1", "1"]
