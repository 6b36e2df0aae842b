from pathlib import Path

import pytest

from spacy_span_selector.annotation import get_clusters, get_title
from spacy_span_selector.tools.formats.conll2012.reader import ENGLISH_DOCUMENTS

from ....commands import refusal, run, success
from .helpers import load


def test_bracketed_joins_files_in_one_doc_bin(tmp_path: Path):
    for name in ("a", "b"):
        (tmp_path / f"{name}.txt").write_text(f"=== {name}\n@Ann: [I|ann] like [my|ann] [tea].\n", encoding="utf-8")
    said = success("convert", "bracketed", tmp_path / "a.txt", tmp_path / "b.txt", tmp_path / "new/c.spacy")
    assert "c.spacy: 2 documents, 10 tokens, 6 mentions, 4 clusters\n" in said
    docs = load(tmp_path / "new/c.spacy")
    assert [get_title(doc) for doc in docs] == ["a", "b"]
    assert [turn.label_ for turn in docs[0].spans["speakers"]] == ["Ann"]


def test_bracketed_uses_the_tokenizer_of_the_language(tmp_path: Path):
    (tmp_path / "a.txt").write_text("L'[amico].", encoding="utf-8")
    assert run("convert", "bracketed", tmp_path / "a.txt", tmp_path / "a.spacy").exit_code == 1
    assert run("convert", "bracketed", tmp_path / "a.txt", tmp_path / "a.spacy", "--lang", "it").exit_code == 0


def test_bracketed_needs_a_file_to_write(tmp_path: Path):
    (tmp_path / "a.txt").write_text("Ann", encoding="utf-8")
    for arguments in ([tmp_path / "a.txt"], [tmp_path / "a.txt", tmp_path / "b.txt"], [tmp_path / "c.spacy"]):
        assert "must end in .spacy" in refusal("convert", "bracketed", *arguments)


def test_bracketed_reports_place_of_an_error(tmp_path: Path):
    (tmp_path / "a.txt").write_text("Ann\n[Bob", encoding="utf-8")
    assert "a.txt:2:1:" in refusal("convert", "bracketed", tmp_path / "a.txt", tmp_path / "a.spacy")
    assert not (tmp_path / "a.spacy").exists()


def test_bracketed_leaves_out_a_document_with_a_bracket_inside_a_token_alone(tmp_path: Path):
    (tmp_path / "a.txt").write_text("=== a\n[Ann]\n=== b\n[Be]lls\n=== c\n[Bob]", encoding="utf-8")
    with pytest.warns(UserWarning, match=r"can't be read: 1\. The first: \S*a\.txt:4:4: a mention ends inside the tok"):
        success("convert", "bracketed", tmp_path / "a.txt", tmp_path / "a.spacy")
    assert [get_title(doc) for doc in load(tmp_path / "a.spacy")] == ["a", "c"]
    (tmp_path / "a.txt").write_text("=== b\n[Be]lls\n=== c\n[Bob", encoding="utf-8")
    assert "a.txt:4:1: a mention that is not" in refusal("convert", "bracketed", tmp_path / "a.txt", "a.spacy")


def test_an_unknown_language_is_named(tmp_path: Path):
    (tmp_path / "a.txt").write_text("Ann", encoding="utf-8")
    assert "qq" in refusal("convert", "bracketed", tmp_path / "a.txt", tmp_path / "a.spacy", "--lang", "qq")


def write_conll2012(path: Path, name: str = "tale") -> None:
    rows = ["tale 0 0 Ann NNP (S(NP*) - - - Leo * (ARG0*) (0)", "tale 0 1 left VBD (VP*)) leave 01 - Leo * (V*) -"]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join([f"#begin document ({name}); part 000", *rows, "#end document", ""]), encoding="utf-8")


def test_conll2012_joins_files_and_folders(tmp_path: Path):
    write_conll2012(tmp_path / "nw/00/tale.v4_gold_conll")
    write_conll2012(tmp_path / "more.conll", "more")
    result = run("convert", "conll2012", tmp_path / "more.conll", tmp_path / "nw", tmp_path / "tale.spacy")
    assert "Read 2 files.\n" in result.output and "English" not in result.output
    assert len(load(tmp_path / "tale.spacy")) == 2


def test_conll2012_counts_the_documents_of_the_official_english_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = tmp_path / "dev.english.v4_gold_conll"
    write_conll2012(path)
    output = " ".join(success("convert", "conll2012", path, tmp_path / "a.spacy").split())
    assert "Found 1 documents, but the official English splits of CoNLL-2012 have 2,802 (train), 343 (dev)" in output
    monkeypatch.setitem(ENGLISH_DOCUMENTS, "dev", 1)
    output = success("convert", "conll2012", path, tmp_path / "a.spacy")
    assert "The English dev split of CoNLL-2012 has the same number of documents." in output


def write_jsonlines(path: Path, name: str = "tale") -> None:
    key, speakers = f'"doc_key": "{name}"', '"speakers": [["Leo", "Leo"], ["-"]]'
    path.write_text(
        f'{{{key}, "sentences": [["Ann", "left"], ["She"]], {speakers}, "clusters": [[[0, 0], [2, 2]]]}}\n',
        encoding="utf-8",
    )


def test_documents_that_come_twice_are_written_once(tmp_path: Path):
    paths = [tmp_path / "a.jsonlines", tmp_path / "b.jsonlines"]
    for path in paths:
        write_jsonlines(path)
    with pytest.warns(
        UserWarning, match=rf"a second time: 1\. The first: {paths[1]}: document 'tale', as in {paths[0]}"
    ):
        assert run("convert", "jsonlines", *paths, tmp_path / "c.spacy").exit_code == 0
    assert len(load(tmp_path / "c.spacy")) == 1
    for name, text in {"a": "Ann left.", "b": "Leo left."}.items():
        (tmp_path / f"{name}.txt").write_text(f"=== tale\n{text}\n", encoding="utf-8")
    with pytest.warns(
        UserWarning, match=r"Kept different documents of the same name: 1\. The first: \S*b\.txt: document"
    ):
        assert run("convert", "bracketed", tmp_path / "a.txt", tmp_path / "b.txt", tmp_path / "d.spacy").exit_code == 0
    assert len(load(tmp_path / "d.spacy")) == 2


def test_label_studio_takes_texts_of_any_field_and_language(tmp_path: Path):
    region = '{"id": "a", "type": "labels", "value": {"start": 2, "end": 5, "labels": ["Mention"]}}'
    task = f'{{"id": 1, "data": {{"body": "L\'ami."}}, "annotations": [{{"result": [{region}]}}]}}'
    (tmp_path / "a.json").write_text(f"[{task}]", encoding="utf-8")
    arguments = ["convert", "label-studio", tmp_path / "a.json", tmp_path / "a.spacy"]
    assert "Name the field that has it with --text-field" in refusal(*arguments)
    assert run(*arguments, "--text-field", "body", "--lang", "it").exit_code == 0
    (doc,) = load(tmp_path / "a.spacy")
    assert [doc[start:end].text for ((start, end),) in get_clusters(doc)] == ["ami"]
