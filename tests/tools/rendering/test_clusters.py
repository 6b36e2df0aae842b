import re
from html import unescape

import numpy as np
import pytest
from spacy.tokens import Doc, Span

from spacy_span_selector.annotation import set_clusters, set_labelled_spans
from spacy_span_selector.extensions import doc_clusters
from spacy_span_selector.tools.rendering.boxes import TextMarkup
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

from ...parsing import NLP, parse_one

# Machado, Oliveira and Fernandes (2009), severity 1, on linear RGB.
EYES = {
    "trichromat": np.eye(3),
    "deuteranope": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "protanope": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "tritanope": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}
# Ottosson (2020).
TO_CONES = [
    [0.4122214708, 0.5363325363, 0.0514459929],
    [0.2119034982, 0.6806995451, 0.1073969566],
    [0.0883024619, 0.2817188376, 0.6299787005],
]
TO_OKLAB = [
    [0.2104542553, 0.7936177850, -0.0040720468],
    [1.9779984951, -2.4285922050, 0.4505937099],
    [0.0259040371, 0.7827717662, -0.8086757660],
]


def shown_clusters(part: Doc | Span, singletons: bool = False) -> list[ShownCluster]:
    within = part[:] if isinstance(part, Doc) else part
    return number_clusters(doc_clusters(within.doc), within, singletons)


def render(doc: Doc, singletons: bool = False) -> list[str]:
    mentions = shown_mentions(shown_clusters(doc, singletons))
    return [render_sentence(TextMarkup(doc), sentence, mentions) for sentence in doc.sents]


def legend_of(doc: Doc, singletons: bool = False) -> str:
    return render_legend(shown_clusters(doc, singletons))


def names(legend: str) -> list[str]:
    """The headings and the names of a legend, with the numbers of mentions."""
    found = re.findall(r"<h3>(.*?)<|<bdi>(.*?)</bdi> <small>(\d)<", legend)
    return ["".join(parts) for parts in found]


def about(legend: str) -> list[str]:
    """What is said beside the names of a legend."""
    return re.findall(r'class="about">(.*?)</span>', legend)


def numbers(markup: str) -> list[str]:
    """The numbers that are shown before mentions."""
    return re.findall(r'<mark class="mention [^"]*h\d" data-n="(\d+)"', markup)


@pytest.mark.parametrize(
    ("text", "singletons", "expected"),
    [
        ("[Ann|a] saw [Bob|b].\n[He|b] saw [her|a].", False, "1221"),
        ("[Ann|ann] had [a map] and [a dog|dog]; [she|ann] saw [it|dog].", False, "1212"),
        ("[Ann|ann] had [a map] and [a dog|dog]; [she|ann] saw [it|dog].", True, "12313"),
    ],
)
def test_every_mention_has_the_number_of_its_cluster_without_gaps(text: str, singletons: bool, expected: str):
    assert "".join(numbers("".join(render(parse_one(text), singletons)))) == expected


def test_numbers_follow_the_text_whatever_the_keys():
    doc = NLP("Ann saw Bob. He saw her.")
    doc.spans["coref_clusters_7"] = [doc[2:3], doc[4:5]]
    doc.spans["coref_clusters_12"] = [doc[0:1], doc[6:7]]
    assert [str(shown.cluster) for shown in shown_clusters(doc)] == ["[Ann, her]", "[Bob, He]"]


def test_of_a_part_the_clusters_with_a_mention_in_it_are_shown():
    (shown,) = shown_clusters(parse_one("[Ann|a] saw [her|a] dog.\n[Bob|b] saw [his|b] cat.")[5:7])
    assert (shown.number, str(shown.cluster)) == (1, "[Bob, his]")


@pytest.mark.parametrize(
    ("text", "singletons", "expected"),
    [
        (
            "[The ship|s] saw [Bob|b] . [He|b] saw [Ann|a] : [she|a] saw [herself|a] on [it|s] .",
            False,
            ["People", "Ann3", "Bob2", "Other clusters", "The ship2"],
        ),
        ("[The ship|s] lost [its|s] mast", False, ["Clusters", "The ship2"]),
        ("[Ann Lee|ann] had [a map] and [she|ann] ran.", True, ["People", "Ann Lee2"]),
        ("[Mrs. Lee|a] slept in [London|b]", False, []),
        ("[Mrs. Lee|a] slept in [London|b]", True, ["People", "Mrs. Lee1"]),
    ],
)
def test_the_legend_has_the_people_first_by_importance(text: str, singletons: bool, expected: list[str]):
    legend = legend_of(parse_one(text), singletons)
    assert names(legend) == expected
    assert legend.count("<ol") == expected.count("People")
    assert bool(legend) == bool(expected)


def test_the_largest_clusters_come_first():
    doc = Doc(NLP.vocab, words=["it", "ship", "it", "ship", "ship"])
    set_clusters(doc, [[(0, 1), (2, 3)], [(1, 2), (3, 4), (4, 5)]])
    assert re.findall("<small>(.)</small>", legend_of(doc)) == ["3", "2"]


def test_people_have_their_gender_and_their_other_names_up_to_five():
    (known,) = about(legend_of(parse_one("[Mrs. Lee|a] , [Ann|a] and [Kim|a] and [Ann|a]")))
    assert known == "female · <bdi>Mrs. Lee</bdi>, <bdi>Kim</bdi>"
    assert "about" not in legend_of(parse_one("[I|a] know [myself|a]"))
    given = ["Ann", "Kim", "Sue", "Eve", "Amy", "Joy", "Liz"]
    text = " and ".join(f"[{name}|a]" for name in given) + " : [Mrs. Lee|a] and [Mrs. Lee|a]"
    (known,) = about(legend_of(parse_one(text)))
    assert known == "female · " + ", ".join([*(f"<bdi>{name}</bdi>" for name in given[:5]), "…"])


def test_names_of_people_are_escaped():
    doc = Doc(NLP.vocab, words=["Mrs.", "A<b>", "Mrs.", "B<b>", "herself"])
    set_clusters(doc, [[(0, 2), (2, 4), (4, 5)]])
    legend = legend_of(doc)
    assert "<b>" not in legend and legend.count("&lt;b&gt;") == 2


def test_clusters_have_the_labels_of_labelled_spans_and_not_of_entities():
    doc = parse_one("[The ship|s] saw [Ann|a] : [she|a] left [it|s]")
    legend = legend_of(doc)
    doc.ents = [Span(doc, 0, 2, "VEH")]
    assert legend_of(doc) == legend
    set_labelled_spans(doc, [(0, 2, "V<EH>"), (3, 4, "PER")])
    assert about(legend_of(doc)) == ["PER · female", "V&lt;EH&gt;"]


def test_things_are_thin_and_people_keep_looks_of_their_own() -> None:
    doc = parse_one("[The ship|s] saw [Ann|a] : [she|a] left [it|s] to [the men|m] of [their|m] town")
    looks = [shown.look for shown in shown_clusters(doc)]
    assert looks == [cluster_look(0), cluster_look(1), cluster_look(2)]
    set_clusters(
        doc, [[(s.start, s.end) for s in own] for own in doc._.coref_clusters], entity_types=["VEH", "PER", "PER"]
    )
    looks = [shown.look for shown in shown_clusters(doc)]
    assert looks == [
        f"{cluster_look(0)} thing",
        cluster_look(0),
        cluster_look(1),
    ]
    assert ".thing:is(.mention)" in static("page.css")


def test_the_text_is_that_of_the_document():
    (markup,) = render(parse_one('"[Ann|a]\'s dog," [she|a] said ([her|a] voice low), "is here."'))
    assert unescape(re.sub(r"<[^>]*>", "", markup)) == '"Ann\'s dog," she said (her voice low), "is here."'


def test_mentions_know_their_probabilities_and_antecedents_where_there_are_some():
    doc = NLP("Ann said she ran.")
    set_clusters(doc, [[(0, 1), (2, 3)]])

    def known() -> list[str]:
        return re.findall(r'h1" (.*?)>', render_sentence(TextMarkup(doc), doc[:], shown_mentions(shown_clusters(doc))))

    assert known() == ['data-n="1" data-m="0"', 'data-n="1" data-m="1"']
    scores = [[1.0, 0.87654]]
    set_clusters(doc, [[(0, 1), (2, 3)]], scores=scores, link_scores=scores, antecedents=[[None, (0, 1)]])
    assert known() == [
        'data-n="1" data-m="0" data-score="1.000" data-link="1.000"',
        'data-n="1" data-m="1" data-score="0.877" data-link="0.877" data-antecedent="0"',
    ]


def test_mentions_across_a_sentence_boundary_are_shown_in_the_first_sentence():
    doc = parse_one("a [b|x]\n[c|x]")
    doc.spans["coref_clusters_1"] = [doc[1:3], doc[2:3]]
    assert list(map(numbers, render(doc))) == [["1"], ["1"]]


def test_thirty_two_clusters_look_different_and_the_style_sheet_has_all():
    assert len({cluster_look(i) for i in range(32)}) == COLORS * LINES == 32
    assert cluster_look(32) == cluster_look(0)
    css = static("page.css")
    assert len(re.findall(r"\.k\d \{", css)) == COLORS
    assert len(re.findall(r"\.line\d\b", css)) == LINES


@pytest.mark.parametrize("eye", EYES)
@pytest.mark.parametrize("theme", [0, 1])
def test_colours_stay_apart_for_all_eyes(eye: str, theme: int):
    """Okabe and Ito's palette, made for colour-blind eyes, keeps a distance of 0.076 in OKLab."""
    colors = np.clip(_linear(theme) @ np.transpose(EYES[eye]), 0, 1)
    lab = np.cbrt(colors @ np.transpose(TO_CONES)) @ np.transpose(TO_OKLAB)
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
