import re
from html import unescape

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc, Span

from spacy_span_selector.annotation import set_clusters, set_labelled_spans
from spacy_span_selector.extensions import doc_clusters
from spacy_span_selector.tools.formats.bracketed import parse_bracketed
from spacy_span_selector.tools.rendering.boxes import Words
from spacy_span_selector.tools.rendering.clusters import (
    COLORS,
    LINES,
    ShownCluster,
    cluster_look,
    number_clusters,
    render_legend,
    render_sentence,
    shown_mentions,
)
from spacy_span_selector.tools.rendering.html_page import static

NLP = spacy.blank("en")

# Machado, Oliveira and Fernandes (2009), severity 1, on linear RGB.
EYES = {
    "trichromat": np.eye(3),
    "deuteranope": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "protanope": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "tritanope": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}


def shown_clusters(part: Doc | Span, singletons: bool, prefix: str | None = None) -> list[ShownCluster]:
    within = part[:] if isinstance(part, Doc) else part
    return number_clusters(doc_clusters(within.doc, prefix), within, singletons)


def render(text: str, *, singletons: bool = False) -> list[str]:
    """The sentences of a text in the bracketed format."""
    (doc,) = parse_bracketed(text, NLP)
    return render_doc(doc, singletons)


def render_doc(doc: Doc, singletons: bool = False) -> list[str]:
    mentions = shown_mentions(shown_clusters(doc, singletons))
    return [render_sentence(Words(doc), sentence, mentions) for sentence in doc.sents]


def numbers(markup: str) -> list[str]:
    """The numbers that are shown before mentions."""
    return re.findall(r'<mark class="mention [^"]*h\d" data-n="(\d+)"', markup)


def test_every_mention_has_the_number_of_its_cluster():
    assert numbers("".join(render("[Ann|a] saw [Bob|b].\n[He|b] saw [her|a]."))) == ["1", "2", "2", "1"]


@pytest.mark.parametrize(("singletons", "expected"), [(False, ["1", "2", "1", "2"]), (True, ["1", "2", "3", "1", "3"])])
def test_numbers_have_no_gaps(singletons: bool, expected: list[str]):
    text = "[Ann|ann] had [a map] and [a dog|dog]; [she|ann] saw [it|dog]."
    assert numbers("".join(render(text, singletons=singletons))) == expected


def test_numbers_follow_the_text_whatever_the_keys():
    doc = NLP("Ann saw Bob. He saw her.")
    doc.spans["coref_clusters_7"] = [doc[2:3], doc[4:5]]
    doc.spans["coref_clusters_12"] = [doc[0:1], doc[6:7]]
    assert [str(shown.cluster) for shown in shown_clusters(doc, False)] == ["[Ann, her]", "[Bob, He]"]


def test_clusters_of_another_prefix():
    doc = NLP("Ann saw herself.")
    set_clusters(doc, [[(0, 1), (2, 3)]], prefix="mine")
    assert len(shown_clusters(doc, False)) == 1
    assert len(shown_clusters(doc, False, "mine")) == 1
    assert shown_clusters(doc, False, "yours") == []


def test_of_a_part_the_clusters_with_a_mention_in_it_are_shown():
    (doc,) = parse_bracketed("[Ann|a] saw [her|a] dog.\n[Bob|b] saw [his|b] cat.", NLP)
    (shown,) = shown_clusters(doc[5:7], False)
    assert (shown.number, str(shown.cluster)) == (1, "[Bob, his]")


def legend_of(text: str, *, singletons: bool = False) -> str:
    (doc,) = parse_bracketed(text, NLP)
    return render_legend(shown_clusters(doc, singletons))


def test_the_legend_has_the_people_first_by_importance():
    legend = legend_of("[The ship|s] saw [Bob|b] . [He|b] saw [Ann|a] : [she|a] saw [herself|a] on [it|s] .")
    found = re.findall(r"<h3>(.*?)<|<bdi>(.*?)</bdi> <small>(\d)<", legend)
    assert ["".join(parts) for parts in found] == ["People", "Ann3", "Bob2", "Other clusters", "The ship2"]
    assert legend.count("<ol") == legend.count("<ul") == 1


def test_people_have_their_gender_and_their_other_names():
    (about,) = re.findall(r'class="about">(.*?)</span>', legend_of("[Mrs. Lee|a] , [Ann|a] and [Kim|a] and [Ann|a]"))
    assert about == "female · <bdi>Mrs. Lee</bdi>, <bdi>Kim</bdi>"
    assert "about" not in legend_of("[I|a] know [myself|a]")


def test_more_names_than_are_shown_are_told_by_dots():
    names = ["Ann", "Kim", "Sue", "Eve", "Amy", "Joy", "Liz"]
    text = " and ".join(f"[{name}|a]" for name in names) + " : [Mrs. Lee|a] and [Mrs. Lee|a]"
    (about,) = re.findall(r'class="about">(.*?)</span>', legend_of(text))
    assert about == "female · " + ", ".join([*(f"<bdi>{name}</bdi>" for name in names[:5]), "…"])


def test_a_legend_without_people_has_clusters_alone():
    legend = legend_of("[The ship|s] lost [its|s] mast")
    assert re.findall("<h3>(.*?)</h3>", legend) == ["Clusters"] and "<ol" not in legend


def test_people_who_are_mentioned_once_are_listed_if_singletons_are_shown():
    text = "[Mrs. Lee|a] slept in [London|b]"
    assert legend_of(text) == ""
    assert re.findall("<bdi>(.*?)</bdi>", legend_of(text, singletons=True)) == ["Mrs. Lee"]


def test_names_of_people_are_escaped():
    doc = Doc(NLP.vocab, words=["Mrs.", "A<b>", "Mrs.", "B<b>", "herself"])
    set_clusters(doc, [[(0, 2), (2, 4), (4, 5)]])
    legend = render_legend(shown_clusters(doc, False))
    assert "<b>" not in legend and legend.count("&lt;b&gt;") == 2


def test_clusters_have_the_labels_of_labelled_spans():
    (doc,) = parse_bracketed("[The ship|s] saw [Ann|a] : [she|a] left [it|s]", NLP)
    set_labelled_spans(doc, [(0, 2, "V<EH>"), (3, 4, "PER")])
    legend = render_legend(shown_clusters(doc, False))
    assert re.findall(r'class="about">(.*?)</span>', legend) == ["PER · female", "V&lt;EH&gt;"]


def test_entities_alone_add_no_label():
    (doc,) = parse_bracketed("[The ship|s] left [its|s] port", NLP)
    legend = render_legend(shown_clusters(doc, False))
    doc.ents = [Span(doc, 0, 2, "VEH")]
    assert render_legend(shown_clusters(doc, False)) == legend


def test_the_legend_names_linked_clusters_alone():
    (doc,) = parse_bracketed("[Ann Lee|ann] had [a map] and [she|ann] ran.", NLP)
    legend = render_legend(shown_clusters(doc, singletons=True))
    assert re.findall(r'data-n="(\d)"><bdi>(.*?)</bdi> <small>(\d)<', legend) == [("1", "Ann Lee", "2")]
    assert render_legend([]) == ""


def test_the_text_is_that_of_the_document():
    (markup,) = render('"[Ann|a]\'s dog," [she|a] said ([her|a] voice low), "is here."')
    assert unescape(re.sub(r"<[^>]*>", "", markup)) == '"Ann\'s dog," she said (her voice low), "is here."'


def test_mentions_know_their_probabilities_and_antecedents():
    doc = NLP("Ann said she ran.")
    mentions = [(0, 1), (2, 3)]
    scores = dict(zip(mentions, [1.0, 0.87654], strict=True))
    set_clusters(doc, [mentions], scores=scores, link_scores=scores, antecedents={(0, 1): None, (2, 3): (0, 1)})
    data = re.findall(r'h1" (.*?)>', render_sentence(Words(doc), doc[:], shown_mentions(shown_clusters(doc, False))))
    assert data == [
        'data-n="1" data-m="0" data-score="1.000" data-link="1.000"',
        'data-n="1" data-m="1" data-score="0.877" data-link="0.877" data-antecedent="0"',
    ]


def test_gold_mentions_have_neither():
    (markup,) = render("[Ann|a] saw [her|a].")
    assert re.findall(r'h1" (.*?)>', markup) == ['data-n="1" data-m="0"', 'data-n="1" data-m="1"']


def test_mentions_across_a_sentence_boundary_are_shown_in_the_first_sentence():
    (doc,) = parse_bracketed("a [b|x]\n[c|x]", NLP)
    doc.spans["coref_clusters_1"] = [doc[1:3], doc[2:3]]
    first, second = render_doc(doc)
    assert (numbers(first), numbers(second)) == (["1"], ["1"])


def test_thirty_two_clusters_look_different():
    assert len({cluster_look(i) for i in range(32)}) == COLORS * LINES == 32
    assert cluster_look(32) == cluster_look(0)


def test_the_style_sheet_has_all_colours_and_lines():
    css = static("page.css")
    assert len(re.findall(r"\.k\d \{", css)) == COLORS
    assert len(re.findall(r"\.line\d\b", css)) == LINES


@pytest.mark.parametrize("eye", EYES)
@pytest.mark.parametrize("theme", [0, 1])
def test_colours_stay_apart_for_all_eyes(eye: str, theme: int):
    """Okabe and Ito's palette, made for colour-blind eyes, keeps a distance of 0.076 in OKLab."""
    colors = _linear(theme) @ np.transpose(EYES[eye])
    lab = _oklab(np.clip(colors, 0, 1))
    distances = np.linalg.norm(lab[:, None] - lab, axis=-1)[~np.eye(COLORS, dtype=bool)]
    assert distances.min() > (0.19 if eye == "trichromat" else 0.079)


@pytest.mark.parametrize(("theme", "paper"), [(0, 1.0), (1, 0.0095)])
def test_colours_stand_out_from_the_paper(theme: int, paper: float):
    """3 : 1 is what the Web Content Accessibility Guidelines ask of lines."""
    luminance = _linear(theme) @ [0.2126, 0.7152, 0.0722]
    contrast = (np.maximum(luminance, paper) + 0.05) / (np.minimum(luminance, paper) + 0.05)
    assert contrast.min() >= 3


def _linear(theme: int) -> np.ndarray:
    """The colours of the light or the dark theme in linear RGB. Shape: (COLORS, 3)"""
    pairs = re.findall(r"\.k\d \{ --color: light-dark\((#\w{6}), (#\w{6})\)", static("page.css"))
    rgb = np.array([[int(pair[theme][i : i + 2], 16) / 255 for i in (1, 3, 5)] for pair in pairs])
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def _oklab(linear: np.ndarray) -> np.ndarray:
    """Ottosson (2020)."""
    to_cones = [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
    to_lab = [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
    return np.cbrt(linear @ np.transpose(to_cones)) @ np.transpose(to_lab)


def test_the_largest_clusters_come_first():
    doc = Doc(spacy.blank("en").vocab, words=["it", "ship", "it", "ship", "ship"])
    set_clusters(doc, [[(0, 1), (2, 3)], [(1, 2), (3, 4), (4, 5)]])
    legend = render_legend(shown_clusters(doc, singletons=False))
    assert re.findall("<small>(.)</small>", legend) == ["3", "2"]
