"""The components as test cases: for each a small model, a corpus, and how to read and write its annotation."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import spacy
import torch
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import fix_random_seed
from thinc.api import SGD
from torch import nn

from spacy_span_selector.annotation import (
    CLUSTER_PREFIX,
    FRAME_PREFIX,
    GIVEN_MENTIONS_KEY,
    LABELLED_KEY,
    MENTIONS_KEY,
    PREDICATES_KEY,
    SELECTED_KEY,
    Argument,
    Frame,
    cluster_keys,
    frame_keys,
    get_clusters,
    get_frames,
    get_labelled_spans,
    set_clusters,
    set_frames,
    set_labelled_spans,
    set_mentions,
    set_predicates,
    set_title,
)
from spacy_span_selector.models.torch_head import head_module
from spacy_span_selector.pipeline.structured_coref import CorefPrediction
from spacy_span_selector.pipeline.structured_spancat import SpancatPrediction
from spacy_span_selector.pipeline.structured_srl import SrlPrediction
from spacy_span_selector.tools.formats.bracketed import parse_bracketed

from ..selectors import selector_block
from ..tiny_bert import tiny_bert
from ..tok2vec import TOK2VEC, TRANSFORMER_LISTENER
from ..untrained import pipeline_of

CLUSTERS = """
=== the station
[Ann Lee|ann] met [[her|ann] brother|tom] at [the station].
[He|tom] thanked [Ann|ann].
=== the hat
[Leo] lost [a hat|hat].
[Ruth|ruth] found [it|hat] near [[her|ruth] house].
"""
FRAMES = """
=== the station
Ann gave her brother a key.
> [ARG0 Ann] [V=give.01 gave] [ARG2 her brother] [ARG1 a key].
He left yesterday.
> [ARG0 He] [V=depart.01 left] [ARGM-TMP yesterday].
Oh.
>
=== the hat
Leo picked up a hat that Ruth left there.
> [ARG0 Leo] [V=pick_up.04 picked up] [ARG1 a hat that Ruth left there].
> Leo picked up [ARG1 a hat] [R-ARG1 that] [ARG0 Ruth] [V=leave.02 left] [ARGM-LOC there].
=== the bus
Tom left a key there.
> [ARG0 Tom] [V=leave.02 left] [ARG1 a key] [ARGM-LOC there].
"""
LABELLED = """
=== the station
Ann Lee met her brother at the station.
[] [PER Ann Lee] met [PER [PER her] brother] at [LOC the station].
He thanked Ann.
[] [PER He] thanked [PER Ann].
=== the hat
Leo lost a hat.
[] [PER Leo] lost a hat.
Ruth found it near her house.
[] [PER Ruth] found it near [LOC [FAC [PER her] house]].
"""

Spans = list[tuple[int, int]]
Annotation = tuple[dict[str, tuple[list[tuple[int, int, str]], dict[str, Any]]], list[float]]
"""The spans of each group of a document with their labels, the attributes of the group, and the scores of all."""


@dataclass(frozen=True, eq=False)
class Case:
    """A component, with all that the tests of test_selector_pipe.py need to know of it."""

    factory: str
    model: dict[str, Any]  # a small architecture without dropout
    corpus: str  # gold documents in the bracketed format; the second has several groups
    other_corpus: str  # the same with other labels, if the component has labels
    texts: tuple[str, ...]  # some without words; in the first, something is found
    steps: int  # after which a pipeline with any selector is overfitted to the corpus
    scores: tuple[str, ...]  # those that are 1 if everything is found, the main score first
    spans_key: str  # of the spans that it selects
    spans_setting: str  # holds this key
    keys: Callable[[Doc], list[str]]  # of its groups in a document
    read: Callable[..., list[Any]]  # what the groups of a document hold, scores aside
    write: Callable[..., None]
    write_nothing: Callable[[Doc], None]  # annotates a document as one that has no group
    mark: Callable[..., None]  # annotates a document with one group for each list of spans
    max_span_width: int  # some gold spans are wider
    too_wide: tuple[str, int]  # the first of these, as a warning shows it, and how many there are
    prediction: Any  # what `predict` may return for a document of at least three words
    no_prediction: Any
    predicted: Annotation  # what `prediction` amounts to
    plain: dict[str, Any] = field(default_factory=dict)  # settings that leave the output as the network has it
    settings: dict[str, Any] = field(default_factory=dict)  # its own, with values that are not the default
    prefix: str = ""  # of the keys of its groups; empty if the spans that it selects are its only group
    given_key: str = ""  # of the spans that it is given, if it is given any
    given_setting: str = ""
    selectors: tuple[str, ...] = ("structured", "laminar", "sigmoid")
    parse: Callable[[str, Language], list[Doc]] = parse_bracketed  # with all that the selectors learn from


def mark_clusters(doc: Doc, *groups: Spans) -> None:
    set_clusters(doc, groups)


def mark_frames(doc: Doc, *groups: Spans) -> None:
    """The spans of each group are arguments, and its first span is their predicate, too."""
    frames = [Frame(*spans[0], [Argument(start, end, "ARG0") for start, end in spans]) for spans in groups]
    set_frames(doc, frames)


def mark_labelled(doc: Doc, *groups: Spans) -> None:
    set_labelled_spans(doc, [(*span, "PER") for span in {span for group in groups for span in group}])


def without_scores(frames: list[Frame]) -> list[Frame]:
    return [frame._replace(scores=None) for frame in frames]


def read_frames(doc: Doc, prefix: str = FRAME_PREFIX) -> list[Frame]:
    return without_scores(get_frames(doc, prefix))


SMALL = {"tok2vec": TOK2VEC, "hidden_width": 24, "feature_width": 4, "dropout": 0.0, "max_span_width": None}
PAIRS = {"pair_width": 16, "pair_hidden_width": 24}

COREF = Case(
    factory="structured_coref",
    model={
        **SMALL,
        "@architectures": "spacy_span_selector.CorefModel.v1",
        "hidden_width": 32,
        "linker_width": 16,
        "linker_hidden_width": 24,
        "antecedents": 10,
        "distance": "candidates",
        "pair_features": [],
        "speaker_dropout": 0.0,
        "bfloat16": False,
    },
    corpus=CLUSTERS,
    other_corpus="[Ruth|ruth] left [her|ruth] hat.",
    texts=("Ann Lee met her brother. He thanked Ann.", "", "Hi", "Leo lost a hat. Ruth found it.", "Yes.", "  ", ""),
    steps=120,
    scores=("coref_f", "coref_ment_f"),
    settings={"keep_singletons": False},
    prefix=CLUSTER_PREFIX,
    spans_key=MENTIONS_KEY,
    given_key=GIVEN_MENTIONS_KEY,
    spans_setting="mentions_key",
    given_setting="given_key",
    keys=cluster_keys,
    read=get_clusters,
    write=set_clusters,
    write_nothing=partial(set_mentions, mentions=[], scores=[]),
    mark=mark_clusters,
    max_span_width=1,
    too_wide=("'Ann Lee' in document 'the station'", 5),
    prediction=CorefPrediction([(2, 3)], [0.5], linked=[None], link_scores=[0.9]),
    no_prediction=CorefPrediction(),
    predicted=(
        {f"{CLUSTER_PREFIX}_1": ([(2, 3, "")], {"antecedents": [None]}), MENTIONS_KEY: ([(2, 3, "")], {})},
        [0.5, 0.9, 0.5],
    ),
)
SRL = Case(
    factory="structured_srl",
    model={**SMALL, **PAIRS, "@architectures": "spacy_span_selector.SrlModel.v1", "roleset_vectors": False},
    plain={"frame_roles": False},
    corpus=FRAMES,
    other_corpus="Go.\n> [V=go.01 Go].\nAnn left.\n> [ARG7 Ann] [V left].",
    texts=("Ann gave Leo a key. He left.", "", "Hi", "Leo picked up a hat that Tom left. Ann left it there.", "  ", ""),
    steps=50,
    scores=("srl_f", "srl_span_f", "srl_pred_f", "srl_sense_acc", "srl_kept_r"),
    settings={"predict_rolesets": False},
    prefix=FRAME_PREFIX,
    spans_key=SELECTED_KEY,
    given_key=PREDICATES_KEY,
    spans_setting="spans_key",
    given_setting="predicates_key",
    keys=frame_keys,
    read=read_frames,
    write=set_frames,
    write_nothing=partial(set_predicates, predicates=[]),
    mark=mark_frames,
    max_span_width=2,
    too_wide=("ARG1 'a hat that Ruth left there' in document 'the hat'", 1),
    prediction=SrlPrediction([(0, 1)], [0.75], [Frame(2, 3, [Argument(0, 1, "ARG1")], "be.01", [0.5, 0.25])]),
    no_prediction=SrlPrediction([], [], []),
    predicted=(
        {f"{FRAME_PREFIX}_1": ([(2, 3, "V"), (0, 1, "ARG1")], {"roleset": "be.01"}), SELECTED_KEY: ([(0, 1, "")], {})},
        [0.5, 0.25, 0.75],
    ),
)
SPANCAT = Case(
    factory="structured_spancat",
    model={**SMALL, "@architectures": "spacy_span_selector.SpancatModel.v1", "label_hidden_width": 24},
    corpus=LABELLED,
    other_corpus="Ann left.\n[] [PERSON Ann] left.",
    texts=COREF.texts,
    steps=50,
    scores=("spans_sc_f", "spans_sc_p", "spans_sc_r"),
    spans_key=LABELLED_KEY,
    spans_setting="spans_key",
    keys=lambda doc: [LABELLED_KEY] if doc.spans.get(LABELLED_KEY) else [],
    read=get_labelled_spans,
    write=set_labelled_spans,
    write_nothing=partial(set_labelled_spans, spans=[]),
    mark=mark_labelled,
    max_span_width=1,
    too_wide=("PER 'Ann Lee' in document 'the station'", 5),
    prediction=SpancatPrediction([(2, 3), (2, 3), (0, 3)], [0.75, 0.5, 0.25], ["PER", "LOC", "PER"]),
    no_prediction=SpancatPrediction([], [], []),
    predicted=({LABELLED_KEY: ([(0, 3, "PER"), (2, 3, "LOC"), (2, 3, "PER")], {})}, [0.25, 0.5, 0.75]),
)
CASES = (COREF, SRL, SPANCAT)
NUMBERED = (COREF, SRL)
"""Those that write numbered groups, and may be given spans."""


def each_selector(*names: str) -> pytest.MarkDecorator:
    """Run a test with every component and those of its selectors that are named; by default all of them."""
    pairs = [(case, name) for case in CASES for name in case.selectors if not names or name in names]
    return pytest.mark.parametrize(("case", "selector"), pairs, ids=[f"{case.factory}-{name}" for case, name in pairs])


def blank_nlp() -> Language:
    """A pipeline that sets sentence boundaries. It takes less time to build than one of English with its tokenizer."""
    return pipeline_of("xx", "sentencizer")


def make_nlp(
    case: Case,
    selector: str = "structured",
    *,
    name: str | None = None,
    model: dict[str, Any] | None = None,
    **config: Any,
) -> Language:
    """A pipeline; `model` has the settings of the architecture that differ from those of the case."""
    nlp = blank_nlp()
    architecture = {**case.model, "selector": selector_block(selector), **(model or {})}
    nlp.add_pipe(case.factory, name=name, config={"model": architecture, **case.plain, **config})
    return nlp


def tiny_transformer(
    folder: Path, window: int = 64, stride: int = 48, architecture: str = "spacy_span_selector.TransformerModel.v1"
) -> dict[str, Any]:
    """The model of a `transformer`."""
    pytest.importorskip("spacy_transformers", reason="the extra 'transformers' is not installed")
    pieces = {"@span_getters": "spacy-transformers.strided_spans.v1", "window": window, "stride": stride}
    return {"@architectures": architecture, "name": str(tiny_bert(folder / "bert")), "get_spans": pieces}


def transformer_nlp(case: Case, folder: Path, **settings: Any) -> tuple[Language, list[Example]]:
    """A pipeline whose component listens to a transformer, with random weights, and its examples."""
    transformer = tiny_transformer(folder, **settings)  # first, as it skips where there are no transformers
    fix_random_seed(0)
    nlp = make_nlp(case, model={"tok2vec": TRANSFORMER_LISTENER})
    nlp.add_pipe("transformer", before=case.factory, config={"model": transformer})
    examples = make_examples(nlp, gold_docs(case, nlp))
    nlp.initialize(lambda: examples)
    return nlp, examples


def component(nlp: Language, name: str | None = None) -> Any:
    """A component of a pipeline, by default the last."""
    return nlp.get_pipe(name or nlp.pipe_names[-1])


def sentenced(nlp: Language, text: str) -> Doc:
    """A document that has sentence boundaries and nothing else."""
    doc: Doc = nlp.get_pipe("sentencizer")(nlp.make_doc(text))
    return doc


def make_examples(nlp: Language, docs: list[Doc]) -> list[Example]:
    """Examples whose predicted side has sentence boundaries."""
    return [Example(sentenced(nlp, doc.text), doc) for doc in docs]


def gold_docs(case: Case, nlp: Language) -> list[Doc]:
    return case.parse(case.corpus, nlp)


def initialized(
    case: Case, selector: str = "structured", *, seed: int = 0, **config: Any
) -> tuple[Language, list[Example]]:
    """A pipeline with random weights, and its examples."""
    fix_random_seed(seed)
    nlp = make_nlp(case, selector, **config)
    examples = make_examples(nlp, gold_docs(case, nlp))
    nlp.initialize(lambda: examples)
    return nlp, examples


@cache
def opinionated(case: Case, selector: str, seed: int = 0) -> Language:
    """A pipeline with random weights so large that it finds many groups. Shared by tests: do not change it."""
    nlp, _ = initialized(case, selector, seed=seed, threshold=0.0, candidate_ratio=3.0)
    with torch.no_grad():
        for weight in network(nlp).parameters():
            weight.mul_(3.0)
    return nlp


def train(nlp: Language, examples: list[Example], steps: int, learn_rate: float = 0.01) -> list[float]:
    """The losses of all steps."""
    optimizer = nlp.resume_training()
    optimizer.learn_rate = learn_rate
    losses = []
    for _ in range(steps):
        losses.append(sum(nlp.update(examples, sgd=optimizer, losses={}, drop=0.0).values()))
    return losses


def of_other_tokens(nlp: Language) -> Doc:
    """A text of two sentences one of whose words is two tokens."""
    words, spaces = ["Ann", "left", ".", "She", "sl", "ept", "."], [True, False, True, True, False, False, False]
    doc = Doc(nlp.vocab, words=words, spaces=spaces)
    set_title(doc, "the attic")
    return doc


def update_and_warn_once(nlp: Language, reference: Doc, steps: int) -> tuple[list[str], list[float]]:
    """The sorted warnings of the first of some updates, after which there are none, and all losses."""
    examples, name = make_examples(nlp, [reference]), nlp.pipe_names[-1]
    with pytest.warns(UserWarning) as caught:
        losses = [nlp.update(examples, sgd=SGD(0.1), losses={})[name]]
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        losses += [nlp.update(examples, sgd=SGD(0.1), losses={})[name] for _ in range(steps - 1)]
    return sorted(str(warning.message) for warning in caught if warning.category is UserWarning), losses


@cache
def trained_by(case: Case, selector: str = "structured") -> bytes:
    """A pipeline that has been overfitted to the corpus, as bytes."""
    nlp, examples = initialized(case, selector)
    train(nlp, examples, case.steps)
    return nlp.to_bytes(exclude=["tokenizer"])  # it takes longer to load than the weights


def load_trained(case: Case, selector: str = "structured", **config: Any) -> Language:
    """A pipeline that has been overfitted to the corpus, loaded into a component that was never initialized."""
    return make_nlp(case, selector, **config).from_bytes(trained_by(case, selector))


def from_disk(nlp: Language, path: Path) -> Language:
    nlp.to_disk(path)
    return spacy.load(path)


def selected(case: Case, doc: Doc) -> Spans:
    """The spans that the component has selected."""
    return [(span.start, span.end) for span in doc.spans[case.spans_key]]


def annotation(doc: Doc) -> Annotation:
    """Everything that a component has written."""
    groups, scores = {}, []
    for key, group in sorted(doc.spans.items()):
        attributes = dict(group.attrs)
        for name in ("scores", "link_scores"):
            scores += attributes.pop(name, [])
        groups[key] = [(span.start, span.end, span.label_) for span in group], attributes
    return groups, scores


def annotate(nlp: Language, texts: list[str] | tuple[str, ...]) -> list[Annotation]:
    """One document at a time."""
    return [annotation(nlp(text)) for text in texts]


def assert_same(found: list[Annotation], expected: list[Annotation], tolerance: float = 1e-4) -> None:
    assert [groups for groups, _ in found] == [groups for groups, _ in expected]
    for (_, scores), (_, others) in zip(found, expected, strict=True):
        assert scores == pytest.approx(others, abs=tolerance)


def network(nlp: Language, name: str | None = None) -> nn.Module:
    """The network of a component, by default of the last, behind the vectors of its encoder."""
    module = head_module(component(nlp, name).model)
    assert module is not None
    return module


def head_weights(nlp: Language, name: str | None = None) -> dict[str, torch.Tensor]:
    """The weights of the network of a component, by default of the last."""
    return {key: weight.detach().clone() for key, weight in network(nlp, name).named_parameters()}


def weights(model: Any) -> list[np.ndarray]:
    """The weights of a Thinc model."""
    return [node.get_param(name).copy() for node in model.walk() for name in node.param_names if node.has_param(name)]
