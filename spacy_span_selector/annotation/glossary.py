"""Meanings of PropBank's roles, and of LitBank's and GUM's entities, for `spacy.explain`."""

from __future__ import annotations

from spacy.glossary import GLOSSARY

from .frames import PREDICATE_LABEL

ROLES = {
    "ARG0": "agent: who does it",
    "ARG1": "patient: whom, what",
    "ARG2": "often to whom, with what",
    "ARG3": "often from where",
    "ARG4": "often where to",
    "ARG5": "by the roleset",
    "ARGA": "who makes an agent do it",
    "ARG1-DSP": "direct speech",
    "ARGM-ADJ": "adjective of a noun",
    "ARGM-ADV": "circumstance",
    "ARGM-CAU": "cause",
    "ARGM-COM": "company: with whom",
    "ARGM-CXN": "comparison",
    "ARGM-DIR": "direction",
    "ARGM-DIS": "link to what was said",
    "ARGM-DSP": "direct speech",
    "ARGM-EXT": "extent: how much",
    "ARGM-GOL": "goal: where to, for whom",
    "ARGM-LOC": "location",
    "ARGM-LVB": "light verb: took in took a walk",
    "ARGM-MNR": "manner",
    "ARGM-MOD": "modal verb",
    "ARGM-NEG": "negation",
    "ARGM-PNC": "purpose",
    "ARGM-PRD": "state: as what",
    "ARGM-PRP": "purpose",
    "ARGM-PRR": "noun of a light verb: walk in took a walk",
    "ARGM-PRX": "part of a phrase whose verb means little",
    "ARGM-REC": "each other, itself",
    "ARGM-TMP": "time",
}
"""PropBank's roles; each roleset defines those with numbers for itself."""
KINDS = {"": "", "C-": "continuation of an argument: ", "R-": "reference to an argument: "}
TERMS = {
    PREDICATE_LABEL: "verb or other predicate",
    "ABSTRACT": "thought, quality, language, or other thing that nobody can touch",
    "ANIMAL": "animal, real or of a tale",
    "EVENT": "event: war, journey, dinner",
    "FAC": "facility: building, road, garden, room",
    "OBJECT": "thing: tool, furniture, clothes, part of a body",
    "PLANT": "plant",
    "SUBSTANCE": "substance: water, bread, air",
    "TIME": "time: day, year, evening",
    "VEH": "vehicle",
    **{kind + role: text + meaning for kind, text in KINDS.items() for role, meaning in ROLES.items()},
}


def extend_glossary() -> None:
    """Let `spacy.explain` know roles and entities; what it knows already stays."""
    for term, meaning in TERMS.items():
        GLOSSARY.setdefault(term, meaning)
