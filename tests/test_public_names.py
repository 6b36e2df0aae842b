import spacy_span_selector
from spacy_span_selector.annotation import set_clusters


def test_every_public_name_can_be_imported() -> None:
    assert all(callable(getattr(spacy_span_selector, name)) for name in spacy_span_selector.__all__)
    assert spacy_span_selector.set_clusters is set_clusters
    assert {*spacy_span_selector.MODULES} < {*spacy_span_selector.__all__}


def test_other_names_are_not_there() -> None:
    assert not hasattr(spacy_span_selector, "get_predicates")
