"""Check that a prediction can be compared with its reference: both must have the same text."""

from __future__ import annotations

from spacy.tokens import Doc

from ...annotation import describe_doc


def check_same_text(gold: Doc, predicted: Doc) -> None:
    """Check that spans of two documents can be compared by their character offsets.

    gold (Doc): The reference.
    predicted (Doc): The prediction, however it is tokenised.
    RAISES (ValueError): If the texts differ, with the document, the position, and the text of each side there.
    """
    if gold.text == predicted.text:
        return
    position = next(
        (i for i, (wanted, found) in enumerate(zip(gold.text, predicted.text, strict=False)) if wanted != found),
        min(len(gold.text), len(predicted.text)),
    )
    raise ValueError(
        f"Cannot score {describe_doc(gold)}: at character {position} the prediction reads "
        f"{predicted.text[position : position + 20]!r} where the gold text reads "
        f"{gold.text[position : position + 20]!r}. Spans are compared by their character offsets; make "
        f"`example.predicted` from `example.reference.text` unchanged."
    )
