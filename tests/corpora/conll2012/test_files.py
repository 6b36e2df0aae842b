import hashlib
from pathlib import Path

import pytest

from spacy_span_selector.corpora.conll2012.reader import digest_files, find_files


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("b/1.v4_gold_conll", "a/2.v4_gold_conll", "a/3.v4_auto_conll", "a/gold_conll"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(name.encode())
    return tmp_path


def test_folders_are_searched_at_any_depth(folder: Path):
    assert find_files([folder]) == [
        folder / name for name in ("a/2.v4_gold_conll", "a/gold_conll", "b/1.v4_gold_conll")
    ]


def test_files_of_any_name_are_taken_in_the_order_given_and_once(folder: Path):
    sources = [folder / "b", folder / "a/3.v4_auto_conll", str(folder)]
    assert [path.name for path in find_files(sources)] == [
        "1.v4_gold_conll",
        "3.v4_auto_conll",
        "2.v4_gold_conll",
        "gold_conll",
    ]


def test_folders_without_files_are_named(folder: Path):
    (folder / "empty").mkdir()
    with pytest.raises(FileNotFoundError, match=r"empty: no file in this folder has a name that ends in 'gold_conll'"):
        find_files([folder, folder / "empty"])


def test_files_have_the_sum_of_the_one_that_joins_them(folder: Path):
    joined = b"a/2.v4_gold_conlla/gold_conllb/1.v4_gold_conll"
    assert digest_files(find_files([folder])) == hashlib.md5(joined).hexdigest()
