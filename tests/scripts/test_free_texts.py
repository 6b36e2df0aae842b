import runpy
from pathlib import Path

import pytest
import spacy
from spacy.tokens import Doc, DocBin

main = runpy.run_path(str(Path(__file__).parents[2] / "scripts/free_texts.py"))["main"]
PARAGRAPHS, WORDS = 300, 40
"""Of a novel: 12,000 words, of which 2,000 are neither too near to its beginning nor to its end."""


@pytest.fixture
def litbank(tmp_path: Path) -> Path:
    """A copy with two novels, of which one is in the training split of fold 3; their paragraphs are numbered."""
    folds = tmp_path / "lrec2020-coref/data/litbank_tenfold_splits/3"
    folds.mkdir(parents=True)
    for split, name in (("train", "1_one_brat.tsv"), ("dev", "2_two_brat.tsv"), ("test", "2_two_brat.tsv")):
        (folds / f"{split}.ids").write_text(f"{name}\n", encoding="utf-8")
    (tmp_path / "original").mkdir()
    for name in ("1_one", "2_two"):
        paragraphs = (f"P{number} {'went on, ' * ((WORDS - 3) // 2)}{name} ended." for number in range(PARAGRAPHS))
        (tmp_path / f"original/{name}.txt").write_text("\n\n".join(paragraphs), encoding="utf-8")
    return tmp_path


@pytest.fixture
def gap(tmp_path: Path) -> Path:
    """A file with two passages, of which one is too short, and with quotation marks that mean nothing."""
    path = tmp_path / "gap.tsv"
    long = 'Ann met Eve. "She saw her' + " and then went on to see others" * 4 + "."
    path.write_text(f"ID\tText\tPronoun\nd-1\t{long}\ther\nd-2\tAnn saw her.\ther\n", encoding="utf-8")
    return path


def drawn(litbank: Path, *options: object) -> list[Doc]:
    out, vocab = litbank / "corpus/free", spacy.blank("en").vocab
    main([str(litbank), str(out), "--fold", "3", *map(str, options)])
    return [doc for name in ("novels", "gap") for doc in DocBin().from_disk(out / f"{name}.spacy").get_docs(vocab)]


def test_pieces_of_training_novels_are_drawn_far_from_their_ends(litbank: Path) -> None:
    docs = drawn(litbank)
    assert len(docs) == 2
    for doc in docs:
        numbers = [int(token.text[1:]) for token in doc if token.text.startswith("P")]
        assert numbers == [*range(numbers[0], numbers[0] + 17)]  # the fewest with 650 words
        assert 6000 < WORDS * numbers[0] < WORDS * PARAGRAPHS - 4000
        assert "two" not in doc.text


def test_passages_of_gap_follow_in_sentences(litbank: Path, gap: Path) -> None:
    *_, passage = docs = drawn(litbank, "--gap", gap)
    assert len(docs) == 3
    first, second = passage.sents
    assert first.text == "Ann met Eve."
    assert second.text.startswith('"She saw her')


def test_a_seed_draws_the_same_texts_again(litbank: Path) -> None:
    first, again, other = ([doc.text for doc in drawn(litbank, "--seed", seed)] for seed in (0, 0, 1))
    assert first == again != other


def test_a_novel_that_is_missing_is_named(litbank: Path) -> None:
    (litbank / "original/1_one.txt").unlink()
    with pytest.raises(SystemExit, match=r"1_one\.txt"):
        main([str(litbank), str(litbank / "free"), "--fold", "3"])
