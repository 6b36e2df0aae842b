import pytest
from spacy.tokens import Doc
from spacy.vocab import Vocab

from lab.sample import Sample
from spacy_span_selector import annotation
from spacy_span_selector.annotation import Argument, Frame

VOCAB = Vocab()


def make_docs(number: int = 8, clusters: int = 6) -> list[Doc]:
    """Documents with clusters of two mentions, and a frame for every second word."""
    docs = []
    for i in range(number):
        doc = Doc(VOCAB, words=[f"{i}.{j}" for j in range(2 * clusters)])
        annotation.set_clusters(doc, [[(2 * j, 2 * j + 1), (2 * j + 1, 2 * j + 2)] for j in range(clusters)])
        annotation.set_mentions(doc, [(j, j + 1) for j in range(len(doc))], [1.0] * len(doc))
        annotation.set_frames(
            doc, [Frame(2 * j, 2 * j + 1, [Argument(2 * j + 1, 2 * j + 2, "ARG0")]) for j in range(clusters)]
        )
        annotation.set_predicates(doc, [(2 * j, 2 * j + 1) for j in range(clusters)])
        docs.append(doc)
    return docs


def names(docs: list[Doc]) -> list[str]:
    return [doc[0].text for doc in docs]


def test_so_many_documents_in_their_order_or_all() -> None:
    docs = make_docs()
    assert Sample()(docs) == docs
    assert [len(annotation.get_clusters(doc)) for doc in docs] == [6] * 8
    taken = names(Sample(documents=5)(make_docs()))
    assert len(taken) == 5 and taken == sorted(taken)
    assert len({tuple(names(Sample(documents=4, seed=seed)(make_docs()))) for seed in range(5)}) > 1


def test_a_larger_sample_has_the_documents_of_a_smaller_one_with_the_same_clusters() -> None:
    small, large = (Sample(documents=n, clusters=0.5)(make_docs()) for n in (3, 6))
    kept = {doc[0].text: annotation.get_clusters(doc) for doc in large}
    assert {*names(small)} < kept.keys()
    assert all(annotation.get_clusters(doc) == kept[doc[0].text] for doc in small)


@pytest.mark.parametrize(("share", "number"), [(0.0, 0), (0.5, 3), (1.0, 6)])
def test_a_share_of_the_clusters_is_kept_whole(share: float, number: int) -> None:
    before = annotation.get_clusters(make_docs(1)[0])
    (doc,) = Sample(clusters=share)(make_docs(1))
    clusters = annotation.get_clusters(doc)
    assert len(clusters) == number
    assert all(cluster in before for cluster in clusters)
    assert len(annotation.get_frames(doc)) == 6


def test_a_fraction_of_a_cluster_is_kept_by_chance() -> None:
    docs = Sample(clusters=0.75)(make_docs(40))
    assert {len(annotation.get_clusters(doc)) for doc in docs} == {4, 5}


def test_a_share_of_the_frames_is_kept_whole() -> None:
    before = annotation.get_frames(make_docs(1)[0])
    (doc,) = Sample(frames=0.5)(make_docs(1))
    assert len(annotation.get_frames(doc)) == 3 and all(frame in before for frame in annotation.get_frames(doc))
    assert len(annotation.get_clusters(doc)) == 6


@pytest.mark.parametrize(("share", "number"), [(0.0, 0), (0.5, 3), (1.0, 6)])
def test_a_share_of_the_labelled_spans_is_kept(share: float, number: int) -> None:
    (doc,) = make_docs(1)
    before = [(0, 1, "A"), (0, 2, "A"), (0, 2, "B"), (3, 4, "B"), (4, 6, "A"), (5, 6, "A")]
    annotation.set_labelled_spans(doc, before, [0.5] * 6)
    Sample(spans=share)([doc])
    spans = annotation.get_labelled_spans(doc)
    assert len(spans) == number and {*spans} <= {*before}
    assert annotation.has_labelled_spans_annotated(doc)
    assert len(annotation.get_clusters(doc)) == len(annotation.get_frames(doc)) == 6


def test_nothing_gives_away_what_is_deleted_but_that_there_was_annotation() -> None:
    for share in (0.5, 0.0):
        (doc,) = Sample(clusters=share, frames=share)(make_docs(1))
        assert annotation.MENTIONS_KEY not in doc.spans or not share
        assert annotation.get_predicates(doc, annotation.PREDICATES_KEY) is None or not share
        assert annotation.has_clusters_annotated(doc) and annotation.has_frames_annotated(doc)
    (doc,) = Sample(clusters=0.5, frames=0.5, spans=0.5)([Doc(VOCAB, words=["a"])])
    assert not doc.spans


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"documents": 0}, "'documents' of the sample is 0; it must be at least 1"),
        ({"clusters": 1.5}, "'clusters' of the sample is 1.5; it is a share, from 0 to 1"),
        ({"spans": 2.0}, "'spans' of the sample is 2.0; it is a share, from 0 to 1"),
        ({"frames": -0.1}, "'frames' of the sample is -0.1; it is a share, from 0 to 1"),
    ],
)
def test_settings_out_of_range_are_errors(settings: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Sample(**settings)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="'documents' of the sample is 9, but the corpus has only 8 documents"):
        Sample(documents=9)(make_docs())
