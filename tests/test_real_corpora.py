"""What can only be seen on real text: sentence boundaries, long documents, learning."""

import random
from pathlib import Path

import pytest
import spacy
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import fix_random_seed

from spacy_span_selector.annotation import CLUSTER_PREFIX, MENTIONS_KEY
from spacy_span_selector.corpora.litbank import read_litbank
from spacy_span_selector.models.sentences import sentence_lengths
from spacy_span_selector.pipeline.gold import gold_mentions

LITBANK = Path(__file__).parents[2] / "shared/data/litbank"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not LITBANK.is_dir(), reason=f"needs LitBank in {LITBANK}: see the assets of project.yml"),
]


def test_the_sentencizer_cuts_no_mention_of_litbank():
    nlp = spacy.blank("en")
    sentencizer = nlp.add_pipe("sentencizer")
    references = read_litbank(LITBANK, nlp.vocab)
    docs = [sentencizer(Doc(nlp.vocab, words=[token.text for token in reference])) for reference in references]
    examples = [Example(doc, reference) for doc, reference in zip(docs, references, strict=True)]
    lengths = sentence_lengths(docs, "test")
    gold, lost = gold_mentions(
        examples, lengths, prefix=CLUSTER_PREFIX, mentions_key=MENTIONS_KEY, max_width=None, device=None
    )
    assert not lost.counts
    assert len(gold.clusters) == 29_103


def test_learns_a_document_of_litbank():
    fix_random_seed(0)
    random.seed(0)
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("structured_coref", config={"model": {"hidden_width": 128, "linker_width": 64}})
    reference = next(iter(read_litbank(LITBANK, nlp.vocab)))
    example = Example(Doc(nlp.vocab, words=[token.text for token in reference]), reference)
    optimizer = nlp.initialize(lambda: [example])
    for _ in range(60):
        nlp.update([example], sgd=optimizer, drop=0.0, annotates=["sentencizer"])
    scores = nlp.evaluate([example])
    assert scores["coref_ment_f"] > 0.8
    assert scores["coref_f"] > 0.5
    assert not nlp.get_pipe("structured_coref").lost.counts
