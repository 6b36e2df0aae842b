"""What can only be seen on real text: sentence boundaries, long documents, learning."""

import random
from pathlib import Path

import pytest
import spacy
from spacy.training import Example
from spacy.util import fix_random_seed

from spacy_span_selector.annotation import get_clusters
from spacy_span_selector.corpora.litbank import read_litbank

LITBANK = Path(__file__).parents[2] / "shared/data/litbank"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not LITBANK.is_dir(), reason=f"needs LitBank in {LITBANK}: see the assets of project.yml"),
]


def test_no_mention_of_litbank_crosses_a_boundary_of_the_sentencizer():
    sentencizer = spacy.blank("en").add_pipe("sentencizer")
    for reference in read_litbank(LITBANK):
        doc = sentencizer(spacy.tokens.Doc(reference.vocab, words=[token.text for token in reference]))
        for start, end in (mention for cluster in get_clusters(reference) for mention in cluster):
            assert doc[start].sent == doc[end - 1].sent


def test_learns_a_document_of_litbank():
    fix_random_seed(0)
    random.seed(0)
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("structured_coref", config={"model": {"hidden_width": 128, "linker_width": 64}})
    reference = next(iter(read_litbank(LITBANK, nlp.vocab)))
    example = Example(spacy.tokens.Doc(nlp.vocab, words=[token.text for token in reference]), reference)
    optimizer = nlp.initialize(lambda: [example])
    for _ in range(60):
        nlp.update([example], sgd=optimizer, drop=0.0, annotates=["sentencizer"])
    scores = nlp.evaluate([example])
    assert scores["coref_ment_f"] > 0.8
    assert scores["coref_f"] > 0.5
    assert not nlp.get_pipe("structured_coref").lost.counts
