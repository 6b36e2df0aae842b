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
    """What both formats hold."""
    return {
        "words": [token.text for token in doc],
        "sentences": [token.is_sent_start for token in doc],
        "clusters": get_clusters(doc),
        "speakers": {i: speaker for start, end, speaker in get_speakers(doc) for i in range(start, end)},
        "constituents": [(span.start, span.end, span.label_) for span in doc.spans.get("constituents", ())],
    }


def test_jsonlines_lose_nothing(docs: list[Doc], tmp_path: Path):
    (tmp_path / "out.jsonlines").write_text(write_jsonlines(docs), encoding="utf-8")
    for doc, back in zip(docs, read_jsonlines(tmp_path / "out.jsonlines"), strict=True):
        assert annotation(back) == annotation(doc)
        assert back.text == doc.text
        assert get_title(back) == get_title(doc)
        assert get_speakers(back) == get_speakers(doc)
        names = [[group.attrs.get("name") for group in cluster_groups(each)] for each in (back, doc)]
        assert names[0] == names[1]


def test_conll2012_loses_only_what_has_no_column(docs: list[Doc], tmp_path: Path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (tmp_path / "out.conll").write_text(write_conll2012(docs), encoding="utf-8")
        read = read_conll2012(tmp_path / "out.conll")
    for doc, back in zip(docs, read, strict=True):
        expected = annotation(doc)
        expected["speakers"] = {i: speaker.replace(" ", "_") for i, speaker in expected["speakers"].items()}
        assert annotation(back) == expected
        assert [token.tag_ for token in back] == [token.tag_ for token in doc]
        assert get_frames(back) == get_frames(doc)
        assert get_title(back) == f"{get_title(doc)}_0"


def test_corefud_loses_only_what_has_no_place(docs: list[Doc], tmp_path: Path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (tmp_path / "out.conllu").write_text(write_corefud(docs), encoding="utf-8")
        read = read_corefud(tmp_path / "out.conllu")
    for doc, back in zip(docs, read, strict=True):
        assert annotation(back) == annotation(doc) | {"constituents": []}
        assert back.text.rstrip() == doc.text.rstrip()
        assert get_title(back) == get_title(doc)
        for attribute in ("tag_", "pos_", "lemma_"):
            assert [getattr(token, attribute) for token in back] == [getattr(token, attribute) for token in doc]


def test_label_studio_loses_only_what_has_no_place(docs: list[Doc], tmp_path: Path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (tmp_path / "out.json").write_text(write_label_studio(docs, annotations=True), encoding="utf-8")
        read = read_label_studio(tmp_path / "out.json", English())
    for doc, back in zip(docs, read, strict=True):
        assert annotation(back) == annotation(doc) | {"constituents": []}
        assert back.text == doc.text
        assert (get_title(back), get_frames(back)) == (get_title(doc), get_frames(doc))
