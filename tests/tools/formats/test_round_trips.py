"""Whole documents through the formats of other tools and back."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest
from spacy.lang.en import English
from spacy.tokens import Doc

from spacy_span_selector.annotation import cluster_groups, get_clusters, get_frames, get_speakers, get_title
from spacy_span_selector.tools.formats.bracketed import read_bracketed
from spacy_span_selector.tools.formats.conll2012 import read_conll2012, write_conll2012
from spacy_span_selector.tools.formats.corefud import read_corefud, write_corefud
from spacy_span_selector.tools.formats.jsonlines import read_jsonlines, write_jsonlines
from spacy_span_selector.tools.formats.label_studio import read_label_studio, write_label_studio
from spacy_span_selector.tools.formats.litbank import read_litbank, read_litbank_fold
from spacy_span_selector.tools.formats.ontogum import read_ontogum, read_ontogum_splits

DEMO = Path(__file__).parents[3] / "assets/demo/test.txt"
DATA = Path(__file__).parents[4] / "shared/data"
LITBANK, ONTOGUM = DATA / "litbank", DATA / "ontogum"


@pytest.fixture(
    scope="module",
    params=[
        "demo",
        pytest.param(
            "litbank", marks=[pytest.mark.slow, pytest.mark.skipif(not LITBANK.is_dir(), reason="no LitBank")]
        ),
        pytest.param(
            "ontogum", marks=[pytest.mark.slow, pytest.mark.skipif(not ONTOGUM.is_dir(), reason="no OntoGUM")]
        ),
    ],
)
def docs(request: pytest.FixtureRequest) -> list[Doc]:
    """Test documents of a corpus."""
    if request.param == "litbank":
        return read_litbank(LITBANK, names=read_litbank_fold(LITBANK, 0)["test"])
    if request.param == "ontogum":
        return read_ontogum(ONTOGUM, names=read_ontogum_splits(ONTOGUM)["test"])
    return read_bracketed(DEMO, English())


def annotation(doc: Doc) -> dict[str, Any]:
    return {
        "words": [token.text for token in doc],
        "text": doc.text,
        "text but its end": doc.text.rstrip(),
        "title": get_title(doc),
        "sentences": [token.is_sent_start for token in doc],
        "clusters": get_clusters(doc),
        "names": [group.attrs.get("name") for group in cluster_groups(doc)],
        "speakers": {i: speaker for start, end, speaker in get_speakers(doc) for i in range(start, end)},
        "constituents": [(span.start, span.end, span.label_) for span in doc.spans.get("constituents", ())],
        "frames": get_frames(doc),
        "tags": [token.tag_ for token in doc],
        "other tags": [(token.pos_, token.lemma_) for token in doc],
    }


FORMATS: dict[str, tuple[Any, Any, set[str]]] = {
    "jsonlines": (write_jsonlines, read_jsonlines, {"frames", "tags", "other tags"}),
    "conll2012": (
        write_conll2012,
        read_conll2012,
        {"text", "text but its end", "title", "speakers", "names", "other tags"},
    ),
    "corefud": (write_corefud, read_corefud, {"text", "constituents", "names", "frames"}),
    "label studio": (
        lambda docs: write_label_studio(docs, annotations=True),
        lambda path: read_label_studio(path, English()),
        {"constituents", "names", "tags", "other tags"},
    ),
}
"""How a format is written and read, and what it has no place for."""


@pytest.mark.parametrize("name", FORMATS)
def test_only_what_has_no_place_is_lost(docs: list[Doc], name: str, tmp_path: Path) -> None:
    write, read, lost = FORMATS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (tmp_path / "docs").write_text(write(docs), encoding="utf-8")
        back = read(tmp_path / "docs")
    for was, found in zip(map(annotation, docs), map(annotation, back), strict=True):
        assert {key: found[key] for key in found.keys() - lost} == {key: was[key] for key in was.keys() - lost}
        if name == "conll2012":  # which has no white space in names, and names of parts
            assert found["title"] == f"{was['title']}_0"
            assert found["speakers"] == {i: speaker.replace(" ", "_") for i, speaker in was["speakers"].items()}
