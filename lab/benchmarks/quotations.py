"""Who speaks: accuracy of the speakers and addressees of quotations, and what it does to coreference.

python -m lab quotations training/litbank0/model-best corpus/litbank0/dev.spacy [more.spacy ...]

Documents are given their words, sentences and paragraphs. A gold quotation is right if the one that was found, sharing
half of its words or more, has the right speaker: "mention", the mention that it names is one of the gold speaker's;
"cluster", most gold mentions of its predicted cluster are. One that is not found is wrong. The kinds: explicit, a name
or a noun with a verb of speech beside it; pronoun, a pronoun with one; implicit, all others. An addressee is known
where "you" in a quotation has one gold cluster. "I" and "you" in quotations are right, "link", if the antecedent that
they were linked to is of their gold cluster, or they have none and are its first mention; "cluster", if most gold
mentions in their predicted cluster, they apart, are of their gold cluster. With `--gold-mentions`, mentions are given.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import spacy
import typer
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from spacy_span_selector.annotation import (
    Mention,
    Quotation,
    cluster_groups,
    get_antecedents,
    get_clusters,
    get_quotations,
)
from spacy_span_selector.documents.given import GivenAnnotation
from spacy_span_selector.documents.quotations import quotation_numbers
from spacy_span_selector.examples.corpus import PreannotatedCorpus
from spacy_span_selector.language import SPEECH_VERBS, language_table
from spacy_span_selector.people.clustering import read_forms

NEAR = 5
TALK = ("1 singular", "2")
Clusters = list[list[Mention]]


class Counts(Counter[str]):
    """How many there are, and how many are right, by name."""

    def add(self, name: str, is_right: bool) -> None:
        self[name] += 1
        self[f"{name} right"] += is_right

    def show(self, name: str) -> str:
        return f"{100 * self[f'{name} right'] / self[name]:5.1f} ({self[name]})" if self[name] else "    -"


def owners(clusters: Clusters, gold: dict[Mention, int]) -> list[Counter[int]]:
    """How many mentions of each gold cluster each predicted cluster has."""
    return [Counter(gold[mention] for mention in cluster if mention in gold) for cluster in clusters]


def count(predicted: Doc, reference: Doc, counts: Counts) -> None:
    """Count what is right in a document."""
    gold = {mention: number for number, cluster in enumerate(get_clusters(reference)) for mention in cluster}
    clusters = get_clusters(predicted)
    cluster_of = {mention: number for number, cluster in enumerate(clusters) for mention in cluster}
    antecedents = {
        mention: None if number is None else cluster[number]
        for group, cluster in zip(cluster_groups(predicted), clusters, strict=True)
        for mention, number in zip(cluster, get_antecedents(group) or [], strict=False)
    }
    own = owners(clusters, gold)
    mentions = sorted(gold)
    evidence = dict(zip(mentions, (form.evidence for form in read_forms(reference, mentions)), strict=True))
    found = get_quotations(predicted)

    def owner(mention: Mention | None) -> int | None:
        best = own[cluster_of[mention]].most_common(1) if mention in cluster_of else []
        return best[0][0] if best else None

    quotations = get_quotations(reference)
    for quotation in quotations:
        match = best_match(quotation, found)
        speaker = None if quotation.speaker is None else gold.get(quotation.speaker)
        if speaker is None:  # nobody knows
            continue
        kind = kind_of(reference, quotation, [m for m in mentions if gold[m] == speaker], evidence)
        named = None if match is None or match.speaker is None else match.speaker
        for name in ("all", kind):
            counts.add(f"{name}, mention", named is not None and gold.get(named) == speaker)
            counts.add(f"{name}, cluster", named is not None and owner(named) == speaker)
        inside = [m for m in mentions if quotation.start <= m[0] < quotation.end and evidence[m] == "2"]
        if len({gold[m] for m in inside}) == 1:
            to = None if match is None else match.addressee
            counts.add("addressee, cluster", to is not None and owner(to) == gold[inside[0]])
    counts["found"] += sum(best_match(quotation, quotations) is not None for quotation in found)
    counts["all found"] += len(found)
    quoted = quotation_numbers(reference) > 0
    for mention in mentions:
        if evidence[mention] in TALK and quoted[mention[0]]:
            others = Counter(own[cluster_of[mention]]) if mention in cluster_of else Counter()
            others[gold[mention]] -= 1
            alone = sum(number == gold[mention] for number in gold.values()) == 1
            best = max(others, key=others.__getitem__, default=None)
            is_right = alone if best is None or others[best] <= 0 else best == gold[mention]
            counts.add(f"{evidence[mention]}, cluster", mention in cluster_of and is_right)
            antecedent = antecedents.get(mention)
            is_first = not any(gold[other] == gold[mention] for other in mentions if other < mention)
            is_right = is_first if antecedent is None else gold.get(antecedent) == gold[mention]
            counts.add(f"{evidence[mention]}, link", mention in cluster_of and is_right)


def best_match(quotation: Quotation, others: Sequence[Quotation]) -> Quotation | None:
    """The quotation that shares most words, if these are half of those of either."""

    def shared(other: Quotation) -> int:
        return min(quotation.end, other.end) - max(quotation.start, other.start)

    best = max(others, key=shared, default=None)
    if best is None or 2 * shared(best) < min(quotation.end - quotation.start, best.end - best.start):
        return None
    return best


def kind_of(doc: Doc, quotation: Quotation, mentions: Sequence[Mention], evidence: dict[Mention, str]) -> str:
    """How the text says who speaks."""
    verbs = language_table(doc.vocab, SPEECH_VERBS)
    beside = [*range(max(0, quotation.start - NEAR), quotation.start)]
    beside += [*range(quotation.end, min(len(doc), quotation.end + NEAR))]
    if not any(doc[i].lower_ in verbs for i in beside):
        return "implicit"
    near = [mention for mention in mentions if mention[0] in beside or mention[1] - 1 in beside]
    if not near:
        return "implicit"
    return "pronoun" if all(evidence[mention][:1] in "123" for mention in near) else "explicit"


def annotate(nlp: Language, paths: Sequence[Path], gold_mentions: bool) -> Iterator[Example]:
    """The documents, annotated."""
    for path in paths:
        given = GivenAnnotation(sentences=True, mentions=gold_mentions, speakers=True)
        examples = list(PreannotatedCorpus(path, given)(nlp))
        for example, doc in zip(examples, nlp.pipe([example.predicted for example in examples]), strict=True):
            example.predicted = doc
            yield example


def main(
    model: Annotated[Path, typer.Argument(help="A trained pipeline with structured_coref")],
    corpora: Annotated[
        list[Path], typer.Argument(metavar="DATA.spacy...", help="Files with gold clusters and quotations")
    ],
    gold_mentions: Annotated[bool, typer.Option("--gold-mentions", help="Give the pipeline the mentions")] = False,
) -> None:
    """Print accuracies without and with quotations."""
    nlp = spacy.load(model, exclude=["structured_srl"])
    pipe: Any = nlp.get_pipe("structured_coref")
    resolver: Any = nlp.get_pipe("entity_resolver")
    for quotations in (False, True):
        resolver.configure(consistent_clusters=True, quotations=quotations)
        counts = Counts()
        examples = list(annotate(nlp, corpora, gold_mentions))
        for example in examples:
            count(example.predicted, example.reference, counts)
        scores = pipe.score(examples)
        typer.echo(f"quotations = {quotations}: CoNLL F1 {100 * scores['coref_f']:.2f}")
        for name in TALK:
            word = "I" if name[0] == "1" else "you"
            typer.echo(f"  {word} in quotations {counts.show(f'{name}, link')} {counts.show(f'{name}, cluster')}")
        if quotations:
            for name in ("all", "explicit", "pronoun", "implicit"):
                typer.echo(f"  speakers, {name}: {counts.show(f'{name}, mention')} {counts.show(f'{name}, cluster')}")
            typer.echo(f"  addressees {counts.show('addressee, cluster')}")
            typer.echo(f"  found quotations that are gold ones: {counts['found']} of {counts['all found']}")
