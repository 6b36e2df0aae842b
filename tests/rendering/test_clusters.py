import re
from html import unescape

import pytest
import spacy

from spacy_span_selector.corpora.bracketed import parse_bracketed
from spacy_span_selector.rendering.clusters import cluster_color, render_legend, render_sentences, shown_clusters

NLP = spacy.blank("en")


def render(text: str, *, singletons: bool = False) -> str:
    """The sentences of a text in the bracketed format."""
    (doc,) = parse_bracketed(text, NLP)
    return "".join(render_sentences(list(doc.sents), shown_clusters(doc, singletons)))


def labels(markup: str) -> list[str]:
    """The labels that are drawn under the text."""
    return [label for label in re.findall(r'class="number[^>]*">(.*?)</span>', markup) if label]


def test_every_mention_has_the_number_of_its_cluster():
    assert labels(render("[Ann|a] saw [Bob|b].\n[He|b] saw [her|a].")) == ["1", "2", "2", "1"]


@pytest.mark.parametrize(("singletons", "expected"), [(False, ["1", "1"]), (True, ["1", "2", "1"])])
def test_singletons_are_optional(singletons: bool, expected: list[str]):
    assert labels(render("[Ann|ann] had [a map] and [she|ann] ran.", singletons=singletons)) == expected


def test_the_legend_names_linked_clusters_alone():
    (doc,) = parse_bracketed("[Ann Lee|ann] had [a map] and [she|ann] ran.", NLP)
    assert re.findall("<b>.*?</span>", render_legend(shown_clusters(doc, singletons=True))) == [
        "<b>1</b> Ann Lee (2)</span>"
    ]
    assert render_legend([]) == ""


def test_spacing_is_that_of_the_text():
    markup = render('"[Ann|a]\'s dog," [she|a] said ([her|a] voice low), "is here."')
    text = re.sub(r'<span class="number[^"]*">[^<]*</span>|<[^>]*>', "", markup)
    assert unescape(text).strip() == '"Ann\'s dog," she said (her voice low), "is here."'


def test_neighbouring_clusters_have_different_colors():
    assert len({cluster_color(i) for i in range(60)}) == 60


def test_mentions_across_a_sentence_boundary_are_shown_in_the_first_sentence():
    (doc,) = parse_bracketed("a [b|x]\n[c|x]", NLP)
    doc.spans["coref_clusters_1"] = [doc[1:3], doc[2:3]]
    first, second = render_sentences(list(doc.sents), shown_clusters(doc, singletons=False))
    assert (labels(first), labels(second)) == (["1"], ["1"])
