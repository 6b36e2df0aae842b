"""The tokens of a document that is read from plain data."""

from __future__ import annotations

from spacy.language import Language
from spacy.tokens import Doc
from spacy.vocab import Vocab

from ...documents import tokenized
from .records import Document


def make_doc(document: Document, nlp: Language | Vocab) -> Doc:
    """Make a document without annotation, of the tokens of the data or, if it has none, of those of a tokenizer.

    document (Document): The data.
    nlp (Language | Vocab): The pipeline with the tokenizer; a vocabulary will do if there are tokens.
    RETURNS (Doc): The document. Its text is that of the data.
    RAISES (ValueError): If tokens overlap, are not in order or leave out words; or if there are none and no tokenizer,
        or one that can't split the text or changes it.
    """
    if document.tokens is not None:
        return _from_tokens(document, nlp.vocab if isinstance(nlp, Language) else nlp)
    if not isinstance(nlp, Language):
        raise ValueError(
            f"Can't read {document.name}: it has no 'tokens', and a {type(nlp).__name__} has no tokenizer. Pass a "
            "pipeline, or write the document with to_dict(doc, tokens=True)."
        )
    try:
        doc = tokenized.make_doc(nlp, document.text)
    except ValueError as error:  # such as a text that is too long
        raise ValueError(f"Can't read {document.name}: its text can't be split into tokens: {error}") from error
    if doc.text != document.text:
        raise ValueError(
            f"Can't read {document.name}: the tokenizer of the pipeline changes its text, so offsets are lost. Take "
            "another pipeline, or write the document with to_dict(doc, tokens=True)."
        )
    return doc


def _from_tokens(document: Document, vocab: Vocab) -> Doc:
    """A document of given tokens. White space between them is that behind a token, if it is a single space, or else a
    token, as spaCy has it."""
    text, words, spaces = document.text, list[str](), list[bool]()
    end = 0
    for i, token in enumerate(document.tokens or ()):
        if token.start < end:
            document.fail(f"tokens[{i}].start", token.start, f"at least {end}, where the token before it ends")
        _add_gap(document, end, token.start, words, spaces)
        words.append(text[token.start : token.end])
        spaces.append(False)
        end = token.end
    _add_gap(document, end, len(text), words, spaces)
    return Doc(vocab, words=words, spaces=spaces)


def _add_gap(document: Document, start: int, end: int, words: list[str], spaces: list[bool]) -> None:
    """Add the white space between two tokens."""
    document.check_gap(start, end, "tokens")
    gap = document.text[start:end]
    if gap.startswith(" ") and words:
        spaces[-1] = True
        gap = gap[1:]
    if gap:
        words.append(gap)
        spaces.append(False)
