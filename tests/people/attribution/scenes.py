"""Scenes from texts of a few words."""

import spacy

from spacy_span_selector.language import SPEECH_VERBS, packaged_table
from spacy_span_selector.people.attribution import Scene
from spacy_span_selector.people.clustering.forms import FormReader

VOCAB = spacy.blank("en").vocab
VERBS = packaged_table("en", SPEECH_VERBS)
FORMS = FormReader(VOCAB)


def read(text: str, paragraphs: bool = True) -> Scene:
    """A scene from words with spaces between them. `"` opens and closes quotations.

    text (str): `poor_Tom=0` is a mention of two words, of cluster 0; `I=?` is one that has none yet. Each line is a
        paragraph. A sentence ends with `.`, `!` or `?`, and the mark that closes a quotation behind it.
    paragraphs (bool): Whether paragraphs are known.
    """
    words: list[str] = []
    of_words: list[int] = []
    sentences: list[int] = []
    mentions, clusters = [], []
    sentence, is_over = 0, False
    for paragraph, line in enumerate(text.split("\n")):
        for part in line.split():
            form, _, cluster = part.partition("=")
            parts = form.split("_")
            if cluster:
                mentions.append((len(words), len(words) + len(parts)))
                clusters.append(None if cluster == "?" else int(cluster))
            closes = form == '"' and words.count('"') % 2 == 1
            if is_over and not closes:
                sentence, is_over = sentence + 1, False
            is_over |= form in (".", "!", "?")
            sentences += [sentence] * len(parts)
            words += parts
            of_words += [paragraph] * len(parts)
    marks = [i for i, word in enumerate(words) if word == '"']
    return Scene(
        words=words,
        sentences=sentences,
        paragraphs=of_words if paragraphs else None,
        quotations=[(start, end + 1) for start, end in zip(marks[::2], marks[1::2], strict=True)],
        mentions=mentions,
        evidence=[FORMS.read(tuple(words[start:end])).evidence for start, end in mentions],
        clusters=clusters,
        verbs=VERBS,
    )
