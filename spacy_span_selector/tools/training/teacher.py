"""A trained pipeline that teaches another while that is trained."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import load_model, registry

from ...annotation import get_counterparts
from ...documents.cleaned import CleanDoc, clean_docs
from ...models.torch_head import HeadInput
from ...pipeline.selector_pipe import SelectorPipe
from ...pipeline.shared_encoders import check_listeners
from .state import keeping_randomness

Learner = SelectorPipe[Any, Any, Any]


class Teacher:
    """A pipeline whose components say of each batch what the components of the same names of another learn.

    Where documents have copies in which some words are others, it reads both, and says the mean.

    share (float): How much what it says counts beside gold annotation, from 0 to 1.
    """

    def __init__(self, nlp: Language) -> None:
        self.nlp = nlp
        self.share = 1.0
        self._read: tuple[list[Doc], list[list[CleanDoc]]] = ([], [])

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
        return self._output(learner, read, candidates, self._read_docs(read.docs)[0])

    def loss(self, learner: Learner, read: HeadInput, output: Any) -> torch.Tensor:
        """The loss of what a learner makes of a batch: the mean of those by the documents and by their copies."""
        candidates, labels, losses = output.selection.candidates, self._labels(learner), []
        for docs in self._read_docs(read.docs):
            told = self._output(learner, read, candidates, docs)
            losses.append(output.taught_loss(told, read.layout, labels))
        return torch.stack(losses).mean()

    def _output(self, learner: Learner, read: HeadInput, candidates: torch.Tensor, docs: list[CleanDoc]) -> Any:
        own: Any = self.nlp.get_pipe(learner.name)
        check_listeners(own.model, [document.doc for document in docs], f"{learner.name} of the teacher")
        request = own.request_to_teacher(read, candidates, read.request)
        return own.model.predict(HeadInput(docs, read.layout, request))

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

    def _read_docs(self, learnt: Sequence[CleanDoc]) -> list[list[CleanDoc]]:
        """The documents of a batch and, where one has a copy, the copies, with the vectors of the teacher's encoder,
        which runs once for all components."""
        sources = [document.source for document in learnt]
        if list(map(id, sources)) != list(map(id, self._read[0])):
            readings = [[_copy(document.doc, [], self.nlp) for document in learnt]]
            counterparts = [get_counterparts(document.doc) for document in learnt]
            if any(counterparts):
                readings.append([_copy(d.doc, words, self.nlp) for d, words in zip(learnt, counterparts, strict=True)])
            encoders: list[Any] = [pipe for _, pipe in self.nlp.pipeline if hasattr(pipe, "listening_components")]
            for docs in readings:
                for encoder in encoders:
                    encoder.set_annotations(docs, encoder.predict(docs))
            self._read = sources, [clean_docs(docs) for docs in readings]
        return self._read[1]


def _copy(doc: Doc, counterparts: Sequence[tuple[int, int, str]], nlp: Language) -> Doc:
    words, spaces = [token.text for token in doc], [bool(token.whitespace_) for token in doc]
    for start, end, word in counterparts:
        if end == start + 1:  # else the learner's tokenizer made several of one
            words[start] = word
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
            with keeping_randomness():  # a training that goes on from a checkpoint loads it at another step
                teacher = Teacher(load_model(path))  # with words of its own: those of the learner would be replaced
            teacher.teach(nlp)
        teacher.share = max(0.0, 1 - arguments["step"] / steps)

    return teach
