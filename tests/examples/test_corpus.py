import warnings
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import spacy
import srsly
from spacy.cli.init_config import fill_config
from spacy.cli.train import train
from spacy.language import Language
from spacy.tokenizer import Tokenizer
from spacy.tokens import Doc, DocBin
from spacy.training import Example
from spacy.training.augment import create_lower_casing_augmenter
from spacy.util import load_config, registry
from thinc.api import Config

from spacy_span_selector import annotation
from spacy_span_selector.annotation import Argument, Frame
from spacy_span_selector.documents.given import GivenAnnotation
from spacy_span_selector.examples import corpus
from spacy_span_selector.examples.corpus import PreannotatedCorpus, create_corpora, create_corpus

NLP = spacy.blank("en")
SPLITS_AT_SPACES = spacy.blank("en")
SPLITS_AT_SPACES.tokenizer = Tokenizer(SPLITS_AT_SPACES.vocab)

# Gold words that the tokenizer of English does not find: it splits "cannot" and keeps "to-morrow" in three.
WORDS = ["Ann", "cannot", "come", "to-morrow", ".", "Bob", "will", "."]
SPACES = [True, True, True, False, True, True, False, False]
FRAMES = [
    Frame(2, 3, [Argument(0, 1, "ARG1"), Argument(3, 4, "ARGM-TMP")], "come.01"),
    Frame(6, 7, [Argument(5, 6, "ARG0")], "will.02"),
]


def make_doc(frames: list[Frame] | None = None, words: list[str] = WORDS, spaces: list[bool] = SPACES) -> Doc:
    doc = Doc(NLP.vocab, words=words, spaces=spaces, sent_starts=[word in ("Ann", "Bob") for word in words])
    annotation.set_title(doc, "the visit")
    annotation.set_clusters(doc, [[(0, 1), (5, 6)]])
    annotation.set_speakers(doc, [(0, 5, "Leo"), (5, 8, "Ruth")])
    if frames is not None:
        annotation.set_frames(doc, frames)
    return doc


def read(tmp_path: Path, *docs: Doc, **settings: Any) -> list[Example]:
    DocBin(docs=docs, store_user_data=True).to_disk(tmp_path / "docs.spacy")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return list(create_corpus(tmp_path / "docs.spacy", **settings)(NLP))


def read_one(tmp_path: Path, doc: Doc, **settings: Any) -> Doc:
    (example,) = read(tmp_path, doc, **settings)
    return example.predicted


def sentences(doc: Doc) -> list[str]:
    return [sentence.text for sentence in doc.sents]


def test_spacy_finds_the_reader_by_name_and_refuses_wrong_settings():
    assert registry.readers.get("spacy_span_selector.Corpus.v1") is create_corpus
    block: dict[str, Any] = {"@readers": "spacy_span_selector.Corpus.v1", "path": "x.spacy", "predicates": "perhaps"}
    with pytest.raises(ValueError, match="predicates"):
        registry.resolve({"corpus": block})
    with pytest.raises(ValueError, match="'max_words' of the reader is 0; it must be at least 1"):
        create_corpus(Path("train.spacy"), max_words=0)
    with pytest.raises(ValueError, match="E913"):
        create_corpus(None)


@pytest.mark.parametrize("content", [b"", b"{}", b"PK\3\4", zlib.compress(b"\x90"), zlib.compress(b"\xc1")])
def test_a_file_of_other_content_is_named_among_others(tmp_path: Path, content: bytes):
    DocBin(docs=[make_doc()]).to_disk(tmp_path / "a.spacy")
    (tmp_path / "b.spacy").write_bytes(content)
    examples = create_corpus(tmp_path)(NLP)
    assert next(examples).reference.text.startswith("Ann")
    with pytest.raises(ValueError, match=r"b\.spacy: damaged, or not a \.spacy file"):
        next(examples)


def test_spans_outside_the_document_are_named(tmp_path: Path):
    longer = make_doc()
    content = srsly.msgpack_loads(zlib.decompress(DocBin(docs=[Doc(NLP.vocab, words=["Ann"])]).to_bytes()))
    content["span_groups"] = [longer.spans.to_bytes()]
    (tmp_path / "a.spacy").write_bytes(zlib.compress(srsly.msgpack_dumps(content)))
    with pytest.raises(ValueError, match=r"a\.spacy: damaged, .*\[E035\]"):
        list(create_corpus(tmp_path / "a.spacy")(NLP))


def test_what_would_take_all_memory_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corpus, "MOST_BYTES", 1000)
    (tmp_path / "a.spacy").write_bytes(zlib.compress(bytes(10**6)))
    with pytest.raises(ValueError, match=r"a\.spacy: damaged, .*it holds more than \d+,\d+ bytes, over 100 times"):
        list(corpus.read_docs(tmp_path / "a.spacy", spacy.blank("en").vocab))


@pytest.mark.parametrize("limit, expected", [(0, 6), (1, 1), (4, 4), (9, 6)])
def test_the_limit_counts_the_documents_of_all_files(tmp_path: Path, limit: int, expected: int):
    for name in ("a", "b"):
        DocBin(docs=[make_doc(), Doc(NLP.vocab), make_doc(), make_doc()]).to_disk(tmp_path / f"{name}.spacy")
    assert len(list(create_corpus(tmp_path, limit=limit)(NLP))) == expected


def test_words_spacing_sentences_speakers_and_title_are_given(tmp_path: Path):
    predicted = read_one(tmp_path, make_doc(FRAMES))
    assert [token.text for token in predicted] == WORDS
    assert predicted.text == "Ann cannot come to-morrow. Bob will."
    assert sentences(predicted) == ["Ann cannot come to-morrow.", "Bob will."]
    assert annotation.get_speakers(predicted) == [(0, 5, "Leo"), (5, 8, "Ruth")]
    assert predicted.user_data == {"title": "the visit"}


def test_what_is_to_be_found_is_not_given_and_the_reference_keeps_it(tmp_path: Path):
    (example,) = read(tmp_path, make_doc([FRAMES[0], *FRAMES]), predicates=True)
    predicted, reference = example.predicted, example.reference
    assert set(predicted.spans) == {"speakers", "srl_predicates"}
    assert annotation.get_predicates(predicted) == [(2, 3), (2, 3), (6, 7)]
    assert {span.label_ for span in predicted.spans["srl_predicates"]} == {"V"}
    assert not predicted.spans["srl_predicates"].attrs
    assert {"srl_1", "srl_2", "srl_3", "coref_clusters_1", "speakers"} <= set(reference.spans)
    assert "srl_predicates" not in reference.spans


def test_frames_and_predicates_may_have_other_keys(tmp_path: Path):
    keys: dict[str, Any] = {"predicates": True, "prefix": "roles", "predicates_key": "verbs"}
    doc = make_doc(FRAMES[1:])
    annotation.set_predicates(doc, [(5, 6)])
    assert set(read_one(tmp_path, doc, **keys).spans) == {"speakers"}
    annotation.set_frames(doc, FRAMES[:1], prefix="roles")
    predicted = read_one(tmp_path, doc, **keys)
    assert set(predicted.spans) == {"speakers", "verbs"}
    assert annotation.get_predicates(predicted, "verbs") == [(2, 3)]
    pieces = read(tmp_path, doc, **keys, max_words=5)
    assert [annotation.get_predicates(example.predicted, "verbs") for example in pieces] == [[(2, 3)], []]
    annotation.set_predicates(doc, [(1, 3)], "verbs")
    assert annotation.get_predicates(read_one(tmp_path, doc, **keys), "verbs") == [(1, 3)]


def test_nothing_is_given_that_is_switched_off_or_not_annotated(tmp_path: Path):
    switched_off = read_one(tmp_path, make_doc(FRAMES), sentences=False, speakers=False)
    not_annotated = read_one(tmp_path, Doc(NLP.vocab, words=WORDS), predicates=True)
    for predicted in (switched_off, not_annotated):
        assert not predicted.spans and not predicted.has_annotation("SENT_START")
    assert not not_annotated.user_data


def test_words_of_the_tokenizer_are_aligned(tmp_path: Path):
    doc = make_doc([Frame(1, 3, []), Frame(6, 7, [])])
    predicted = read_one(tmp_path, doc, gold_tokens=False, predicates=True)
    assert [token.text for token in predicted] == [token.text for token in NLP.make_doc(doc.text)] != WORDS
    assert [span.text for span in predicted.spans["srl_predicates"]] == ["cannot come", "will"]
    assert [span.text for span in predicted.spans["speakers"]] == ["Ann cannot come to-morrow.", "Bob will."]
    assert [span.label_ for span in predicted.spans["speakers"]] == ["Leo", "Ruth"]
    assert sentences(predicted) == ["Ann cannot come to-morrow.", "Bob will."]


def test_what_does_not_align_is_left_out_counted_and_warned_about_once(tmp_path: Path):
    aligned, doc = make_doc([Frame(2, 3, [])]), make_doc([Frame(2, 3, []), Frame(3, 4, []), Frame(6, 7, [])])
    DocBin(docs=[aligned, doc, doc], store_user_data=True).to_disk(tmp_path / "docs.spacy")
    corpus = PreannotatedCorpus(tmp_path / "docs.spacy", GivenAnnotation(predicates=True), gold_tokens=False)
    with pytest.warns(UserWarning, match="A predicate of document 'the visit' can't be given") as caught:
        examples = list(corpus(SPLITS_AT_SPACES))
    assert len(caught) == 1
    assert corpus.lost["predicate"] == 4
    for example in examples:
        assert [span.text for span in example.predicted.spans["srl_predicates"]] == ["come"]


def test_a_sentence_that_starts_within_a_token_is_counted(tmp_path: Path):
    doc = Doc(NLP.vocab, words=["Go", "!", "No"], spaces=[False] * 3, sent_starts=[True, False, True])
    DocBin(docs=[doc]).to_disk(tmp_path / "docs.spacy")
    corpus = PreannotatedCorpus(tmp_path / "docs.spacy", gold_tokens=False)
    with pytest.warns(UserWarning, match="A start of a sentence of document starting 'Go!No' can't be given"):
        list(corpus(SPLITS_AT_SPACES))
    assert corpus.lost["start of a sentence"] == 1


def test_white_space_that_does_not_align_may_start_a_sentence(tmp_path: Path):
    doc = Doc(NLP.vocab, words=["No", " ", "Bob"], spaces=[False] * 3, sent_starts=[True, True, False])
    predicted = read_one(tmp_path, doc, gold_tokens=False)
    assert sentences(predicted) == ["No", "Bob"]


@pytest.mark.parametrize(("max_words", "expected"), [(None, [WORDS]), (5, [WORDS[:5], WORDS[5:]])])
def test_gold_words_of_unknown_spacing_are_kept_in_any_case(
    tmp_path: Path, max_words: int | None, expected: list[list[str]]
):
    doc = Doc(NLP.vocab, words=WORDS, sent_starts=[word in ("Ann", "Bob") for word in WORDS])
    examples = read(tmp_path, doc, gold_tokens=False, max_words=max_words)
    assert [[token.text for token in example.predicted] for example in examples] == expected


def test_a_tokenizer_that_changes_the_text_is_an_error_that_names_the_document(tmp_path: Path):
    nlp = spacy.blank("en")
    nlp.tokenizer = lambda text: Doc(nlp.vocab, words=["something", "else"])
    DocBin(docs=[make_doc()], store_user_data=True).to_disk(tmp_path / "docs.spacy")
    with pytest.raises(ValueError, match="Can't align document 'the visit': the pipeline's tokenizer changes its text"):
        list(create_corpus(tmp_path / "docs.spacy", gold_tokens=False)(nlp))


def test_long_documents_are_cut_between_sentences(tmp_path: Path):
    examples = read(tmp_path, make_doc(FRAMES), make_doc(FRAMES[:1]), predicates=True, max_words=5)
    texts = ["Ann cannot come to-morrow. ", "Bob will."]
    assert [example.predicted.text for example in examples] == texts * 2
    assert [annotation.get_predicates(example.predicted) for example in examples] == [[(2, 3)], [(1, 2)], [(2, 3)], []]
    assert [annotation.get_frames(example.reference) for example in examples[:2]] == [
        FRAMES[:1],
        [Frame(1, 2, [Argument(0, 1, "ARG0")], "will.02")],
    ]
    speakers = [annotation.get_speakers(example.predicted) for example in examples[:2]]
    assert speakers == [[(0, 5, "Leo")], [(0, 3, "Ruth")]]
    assert {annotation.get_title(example.predicted) for example in examples} == {"the visit"}


@pytest.mark.parametrize("key", ["sc", "entities"])
def test_pieces_without_labelled_spans_say_that_they_have_none(tmp_path: Path, key: str):
    doc = make_doc()
    annotation.set_labelled_spans(doc, [(0, 1, "PER")], key=key)
    pieces = [example.reference for example in read(tmp_path, doc, max_words=5)]
    assert [annotation.get_labelled_spans(piece, key) for piece in pieces] == [[(0, 1, "PER")], []]
    assert all(annotation.has_labelled_spans_annotated(piece, key) for piece in pieces)


def test_documents_that_are_short_or_without_sentences_are_not_cut(tmp_path: Path):
    assert len(read(tmp_path, make_doc(FRAMES), max_words=8)) == 1
    assert len(read(tmp_path, Doc(NLP.vocab, words=WORDS), max_words=2)) == 1
    assert len(read(tmp_path, make_doc(), make_doc(), make_doc(), limit=2, max_words=5)) == 4, (
        "the limit is on whole ones"
    )


@pytest.mark.parametrize("annotates", [None, ["PER"], {"person": "PER", "town": "LOC|GPE"}])
def test_pieces_say_what_the_corpus_annotates(tmp_path: Path, annotates: Any):
    doc = make_doc()
    annotation.set_annotates(doc, ["ORG"])
    annotation.set_labelled_spans(doc, [(0, 1, "person"), (5, 6, "person")])
    declared, label = (["PER", "LOC|GPE"], "PER") if isinstance(annotates, dict) else (annotates or ["ORG"], "person")
    for example in read(tmp_path, doc, max_words=5, annotates=annotates):
        assert annotation.get_annotates(example.reference) == declared
        assert annotation.get_labelled_spans(example.reference) == [(0, 1, label)]


def test_labels_of_a_sample_that_is_kept_are_renamed_once(tmp_path: Path):
    doc = make_doc()
    annotation.set_labelled_spans(doc, [(0, 1, "person"), (5, 6, "town")])
    DocBin(docs=[doc]).to_disk(tmp_path / "docs.spacy")
    reader = create_corpus(tmp_path / "docs.spacy", annotates={"person": "town", "town": "person"}, sample=list)
    for _ in range(2):
        (example,) = reader(NLP)
        assert annotation.get_labelled_spans(example.reference) == [(0, 1, "town"), (5, 6, "person")]


@pytest.mark.parametrize("annotates", ["PER", ["PER", "LOC|"], {"person": ""}, {"person": ["PER"]}, [1]])
def test_types_that_cannot_be_are_named(tmp_path: Path, annotates: Any):
    with pytest.raises(ValueError, match=r"^'annotates(\[\d\])?' of the corpus reader is .*; it must be .+\.$"):
        create_corpus(tmp_path, annotates=annotates)


def test_examples_of_an_augmenter_are_given_the_same(tmp_path: Path):
    def add_the_first_sentence(nlp: Language, example: Example) -> Iterator[Example]:
        yield example
        without_attrs = example.reference.copy()
        without_attrs.spans.update({key: [*group] for key, group in without_attrs.spans.items()})
        yield Example(example.predicted, without_attrs)
        shorter = Doc(nlp.vocab, words=WORDS[:5], spaces=SPACES[:5])
        annotation.set_frames(shorter, FRAMES[:1])
        yield Example(nlp.make_doc(shorter.text), shorter)

    doc, settings = make_doc(FRAMES), {"predicates": True, "annotates": ["PER"]}
    examples = read(tmp_path, doc, augmenter=add_the_first_sentence, **settings)
    predicates = [[span.text for span in example.predicted.spans["srl_predicates"]] for example in examples]
    assert predicates == [["come", "will"], ["come", "will"], ["come"]]
    assert [annotation.get_annotates(example.reference) for example in examples] == [["PER"]] * 3
    assert [annotation.get_title(example.predicted) for example in examples] == ["the visit"] * 3
    assert annotation.get_frames(examples[1].reference) == annotation.get_frames(doc)


@pytest.mark.parametrize("gold_tokens", [True, False])
def test_an_augmenter_of_spacy_loses_neither_sentences_nor_given_words(tmp_path: Path, gold_tokens: bool):
    doc = make_doc(FRAMES)
    lower = create_lower_casing_augmenter(1.0)
    (example,) = read(tmp_path, doc, augmenter=lower, gold_tokens=gold_tokens, sentences=True)
    assert [token.text for token in example.reference] == [word.lower() for word in WORDS]
    assert [len(sent) for sent in example.reference.sents] == [len(sent) for sent in doc.sents]
    assert ([token.text for token in example.predicted] == [token.text for token in example.reference]) == gold_tokens
    assert example.predicted.has_annotation("SENT_START")


READER = {"@readers": "spacy_span_selector.Corpus.v1", "path": "${paths.train}"}
CONFIG: dict[str, Any] = {
    "paths": {"train": None},
    "nlp": {"lang": "en", "pipeline": ["tagger", "readers_test_spy"]},
    "components": {name: {"factory": name} for name in ("tagger", "readers_test_spy")},
    "corpora": {"train": {**READER, "predicates": True}, "dev": READER},
    "training": {
        "train_corpus": "corpora.train",
        "dev_corpus": "corpora.dev",
        "max_steps": 2,
        "eval_frequency": 1,
        "annotating_components": ["readers_test_spy"],
    },
}

SEEN: list[tuple[list[tuple[int, int]] | None, int]] = []


@Language.component("readers_test_spy")
def note_what_is_given(doc: Doc) -> Doc:
    SEEN.append((annotation.get_predicates(doc), len(list(doc.sents))))
    return doc


@pytest.fixture
def config_path(tmp_path: Path) -> Path:
    doc = make_doc(FRAMES)
    for token in doc:
        token.tag_ = "NN"
    DocBin(docs=[doc], store_user_data=True).to_disk(tmp_path / "train.spacy")
    Config(CONFIG).to_disk(tmp_path / "base.cfg", interpolate=False)
    fill_config(tmp_path / "full.cfg", tmp_path / "base.cfg", silent=True)
    return tmp_path / "full.cfg"


def test_fill_config_writes_every_setting(config_path: Path):
    assert load_config(config_path)["corpora"]["train"] == {
        "@readers": "spacy_span_selector.Corpus.v1",
        "path": "${paths.train}",
        "gold_tokens": True,
        "sentences": True,
        "predicates": True,
        "mentions": False,
        "speakers": True,
        "max_words": None,
        "annotates": None,
        "prefix": "srl",
        "predicates_key": "srl_predicates",
        "cluster_prefix": "coref_clusters",
        "given_key": "coref_given",
        "limit": 0,
        "sample": None,
        "augmenter": None,
    }


def test_training_sees_predicates_where_they_are_given(config_path: Path):
    SEEN.clear()
    train(config_path, overrides={"paths.train": str(config_path.parent / "train.spacy")})
    assert ([(2, 3), (6, 7)], 2) in SEEN  # [corpora.train]
    assert (None, 2) in SEEN  # [corpora.dev]


def test_corpora_are_read_in_turn_until_all_have_ended():
    def texts(*names: str) -> Any:
        """A reader of documents of one word each."""
        return lambda nlp: (Example(Doc(nlp.vocab), Doc(nlp.vocab, words=[name])) for name in names)

    with pytest.raises(ValueError, match="of the reader of several corpora is None; it must be callable"):
        create_corpora(texts("a1"), None)  # type: ignore[arg-type]
    corpus = create_corpora(texts("a1", "a2", "a3"), texts("b1"), texts("c1", "c2"))
    for _ in range(2):
        assert [example.reference[0].text for example in corpus(NLP)] == ["a1", "b1", "c1", "a2", "c2", "a3"]


def test_corpora_are_named_in_config_files(tmp_path: Path):
    readers = {}
    for name in ("one", "two"):
        DocBin(docs=[Doc(NLP.vocab, words=[name], spaces=[False])]).to_disk(tmp_path / f"{name}.spacy")
        readers[name] = {"@readers": "spacy_span_selector.Corpus.v1", "path": str(tmp_path / f"{name}.spacy")}
    config = Config({"train": {"@readers": "spacy_span_selector.Corpora.v1", "*": readers}})
    corpus = registry.resolve(Config().from_str(config.to_str()))["train"]
    assert [example.reference.text for example in corpus(NLP)] == ["one", "two"]
