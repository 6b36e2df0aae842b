from pathlib import Path

import pytest
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from spacy_span_selector.annotation import (
    Argument,
    Frame,
    cluster_groups,
    get_annotates,
    get_clusters,
    get_frames,
    get_labelled_spans,
    get_title,
)
from spacy_span_selector.annotation.lexicon import read_lexicon

from ....commands import flat, refusal, run, success
from ...formats.gum import conll, write, write_document, write_splits
from .helpers import load

pytestmark = pytest.mark.filterwarnings("ignore:.*not the copy that project.yml pins")


@pytest.fixture
def litbank(tmp_path: Path) -> Path:
    """A copy of LitBank's layout with four documents of one sentence, two of them in training."""
    source = tmp_path / "litbank"
    conll, ids = source / "coref/conll", source / "lrec2020-coref/data/litbank_tenfold_splits/2"
    conll.mkdir(parents=True)
    ids.mkdir(parents=True)
    for split, names in {"train": ["a", "b"], "dev": ["c"], "test": ["d"]}.items():
        (ids / f"{split}.ids").write_text("".join(f"{name}.tsv\n" for name in names))
        for name in names:
            rows = [
                "\t".join([name, "0", str(i), word, *["_"] * 8, cell])
                for i, (word, cell) in enumerate([("Ann", "(0)"), ("saw", ""), ("herself", "(0)")])
            ]
            lines = [f"#begin document ({name}); part 0", *rows, "", "#end document", ""]
            (conll / f"{name}.conll").write_text("\n".join(lines))
    return source


def test_litbank_writes_the_three_parts_of_a_fold(litbank: Path, tmp_path: Path):
    said = success("convert", "litbank", litbank, tmp_path / "new/corpus", "--fold", 2)
    titles = {
        split: [get_title(doc) for doc in load(tmp_path / f"new/corpus/{split}.spacy")]
        for split in ("train", "dev", "test")
    }
    assert titles == {"train": ["a", "b"], "dev": ["c"], "test": ["d"]}
    assert "train.spacy: 2 documents, 6 tokens, 4 mentions, 2 clusters\n" in said


def test_litbank_summary_counts_entities(litbank: Path, tmp_path: Path):
    write(litbank / "entities/tsv/c.tsv", "Ann\tB-PER\nsaw\tO\nherself\tO\n")
    result = run("convert", "litbank", litbank, tmp_path, "--fold", 2)
    assert "dev.spacy: 1 documents, 3 tokens, 2 mentions, 1 clusters, 1 labelled spans\n" in result.output
    assert "test.spacy: 1 documents, 3 tokens, 2 mentions, 1 clusters\n" in result.output


def test_all_parts_are_written_or_none(litbank: Path, tmp_path: Path):
    (tmp_path / "corpus/test.spacy").mkdir(parents=True)
    said = refusal("convert", "litbank", litbank, tmp_path / "corpus", "--fold", 2)
    assert "corpus/test.spacy: not written (Is a directory)" in said
    assert [path.name for path in (tmp_path / "corpus").iterdir()] == ["test.spacy"]


@pytest.mark.parametrize("split", ["train", "dev", "test"])
def test_a_part_without_documents_is_an_error_and_nothing_is_written(litbank: Path, tmp_path: Path, split: str):
    (litbank / f"lrec2020-coref/data/litbank_tenfold_splits/2/{split}.ids").write_text("\n")
    assert f"{split}.spacy: not written" in refusal("convert", "litbank", litbank, tmp_path / "corpus", "--fold", 2)
    assert not (tmp_path / "corpus").exists()


@pytest.fixture
def ontogum(tmp_path: Path) -> Path:
    """OntoGUM as it is laid out, with one document in each part, and one in train that has no words."""
    for name in ("GUM_vlog_a", "GUM_vlog_b", "GUM_vlog_c"):
        write_document(tmp_path / "gum", name, speakers=("Ann", "Leo"))
    splits = {"train": ["GUM_vlog_a", "GUM_reddit_a"], "dev": ["GUM_vlog_b"], "test": ["GUM_vlog_c"]}
    write_splits(tmp_path / "gum", **splits)
    return tmp_path / "gum"


def test_ontogum_writes_its_three_parts(ontogum: Path, tmp_path: Path):
    said = success("convert", "ontogum", ontogum, tmp_path / "new/corpus")
    for split, name in (("train", "GUM_vlog_a"), ("dev", "GUM_vlog_b"), ("test", "GUM_vlog_c")):
        (doc,) = load(tmp_path / f"new/corpus/{split}.spacy")
        assert get_title(doc) == name
        assert get_clusters(doc) == [[(0, 1), (2, 3)], [(2, 4), (7, 8)]]
        assert [turn.label_ for turn in doc.spans["speakers"]] == ["Ann", "Leo"]
        assert len(doc.spans["constituents"]) == 11
    assert "train.spacy: 1 documents, 10 tokens, 4 mentions, 2 clusters\n" in said


def test_ontogum_has_singletons_of_gum_in_train_alone(ontogum: Path, tmp_path: Path):
    for name in ("GUM_vlog_a", "GUM_vlog_b", "GUM_vlog_c"):
        write(ontogum / f"coref/gum/conll/{name}.conll", conll(["_", "(event-1)", *"________"]))
    assert run("convert", "ontogum", ontogum, tmp_path, "--singletons").exit_code == 0
    (train,), (dev,) = load(tmp_path / "train.spacy"), load(tmp_path / "dev.spacy")
    assert [cluster for cluster in get_clusters(train) if cluster not in get_clusters(dev)] == [[(1, 2)]]
    assert len(get_clusters(dev)) == 2


def test_corpora_declare_types_and_rename_labels_where_asked(ontogum: Path, litbank: Path, tmp_path: Path):
    for name in ("GUM_vlog_a", "GUM_vlog_b", "GUM_vlog_c"):
        write(ontogum / f"coref/gum/conll/{name}.conll", conll(["(place-1)", "(event-2)", *"________"]))
    annotates = "place=LOC|FAC|GPE, ORG"
    assert run("convert", "ontogum", ontogum, tmp_path, "--singletons", "--annotates", annotates).exit_code == 0
    (doc,) = load(tmp_path / "train.spacy")
    assert get_annotates(doc) == ["LOC|FAC|GPE", "ORG"]
    assert [group.attrs.get("entity_type") for group in cluster_groups(doc)] == ["LOC|FAC|GPE", "event", None]
    assert get_labelled_spans(doc) == [(0, 1, "LOC|FAC|GPE"), (1, 2, "event")]
    assert run("convert", "litbank", litbank, tmp_path, "--fold", 2, "--annotates", "PER").exit_code == 0
    assert [get_annotates(doc) for doc in load(tmp_path / "train.spacy")] == [["PER"]] * 2


@pytest.mark.parametrize("annotates", ["", "PER,", "=PER", "person=", "a=b=c"])
def test_an_entry_of_annotates_that_is_no_type_is_named(ontogum: Path, tmp_path: Path, annotates: str):
    result = run("convert", "ontogum", ontogum, tmp_path / "corpus", "--annotates", annotates)
    assert result.exit_code == 2
    expected = f"found '{annotates.rpartition(',')[2]}', expected TYPE or LABEL=TYPE, with commas between."
    assert expected in flat(result)
    assert not (tmp_path / "corpus").exists()


def test_ontogum_can_be_converted_by_genre(ontogum: Path, tmp_path: Path):
    for name in ("GUM_news_a", "GUM_news_b", "GUM_news_c"):
        write_document(ontogum, name)
    splits = {"train": "a", "dev": "b", "test": "c"}
    write_splits(ontogum, **{split: [f"GUM_vlog_{each}", f"GUM_news_{each}"] for split, each in splits.items()})
    assert run("convert", "ontogum", ontogum, tmp_path, "--genre", "news").exit_code == 0
    assert [get_title(doc) for doc in load(tmp_path / "train.spacy")] == ["GUM_news_a"]


def test_a_genre_that_ontogum_lacks_is_an_error(ontogum: Path, tmp_path: Path):
    said = refusal("convert", "ontogum", ontogum, tmp_path, "--genre", "vlog", "--genre", "poem")
    assert "no text has the genre 'poem'; there are reddit, vlog." in said


@pytest.fixture
def ewt(tmp_path: Path) -> Path:
    """PropBank EWT as it is laid out, with one sentence in each part."""
    source = tmp_path / "ewt"
    words, skeletons = source / "UD_English-EWT", source / "propbank-release/data/google/ewt/email/00"
    words.mkdir(parents=True)
    skeletons.mkdir(parents=True)
    for split in ("train", "dev", "test"):
        cells = [("Ann", "NNP", "(NP*)", "-", "(ARG0*)"), ("gave", "VBD", "(VP*", "give.01", "(V*)")]
        cells += [("up", "RP", "*)", "-", "(C-V*)")]
        rows = [f"{i}\t{cell[0]}\t_\t_\t{cell[1]}\t_\t_\t_\t_\t_" for i, cell in enumerate(cells, start=1)]
        lines = [f"# newdoc id = email-{split}", *rows, "", ""]
        (words / f"en_ewt-ud-{split}.conllu").write_text("\n".join(lines))
        rows = [" ".join(["f 0", str(i), "[WORD]", *cell[1:3], "-", *cell[3:]]) for i, cell in enumerate(cells)]
        (skeletons / f"{split}.xml.gold_skel").write_text("\n".join(rows))
    return source


def test_ewt_writes_its_three_parts(ewt: Path, tmp_path: Path):
    said = success("convert", "ewt", ewt, tmp_path / "new/corpus")
    for split in ("train", "dev", "test"):
        (doc,) = load(tmp_path / f"new/corpus/{split}.spacy")
        assert get_title(doc) == f"email/{split}"
        assert get_frames(doc) == [Frame(1, 2, [Argument(0, 1, "ARG0"), Argument(2, 3, "C-V")], "give.01")]
        assert [span.label_ for span in doc.spans["constituents"]] == ["NP", "VP"]
        assert [token.tag_ for token in doc] == ["NNP", "VBD", "RP"]
    assert "train.spacy: 1 documents, 3 tokens, 1 predicates, 1 arguments\n" in said


def test_frames_become_a_lexicon_and_examples(tmp_path: Path):
    example = "<example><text>Ann {} it .</text><propbank><rel relloc='1'>{}</rel></propbank></example>"
    write(
        tmp_path / "source/frames/see.xml",
        "<frameset><roleset id='see.01' name='view'><aliases><alias pos='v'>see</alias></aliases><roles>"
        f"<role n='0' f='PAG' descr='viewer'/></roles>{example.format('saw', 'saw')}{example.format('sees', 'sees')}"
        "</roleset></frameset>",
    )
    doc = Doc(Vocab(), words=["Ann", "sees", "it", "."], sent_starts=[True, False, False, False])
    DocBin(docs=[doc]).to_disk(tmp_path / "test.spacy")
    said = success("convert", "frames", tmp_path / "source", tmp_path / "out", "--without", tmp_path / "test.spacy")
    assert read_lexicon(tmp_path / "out/lexicon.json") == {
        "see.01": {"name": "view", "words": ["see"], "roles": {"ARG0": {"description": "viewer", "tag": "PAG"}}}
    }
    assert [doc.text for doc in load(tmp_path / "out/examples.spacy")] == ["Ann saw it . "]
    assert "lexicon.json: 1 rolesets, 1 words\n" in said
