"""The pipelines in `pipelines/`, as they are installed: what they say of themselves, and what they find."""

import re
from collections import Counter
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import DocBin

from spacy_span_selector.examples.corpus import create_corpus
from spacy_span_selector.tools.formats.ontogum import read_ontogum, read_ontogum_splits

from .corpora import ONTOGUM, needs

ROOT = Path(__file__).parents[1]
WHEELS = {name: sorted((ROOT / "pipelines").glob(f"en_span_selector_{name}-*.whl")) for name in ("md", "sm")}
MOST_BYTES = {"md": 75e6, "sm": 30e6}
TEXT = """When the captain saw the ship, he called his daughter. She ran to the window and laughed at him.
"You are late," she said, "but I am glad to see you."
"""

MOST_CALLS, MOST_TORCH_CALLS = 370, 15
"""Of a word of dialogue, as `python -m lab calls` counts them, a tenth more than today; to be lowered, never raised."""


def unpack(name: str, folder: Path) -> Path:
    """The folder of a pipeline, unpacked from its wheel."""
    if not WHEELS[name]:
        pytest.skip(f"pipelines/ has no wheel of it: 'spacy project run pipeline-{name}' builds it")
    with ZipFile(WHEELS[name][-1]) as wheel:
        wheel.extractall(folder)
    return next(folder.glob(f"en_span_selector_{name}/en_span_selector_{name}-*"))


@pytest.fixture(scope="module", params=["md", "sm"])
def name(request: pytest.FixtureRequest) -> str:
    found: str = request.param
    return found


@pytest.fixture(scope="module")
def folder(name: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return unpack(name, tmp_path_factory.mktemp("pipeline"))


@pytest.fixture(scope="module")
def nlp(folder: Path) -> Language:
    pytest.importorskip("spacy_transformers", reason="the extra 'transformers' is not installed")
    return spacy.load(folder)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Language:
    pytest.importorskip("spacy_transformers", reason="the extra 'transformers' is not installed")
    return spacy.load(unpack("sm", tmp_path_factory.mktemp("pipeline")))


@pytest.fixture(scope="module")
def meta(folder: Path) -> dict[str, Any]:
    import srsly

    found: dict[str, Any] = srsly.read_json(folder.parent / "meta.json")
    return found


def test_it_is_small(name: str, folder: Path) -> None:
    assert len(WHEELS[name]) == 1
    assert WHEELS[name][0].stat().st_size <= MOST_BYTES[name]


def test_it_says_whence_it_comes(meta: dict[str, Any]) -> None:
    assert meta["license"] == "CC BY-SA 4.0"
    assert all({"name", "url", "license", "author"} <= source.keys() for source in meta["sources"])
    assert not [source for source in meta["sources"] if "NC" in source["license"]]
    assert {"coref_f", "srl_f", "raw_srl_f", "srl_sense_acc", "spans_sc_f"} <= meta["performance"].keys()


def test_it_needs_this_package_and_no_pretrained_encoder(meta: dict[str, Any]) -> None:
    names = {requirement.partition(">=")[0] for requirement in meta["requirements"]}
    assert names == {"spacy", "spacy-span-selector", "spacy-transformers"}


def test_it_has_no_addresses_of_people(folder: Path) -> None:
    import srsly

    assert not [string for string in srsly.read_json(folder / "vocab" / "strings.json") if re.search(r"\w@\w", string)]


def test_it_has_the_texts_of_the_licences_that_it_names(name: str, folder: Path) -> None:
    with ZipFile(WHEELS[name][-1]) as wheel:
        names = {Path(name).name: name for name in wheel.namelist()}
        texts = [wheel.read(names[name]).decode("utf-8") for name in ("LICENSE", "LICENSES_SOURCES")]
    assert "Attribution-ShareAlike 4.0 International" in texts[0]
    assert "Apache License" in texts[1]


def test_it_finds_who_does_what(nlp: Language) -> None:
    doc = nlp(TEXT)
    clusters = [{mention.text for mention in cluster} for cluster in doc._.coref_clusters]
    assert any({"the captain", "he", "his", "him"} <= cluster for cluster in clusters)
    assert any({"his daughter", "She", "she"} <= cluster for cluster in clusters)
    frames = {frame.predicate.text: frame for frame in doc._.srl}
    assert [span.text for span in frames["called"].arguments["ARG0"]] == ["he"]
    assert ["his daughter"] in [[span.text for span in spans] for spans in frames["called"].arguments.values()]
    assert [span.text for span in frames["saw"].arguments["ARG1"]] == ["the ship"]
    assert frames["saw"].roleset == "see.01"
    assert ("the captain", "PER") in {(span.text, span.label_) for span in doc.spans["sc"]}


def test_rolesets_are_of_the_word_that_a_form_is_of(nlp: Language) -> None:
    expected = {
        "He leaned against the wall.": "lean.01",
        "We fry it.": "fry.01",
        "He shook his head.": "shake.01",
        "The lake froze.": "freeze.01",
        "She wept.": "weep.01",
        "He organised a party.": "organize.01",
        "She learned French.": "learn.01",
    }
    assert {text: nlp(text)._.srl[0].roleset for text in expected} == expected


def test_lines_may_end_anywhere(nlp: Language) -> None:
    words = TEXT.split()
    wrapped = "\n".join(" ".join(words[i : i + 7]) for i in range(0, len(words), 7))
    one, other = nlp(" ".join(words)), nlp(wrapped)
    assert [[str(mention).split() for mention in cluster] for cluster in one._.coref_clusters] == [
        [str(mention).split() for mention in cluster] for cluster in other._.coref_clusters
    ]


@pytest.mark.slow
@needs(ONTOGUM)
def test_its_score_is_near_the_one_that_it_states(
    nlp: Language, meta: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    docs = read_ontogum(ONTOGUM, names=read_ontogum_splits(ONTOGUM)["test"])
    DocBin(docs=docs, store_user_data=True).to_disk(tmp_path / "test.spacy")
    examples = list(create_corpus(tmp_path / "test.spacy", gold_tokens=False, sentences=False)(nlp))
    nlp.get_pipe("structured_coref").configure(keep_singletons=False)
    scores = nlp.evaluate(examples)
    # Computers round differently.
    assert scores["coref_f"] == pytest.approx(meta["performance"]["ontogum_coref_f"], abs=0.01)


def test_the_first_page_of_the_readme_shows_what_works(nlp: Language) -> None:
    doc = nlp((ROOT / "assets/lighthouse.txt").read_text(encoding="utf-8"))
    people = [
        Counter(" ".join(str(mention).lower().split()) for mention in cluster) for cluster in doc._.coref_clusters
    ]
    captain, keeper, children, fishermen = (
        next(names for names in people if name in names)
        for name in ("captain moore", "miss harker", "her children", "the fishermen")
    )
    assert captain.total() == 22 and set(captain) == {"captain moore", "the captain", "he", "his", "him"}
    assert keeper.total() == 15 and set(keeper) == {"miss harker", "she", "her", "me"}
    assert set(children) == {"her children", "the children", "they"}
    assert set(fishermen) == {"the fishermen", "they", "their", "them"}


def test_a_word_costs_so_many_python_calls(small: Language) -> None:
    from lab.benchmarks.calls import count_calls

    calls = count_calls(small, [(ROOT / "assets/alice.txt").read_text(encoding="utf-8")])
    assert calls.rooms.total() / calls.words <= MOST_CALLS
    assert calls.torch.total() / calls.words <= MOST_TORCH_CALLS
