import pytest
import spacy

from lab.benchmarks.pipelines import Found, count_found, describe_pipeline, find_encoder, load_pipeline, selector_pipes
from spacy_span_selector.annotation import Argument, Frame, set_clusters, set_frames, set_mentions
from spacy_span_selector.scoring.task import get_task

from ...selectors import selector_block
from ...untrained import pipeline_of
from .conftest import MakeModel, make_pipeline


@pytest.mark.parametrize("component, selector", [("structured_coref", "laminar"), ("structured_srl", "sigmoid")])
def test_a_pipeline_is_named_by_component_and_selector(component: str, selector: str):
    nlp = pipeline_of("en", component, **{component: {"model": {"selector": selector_block(selector)}}})
    assert describe_pipeline(nlp) == f"{component}, {selector}"


def test_a_pipeline_without_our_components_is_refused():
    with pytest.raises(ValueError, match=r"\['sentencizer'\] has no component to measure"):
        selector_pipes(pipeline_of("en", "sentencizer"))


def test_the_encoder_is_what_a_component_listens_to():
    nlp = make_pipeline()
    assert find_encoder(nlp) == ("tok2vec", nlp.get_pipe("tok2vec"))
    with pytest.raises(ValueError, match="'structured_coref' has its own encoder"):
        find_encoder(make_pipeline(listens=False))


def test_texts_of_any_length_are_accepted(make_model: MakeModel):
    nlp = load_pipeline(make_model(), 0, -1)
    assert nlp.max_length > 10**12


def test_mentions_and_clusters_or_arguments_and_frames_are_counted():
    doc = spacy.blank("en").make_doc("Ann saw her hat")
    set_mentions(doc, [(0, 1), (2, 3), (2, 4)], [0.9, 0.8, 0.7])
    set_clusters(doc, [[(0, 1), (2, 3)]])
    set_mentions(doc, [(0, 1), (2, 4)], [0.9, 0.8], key="srl_spans")
    set_frames(doc, [Frame(1, 2, [Argument(0, 1, "ARG0")])])
    for name, found in (("structured_coref", Found(3, 1)), ("structured_srl", Found(2, 1))):
        assert count_found(doc, selector_pipes(make_pipeline(name))[name], get_task(name)) == found
