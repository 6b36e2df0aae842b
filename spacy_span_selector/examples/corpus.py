"""Corpora for training: spaCy's own reader, except that the pipeline is given some of the gold annotation.

spaCy's reader gives the pipeline only the text. In the usual setting of semantic role labelling, words, sentences and
predicates are given, and only arguments are predicted.
"""

from __future__ import annotations

import os
import warnings
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice, zip_longest
from pathlib import Path
from typing import Annotated

import numpy as np
from pydantic import AfterValidator, Field
from spacy import registry
from spacy.attrs import DEP, ENT_ID, ENT_KB_ID, ENT_TYPE, LEMMA, MORPH, NORM, ORTH, POS, TAG
from spacy.errors import Errors
from spacy.language import Language
from spacy.parts_of_speech import NAMES
from spacy.tokens import Doc, DocBin
from spacy.training import Corpus, Example
from spacy.vocab import Vocab

from ..annotation import declare, describe_doc, types_of
from ..documents.given import GivenAnnotation
from ..documents.pieces import cut_doc
from ..signatures import checks_arguments, takes_settings

Augmenter = Callable[[Language, Example], Iterable[Example]]
Sample = Callable[[Iterable[Doc]], list[Doc]]
DEFAULT = GivenAnnotation()
MOST_BYTES, MOST_TIMES = 100_000_000, 100
"""A file that holds more bytes than this, and so many times its own size, is refused: texts shrink to a fifth or so."""
STRINGS = (ORTH, NORM, LEMMA, TAG, MORPH, DEP, ENT_TYPE, ENT_KB_ID, ENT_ID)
"""Attributes of a token that are hashes of strings."""


def _check_type(label: str) -> str:
    if not all(types_of(label)):
        raise ValueError("types, or several with one | between them")
    return label


Type = Annotated[str, AfterValidator(_check_type)]


@registry.readers("spacy_span_selector.Corpus.v1")
@takes_settings(GivenAnnotation, "the corpus reader")
@checks_arguments("the corpus reader")
def create_corpus(
    path: Annotated[Path | None, Field(strict=False)],
    settings: GivenAnnotation,
    gold_tokens: bool = True,
    max_words: int | None = None,
    annotates: list[Type] | dict[str, Type] | None = None,
    limit: int = 0,
    sample: Sample | None = None,
    augmenter: Augmenter | None = None,
) -> Callable[[Language], Iterable[Example]]:
    """Create a reader of .spacy files; the arguments are those of `PreannotatedCorpus` and `GivenAnnotation`."""
    if path is None:
        raise ValueError(Errors.E913)
    return PreannotatedCorpus(
        path,
        settings,
        gold_tokens=gold_tokens,
        max_words=max_words,
        annotates=annotates,
        limit=limit,
        sample=sample,
        augmenter=augmenter,
    )


@registry.readers("spacy_span_selector.Corpora.v1")
@checks_arguments("the reader of several corpora")
def create_corpora(*corpora: Callable[[Language], Iterable[Example]]) -> Callable[[Language], Iterable[Example]]:
    """Create a reader that takes one example from each of several corpora in turn, until all have ended.

    They are `[corpora.train.*.NAME]` in config files, and may be annotated for different tasks: a component learns from
    those that have its annotation, and ignores the others in training.
    """
    return partial(_read_in_turn, corpora)


def _read_in_turn(corpora: Sequence[Callable[[Language], Iterable[Example]]], nlp: Language) -> Iterator[Example]:
    for examples in zip_longest(*(read(nlp) for read in corpora)):
        yield from (example for example in examples if example is not None)


def read_docs(path: str | Path, vocab: Vocab) -> Iterator[Doc]:
    """Read the documents of a .spacy file, or raise an OSError or ValueError that names it."""
    for doc in read_sound_docs(path, vocab):
        if isinstance(doc, ValueError):
            raise doc
        yield doc


def read_sound_docs(path: str | Path, vocab: Vocab) -> Iterator[Doc | ValueError]:
    """Read the documents of a .spacy file, those that are not damaged though others are.

    YIELDS (Doc | ValueError): Each document, or what is wrong with it, naming the file.
    RAISES (OSError | ValueError): If the file, or all that is in it, can't be read, naming it.
    """
    if os.path.exists(path) and not os.path.isfile(path):  # a pipe would be waited for
        raise OSError(f"{path}: expected a file; found a folder, a pipe or a device.")
    try:
        data = Path(path).read_bytes()
        _check_size(data)
        stored = DocBin().from_bytes(data)
        for string in stored.strings:
            vocab.strings.add(string)
    except OSError as error:
        raise type(error)(f"{path}: {error.strerror or error}") from error
    except MemoryError:
        raise
    except Exception as error:  # spaCy trusts the content, so any step may fail in any way
        raise _damaged(path, error) from error
    for i in range(len(stored)):
        try:
            doc = _get_doc(stored, i, vocab)
        except MemoryError:
            raise
        except Exception as error:
            yield _damaged(path, error)
        else:
            yield doc


def _check_size(data: bytes) -> None:
    """Refuse what would take all memory: spaCy decompresses whatever a file says."""
    most, size, stream = max(MOST_BYTES, MOST_TIMES * len(data)), 0, zlib.decompressobj()
    while data and size <= most:
        size += len(stream.decompress(data, 1 << 20))
        data = stream.unconsumed_tail
    if size > most:
        raise ValueError(f"it holds more than {most:,} bytes, over {MOST_TIMES} times its own size")


def _get_doc(stored: DocBin, number: int, vocab: Vocab) -> Doc:
    """A document of which all that is looked at later has been looked at: spaCy checks no number before."""
    single = DocBin()  # a copy of the other would write all of it
    single.attrs = stored.attrs
    for name in ("tokens", "spaces", "cats", "flags", "span_groups", "user_data"):
        setattr(single, name, getattr(stored, name)[number : number + 1])
    (doc,) = single.get_docs(vocab)
    for group in doc.spans.values():
        for span in group:
            _ = span.label_, span.kb_id_, span.id_
    for attribute in STRINGS:
        for value in np.unique(doc.to_array([attribute])):
            _ = vocab.strings[value]
    for value in np.unique(doc.to_array([POS])):
        _ = NAMES[int(value)]
    return doc


def _damaged(path: str | Path, error: Exception) -> ValueError:
    return ValueError(f"{path}: damaged, or not a .spacy file as 'convert' writes it ({type(error).__name__}: {error})")


class PreannotatedCorpus(Corpus):
    """Examples whose predicted document has the annotation of the reference that the pipeline may see."""

    def __init__(
        self,
        path: str | Path,
        given: GivenAnnotation = DEFAULT,
        *,
        gold_tokens: bool = True,
        max_words: int | None = None,
        annotates: Sequence[str] | Mapping[str, str] | None = None,
        limit: int = 0,
        sample: Sample | None = None,
        augmenter: Augmenter | None = None,
    ) -> None:
        """Initialize the reader.

        Titles are always given, because messages name a document by its title.

        There is no `max_length`: spaCy cuts a longer document into sentences, which loses all span groups. `max_words`
        keeps them.

        path (str | Path): A .spacy file, or a folder of them.
        gold_tokens (bool): Whether the predicted document has the words and the spacing of the reference. Otherwise the
            pipeline's tokenizer splits its text, and given annotation is aligned with these tokens; `lost` counts what
            does not align and is left out.
        max_words (int | None): The number of words above which a document is cut between sentences, into pieces of at
            most as many words. Useful for training semantic roles, which lie within sentences: more documents fit in a
            batch, and a transformer reads a whole piece at once. Clusters that cross a cut fall apart. None never cuts.
        annotates (Sequence[str] | Mapping[str, str] | None): The types of spans of which all are marked, or the type of
            each label of the corpus, see `annotation.declare`. None for what the documents say themselves.
        limit (int): The number of documents to read, before they are cut; 0 for all.
        sample (Callable | None): Takes these documents and returns those to learn from, which may have less annotation.
            They are kept in memory when the corpus is read for the first time.
        augmenter (Augmenter | None): Makes further examples of each one, as for spaCy's reader.
        RAISES (ValueError): If `max_words` is below 1.
        """
        if max_words is not None and max_words < 1:
            raise ValueError(f"'max_words' of the reader is {max_words}; it must be at least 1, or null not to cut.")
        super().__init__(path, limit=limit, augmenter=augmenter and partial(self._augment, augmenter))
        self.gold_tokens = gold_tokens
        self.given = given
        self.max_words = max_words
        self.annotates = annotates
        self.sample = sample
        self.sampled: list[Doc] | None = None
        self.lost: Counter[str] = Counter()

    def __call__(self, nlp: Language) -> Iterator[Example]:
        """Yield examples from the data."""
        for example in super().__call__(nlp):
            self._count_lost(self.given.copy(example), example.reference)
            yield example

    def read_docbin(self, vocab: Vocab, locs: Iterable[str | Path]) -> Iterator[Doc]:
        """The documents of .spacy files, cut if they are longer than `max_words`; see `read_docs`."""
        files: dict[str, str | Path] = {}
        for path in locs:  # in which a file comes again if a link leads to a folder that it lies in: it is read once
            files.setdefault(os.path.realpath(path), path)
        return self.cut(self._sampled_docs(vocab, files.values()))

    def cut(self, docs: Iterable[Doc]) -> Iterator[Doc]:
        """Yield documents, cut if they are longer than `max_words`."""
        for doc in docs:
            if self.max_words is None or not doc.has_annotation("SENT_START"):
                yield doc
            else:
                yield from cut_doc(
                    doc, self.max_words, prefix=self.given.prefix, predicates_key=self.given.predicates_key
                )

    def _sampled_docs(self, vocab: Vocab, locs: Iterable[str | Path]) -> Iterable[Doc]:
        if self.sampled is not None and all(doc.vocab is vocab for doc in self.sampled):
            return self.sampled
        read = (declare(doc, self.annotates) for path in locs for doc in read_docs(path, vocab) if len(doc))
        docs = islice(read, self.limit if self.limit > 0 else None)
        if self.sample is None:
            return docs
        self.sampled = self.sample(docs)
        return self.sampled

    def _make_example(self, nlp: Language, reference: Doc, gold_preproc: bool) -> Example:
        return super()._make_example(nlp, reference, gold_preproc or self.gold_tokens)

    def _augment(self, augmenter: Augmenter, nlp: Language, example: Example) -> Iterator[Example]:
        """Further examples of one, which say of themselves what it does: spaCy's augmenters lose title, types and
        sentences, and split words as the pipeline does."""
        source = example.reference
        said = {key: value for key, value in source.user_data.items() if isinstance(key, str)}
        for made in augmenter(nlp, example):
            if made is example:
                yield made
                continue
            doc = made.reference
            doc.user_data = {**said, **doc.user_data}
            for key, group in doc.spans.items():
                if key in source.spans and len(group) == len(source.spans[key]):
                    group.attrs = {**source.spans[key].attrs}
            if len(doc) == len(source) and source.has_annotation("SENT_START"):
                doc.from_array("SENT_START", source.to_array("SENT_START"))  # type: ignore[arg-type]
            yield self._make_example(nlp, doc, True) if self.gold_tokens else made

    def _count_lost(self, lost: Counter[str], reference: Doc) -> None:
        for what, count in lost.items():
            if count and not self.lost[what]:
                warnings.warn(
                    f"A {what} of {describe_doc(reference)} can't be given to the pipeline: its tokenizer sets other "
                    "token boundaries, or it has no tokens. Set 'gold_tokens' of the reader to true to give all that "
                    "have tokens. Shown once; 'lost' of the reader counts all.",
                    stacklevel=2,
                )
            self.lost[what] += count
