import gzip
from pathlib import Path

from spacy.language import Language

from spacy_span_selector.tools.checking.check import DOUBTFUL, MALFORMED, find_files, read_file
from spacy_span_selector.tools.formats.corefud import write_corefud

from .corpora import GOOD, nlp, read, write

__all__ = ["nlp"]


def test_folders_are_read_at_any_depth_and_each_file_once(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    files = [write(tmp_path / "a.spacy", read(GOOD)), write(tmp_path / "inner/b.spacy", read(GOOD))]
    (tmp_path / "notes.md").write_text("no corpus")
    assert list(find_files([tmp_path, files[0]])) == files


def test_compressed_files_are_found_and_read(tmp_path: Path, nlp: Language) -> None:
    path = tmp_path / "mine.conllu.gz"
    path.write_bytes(gzip.compress(write_corefud([read(GOOD)[0]]).encode()))
    assert list(find_files([tmp_path])) == [path]
    docs, problems = read_file(path, nlp)
    assert [doc.text for doc in docs] == [read(GOOD)[0].text] and problems == []


def test_good_documents_beside_bad_lines_are_read(tmp_path: Path, nlp: Language) -> None:
    path = tmp_path / "mine.txt"
    path.write_text(GOOD + "=== the hat\n[Leo met Ruth.\n[Ruth|ruth] left.\n", encoding="utf-8")
    docs, problems = read_file(path, nlp)
    assert [doc.text for doc in docs][1:] == ["Ruth left."]
    assert [(problem.kind, problem.place) for problem in problems] == [
        (MALFORMED, "line 8, column 1"),
        (DOUBTFUL, "line 9, column 1"),
    ]
