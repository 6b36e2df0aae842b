import re

import pytest

from spacy_span_selector.tools.formats.columns import escape_brackets, parse_tree, split_blocks, unescape_brackets


def test_words_and_phrases_are_read_outer_first():
    tree = "(ROOT\n  (S (NP-SBJ-1 (NNP Ann))\n     (VP (VBD saw) (NP=2 (NN -LRB-x-RRB-)))))\n"
    words, phrases = parse_tree(tree, "a.ptb:1")
    assert words == ["Ann", "saw", "(x)"]
    assert phrases == [(0, 3, "ROOT"), (0, 3, "S"), (0, 1, "NP"), (1, 3, "VP"), (2, 3, "NP")]


def test_tags_that_are_brackets_are_no_phrases():
    assert parse_tree("(PRN (-LRB- -LRB-) (NN x) (-RRB- -RRB-))", "a.ptb:1") == (["(", "x", ")"], [(0, 3, "PRN")])


def test_trees_are_separated_by_empty_lines():
    trees = [[(2, "(A (B b)"), (3, ")")], [(6, "(C (D d))")]]
    assert list(split_blocks("\n(A (B b)\n)\n\n \n(C (D d))\n# the end")) == trees


@pytest.mark.parametrize(
    ("tree", "message"),
    [
        ("(S)", "a.ptb:1: found something other than a tree"),
        ("(S (NN x)) y", "a.ptb:1: found something other than a tree"),
        (") (S (NN x))", "a.ptb:1: found something other than a tree"),
        ("(S (NN x)) (S", "a.ptb:1: found something other than a tree"),
        ("(S (NP (NN x))", "a.ptb:1, word 1: a span `(S` opens here and is never closed"),
        ("(S (NN x)))", "a.ptb:1, word 1: '(S*))' closes a span, but none is open"),
    ],
)
def test_what_is_not_a_tree_is_named(tree: str, message: str):
    with pytest.raises(ValueError, match=re.escape(message)):
        parse_tree(tree, "a.ptb:1")


def test_a_hundred_thousand_phrases_are_read():
    n = 100_000
    words, phrases = parse_tree("(NP " * n + "(NN x)" + ")" * n, "a.ptb:1")
    assert words == ["x"]
    assert phrases == [(0, 1, "NP")] * n


@pytest.mark.parametrize("rest", ["", "x", "(NN x)", "(NN x"])
def test_a_line_of_a_million_spaces_is_read(rest: str):
    trees = list(split_blocks(f"{' ' * 1_000_000}{rest}\n\n(A (B b))"))
    assert trees[-1] == [(3, "(A (B b))")]
    assert len(trees) == 1 + bool(rest)


@pytest.mark.parametrize(("escaped", "word"), [("-LSB-1-RSB-", "[1]"), (":-RRB-", ":)"), ("-", "-")])
def test_brackets_are_escaped_and_unescaped(escaped: str, word: str):
    assert unescape_brackets(escaped) == word
    assert escape_brackets(word) == escaped
