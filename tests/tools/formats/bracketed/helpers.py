"""What the tests of the parts of the format share."""

import spacy
from spacy.tokens import Doc

from spacy_span_selector.annotation import cluster_groups, get_frames, get_labelled_spans, get_quotations

WORD_NLP = spacy.blank("en")
WORD_NLP.tokenizer = lambda text: Doc(WORD_NLP.vocab, words=text.split())  # as in a corpus with gold words


def named_clusters(doc: Doc) -> list[tuple[str, list[str]]]:
    return [(group.attrs.get("name", ""), [span.text for span in group]) for group in cluster_groups(doc)]


def frames_as_text(doc: Doc) -> list[tuple[str, str | None, list[tuple[str, str]]]]:
    """Predicate, roleset, and the arguments as role and words."""
    return [
        (doc[start:end].text, roleset, [(role, doc[i:j].text) for i, j, role in arguments])
        for start, end, arguments, roleset, *_ in get_frames(doc)
    ]


def labels(doc: Doc) -> list[tuple[str, str]]:
    return [(doc[start:end].text, label) for start, end, label in get_labelled_spans(doc)]


def quotations(doc: Doc) -> list[tuple[str, str, str]]:
    """The words, the speaker and the addressee of each quotation."""
    persons = ((doc[start:end].text, speaker, addressee) for start, end, speaker, addressee, *_ in get_quotations(doc))
    return [(words, *("" if each is None else doc[slice(*each)].text for each in both)) for words, *both in persons]
