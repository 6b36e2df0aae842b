"""Pretrained encoders that know the markers of speakers: `<speaker>` and `</speaker>` as one piece each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from inspect import signature
from typing import Any

import torch
from spacy import registry
from spacy.language import Language
from thinc.api import Model

from ..annotation import SPEAKER_MARKS


@registry.callbacks("spacy_span_selector.add_speaker_tokens.v1")
def create_add_speaker_tokens() -> Callable[[Language], None]:
    """Create the callback for `[initialize.after_init]`: `add_speaker_tokens`."""
    return add_speaker_tokens


def add_speaker_tokens(nlp: Language) -> None:
    """Add `<speaker>` and `</speaker>` to the tokenizer of each spacy-transformers encoder of a pipeline.

    The vector of each is at first the mean of the pieces that it was split into before. Nothing is added twice, and
    both are saved with the pipeline. Texts without them are read as before.

    nlp (Language): The pipeline, initialized.
    RAISES (ValueError): If it has no such encoder.
    """
    transformers = list(_transformers(nlp))
    if not transformers:
        raise ValueError(
            f"'spacy_span_selector.add_speaker_tokens.v1' found no spacy-transformers encoder in the pipeline "
            f"{nlp.pipe_names}. Other encoders need no such tokens; remove the callback from [initialize.after_init]."
        )
    for transformer in transformers:
        _add_tokens(transformer.tokenizer, transformer.transformer)


def _transformers(nlp: Language) -> Iterator[Any]:
    """The encoders of a pipeline, also within components that share theirs with no other."""
    for _, component in nlp.components:
        model = getattr(component, "model", None)
        if isinstance(model, Model):
            yield from (node for node in model.walk() if getattr(node, "transformer", None) is not None)


def _add_tokens(tokenizer: Any, transformer: Any) -> None:
    known = tokenizer.get_vocab()
    added = [mark for mark in SPEAKER_MARKS if mark not in known]
    if not added:
        return
    pieces = [tokenizer(mark, add_special_tokens=False)["input_ids"] for mark in added]
    vectors = transformer.get_input_embeddings().weight.detach()
    means = torch.stack([vectors[piece].mean(dim=0) for piece in pieces])
    tokenizer.add_tokens(added, special_tokens=True)
    if len(tokenizer) > len(vectors):  # some encoders have vectors to spare
        resize = transformer.resize_token_embeddings
        # New vectors are set below, not drawn at random.
        resize(len(tokenizer), **{"mean_resizing": False} if "mean_resizing" in signature(resize).parameters else {})
    with torch.no_grad():
        transformer.get_input_embeddings().weight[tokenizer.convert_tokens_to_ids(added)] = means
