import runpy
from pathlib import Path

import pytest
import spacy
from spacy.tokens import Doc, DocBin

from spacy_span_selector.annotation import get_clusters, get_counterparts, set_clusters

SCRIPT = runpy.run_path(str(Path(__file__).parents[2] / "scripts/exchange_genders.py"))
main, TABLES = SCRIPT["main"], SCRIPT["TABLES"]


def exchanged(folder: Path, text: str, *clusters: str, seed: int = 0) -> Doc:
    """The copy of a document, whose clusters are given as mentions with | between them, each in its first place that no
    mention before it has taken."""
    doc = Doc(spacy.blank("en").vocab, words=text.split(" "))
    taken: set[tuple[int, int]] = set()
    found = []
    for cluster in clusters:
        places = []
        for mention in cluster.split("|"):
            size = len(mention.split(" "))
            starts = (i for i in range(len(doc)) if doc[i : i + size].text == mention and (i, i + size) not in taken)
            places.append((start := next(starts), start + size))
            taken.add(places[-1])
        found.append(places)
    set_clusters(doc, found)
    (folder / "novels").mkdir(parents=True, exist_ok=True)
    path = folder / "novels/train.spacy"
    DocBin(docs=[doc], store_user_data=True).to_disk(path)
    main([str(folder / "out"), str(path), "--seed", str(seed)])
    original, copy = DocBin().from_disk(folder / "out/novels.spacy").get_docs(doc.vocab)
    assert original.text == doc.text
    assert get_clusters(copy) == get_clusters(doc)
    return copy


@pytest.mark.parametrize(
    ("text", "mentions", "expected"),
    [
        ("He saw himself .", "He", "She saw herself ."),
        ("My Uncle and two WOMEN sat .", "My Uncle", "My Aunt and two MEN sat ."),
        ("Mrs. Lee met Miss Day .", "Mrs. Lee", "Mr. Lee met Mr. Day ."),
        ("Lady Lee is a lady .", "a lady", "Lord Lee is a gentleman ."),
        ("The Lord and Lord Lee were hosts .", "hosts", "The Lord and Lady Lee were hosts ."),
    ],
)
def test_words_get_their_counterparts(tmp_path: Path, text: str, mentions: str, expected: str) -> None:
    assert exchanged(tmp_path, text, mentions).text.strip() == expected


@pytest.mark.parametrize(
    ("text", "cluster", "expected"),
    [
        ("I saw her .", "her", "I saw him ."),
        ("I saw her house .", "her house", "I saw his house ."),
        ("I saw her old house .", "her", "I saw his old house ."),
        ("I like his .", "his", "I like hers ."),
        ("I like hers .", "hers", "I like his ."),
    ],
)
def test_pronouns_that_own_are_told_from_others(tmp_path: Path, text: str, cluster: str, expected: str) -> None:
    assert exchanged(tmp_path, text, cluster).text.strip() == expected


def test_given_names_of_a_known_gender_become_others(tmp_path: Path) -> None:
    copy = exchanged(tmp_path, "Zoe Day saw that Zoe was late , she said .", "Zoe Day|Zoe|she")
    name, family, *_ = words = [token.text for token in copy]
    assert name not in ("Zoe", "she") and name.istitle() and family == "Day"
    assert words[4] == name
    assert words[8] == "he"


def test_names_of_families_and_of_unknown_genders_stay(tmp_path: Path) -> None:
    copy = exchanged(tmp_path, "Mr. Day saw Kim , and Day waved .", "Mr. Day|Day", "Kim")
    assert copy.text.strip() == "Mrs. Day saw Kim , and Day waved ."


def test_a_seed_draws_the_same_names_again(tmp_path: Path) -> None:
    text, cluster = "Zoe said she ran .", "Zoe|she"
    first, again, *others = (exchanged(tmp_path / str(i), text, cluster, seed=i // 2) for i in range(8))
    assert first.text == again.text
    assert any(other.text != first.text for other in others)


def test_a_name_for_which_none_is_left_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(TABLES, "names", {"male": "Bob", "female": "Zoe"})
    assert exchanged(tmp_path, "Zoe saw Bob , she said .", "Zoe|she").text.strip() == "Zoe saw Bob , he said ."


def test_a_copy_is_told_by_its_title(tmp_path: Path) -> None:
    assert exchanged(tmp_path, "He ran .", "He").user_data["title"].endswith("_exchanged")


def test_both_say_which_words_are_others(tmp_path: Path) -> None:
    copy = exchanged(tmp_path, "He ran .", "He")
    (original, _) = DocBin().from_disk(tmp_path / "out/novels.spacy").get_docs(copy.vocab)
    assert get_counterparts(original) == [(0, 1, "She")]
    assert get_counterparts(copy) == [(0, 1, "He")]


def test_a_reader_finds_clusters_that_are_not_written(tmp_path: Path) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("span_ruler", config={"spans_key": "coref_clusters_1"}).add_patterns(
        [{"label": "PER", "pattern": "Zoe"}, {"label": "PER", "pattern": "she"}]
    )
    nlp.to_disk(tmp_path / "reader")
    (tmp_path / "free").mkdir()
    path = tmp_path / "free/gap.spacy"
    DocBin(docs=[Doc(nlp.vocab, words=["Zoe", "said", "she", "ran", "."])]).to_disk(path)
    main([str(tmp_path), str(path), "--reader", str(tmp_path / "reader")])
    original, copy = DocBin().from_disk(tmp_path / "free.spacy").get_docs(nlp.vocab)
    assert original.text.startswith("Zoe said she") and copy[0].text != "Zoe" and copy[2].text == "he"
    assert {*original.spans} == {*copy.spans} == {"counterparts"}


def test_a_file_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"none\.spacy"):
        main([str(tmp_path), str(tmp_path / "none.spacy")])
