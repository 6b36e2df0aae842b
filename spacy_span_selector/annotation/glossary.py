"""Meanings of PropBank's roles and LitBank's entities, for `spacy.explain`."""

from __future__ import annotations

from spacy.glossary import GLOSSARY

from .frames import PREDICATE_LABEL

ROLES = {
    "ARG0": "proto-agent, such as who gives",
    "ARG1": "proto-patient, such as what is given",
    "ARG2": "instrument, beneficiary or attribute, such as who is given something",
    "ARG3": "start, beneficiary, instrument or attribute, by the roleset",
    "ARG4": "end point",
    "ARG5": "further argument, by the roleset",
    "ARGA": "who causes an agent to act",
    "ARG1-DSP": "direct speech",
    "ARGM-ADJ": "adjective of a noun",
    "ARGM-ADV": "adverbial of another kind",
    "ARGM-CAU": "cause",
    "ARGM-COM": "comitative: with whom",
    "ARGM-CXN": "part of a construction, such as a comparison",
    "ARGM-DIR": "direction",
    "ARGM-DIS": "discourse marker",
    "ARGM-DSP": "direct speech",
    "ARGM-EXT": "extent",
    "ARGM-GOL": "goal",
    "ARGM-LOC": "location",
    "ARGM-LVB": "light verb of a noun, such as took in took a walk",
    "ARGM-MNR": "manner",
    "ARGM-MOD": "modal verb",
    "ARGM-NEG": "negation",
    "ARGM-PRD": "secondary predication",
    "ARGM-PRP": "purpose",
    "ARGM-PRR": "noun of a light verb, such as walk in took a walk",
    "ARGM-PRX": "part of a phrase with a verb that means little",
    "ARGM-REC": "reciprocal or reflexive",
    "ARGM-TMP": "time",
}
KINDS = {"": "", "C-": "continuation of an argument: ", "R-": "reference to an argument: "}
TERMS = {
    PREDICATE_LABEL: "verb or other predicate",
    "FAC": "facility: building, road, garden, room",
    "VEH": "vehicle",
    **{kind + role: text + meaning for kind, text in KINDS.items() for role, meaning in ROLES.items()},
}


def extend_glossary() -> None:
    """Let `spacy.explain` know roles and entities; what it knows already stays."""
    for term, meaning in TERMS.items():
        GLOSSARY.setdefault(term, meaning)
