from __future__ import annotations

import pytest
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_span_selector.scoring.task import check_same_text

VOCAB = Vocab()


def make_doc(text: str) -> Doc:
    return Doc(VOCAB, words=text.split(), spaces=[True] * (len(text.split()) - 1) + [False])


def test_the_same_text_in_other_tokens_passes() -> None:
    check_same_text(make_doc("New York"), Doc(VOCAB, words=["New York"], spaces=[False]))


@pytest.mark.parametrize(
    "predicted, place", [("Ann ran", "character 4"), ("Ann", "character 3"), ("Ann sang well", "character 8")]
)
def test_message_names_the_document_and_the_first_difference(predicted: str, place: str) -> None:
    with pytest.raises(ValueError, match=f"document starting 'Ann sang': at {place}"):
        check_same_text(make_doc("Ann sang"), make_doc(predicted))
