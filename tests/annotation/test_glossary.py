"""What `spacy.explain` says of roles and entities."""

import pytest
import spacy
from spacy.glossary import GLOSSARY

from spacy_span_selector.annotation.glossary import ROLES, TERMS, extend_glossary
from spacy_span_selector.extensions import register_extensions


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("label", ["ARG0", "ARGM-TMP", "V", "VEH", "R-ARG1", "C-ARGM-LOC", "ANIMAL", "ABSTRACT"])
def test_roles_and_entities_are_explained_once_the_package_is_loaded(label: str) -> None:
    register_extensions()
    assert spacy.explain(label)


def test_references_and_continuations_are_those_of_their_role() -> None:
    assert TERMS["R-ARGM-TMP"] == "reference to an argument: " + ROLES["ARGM-TMP"]
    assert TERMS["C-ARG0"] == "continuation of an argument: " + ROLES["ARG0"]


def test_what_spacy_knows_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GLOSSARY, "FAC", "as before")
    extend_glossary()
    assert spacy.explain("FAC") == "as before"
