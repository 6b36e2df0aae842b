"""The component `entity_resolver`: who is who, and who speaks, from what the components before it have found.

`structured_coref` links each mention by itself. Here the antecedents that its network scored, the labelled spans and
the quotations of a document become clusters that agree as a whole (`clustering/`), and quotations get speakers
(`attribution/`). It has nothing to learn but the weights of quotations, which are kept in the vocabulary.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
import srsly
import torch
from spacy.language import Language
from spacy.pipeline import Pipe
from spacy.tokens import Doc
from spacy.training import Example

from ..annotation import (
    Mention,
    cluster_keys,
    find_frame_prefix,
    find_labelled_key,
    frame_keys,
    set_mentions,
    set_quotations,
)
from ..annotation.scored_mentions import ScoredMentions, pop_scored_mentions
from ..documents.cleaned import CleanDoc, clean_doc
from ..examples.token_facts import number_speakers, sentence_numbers
from ..extensions import entity_label, labels_by_span, register_extensions
from ..extensions.frames import doc_frames
from ..layers.coref.linker import Links, follow_links
from ..pipeline.settings import HasSettings
from .attribution import Attribution, Attributor, quotation_of_words
from .clustering import Clustering, EntityTypes, Form, NameReader, Reason, Scored, cluster_mentions, read_forms
from .clustering.forms import Known
from .co_arguments import NOTHING, CoArguments, find_co_arguments
from .mentions import with_coordinations, with_mentions, without_overruns
from .missed_names import find_missed_names
from .scenes import (
    NO_SUBJECTS,
    attribute_quotations,
    find_in_words,
    find_subjects,
    learn_quotations,
    outer_quotations,
    quotations_of,
    read_scene,
)
from .speech import find_turns
from .tagged_speakers import TURN, with_tagged_speakers
from .transcripts import notice_turns

ENTITY_TRUST = 0.5
"""How probable the label of an entity of `doc.ents` is, which has no probability. spaCy's pipelines of news are often
wrong of characters: with more trust, clusters of LitBank get worse."""

WHY = {
    "name": "has a name of the same entity",
    "speaker": "is who speaks",
    "addressee": "is who is spoken to",
    "reflexive": "is its own subject",
    "other name": "is someone of another name",
    "argument": "both are arguments of",
    "turn": "says the quotation before",
    "voice": "says this",
    "person": "differs in person, such as I and he",
    "type": "differs in gender, number or label",
    "nested": "one is inside the other",
    "whole": "another reading of the whole is likelier",
}
"""Why a mention was joined, or kept apart from an antecedent, in words."""

register_extensions()


@Language.factory(
    "entity_resolver",
    assigns=["doc.spans", "doc._.characters", "doc._.resolved_text", "doc._.quotations"],
    requires=["doc.spans", "token.is_sent_start"],
)
class EntityResolver(HasSettings, Pipe):
    """Write clusters that agree as a whole, and quotations with their speakers.

    A document that no `structured_coref` has annotated in this pipeline stays as it is.

    consistent_clusters (bool): Whether clusters are made under agreement of the whole: names, gender, number, nesting,
        known speakers (docs/model.md). If not, they stay as the network links them.
    quotations (bool): Whether quotations are found, and who says them to whom; with `consistent_clusters`, "I" and
        "you" in them follow.
    """

    def __init__(
        self,
        nlp: Language,
        name: str = "entity_resolver",
        *,
        consistent_clusters: bool = True,
        quotations: bool = True,
    ) -> None:
        self.vocab = nlp.vocab
        self.name = name
        self.consistent_clusters = consistent_clusters
        self.quotations = quotations
        self._remember_settings()

    def initialize(self, get_examples: Callable[[], Iterable[Example]], *, nlp: Language | None = None) -> None:
        """Learn from annotated quotations who speaks, if the examples have enough of them."""
        if self.quotations:
            learn_quotations([example.reference for example in get_examples()], self.vocab)

    def __call__(self, doc: Doc) -> Doc:
        """Resolve the mentions of a document that `structured_coref` has scored."""
        found = pop_scored_mentions(doc)
        if found and self.quotations:
            notice_turns(doc)
        for prefix, scored in found.items():
            self._resolve(doc, prefix, scored)
        return doc

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """Serialize the settings that have changed since the pipeline was made."""
        return srsly.json_dumps(self._saved()).encode()

    def from_bytes(self, bytes_data: bytes, *, exclude: Iterable[str] = ()) -> EntityResolver:
        """Load settings, as `to_bytes` has them."""
        self._take_over(bytes_data, "the bytes")
        return self

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
        """Save to a file beside the folders of other components."""
        srsly.write_json(Path(path).with_suffix(".json"), self._saved())

    def from_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> EntityResolver:
        """Load what `to_disk` has saved, if it is there."""
        file = Path(path).with_suffix(".json")
        if file.is_file():
            self._take_over(file.read_bytes(), str(file))
        return self

    def _resolve(self, doc: Doc, prefix: str, scored: ScoredMentions) -> None:
        frames = doc_frames(doc)
        edits = self.consistent_clusters and not scored.is_given
        if edits:
            scored = with_coordinations(doc, without_overruns(doc, scored, frames), frames)
        # Copying thousands of groups takes as long as all else here.
        without = {*frame_keys(doc, find_frame_prefix(doc)), *cluster_keys(doc, prefix)}
        cleaned = clean_doc(doc, without)
        known: Known = {}
        if edits:
            scored = with_missed_names(cleaned, scored, known)
        mentions = _in_words(cleaned, scored.mentions)
        scores = torch.from_numpy(scored.links)
        links = Links(torch.from_numpy(scored.antecedents), scores > -torch.inf, scores)
        found = find_in_words(cleaned) if self.quotations else []
        outer = outer_quotations(found)
        if self.consistent_clusters:
            arguments = find_co_arguments(doc, frames, scored.mentions)
            forms = read_forms(cleaned.doc, mentions, known)
            subjects = find_subjects(cleaned, frames)
            arguments = with_tagged_speakers(cleaned, outer, mentions, forms, arguments, subjects)
            quotations = outer if self.quotations else None
            inner = [(one.start, one.end) for one in found if one.level]
            clustering = consistent_clusters(cleaned, mentions, scored, quotations, arguments, forms, inner, subjects)
            reasons = describe_reasons(cleaned.doc, mentions, clustering.reasons, arguments.apart)
            linked = clustering.antecedents
            scored.write_clusters(doc, prefix, clustering.clusters, linked, links.probabilities(linked), reasons)
            attributions = clustering.attributions
        else:
            clusters = follow_links(links.best(scored.threshold))
            attributions = attribute_quotations(cleaned, outer, mentions, clusters)
        if self.quotations:
            spoken = quotations_of(found, outer, attributions, mentions)
            set_quotations(doc, [one.moved(cleaned.to_source) for one in spoken] if cleaned.is_changed else spoken)


def consistent_clusters(
    cleaned: CleanDoc,
    mentions: Sequence[Mention],
    scored: ScoredMentions,
    quotations: Sequence[Mention] | None = None,
    arguments: CoArguments = NOTHING,
    forms: Sequence[Form] | None = None,
    inner: Sequence[Mention] = (),
    subjects: Mapping[int, int] = NO_SUBJECTS,
) -> Clustering:
    """Cluster the mentions of a document.

    cleaned (CleanDoc): The document. Types of mentions and its labelled spans, or else its entities, tell persons from
        things.
    mentions (Sequence[Mention]): Token offsets in the document without white space, in the order of the text.
    quotations (Sequence[tuple[int, int]] | None): Those to attribute, outer ones, in order. Where the document has
        turns of speakers, "you" follows these. None to attribute nothing.
    arguments (CoArguments): Which of the mentions are two, and one, as frames have it.
    forms (Sequence[Form] | None): The form of each mention, if they were read before.
    inner (Sequence[tuple[int, int]]): Quotations within others, where "I" is not who says the outer one.
    """
    doc = cleaned.doc
    starts = [start for start, _ in mentions]
    forms = read_forms(doc, mentions) if forms is None else forms
    evidence = [form.evidence for form in forms]

    speakers, names = number_speakers(doc)
    turns = [] if quotations is None else find_turns([speaker or None for speaker in speakers.tolist()])
    utterances = [(start, end) for start, end, _ in turns] or quotations or []

    def attribute(clusters: Sequence[int | None], of_speaker: Mapping[int, int]) -> Sequence[Attribution]:
        scene = read_scene(cleaned, utterances, mentions, evidence, clusters, subjects)
        if not turns:
            return Attributor(doc.vocab).attribute(scene)
        return Attributor(doc.vocab).address(scene, [of_speaker[speaker] for *_, speaker in turns])

    quotation_of = quotation_of_words(utterances, len(doc))
    for number, (start, end) in enumerate(() if turns else inner, 2):
        quotation_of[start:end] = [-number] * (end - start)
    facts = Scored(
        mentions=mentions,
        sentences=sentence_numbers(doc)[starts].tolist(),
        speakers=speakers[starts].tolist(),
        quotations=[quotation_of[start] for start in starts],
        antecedents=scored.antecedents,
        scores=scored.links,
        speaker_names=names,
        named={
            number: names.index(name) + 1
            for number, (start, end) in enumerate(mentions)
            if names and not speakers[start] and (name := doc[start:end].text) in names
        },
        labels=_labels(doc, mentions, scored.type_shares()),
        unscored={*np.flatnonzero(~(scored.links > -np.inf).any(axis=1)).tolist()} - {0},
        apart=arguments.apart,
        bound=arguments.bound,
        said=arguments.said,
    )
    reader, types = NameReader(doc.vocab), EntityTypes(doc.vocab)
    found = cluster_mentions(forms, facts, reader, types, scored.threshold, attribute if utterances else None)
    if turns:
        found = found._replace(attributions=attribute_quotations(cleaned, quotations or [], mentions, found.clusters))
    return found


def with_missed_names(cleaned: CleanDoc, scored: ScoredMentions, known: Known | None = None) -> ScoredMentions:
    """Make mentions of the names that are mentions elsewhere in the document."""
    doc, mentions = cleaned.doc, _in_words(cleaned, scored.mentions)
    forms, types, shares = read_forms(doc, mentions, known), EntityTypes(doc.vocab), scored.type_shares()
    names = [number for number, form in enumerate(forms) if form.name is not None]
    own = _labels(doc, [mentions[number] for number in names], [shares[number] for number in names if shares])
    labels = dict(zip(names, own, strict=False))  # none where nothing is labelled
    persons = [
        form.name is not None and (bool(form.name.titles) or types.labelled(labels.get(number, {}))[0] == "person")
        for number, form in enumerate(forms)
    ]
    found = find_missed_names(doc, mentions, forms, persons)
    are_known = {*scored.mentions}
    added = {cleaned.to_source(*place): number for place, number in found.items()}
    added = {place: number for place, number in added.items() if place not in are_known}
    if not added:
        return scored
    scored = with_mentions(scored, added)
    set_mentions(cleaned.source, scored.mentions, scored.scores, scored.mentions_key)
    return scored


def describe_reasons(
    doc: Doc,
    mentions: Sequence[Mention],
    reasons: Sequence[Reason | None],
    predicates: Mapping[int, Mapping[int, str]] = NOTHING.apart,
) -> list[str]:
    """Say in words why mentions were kept apart from the antecedents that the network prefers, or joined without one.

    doc (Doc): The document without white space, so that a reason is the same wherever lines end.
    predicates (Mapping[int, Mapping[int, str]]): What two mentions are arguments of.
    RETURNS (list[str]): Such as 'not "Mr. Elton": is someone of another name'; "" for None.
    """
    texts = []
    for mention, reason in enumerate(reasons):
        if reason is None:
            texts.append("")
        elif reason.refused is None:
            texts.append(WHY[reason.why])
        else:
            start, end = mentions[reason.refused]
            predicate = predicates[mention][reason.refused] if reason.why == "argument" else None
            why = WHY["turn" if predicate == TURN else reason.why] + (f' "{predicate}"' if predicate else "")
            texts.append(f'not "{doc[start:end].text}": {why}')
    return texts


def _labels(
    doc: Doc, mentions: Sequence[Mention], types: Sequence[Mapping[str, float]] = ()
) -> Sequence[Mapping[str, float]]:
    """The labels of each mention, with their probabilities; empty if nothing in the document is labelled.

    Two networks that read the same words are no two witnesses: where a mention has both a type and a label, its labels
    are as probable as both hold them on average.

    types (Sequence[Mapping[str, float]]): The types of each mention; empty if there are none.
    """
    labels = labels_by_span(doc, find_labelled_key(doc))
    if types:
        return [_mean(own, labels.get(mention)) for mention, own in zip(mentions, types, strict=True)]
    if labels:
        return [labels.get(mention, {}) for mention in mentions]
    if not doc.has_annotation("ENT_IOB"):
        return ()
    found = (entity_label([doc[start:end]]) for start, end in mentions)
    return [{label: ENTITY_TRUST} if label else {} for label in found]


def _mean(first: Mapping[str, float], second: Mapping[str, float] | None) -> Mapping[str, float]:
    if not second:
        return first
    mean = {label: p / 2 for label, p in first.items()}
    for label, p in second.items():
        mean[label] = mean.get(label, 0.0) + p / 2
    return mean


def _in_words(cleaned: CleanDoc, mentions: Sequence[Mention]) -> list[Mention]:
    """The places of mentions in the document without white space."""
    if not cleaned.is_changed:
        return list(mentions)
    edges = np.searchsorted(cleaned.places, np.array(mentions, dtype=np.int64).reshape(-1, 2))
    return [(start, end) for start, end in edges.tolist()]
