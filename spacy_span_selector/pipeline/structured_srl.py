"""The component `structured_srl`: semantic roles, "who did what to whom"."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, groupby
from operator import attrgetter
from typing import Any

import torch
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example, validate_get_examples
from thinc.api import Model

from ..annotation import (
    FRAME_PREFIX,
    PREDICATE_LABEL,
    PREDICATES_KEY,
    SELECTED_KEY,
    Argument,
    Frame,
    describe_doc,
    get_frames,
    get_predicates,
    set_frames,
)
from ..annotation.lexicon import check_lexicon
from ..documents.cleaned import CleanDoc
from ..examples.gold_frames import gold_frames
from ..examples.lost import LostSpans
from ..examples.rolesets import KnownRolesets, LookUpSenses, add_rolesets, count_rolesets, number_rolesets
from ..extensions import register_extensions
from ..layers.selection.candidates import Decoding
from ..layers.selection.network import NEW
from ..layers.selection.sampling import Annotation, Widths
from ..layers.spans.layout import Lengths, SpanLayout, Spans
from ..layers.srl.arguments import GoldFrames
from ..layers.srl.network import SrlOutput, SrlRequest
from ..layers.srl.predicates import BEGIN, FindPredicates
from ..layers.srl.roles import FrameTable
from ..models.torch_head import HeadInput
from ..scoring.srl import SEMANTIC_ROLES
from .selector_pipe import Scorer, SelectorPipe, SpanPrediction, Teacher
from .settings import Count, NotNegative, Share, default_model

NO_ROLES = frozenset({PREDICATE_LABEL, ""})
NO_ROLE = (
    "'{}' found arguments with the role {!r}{}. The first span of a frame's group in doc.spans is its predicate, and "
    "each further one is an argument, labelled with its role: label it, or remove it."
)
CORE_ROLES = ["ARG0", "ARG1", "ARG2", "ARG3", "ARG4", "ARG5", "ARGA"]

DEFAULT_MODEL = default_model("spacy_span_selector.SrlModel.v1")

register_extensions()


@dataclass(frozen=True)
class SrlPrediction(SpanPrediction):
    """The prediction of the component for a document.

    frames (list[Frame]): The predicates with their arguments, in the order of the text.
    """

    frames: list[Frame] = field(default_factory=list)

    def in_source(self, document: CleanDoc) -> SrlPrediction:
        frames: dict[tuple[int, int], Frame] = {}
        for frame in sorted(self.frames, key=lambda frame: -(frame.scores or [0.0])[0]):
            frames.setdefault(document.to_source(frame.start, frame.end), frame)
        moved = [_move_frame(frames[place], document) for place in sorted(frames)]
        return replace(super().in_source(document), frames=moved)


@Language.factory(
    "structured_srl",
    assigns=["doc.spans", "doc._.srl", "doc._.events"],
    requires=["token.is_sent_start"],
    default_config={"model": DEFAULT_MODEL, "scorer": {"@scorers": "spacy_span_selector.srl_scorer.v1"}},
    default_score_weights=SEMANTIC_ROLES.score_weights(),
)
class StructuredSrl(SelectorPipe[GoldFrames, SrlOutput, SrlPrediction]):
    """Find the predicates of each sentence, select argument spans that do not cross, and classify their roles.

    predict_rolesets (bool): Whether to predict the roleset of each predicate, if the corpus has them.
    unique_roles (list[str]): The roles that a predicate has at most once: of two spans, the other one gets its next
        best role, or none. By default the core roles of PropBank.
    frame_roles (bool): Whether a predicate gets no core role that its roleset lacks, if a lexicon knows the roleset.
    prefix (str): Prefix of the keys of frames in `doc.spans`.
    predicates_key (str): Key in `doc.spans` of the predicates that a document is given. Where it is there,
        the component finds arguments for these and looks for no others.
    spans_key (str): Key of all selected spans in `doc.spans`.
    """

    prediction_type = SrlPrediction
    gold_name = "gold predicate, argument or roleset"
    selected = "spans_key"
    keys = ("predicates_key", "spans_key")

    def __init__(
        self,
        nlp: Language,
        model: Model[Any, SrlOutput],
        name: str = "structured_srl",
        *,
        decoding: Decoding = "marginal",
        threshold: Share = 0.4,
        predict_rolesets: bool = True,
        unique_roles: list[str] = CORE_ROLES,
        frame_roles: bool = True,
        annotation: Annotation | None = "complete",
        candidate_ratio: NotNegative = 0.8,
        negatives: NotNegative | None = 1.0,
        negative_widths: Widths | None = None,
        learn_rate_factor: NotNegative = 1.0,
        max_sentence_words: Count | None = 500,
        prefix: str = FRAME_PREFIX,
        predicates_key: str = PREDICATES_KEY,
        spans_key: str = SELECTED_KEY,
        scorer: Scorer | None = None,
    ) -> None:
        super().__init__(nlp, model, name, scorer)
        self.decoding, self.threshold = decoding, threshold
        self.annotation = annotation
        self.candidate_ratio = candidate_ratio
        self.negatives, self.negative_widths = negatives, negative_widths
        self.learn_rate_factor, self.max_sentence_words = learn_rate_factor, max_sentence_words
        self.predict_rolesets = predict_rolesets
        self.unique_roles = unique_roles
        self.frame_roles = frame_roles
        self.prefix, self.predicates_key, self.spans_key = prefix, predicates_key, spans_key
        self._rolesets = KnownRolesets({}, {}, ())
        self._remember_settings()

    @property
    def labels(self) -> tuple[str, ...]:
        """The roles, most frequent first."""
        return tuple(self._rolesets.labels)

    @property
    def rolesets(self) -> tuple[str, ...]:
        """The rolesets that are known, those first that were seen in training."""
        return tuple(self._rolesets.numbers)

    @property
    def label_data(self) -> dict[str, Any]:
        """The roles, and how often each form and lemma was seen with each roleset, as `initialize` takes them."""
        return {"roles": list(self.labels), "rolesets": self._rolesets.seen_counts}

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Language | None = None,
        labels: dict[str, Any] | None = None,
        lexicon: dict[str, Any] | None = None,  # a Lexicon: spaCy reads this annotation, and knows no other names
    ) -> None:
        """Collect roles and rolesets, and build the network.

        labels (dict[str, Any] | None): Roles and rolesets as `init labels` writes them; by default they are
            collected from the examples.
        lexicon (Lexicon | None): What is known of rolesets beside the examples: `spacy_span_selector.Lexicon.v1` reads
            one. The roles of their frames become features of arguments, words that were never seen get their rolesets,
            and frames say what rolesets and roles mean.
        RAISES (ValueError): If no example has an argument, or none has a token, or none has what the selector learns
            beside, or if labels or lexicon have another form.
        """
        validate_get_examples(get_examples, "StructuredSrl.initialize")
        examples = list(get_examples())  # reading a corpus takes long, so only once
        self._build(examples, {"labels": labels, "lexicon": lexicon})

    def take_labels(self, docs: Iterable[Doc], settings: Mapping[str, Any]) -> None:
        """Take over the roles and rolesets of a corpus, or the `labels` and the `lexicon` of the settings.

        RAISES (ValueError): If no document has an argument, or labels or lexicon have another form.
        """
        labels = settings.get("labels")
        labels = self._collect_labels(docs) if labels is None else labels
        _check_labels(self.name, labels)
        if not labels["roles"]:
            raise ValueError(
                f"'{self.name}' found no argument in any training example: no doc.spans key such as "
                f"'{self.prefix}_1' whose group has a span with a label behind the predicate. "
                "Convert the corpus with 'python -m spacy span-selector convert', or set 'prefix' to the one it uses."
            )
        lexicon = check_lexicon(settings.get("lexicon") or {}, f"the lexicon of '{self.name}'")
        predicts = self.predict_rolesets
        rolesets = labels["rolesets"] if predicts else {}
        self._rolesets = KnownRolesets(rolesets, lexicon if predicts else {}, tuple(labels["roles"]))

    def add_label(self, label: str) -> int:
        """Add a role, as `LabelledPipe.add_label` adds a label."""
        return len(self._grow({"roles": [label], "rolesets": self._rolesets.seen_counts})["roles"])

    def add_labels(self, docs: Iterable[Doc]) -> dict[str, list[str]]:
        """Add the "roles" and "rolesets" of a corpus, as `LabelledPipe.add_labels` adds labels; the new ones."""
        docs = list(docs)
        labels = self._collect_labels(docs)
        labels["rolesets"] = self._rolesets.seen_counts
        if self.predict_rolesets:
            known = self._rolesets
            labels["rolesets"] = add_rolesets(docs, self.prefix, known.seen_counts, known.counts)
        return self._grow(labels)

    def _grow(self, labels: dict[str, Any]) -> dict[str, list[str]]:
        """Add roles, and take rolesets with those that were known; what was new."""
        _check_labels(self.name, labels)
        self._check_initialized()
        roles = [role for role in labels["roles"] if role not in self.labels]
        before = number_rolesets(self._rolesets.seen_counts, {})
        after = number_rolesets(labels["rolesets"], {})
        if roles or labels["rolesets"] != self._rolesets.seen_counts:
            rows = [before.get(roleset, NEW) for roleset in after]
            self._rolesets = KnownRolesets(labels["rolesets"], self._rolesets.lexicon, (*self.labels, *roles))
            self.model.attrs["resize_output"](self.model, len(self.labels), rows)
            self.model.attrs["sizes"] = self._sizes()
        return {"roles": roles, "rolesets": [roleset for roleset in after if roleset not in before]}

    def _collect_labels(self, docs: Iterable[Doc]) -> dict[str, Any]:
        """The roles of gold documents, most frequent first, and their rolesets."""
        docs = list(docs)
        prefix = self.prefix
        frames = [(doc, frame) for doc in docs for frame in get_frames(doc, prefix)]
        arguments = [(doc, *argument) for doc, frame in frames for argument in frame.arguments]
        for doc, start, end, role in arguments:
            if role in NO_ROLES:
                place = f" in {describe_doc(doc)}: {doc[start:end].text!r}, tokens {start}:{end}"
                raise ValueError(NO_ROLE.format(self.name, role, place))
        roles = Counter(role for *_, role in arguments)
        return {"roles": [role for role, _ in roles.most_common()], "rolesets": count_rolesets(docs, prefix)}

    def _saved(self) -> dict[str, Any]:
        known = self._rolesets
        learnt = {"labels": list(self.labels), "rolesets": known.seen_counts, "lexicon": known.lexicon}
        return {**learnt, **super()._saved()}

    def _take_over_more(self, content: dict[str, Any]) -> None:
        learnt = {**self._saved(), **content}
        _check_labels(self.name, {"roles": learnt["labels"], "rolesets": learnt["rolesets"]})
        check_lexicon(learnt["lexicon"], f"the lexicon of '{self.name}'")
        self._rolesets = KnownRolesets(learnt["rolesets"], learnt["lexicon"], tuple(learnt["labels"]))

    def _sizes(self) -> dict[str, int]:
        known = self._rolesets
        return {"roles": len(self.labels), "rolesets": known.seen, "tags": known.tags}

    def _read_gold(
        self, examples: Sequence[Example], sentences: Sequence[Lengths], device: torch.device
    ) -> tuple[GoldFrames, LostSpans]:
        return gold_frames(
            examples,
            sentences,
            prefix=self.prefix,
            predicates_key=self.predicates_key,
            roles={role: i for i, role in enumerate(self.labels)},
            rolesets=self._rolesets.numbers,
            seen=self._rolesets.counts if self.predict_rolesets else None,
            max_width=self.network_settings.max_span_width,
            band_width=self.network_settings.band_width,
            device=device,
        )

    def _training_request(self, cleaned: Sequence[CleanDoc], gold: GoldFrames) -> SrlRequest:
        every = torch.ones(len(cleaned), dtype=torch.bool, device=gold.annotated.device)
        find_predicates = FindPredicates(gold.predicates, closed=every)
        frames = self._frame_table(gold.annotated.device)
        return SrlRequest(find_predicates, self._senses(cleaned), frames, self.training_strategy())

    def _unannotated_request(self, read: HeadInput, teacher: Teacher) -> SrlRequest:
        """That of the predicates that the teacher finds."""
        request: SrlRequest = read.request
        every = request.find_predicates.closed
        free = replace(request, find_predicates=replace(request.find_predicates, closed=torch.zeros_like(every)))
        no_spans = replace(read.layout, buckets=[], size=0)  # none is scored to find predicates
        found = teacher.output(self, replace(read, layout=no_spans, request=free), read.layout.row[:0]).predicates
        given = Spans(found.starts.clone(), found.ends.clone())  # none can learn of tensors made at prediction
        return replace(request, find_predicates=FindPredicates(given, every))

    def request_to_teacher(self, read: HeadInput, candidates: torch.Tensor, learner: SrlRequest) -> SrlRequest:
        frames, find_senses = self._frame_table(candidates.device), self._senses(read.docs)
        return SrlRequest(learner.find_predicates, find_senses, frames, lambda *_: candidates)

    def _prediction_request(self, cleaned: Sequence[CleanDoc], layout: SpanLayout) -> SrlRequest:
        find_predicates = self._given_predicates(cleaned, layout)
        frames = self._frame_table(layout.document.device)
        senses = replace(self._senses(cleaned), lexicon=self._rolesets.lexicon)
        return SrlRequest(find_predicates, senses, frames, self.prediction_strategy())

    def _predictions(
        self, cleaned: Sequence[CleanDoc], layout: SpanLayout, request: SrlRequest, output: SrlOutput
    ) -> Iterator[SrlPrediction]:
        names = [*self._rolesets.numbers, None]  # the last one for -1
        labels = self.labels
        starts, ends = output.predicates.starts.tolist(), output.predicates.ends.tolist()
        rolesets = output.rolesets.decode().tolist()
        probabilities = output.log_tags[output.predicates.starts, BEGIN].exp().tolist()
        arguments = {i: list(group) for i, group in groupby(output.arguments.decode(), attrgetter("predicate"))}
        selected = output.arguments.selected()
        is_given = request.find_predicates.closed.tolist()
        offset = 0
        for number, document in enumerate(cleaned):
            after = offset + len(document.doc)
            frames = []
            for i in range(bisect_left(starts, offset), bisect_left(starts, after)):
                found = arguments.get(i, [])
                frames.append(
                    Frame(
                        starts[i] - offset,
                        ends[i] + 1 - offset,
                        [Argument(a.start - offset, a.end + 1 - offset, labels[a.role]) for a in found],
                        names[rolesets[i]],
                        [1.0 if is_given[number] else probabilities[i], *[a.score for a in found]],
                        *self._rolesets.describe(names[rolesets[i]], [labels[a.role] for a in found]),
                    )
                )
            own = selected[bisect_left(selected, (offset,)) : bisect_left(selected, (after,))]
            spans = [(start - offset, end + 1 - offset) for start, end, _ in own]
            yield SrlPrediction(spans, [score for _, _, score in own], frames)
            offset = after

    def _annotate(self, doc: Doc, prediction: SrlPrediction) -> None:
        set_frames(doc, prediction.frames, prefix=self.prefix, predicates_key=None, spans_key=self.spans_key)

    def _senses(self, cleaned: Sequence[CleanDoc]) -> LookUpSenses:
        known = self._rolesets
        counts = known.counts if self.predict_rolesets else {}
        return LookUpSenses([document.doc for document in cleaned], counts, known.numbers)

    def _frame_table(self, device: torch.device) -> FrameTable:
        return self._rolesets.frame_table(device, self.unique_roles, strict=self.frame_roles)

    def _given_predicates(self, cleaned: Sequence[CleanDoc], layout: SpanLayout) -> FindPredicates:
        """The predicates that documents are given; a given span without words is left out."""
        docs = [document.doc for document in cleaned]
        key = self.predicates_key
        rows: list[tuple[int, int]] = []
        closed: list[bool] = []
        for doc, offset in zip(docs, accumulate(map(len, docs), initial=0), strict=False):
            given = get_predicates(doc, key)
            closed.append(given is not None)
            rows += [(offset + start, offset + end - 1) for start, end in given or () if start < end]
        device = layout.document.device
        spans = torch.tensor(rows, dtype=torch.long, device=device).view(-1, 2)
        return FindPredicates(Spans(spans[:, 0], spans[:, 1]), torch.tensor(closed, dtype=torch.bool, device=device))


def _move_frame(frame: Frame, document: CleanDoc) -> Frame:
    """A frame in the document as it is. Of spans that overlap there alone, the widest is left, and the predicate."""
    spans = [(frame.start, frame.end), *(argument[:2] for argument in frame.arguments)]
    moved = [document.to_source(*span) for span in spans]

    def meet(first: tuple[int, int], second: tuple[int, int]) -> bool:
        return first[0] < second[1] and second[0] < first[1]

    kept = [0]
    for i in sorted(range(1, len(spans)), key=lambda i: spans[i][0] - spans[i][1]):
        if all(meet(spans[i], spans[other]) or not meet(moved[i], moved[other]) for other in kept):
            kept.append(i)
    kept.sort()
    start, end = moved[0]
    arguments = [Argument(*moved[i], frame.arguments[i - 1].role) for i in kept[1:]]
    scores = None if frame.scores is None else [frame.scores[i] for i in kept]
    return frame._replace(start=start, end=end, arguments=arguments, scores=scores)


def _check_labels(name: str, labels: Any) -> None:
    if (wrong := _wrong_labels(labels)) is not None:
        raise ValueError(
            f"The labels of '{name}' are {str(wrong)[:80]!r}; expected what 'python -m spacy init labels' writes: "
            '{"roles": ["ARG1", ...], "rolesets": {"gave": {"give.01": 3}, ...}}, with each role once and counts of at '
            "least 1."
        )
    for role in NO_ROLES.intersection(labels["roles"]):
        raise ValueError(NO_ROLE.format(name, role, ""))


def _wrong_labels(labels: Any) -> Any:
    """The first part of labels that has another form than `StructuredSrl.label_data`, None if there is none."""
    if not isinstance(labels, dict) or not {"roles", "rolesets"} <= labels.keys():
        return labels
    roles, rolesets = labels["roles"], labels["rolesets"]
    are_strings = isinstance(roles, list | tuple) and all(isinstance(role, str) for role in roles)
    if not are_strings or len({*roles}) < len(roles):
        return {"roles": roles}
    if not isinstance(rolesets, dict):
        return {"rolesets": rolesets}
    for word, counts in rolesets.items():
        if not isinstance(counts, dict) or not all(type(count) is int and count > 0 for count in counts.values()):
            return {"rolesets": {word: counts}}
    return None
