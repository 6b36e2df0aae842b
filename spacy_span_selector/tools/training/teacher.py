"""A trained pipeline that teaches another while that is trained."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import load_model, registry

from ...documents.cleaned import CleanDoc, clean_docs
from ...models.torch_head import HeadInput
from ...pipeline.selector_pipe import SelectorPipe

Learner = SelectorPipe[Any, Any, Any]


class Teacher:
    """A pipeline whose components say of each batch what the components of the same names of another learn.

    share (float): How much what it says counts beside gold annotation, from 0 to 1.
    """

    def __init__(self, nlp: Language) -> None:
        self.nlp = nlp
        self.share = 1.0
        self._read: tuple[list[Doc], list[CleanDoc]] = ([], [])

    def teach(self, learner: Language) -> None:
        """Be the teacher of all components that the other pipeline has, too.

        RAISES (ValueError): If there is none, or it has no encoder, or does not know a label of one.
        """
        own = dict(self.nlp.pipeline)
        pipes: list[tuple[str, Any]] = learner.pipeline
        taught: list[Learner] = [pipe for name, pipe in pipes if isinstance(pipe, SelectorPipe) and name in own]
        for pipe in taught:
            self._labels(pipe)
            pipe.teacher = self
        if not taught:
            raise ValueError(
                f"The teacher has the components {', '.join(own)}, none of which the pipeline learns, whose components "
                f"are {', '.join(learner.pipe_names)}. Give both the same names."
            )

    def output(self, learner: Learner, read: HeadInput, candidates: torch.Tensor) -> Any:
        """What the network of the same component says of the candidates of a learner's batch."""
        own: Any = self.nlp.get_pipe(learner.name)
        request = own.request_to_teacher(read, candidates, read.request)
        return own.model.predict(HeadInput(self._read_docs(read.docs), read.layout, request))

    def loss(self, learner: Learner, read: HeadInput, output: Any) -> torch.Tensor:
        """The loss of what a learner makes of a batch."""
        told = self.output(learner, read, output.selection.candidates)
        return output.taught_loss(told, read.layout, self._labels(learner))

    def _labels(self, learner: Learner) -> list[int]:
        """The number that the teacher gives each label of a learner."""
        own: Any = self.nlp.get_pipe(learner.name)
        numbers = {label: number for number, label in enumerate(own.labels)}
        lacking = [label for label in learner.labels if label not in numbers]
        if lacking:
            raise ValueError(
                f"'{learner.name}' of the teacher does not know {', '.join(lacking)}, which the corpus has; its labels "
                f"are {', '.join(numbers)}. Take a teacher that has learnt them."
            )
        return [numbers[label] for label in learner.labels]

    def _read_docs(self, learnt: Sequence[CleanDoc]) -> list[CleanDoc]:
        """The documents of a batch with the vectors of the teacher's encoder, which runs once for all components."""
        sources = [document.source for document in learnt]
        if list(map(id, sources)) != list(map(id, self._read[0])):
            docs = [_copy(document.doc, self.nlp) for document in learnt]
            encoders: list[Any] = [pipe for _, pipe in self.nlp.pipeline if hasattr(pipe, "listening_components")]
            for encoder in encoders:
                encoder.set_annotations(docs, encoder.predict(docs))
            self._read = sources, clean_docs(docs)
        return self._read[1]


def _copy(doc: Doc, nlp: Language) -> Doc:
    words, spaces = [token.text for token in doc], [bool(token.whitespace_) for token in doc]
    return Doc(nlp.vocab, words=words, spaces=spaces, sent_starts=[token.is_sent_start for token in doc])


@registry.callbacks("spacy_span_selector.teach.v1")
def create_teach(path: str) -> Callable[[Language, dict[str, Any]], None]:
    """Create a callback for `[training.before_update]`: a trained pipeline teaches the one that is trained.

    Where a batch has gold annotation, the teacher counts less and less, down to nothing at the last step (Clark and
    others 2019); where it has none, the teacher is all that counts, with half of the weight.

    path (str): The pipeline, a folder or a package, whose encoder must be a component.
    """
    teacher: Teacher | None = None
    steps = 0

    def teach(nlp: Language, arguments: dict[str, Any]) -> None:
        nonlocal teacher, steps
        if teacher is None:
            steps = nlp.config.interpolate()["training"]["max_steps"]
            if not steps:
                raise ValueError("A teacher counts less and less, so [training] max_steps must say how many there are.")
            teacher = Teacher(load_model(path, vocab=nlp.vocab))
            teacher.teach(nlp)
        teacher.share = max(0.0, 1 - arguments["step"] / steps)

    return teach
