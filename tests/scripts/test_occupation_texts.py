import re
import runpy
from pathlib import Path

import pytest
import spacy
from spacy.tokens import Doc, DocBin

SCRIPT = runpy.run_path(str(Path(__file__).parents[2] / "scripts/occupation_texts.py"))


def drawn(path: Path, *texts: str) -> list[Doc]:
    """What the script writes where these texts are read by a pipeline that knows one person."""
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    words = ["Zoe", "Zoe Lee", "she", "She", "Zoe's"]
    ruler = nlp.add_pipe("span_ruler", config={"spans_key": "coref_clusters_1"})
    ruler.add_patterns([{"label": "PER", "pattern": word} for word in words])
    nlp.to_disk(path / "reader")
    DocBin(docs=[nlp.make_doc(text) for text in texts]).to_disk(path / "free.spacy")
    SCRIPT["main"]([str(path / "out"), str(path / "free.spacy"), "--reader", str(path / "reader")])
    return [*DocBin().from_disk(path / "out/occupations.spacy").get_docs(nlp.vocab)]


def test_names_of_who_is_he_or_she_become_one_occupation(tmp_path: Path) -> None:
    doc, *_ = drawn(tmp_path, 'Zoe Lee ran. "Stop," said Zoe. She fell, and Zoe\'s hat, too.', "Zoe ran. Zoe fell.")
    found = re.fullmatch(
        r"The (?P<who>[a-z ]+) ran\. \"Stop,\" said the (?P=who)\. She fell, and the (?P=who)'s hat, too\.", doc.text
    )
    assert found and found["who"] in SCRIPT["OCCUPATIONS"]
    assert not doc.spans


def test_scenes_have_two_occupations_and_men_or_women(tmp_path: Path) -> None:
    scenes = drawn(tmp_path, "Zoe ran. Zoe fell.")  # nobody there is he or she
    assert len(scenes) == len(SCRIPT["PATTERNS"]) * SCRIPT["SCENES"]
    words = [{token.lower_ for token in scene} for scene in scenes]
    assert all({"he", "him", "his"} & own or {"she", "her"} & own for own in words)
    assert {bool({"he", "him", "his", "himself"} & own) for own in words} == {True, False}
    assert not any(re.search(r"[{}]", scene.text) for scene in scenes)


def test_the_reader_must_be_named_and_there(tmp_path: Path) -> None:
    with pytest.raises(SystemExit):
        SCRIPT["main"]([str(tmp_path), str(tmp_path)])
    with pytest.raises(SystemExit, match="none"):
        SCRIPT["main"]([str(tmp_path), str(tmp_path), "--reader", str(tmp_path / "none")])
