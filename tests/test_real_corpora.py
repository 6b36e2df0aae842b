"""What can only be seen on real text: whole corpora, sentence boundaries, learning."""

import random
import re
import tarfile
import warnings
from pathlib import Path

import pytest
import spacy
from spacy.tokens import Doc, Span
from spacy.training import Example
from spacy.util import fix_random_seed

from spacy_span_selector import annotation
from spacy_span_selector.documents.pieces import cut_doc
from spacy_span_selector.examples.gold_mentions import gold_mentions
from spacy_span_selector.examples.sentences import sentence_lengths
from spacy_span_selector.tools.formats.conllu import parse_all
from spacy_span_selector.tools.formats.corefud import read_corefud
from spacy_span_selector.tools.formats.ewt import read_ewt
from spacy_span_selector.tools.formats.files import read_text
from spacy_span_selector.tools.formats.frames import read_frames
from spacy_span_selector.tools.formats.litbank import read_litbank
from spacy_span_selector.tools.formats.ontogum import read_clusters, read_ontogum, read_ontogum_splits
from spacy_span_selector.tools.formats.reports import Report

from .corpora import EWT, FRAME_FILES, LITBANK, ONTOGUM, needs

pytestmark = pytest.mark.slow


def assert_reads_as(doc: Doc, sentences: list[str]) -> None:
    """The text of a document consists of these sentences, with or without a space between them."""
    rest = doc.text
    for sentence in sentences:
        assert rest.startswith(sentence)
        rest = rest.removeprefix(sentence).lstrip(" ")
    assert not rest


@needs(LITBANK)
def test_the_sentencizer_cuts_no_mention_of_litbank():
    nlp = spacy.blank("en")
    sentencizer = nlp.add_pipe("sentencizer")
    references = read_litbank(LITBANK, nlp.vocab)
    docs = [sentencizer(Doc(nlp.vocab, words=[token.text for token in reference])) for reference in references]
    examples = [Example(doc, reference) for doc, reference in zip(docs, references, strict=True)]
    lengths = sentence_lengths(docs, "test")
    keys = {"prefix": annotation.CLUSTER_PREFIX, "mentions_key": annotation.MENTIONS_KEY}
    gold, lost = gold_mentions(examples, lengths, **keys, types={}, max_width=None, device=None)
    assert not lost.counts
    assert len(gold.clusters) == 29_103


@needs(LITBANK)
def test_learns_the_beginning_of_a_document_of_litbank():
    fix_random_seed(0)
    random.seed(0)
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("structured_coref", config={"model": {"hidden_width": 128, "linker_width": 64}})
    reference = cut_doc(read_litbank(LITBANK, nlp.vocab, names=["1023_bleak_house_brat"])[0], max_words=300)[0]
    example = Example(Doc(nlp.vocab, words=[token.text for token in reference]), reference)
    optimizer = nlp.initialize(lambda: [example])
    for _ in range(60):
        nlp.update([example], sgd=optimizer, drop=0.0, annotates=["sentencizer"])
    scores = nlp.evaluate([example])
    assert scores["coref_ment_f"] > 0.8
    assert scores["coref_f"] > 0.5
    assert not nlp.get_pipe("structured_coref").lost.counts


@pytest.fixture(scope="module")
def ontogum() -> list[Doc]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return read_ontogum(ONTOGUM)


@needs(ONTOGUM)
def test_singletons_of_gum_are_added_to_ontogum(ontogum: list[Doc]):
    names = read_ontogum_splits(ONTOGUM)["train"]
    docs = read_ontogum(ONTOGUM, names=names, singletons=names)
    for doc, plain in zip(docs, ontogum[: len(docs)], strict=True):
        marked = {mention for cluster in annotation.get_clusters(plain) for mention in cluster}
        added = [cluster for cluster in annotation.get_clusters(doc) if not marked.intersection(cluster)]
        assert all(len(cluster) == 1 for cluster in added)
        assert sorted(annotation.get_clusters(doc)) == sorted([*annotation.get_clusters(plain), *added])
    mentions = sum(len(cluster) for doc in docs for cluster in annotation.get_clusters(doc))
    assert mentions / sum(map(len, docs)) == pytest.approx(0.28, abs=0.01)


@needs(ONTOGUM)
def test_all_of_ontogum_is_kept(ontogum: list[Doc]):
    sentences = [sentence for doc in ontogum for sentence in doc.sents]
    clusters = [cluster for doc in ontogum for cluster in annotation.get_clusters(doc)]
    assert len(ontogum) == 237
    assert sum(len(doc) for doc in ontogum) == 233_926
    assert len(sentences) == 13_263
    assert max(len(sentence) for sentence in sentences) == 134
    assert sum(len(cluster) for cluster in clusters) == 30_712
    assert len(clusters) == 7_026
    assert sum(bool(annotation.get_speakers(doc)) for doc in ontogum) == 96
    spans = [span for doc in ontogum for span in annotation.get_labelled_spans(doc)]
    assert len(spans) == 49_071  # of 65,473 mentions, without pronouns
    assert len({span.label for span in spans}) == 10


@needs(ONTOGUM)
def test_the_entities_of_ontogum_are_its_clusters(tmp_path: Path):
    """The same annotation twice: as CorefUD in `conllu`, and in three columns in `conll`."""
    n_mentions, n_documents = 0, 0
    with tarfile.open(ONTOGUM / "coref/ontogum/conllu.tar.xz") as tar:
        for member in tar:
            file = tar.extractfile(member)
            if file is None:
                continue
            path = tmp_path / Path(member.name).name
            path.write_bytes(file.read())
            (doc,) = read_corefud(path)
            sentences = parse_all(read_text(path), str(path), Report())[path.stem]
            expected = read_clusters(ONTOGUM / f"coref/ontogum/conll/{path.stem}.conll", sentences, Report())
            groups = {str(group.attrs["name"]): group for group in annotation.cluster_groups(doc)}
            found = {name: [(span.start, span.end) for span in group] for name, group in groups.items()}
            assert found == {name: sorted(mentions) for name, mentions in expected.items()}
            n_mentions += sum(map(len, found.values()))
            n_documents += 1
    assert (n_documents, n_mentions) == (237, 30_719)  # 7 spans are in two clusters


@needs(ONTOGUM)
def test_parts_of_ontogum_are_those_of_its_documents(ontogum: list[Doc]):
    splits = read_ontogum_splits(ONTOGUM)
    titles = [annotation.get_title(doc) for doc in ontogum]
    counts = {split: sum(name in titles for name in names) for split, names in splits.items()}
    assert counts == {"train": 177, "dev": 30, "test": 30}
    missing = {name for names in splits.values() for name in names}.difference(titles)
    assert len(missing) == 18
    assert all(name.startswith("GUM_reddit_") for name in missing)


@needs(ONTOGUM)
def test_the_speakers_of_ontogum_are_those_of_its_sentences(ontogum: list[Doc]):
    rows = [line.split("\t") for line in (ONTOGUM / "sentences.tsv").read_text(encoding="utf-8").splitlines()[1:]]
    expected = [(row[0], int(row[2]), "" if row[4] == "-" else row[4]) for row in rows]
    found = []
    for doc in ontogum:
        speakers = {i: speaker for start, end, speaker in annotation.get_speakers(doc) for i in range(start, end)}
        title = annotation.get_title(doc)
        found += [(title, sentence.start, speakers.get(sentence.start, "")) for sentence in doc.sents]
    assert sorted(found) == sorted(expected)


@needs(ONTOGUM)
def test_ontogum_reads_as_it_is_written(ontogum: list[Doc]):
    written: dict[str, list[str]] = {}
    with tarfile.open(ONTOGUM / "coref/ontogum/conllu.tar.xz") as tar:
        for member in tar:
            file = tar.extractfile(member)
            if file is not None:
                lines = file.read().decode("utf-8").split("\n")
                texts = [line.removeprefix("# text = ") for line in lines if line.startswith("# text = ")]
                written[Path(member.name).stem] = [" ".join(text.split()) for text in texts]
    for doc in ontogum:
        assert_reads_as(doc, written[annotation.get_title(doc)])


@pytest.fixture(scope="module")
def ewt() -> dict[str, list[Doc]]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return read_ewt(EWT)


@needs(EWT)
@pytest.mark.parametrize(
    ("split", "totals"),
    [
        ("train", (540, 12_543, 204_577, 40_483, 81_389)),
        ("dev", (297, 1_973, 24_968, 4_977, 9_580)),
        ("test", (308, 2_062, 25_007, 4_799, 9_329)),
    ],
)
def test_all_of_ewt_is_kept(ewt: dict[str, list[Doc]], split: str, totals: tuple[int, ...]):
    docs = ewt[split]
    frames = [frame for doc in docs for frame in annotation.get_frames(doc)]
    assert totals == (
        len(docs),
        sum(len(list(doc.sents)) for doc in docs),
        sum(len(doc) for doc in docs),
        len(frames),
        sum(argument.role != "C-V" for frame in frames for argument in frame.arguments),
    )


@needs(EWT)
@needs(FRAME_FILES)
def test_frame_files_are_read_without_the_sentences_of_dev_and_test(ewt: dict[str, list[Doc]]):
    lexicon, examples = read_frames(FRAME_FILES, without=[*ewt["dev"], *ewt["test"]])
    frames = [frame for doc in examples for frame in annotation.get_frames(doc)]
    assert (len(lexicon), len(examples), sum(len(doc) for doc in examples)) == (11_197, 23_255, 466_993)
    arguments = sum(argument.role != "C-V" for frame in frames for argument in frame.arguments)
    assert (len(frames), arguments) == (23_255, 56_594)
    tested = {letters(sentence) for split in ("dev", "test") for doc in ewt[split] for sentence in doc.sents}
    assert tested.isdisjoint(map(letters, examples))
    core = re.compile("ARG[0-5A]")
    known = [(frame, lexicon[frame.roleset or ""]["roles"]) for frame in frames if frame.roleset in lexicon]
    roles = [(argument.role, roles) for frame, roles in known for argument in frame.arguments]
    assert sum(bool(core.fullmatch(role)) and role not in roles for role, roles in roles) < 0.01 * len(roles)


def letters(sentence: Doc | Span) -> str:
    return re.sub(r"[\W_]", "", sentence.text.lower())


@needs(EWT)
def test_verbs_of_ewt_have_the_lemma_of_their_roleset(ewt: dict[str, list[Doc]]):
    verbs = [
        (frame.roleset.split(".")[0].split("_")[0], doc[frame.start].lemma_.lower())
        for docs in ewt.values()
        for doc in docs
        for frame in annotation.get_frames(doc)
        if frame.roleset and doc[frame.start].tag_.startswith("V")
    ]
    assert len(verbs) == 38_631
    assert sum(base == lemma for base, lemma in verbs) >= 38_482  # 99.6 %


@needs(EWT)
def test_ewt_reads_as_it_is_written(ewt: dict[str, list[Doc]]):
    for split, docs in ewt.items():
        lines = (EWT / f"UD_English-EWT/en_ewt-ud-{split}.conllu").read_text(encoding="utf-8").split("\n")
        written: dict[str, list[str]] = {}
        for line in lines:
            if line.startswith("# newdoc id = "):
                sentences = written[line.removeprefix("# newdoc id = ").replace("-", "/", 1)] = []
            elif line.startswith("# text = "):
                sentences.append(" ".join(line.removeprefix("# text = ").split()))  # spaCy has one kind of space
        for doc in docs:
            assert_reads_as(doc, written[annotation.get_title(doc)])
