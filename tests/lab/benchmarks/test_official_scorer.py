"""The official scorer is not ours to ship: a stand-in prints what it would print."""

import shutil
from pathlib import Path

import pytest
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from lab.benchmarks.official_scorer import leave_out_singletons
from spacy_span_selector.annotation import get_clusters, has_clusters_annotated, set_clusters

from .conftest import refusal, run

WORDS = ["Ann", "slept", ".", "She", "snored"]

pytestmark = pytest.mark.skipif(shutil.which("perl") is None, reason="needs Perl")


def save(path: Path, clusters: list[list[tuple[int, int]]], words: list[str] = WORDS) -> Path:
    doc = Doc(Vocab(), words=words)
    set_clusters(doc, clusters)
    DocBin(docs=[doc]).to_disk(path)
    return path


@pytest.fixture
def key(tmp_path: Path) -> Path:
    return save(tmp_path / "key.spacy", [[(0, 1), (3, 4)]])


@pytest.fixture
def scorer(tmp_path: Path) -> Path:
    """What the official scorer prints for a key against itself, once it has seen both files."""
    path = tmp_path / "scorer.pl"
    path.write_text(
        r"""
my ($metric, @files) = @ARGV;
for my $path (@files[0, 1]) {
  open(my $file, "<", $path) or die;
  die "no cluster" unless grep { /\t\(0\)/ } <$file>;
}
my %links = (muc => 1, bcub => 2, ceafe => 1);
my $n = $links{$metric};
print "Identification of Mentions: Recall: (2 / 2) 100%\tPrecision: (2 / 2) 100%\tF1: 100%\n";
print "Coreference: Recall: ($n / $n) 100%\tPrecision: ($n / $n) 100%\tF1: 100%\n";
""",
        encoding="utf-8",
    )
    return path


def test_scores_that_agree(scorer: Path, key: Path):
    result = run("official-scorer", scorer, key, key)
    assert result.exit_code == 0, result.output
    assert " ".join(result.output.split()).count("CEAF-phi4 100.00") == 2  # with singletons and without
    assert "differs" not in result.output


def test_scores_that_differ_are_marked(scorer: Path, key: Path, tmp_path: Path):
    response = save(tmp_path / "response.spacy", [[(0, 1), (3, 4)], [(1, 2)]])
    result = run("official-scorer", scorer, key, response)
    assert result.exit_code == 1
    marked = [line.split()[0] for line in result.output.splitlines() if "differs" in line]
    assert marked == ["B3", "CEAF-phi4", "Mentions"]
    again = save(tmp_path / "again.spacy", [[(0, 1), (3, 4)], [(0, 1), (3, 4)]])
    assert "listed again: 2" in run("official-scorer", scorer, key, again).output


def test_a_document_with_nothing_but_singletons_counts_without_them():
    doc = Doc(Vocab(), words=WORDS)
    leave_out_singletons(doc)
    assert not has_clusters_annotated(doc)
    set_clusters(doc, [[(0, 1)], [(3, 4)]])
    leave_out_singletons(doc)
    assert get_clusters(doc) == [] and has_clusters_annotated(doc)


def test_a_scorer_that_refuses_is_quoted(key: Path, tmp_path: Path):
    scorer = tmp_path / "scorer.pl"
    scorer.write_text('print STDERR "refusing to score\\n"; exit 1;', encoding="utf-8")
    assert "scorer.pl failed: refusing to score" in refusal("official-scorer", scorer, key, key)


@pytest.mark.parametrize(
    ("words", "message"), [(["Ann"], "has other words"), ([], "has other words"), (None, "has 1 documents")]
)
def test_both_sides_need_the_same_words(scorer: Path, key: Path, tmp_path: Path, words: list[str] | None, message: str):
    response = tmp_path / "response.spacy"
    if words is None:
        DocBin().to_disk(response)
    else:
        save(response, [], words)
    assert message in refusal("official-scorer", scorer, key, response)
