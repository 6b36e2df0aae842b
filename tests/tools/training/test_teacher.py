"""A trained pipeline teaches another, for each component."""

import random
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from thinc.api import fix_random_seed

from spacy_span_selector.annotation import get_frames, set_counterparts
from spacy_span_selector.documents.cleaned import CleanDoc, clean_docs
from spacy_span_selector.models.torch_head import HeadInput, head_module
from spacy_span_selector.tools.training.teacher import Teacher, create_teach

from ...pipeline.components import (
    COREF,
    SPANCAT,
    SRL,
    Case,
    component,
    gold_docs,
    initialized,
    load_trained,
    selected,
    sentenced,
    train,
)


def unannotated(nlp: Language, docs: list[Doc]) -> list[Example]:
    return [Example(sentenced(nlp, doc.text), nlp.make_doc(doc.text)) for doc in docs]


def taught(case: Case, trained: Language, share: float, **config: Any) -> tuple[Language, list[Example]]:
    nlp, examples = initialized(case, **config)
    teacher = Teacher(trained)
    teacher.share = share
    teacher.teach(nlp)
    return nlp, examples


def test_what_it_says_is_learnt_where_nothing_is_annotated(case: Case, trained: Language) -> None:
    gold = gold_docs(case, trained)
    nlp, _ = taught(case, trained, share=1.0)
    losses = train(nlp, unannotated(nlp, gold), 2 * case.steps)
    assert min(losses[-10:]) < losses[0] / 10
    for doc in gold:
        assert selected(case, nlp(doc.text)) == selected(case, trained(doc.text))


def test_get_loss_is_the_loss_of_update_where_nothing_is_annotated(case: Case, trained: Language) -> None:
    nlp, _ = taught(case, trained, share=1.0)
    examples = unannotated(nlp, gold_docs(case, nlp))
    output, _ = component(nlp).model.begin_update(component(nlp)._read_examples(examples)[0])
    torch.manual_seed(0)
    loss, _ = component(nlp).get_loss(examples, output)
    torch.manual_seed(0)
    assert nlp.update(examples, losses={})[case.factory] == pytest.approx(loss)


def test_to_find_predicates_it_scores_no_spans() -> None:
    trained = load_trained(SRL)
    nlp, _ = taught(SRL, trained, share=1.0)
    doc = gold_docs(SRL, nlp)[0]
    found = [frame.start for frame in get_frames(trained(doc.text))]
    head: Any = head_module(component(trained).model)
    asked: list[tuple[int, list[int]]] = []
    head.register_forward_hook(lambda _, given, told: asked.append((given[1].size, told.predicates.starts.tolist())))
    nlp.update(unannotated(nlp, [doc]))
    assert found and [told for _, told in asked] == [found, found]
    assert [spans > 0 for spans, _ in asked] == [False, True]


def test_of_a_document_with_a_copy_it_says_the_mean_of_both(case: Case, trained: Language) -> None:
    nlp, examples = taught(case, trained, share=1.0)
    teacher, learnt = component(nlp).teacher, examples[0].predicted
    set_counterparts(learnt, [(0, 1, "Nobody"), (1, 3, "is left out")])
    asked: list[str] = []

    def taught_loss(told: list[CleanDoc], *_: object) -> torch.Tensor:
        asked.extend(document.doc.text for document in told)
        return torch.tensor(4.0 if len(asked) == 1 else 1.0)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(teacher, "_output", lambda *arguments: arguments[-1])
        read = HeadInput(clean_docs([learnt]), None, None)
        output = SimpleNamespace(selection=SimpleNamespace(candidates=None), taught_loss=taught_loss)
        assert teacher.loss(component(nlp), read, output) == 2.5
    assert asked == [learnt.text, f"Nobody{learnt.text[len(learnt[0]) :]}"]


def test_with_no_share_gold_annotation_alone_is_learnt(case: Case, trained: Language) -> None:
    alone, examples = initialized(case, negatives=0.0)  # nothing is drawn
    beside, _ = taught(case, trained, share=0.0, negatives=0.0)
    assert train(beside, examples, 2) == train(alone, examples, 2)


def test_it_must_have_a_component_of_the_same_name() -> None:
    nlp, _ = initialized(COREF)
    message = (
        "The teacher has the components sentencizer, structured_spancat, none of which the pipeline learns, whose "
        "components are sentencizer, structured_coref. Give both the same names."
    )
    with pytest.raises(ValueError, match=re.escape(message)):
        Teacher(load_trained(SPANCAT)).teach(nlp)


def test_it_must_know_all_labels() -> None:
    nlp, _ = initialized(SPANCAT)
    component(nlp).add_label("ORG")
    with pytest.raises(ValueError, match="'structured_spancat' of the teacher does not know ORG, which the corpus has"):
        Teacher(load_trained(SPANCAT)).teach(nlp)


def test_labels_may_have_another_order() -> None:
    nlp, _ = initialized(SPANCAT)
    teacher = Teacher(load_trained(SPANCAT))
    component(nlp)._labels = ("FAC", "PER", "LOC")
    assert teacher._labels(component(nlp)) == [2, 0, 1]


def test_the_callback_loads_it_once_and_lets_it_count_less_and_less(
    case: Case, trained: Language, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded = []
    monkeypatch.setattr(
        "spacy_span_selector.tools.training.teacher.load_model", lambda *a, **_: loaded.append(a) or trained
    )
    nlp, _ = initialized(case)
    nlp.config["training"]["max_steps"] = 8
    callback = create_teach("a/pipeline")
    shares = []
    for step in (0, 2, 8):
        callback(nlp, {"step": step, "epoch": 0})
        shares.append(component(nlp).teacher.share)
    assert shares == [1.0, 0.75, 0.0]
    assert loaded == [("a/pipeline",)]


def test_it_has_words_and_draws_numbers_of_its_own(case: Case, trained: Language, tmp_path: Path) -> None:
    trained.to_disk(tmp_path / "teacher")
    nlp, _ = initialized(case)
    nlp.config["training"]["max_steps"] = 8
    vectors = nlp.vocab.vectors
    fix_random_seed(0)
    create_teach(str(tmp_path / "teacher"))(nlp, {"step": 0, "epoch": 0})
    drawn = random.random(), float(np.random.rand()), torch.rand(1).item()
    fix_random_seed(0)
    assert drawn == (random.random(), float(np.random.rand()), torch.rand(1).item())
    assert nlp.vocab.vectors is vectors
    assert component(nlp).teacher.nlp.vocab is not nlp.vocab


def test_the_callback_must_know_how_many_steps_there_are() -> None:
    nlp, _ = initialized(COREF)
    nlp.config["training"]["max_steps"] = 0
    with pytest.raises(ValueError, match="max_steps must say how many there are"):
        create_teach("a/pipeline")(nlp, {"step": 0, "epoch": 0})
