"""The official scorer is not ours to ship: a stand-in compares lines."""

import shutil
from pathlib import Path

import pytest
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from lab.benchmarks.official_srl_scorer import write_props
from spacy_span_selector.annotation import Argument, Frame, set_frames

from .conftest import refusal, run

WORDS = ["Ann", "gave", "up", "tea", ".", "She", "Left", "."]
STARTS = [True, False, False, False, False, True, False, False]
GAVE = Frame(1, 3, [Argument(0, 1, "ARG0"), Argument(3, 4, "R-ARGM-TMP")], "give_up.01")
LEFT = Frame(6, 7, [Argument(5, 6, "Agent")])
SCORER = r"""
my ($correct, $excess, $missed) = (0, 0, 0);
open(my $gold, "<", $ARGV[0]) or die; open(my $predicted, "<", $ARGV[1]) or die;
while (defined(my $one = <$gold>) and defined(my $other = <$predicted>)) {
  $correct++ if $one =~ /\((?!V)/ and $one eq $other;
  $missed++ if $one =~ /\((?!V)/ and $one ne $other;
  $excess++ if $other =~ /\((?!V)/ and $one ne $other;
}
print "   Overall   $correct   $excess   $missed   0.00   0.00   0.00\n";
"""


def make_doc(frames: list[Frame], words: list[str] = WORDS) -> Doc:
    doc = Doc(Vocab(), words=words, sent_starts=STARTS[: len(words)])
    set_frames(doc, frames)
    return doc


def write(doc: Doc) -> tuple[list[list[str]], int]:
    text, lost = write_props(doc, list(doc.sents))
    return [line.split() for line in text.split("\n")], lost


def save(path: Path, frames: list[Frame]) -> Path:
    DocBin(docs=[make_doc(frames)], store_user_data=True).to_disk(path)
    return path


def test_one_line_a_token_and_one_column_a_predicate_in_the_order_of_the_text():
    later = Frame(3, 4, [Argument(0, 3, "ARG1")])
    lines, lost = write(make_doc([later, GAVE, LEFT]))
    assert lines == [
        ["-", "(A0*)", "(A1*"],
        ["gave", "(V*", "*"],
        ["-", "*)", "*)"],
        ["tea", "(R-AM-TMP*)", "(V*)"],
        ["-", "*", "*"],
        [],
        ["-", "(Agent*)"],
        ["left", "(V*)"],
        ["-", "*"],
        [],
        [],
    ]
    assert lost == 0


@pytest.mark.parametrize(("word", "name"), [("-", "_"), ("\n", "_"), ("Give in", "give_in")])
def test_the_first_column_is_one_word(word: str, name: str):
    assert write(make_doc([Frame(0, 1, [])], [word, "it"]))[0][0] == [name, "(V*)"]


@pytest.mark.parametrize(
    ("frames", "kept"),
    [
        pytest.param(
            [GAVE, Frame(1, 2, [Argument(3, 4, "ARG2")])], [Frame(1, 2, [Argument(3, 4, "ARG2")])], id="token"
        ),
        pytest.param([Frame(4, 6, []), LEFT], [LEFT], id="predicate across sentences"),
        pytest.param([LEFT._replace(arguments=[Argument(3, 6, "ARG0")])], [Frame(6, 7, [])], id="across"),
        pytest.param([LEFT._replace(arguments=[Argument(0, 1, "ARG0")])], [Frame(6, 7, [])], id="elsewhere"),
        pytest.param([Frame(1, 2, [Argument(0, 3, "ARG0")])], [Frame(1, 2, [])], id="over the predicate"),
        pytest.param(
            [Frame(1, 2, [Argument(2, 4, "ARG1"), Argument(3, 5, "ARG2"), Argument(4, 5, "ARG3")])],
            [Frame(1, 2, [Argument(2, 4, "ARG1"), Argument(4, 5, "ARG3")])],
            id="overlap",
        ),
        pytest.param([Frame(1, 2, [Argument(3, 4, "my role")])], [Frame(1, 2, [])], id="role"),
    ],
)
def test_what_columns_cannot_show_is_left_out_and_counted(frames: list[Frame], kept: list[Frame]):
    lines, lost = write(make_doc(frames))
    assert (lines, 0) == write(make_doc(kept))
    assert lost == 1


@pytest.mark.skipif(shutil.which("perl") is None, reason="needs Perl")
def test_counts_are_set_beside_ours(tmp_path: Path):
    scorer = tmp_path / "srl-eval.pl"
    scorer.write_text(SCORER)
    key, response = save(tmp_path / "key.spacy", [GAVE, LEFT]), save(tmp_path / "response.spacy", [GAVE])
    same = run("official-srl-scorer", scorer, key, key, "--output", tmp_path / "props")
    assert same.exit_code == 0, same.output
    assert (tmp_path / "props/gold.props").read_text() == (tmp_path / "props/predicted.props").read_text()
    other = run("official-srl-scorer", scorer, key, response)
    lines = [line.split() for line in other.output.splitlines()]
    assert [line for line in lines if line[:1] in (["official"], ["ours"])] == [
        ["official", "2", "0", "1"],
        ["ours", "2", "0", "1"],
    ]
    scorer.write_text('print "   Overall   1   0   0   0.00   0.00   0.00\n";')
    assert run("official-srl-scorer", scorer, key, key).exit_code == 1
    scorer.write_text('print STDERR "refusing to score\\n"; exit 1;')
    assert "srl-eval.pl failed: refusing to score" in refusal("official-srl-scorer", scorer, key, key)
