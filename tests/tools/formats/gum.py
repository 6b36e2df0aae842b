"""A small copy of the layout of OntoGUM, with an invented document of two sentences."""

from collections.abc import Iterable
from pathlib import Path

WORDS = ["Ann", "called", "her", "dog", "(", "Rex", ")", "He", "barked", "."]
CELLS = ["(1)", "_", "(2(1)", "2)", "_", "_", "_", "(2)", "_", "_"]
FIRST = 7  # words of the first sentence
TREES = """(ROOT
  (S
    (NP-SBJ (NNP Ann))
    (VP (VBD called)
      (NP (PRP$ her) (NN dog) (PRN (-LRB- -LRB-) (NP (NNP Rex)) (-RRB- -RRB-))))))

(ROOT (S (NP-SBJ (PRP He)) (VP (VBD barked)) (. .)))
"""


def conllu_row(index: int, form: str) -> str:
    space = "SpaceAfter=No" if form in ("(", "Rex", "barked") else "_"
    pos = "PRON" if form in ("her", "He") else "X"
    return "\t".join([str(index), form, form.lower(), pos, "XX", "_", "_", "_", "_", space])


def write_words(source: Path, name: str, *, speakers: tuple[str, str] = ("", ""), words: Iterable[str] = WORDS) -> Path:
    words = list(words)
    lines = [f"# newdoc id = {name}"]
    for speaker, sentence in zip(speakers, (words[:FIRST], words[FIRST:]), strict=True):
        lines += [f"# speaker = {speaker}"] if speaker else []
        lines += [f"# text = {' '.join(sentence)}"]
        lines += [*(conllu_row(i, word) for i, word in enumerate(sentence, start=1)), ""]
    return write(source / f"coref/ontogum/conllu/{name}.conllu", "\n".join([*lines, ""]))


def conll(cells: Iterable[str] = CELLS, words: Iterable[str] = WORDS) -> str:
    rows = [f"{i}\t{word}\t{cell}" for i, (word, cell) in enumerate(zip(words, cells, strict=True))]
    return "\n".join(["# begin document ", *rows, "# end document", ""])


def write_splits(source: Path, **splits: Iterable[str]) -> None:
    lines = ["# Splits", ""]
    for split, names in splits.items():
        lines += [f"## {split}", "", *(f"  * {name}" for name in names), ""]
    write(source / "splits.md", "\n".join(lines))


def write_document(source: Path, name: str, *, speakers: tuple[str, str] = ("", "")) -> None:
    write_words(source, name, speakers=speakers)
    write(source / f"coref/ontogum/conll/{name}.conll", conll())
    write(source / f"const/{name}.ptb", TREES)


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path
