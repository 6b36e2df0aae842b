"""Speed and peak memory of the paper's released code and of a pipeline of ours, with the same encoder.

    git clone https://github.com/lyutyuh/structured-span-selector released
    pip install pyhocon
    python -m lab.benchmarks.released released encoders/minilm training/litbank0/model-best corpus/litbank0/test.spacy

The released code annotates one document at a time, as in its own evaluation, on the CPU in float32, with its
configurations `spanbert_base` ("structured") and `spanbert_base_greedy` ("greedy"), but with our encoder: segments of
384 subwords, spans of up to 30, networks of width 3,000, 50 antecedents. Its time starts from its input tensors, ours
from the text. Words are those of the corpus for both. All systems alternate in one process, and each ratio is that of
one turn; peak memory is in addition to that of the loaded model after annotating a short document, and is measured in a
separate process for each document.

There is no checkpoint, so its heads are random. Random heads cost the same as trained ones, except for the number of
spans that the best trees keep. With random scores that is more than one per word, which takes far more time and memory
in the linker, so scores are shifted until as many are kept as with trained ones, `SPANS_PER_WORD`. `--spans-per-word 0`
leaves them unchanged. Greedy keeps 0.4 per subword whatever the scores.

Changes at run time that make the code run at all, none of which makes it slower:
- its chart is a CUDA kernel of https://github.com/lyutyuh/genbmm, which has no CPU version: `InsideStep` computes
  the same in plain torch. "structured, io" uses `CKY.io` instead, the code's own, slower chart in plain torch;
- `collections.Iterable`, which Python no longer has, is that of `collections.abc`;
- the tokenizer that it downloads, only to look up [CLS] and [SEP], is that of the encoder;
- `Tensor.cuda`, with which it moves the best trees to the GPU, leaves a tensor where it is.
"""

from __future__ import annotations

import collections.abc
import importlib
import logging
import sys
import warnings
from bisect import bisect_left
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any, NamedTuple
from unittest.mock import patch

import torch
import typer
from spacy.tokens import Doc
from spacy.vocab import Vocab
from torch import Tensor
from torch.autograd.function import once_differentiable
from transformers import AutoTokenizer, BertTokenizer

from spacy_span_selector.annotation import get_sentences
from spacy_span_selector.cli._app import friendly_errors, read_spacy_file
from spacy_span_selector.wcfg import best_spans

from .measuring import (
    MB,
    Memory,
    Spread,
    in_fresh_process,
    measure_memory,
    print_header,
    print_row,
    ratios,
    set_threads,
    take_turns,
)
from .pipelines import load_pipeline, selector_pipes

FILES = ("experiments.conf", "model.py", "util.py", "outside_mp.py", "greedy_mp.py", "bert_modelling.py")

CONFIGURATIONS = {
    "structured": "spanbert_base",
    "structured, io": "spanbert_base",
    "greedy": "spanbert_base_greedy",
}
"""The configuration of each variant of the released code."""

OURS = "ours"

SPANS_PER_WORD = 0.158
"""The spans per word that the best trees of a selector trained on LitBank keep in its test documents."""

SHORT = 50
"""Words of the document that is annotated before measuring."""

SPECIAL_PIECES = 3  # [CLS], the genre and [SEP]
GENRE = "[unused20]"  # the token of its first genre
PADDING, SPECIAL, ONLY_SPEAKER = 0, 1, 2  # speaker ids

Annotate = Callable[[], int]
"""Annotates a document and returns the number of spans that were kept."""

Segments = list[list[tuple[int, int]]]
"""The id of each subword and the number of its sentence."""


class Setting(NamedTuple):
    """The systems and documents to compare: see `main`."""

    checkout: Path
    encoder: Path
    model: Path
    data: Path
    documents: int
    words: int
    spans_per_word: float
    threads: int

    def read(self) -> list[Doc]:
        """The gold documents, or the beginning of each."""
        docs = [doc for doc in read_spacy_file(self.data, Vocab()) if len(doc)][: self.documents]
        if not docs:
            raise ValueError(
                f"{self.data} has no documents with words. Expected a .spacy file, as 'convert' writes it."
            )
        return [doc[: self.words or len(doc)].as_doc() for doc in docs]


class Times(NamedTuple):
    """The words of each round of each document, and the seconds by system."""

    words: list[int]
    seconds: dict[str, list[float]]


class Peak(NamedTuple):
    """The memory of annotating one document, and the number of spans kept per word."""

    memory: Memory
    spans_per_word: float


def main(
    checkout: Annotated[Path, typer.Argument(metavar="CHECKOUT", help="The released code, as git clones it")],
    encoder: Annotated[Path, typer.Argument(metavar="ENCODER", help="The folder of the encoder of MODEL, a BERT")],
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A trained pipeline of ours with structured_coref")],
    data: Annotated[Path, typer.Argument(metavar="DATA.spacy", help="A corpus with sentence boundaries")],
    documents: Annotated[int, typer.Option(help="Number of documents of the corpus")] = 3,
    words: Annotated[int, typer.Option(help="Number of words to use from the start of each; 0 for all")] = 0,
    spans_per_word: Annotated[
        float, typer.Option(help="Spans that its best trees keep; 0 for as many as random scores give")
    ] = SPANS_PER_WORD,
    threads: Annotated[int, typer.Option(help="Threads of torch; 0 for its default")] = 2,
    repeats: Annotated[int, typer.Option(help="Number of timed repetitions")] = 3,
) -> None:
    """Print a table."""
    setting = Setting(checkout, encoder, model, data, documents, words, spans_per_word, threads)
    with friendly_errors():
        find_released(checkout)
        docs = setting.read()
        times = in_fresh_process(measure_times, setting, repeats)
        peaks = {
            system: [in_fresh_process(measure_peak, setting, system, number) for number in range(len(docs))]
            for system in times.seconds
        }
    print_header(
        *("system", "documents", "words", "seconds per document", "words/s", "ours, times as fast"),
        *("loaded, MB", "peak, MB", "peak / ours", "spans per word"),
        texts=1,
    )
    ours = peaks[OURS]
    for system, seconds in times.seconds.items():
        own = peaks[system]
        print_row(
            *(system, f"{len(docs):,}", f"{sum(map(len, docs)):,}", Spread.of(seconds).format(".2f")),
            Spread.of([words / second for words, second in zip(times.words, seconds, strict=True)]).format(",.0f"),
            ratios(seconds, times.seconds[OURS]).format(".1f"),
            f"{Spread.of([peak.memory.before / MB for peak in own]).median:,.0f}",
            Spread.of([peak.memory.peak / MB for peak in own]).format(",.0f"),
            ratios([peak.memory.peak for peak in own], [peak.memory.peak for peak in ours]).format(".1f"),
            Spread.of([peak.spans_per_word for peak in own]).format(".2f"),
        )


def measure_times(setting: Setting, repeats: int) -> Times:
    """Time all systems in this process."""
    docs = setting.read()
    systems = {name: load(name, setting, docs[0]) for name in (OURS, *CONFIGURATIONS)}
    times = Times([], {name: [] for name in systems})
    for number, doc in enumerate(docs, 1):
        rounds = take_turns([prepare(doc) for prepare in systems.values()], repeats)
        for own, seconds in zip(times.seconds.values(), rounds, strict=True):
            own.extend(seconds)
        times.words.extend([len(doc)] * repeats)
        typer.echo(f"{number} of {len(docs)} documents timed", err=True)
    return times


def measure_peak(setting: Setting, system: str, number: int) -> Peak:
    """Measure the memory of annotating a document in this process, which must be new."""
    docs = setting.read()
    doc = docs[number]
    annotate = load(system, setting, docs[0])(doc)
    spans: list[int] = []
    memory = measure_memory(lambda: spans.append(annotate()))
    return Peak(memory, spans[0] / len(doc))


def load(system: str, setting: Setting, first: Doc) -> Callable[[Doc], Annotate]:
    """Load a model and let it annotate the beginning of a document.

    RETURNS (Callable[[Doc], Annotate]): A function that prepares a document, which is not timed.
    """
    set_threads(setting.threads)
    prepare = load_ours(setting.model) if system == OURS else load_released(setting, system)
    prepare(first[:SHORT].as_doc())()
    return prepare


def load_ours(path: Path) -> Callable[[Doc], Annotate]:
    """Our side, which annotates the text of a document."""
    nlp = load_pipeline(path, threads=0, gpu_id=-1)
    pipes = selector_pipes(nlp)

    def prepare(doc: Doc) -> Annotate:
        text = doc.text

        def annotate() -> int:
            annotated = nlp(text)
            return sum(len(annotated.spans[pipe.settings.selected_key]) for pipe in pipes.values())

        return annotate

    return prepare


def load_released(setting: Setting, variant: str) -> Callable[[Doc], Annotate]:
    """The released code, which annotates the tensors of a document."""
    import_module = import_released(setting.checkout, setting.encoder)
    configurations = import_module("pyhocon").ConfigFactory.parse_file(str(setting.checkout / "experiments.conf"))
    configuration = configurations[CONFIGURATIONS[variant]]
    configuration["bert_pretrained_name_or_path"] = str(setting.encoder)
    torch.manual_seed(0)
    model = import_module("model").CorefModel(configuration, torch.device("cpu")).eval()
    if variant == "structured, io":
        chart = model.mention_proposer.cky_module
        chart.coolio = chart.io
    tokenizer = AutoTokenizer.from_pretrained(setting.encoder)

    def prepare(doc: Doc) -> Annotate:
        inputs = tensorize(doc, tokenizer, configuration["max_segment_len"])
        if variant != "greedy" and setting.spans_per_word:
            bias = model.span_emb_score_ffnn[-1].bias.data[1]
            spans, scores = scores_of_grammar(model, inputs)
            bias -= find_shift(spans, scores, inputs[5], round(setting.spans_per_word * len(doc)))
        shifted = model.span_emb_score_ffnn[-1].bias.data.clone()

        def annotate() -> int:
            model.span_emb_score_ffnn[-1].bias.data.copy_(shifted)
            with torch.no_grad():
                *_, starts, ends, antecedents, antecedent_scores = model(*inputs)
            starts, ends = starts.tolist(), ends.tolist()
            model.get_predicted_clusters(starts, ends, antecedents, antecedent_scores)
            return len(starts)

        return annotate

    return prepare


def find_released(checkout: Path) -> None:
    """Raise an error unless the released code can be imported."""
    missing = [name for name in FILES if not (checkout / name).is_file()]
    if missing:
        raise FileNotFoundError(
            f"{checkout} lacks {', '.join(missing)}. Expected the released code: "
            "git clone https://github.com/lyutyuh/structured-span-selector"
        )
    if find_spec("pyhocon") is None:
        raise ImportError(f"{checkout / 'experiments.conf'} cannot be read without pyhocon: pip install pyhocon")


def import_released(checkout: Path, encoder: Path) -> Callable[[str], ModuleType]:
    """Make the modules of the released code importable in this process, with the changes listed above.

    RETURNS (Callable[[str], ModuleType]): A function that imports one of them, or one of their imports.
    """
    find_released(checkout)
    logging.disable(logging.INFO)
    warnings.simplefilter("ignore", FutureWarning)
    vars(collections)["Iterable"] = collections.abc.Iterable
    genbmm: Any = ModuleType("genbmm")
    genbmm.logbmm, genbmm.logbmminside_rule = None, InsideStep.apply  # the first is imported, but not used
    sys.modules["genbmm"] = genbmm
    Tensor.cuda = lambda tensor: tensor  # type: ignore[assignment, misc]
    if str(checkout) not in sys.path:
        sys.path.insert(0, str(checkout))
    tokenizer = BertTokenizer.from_pretrained(encoder)
    with patch.object(BertTokenizer, "from_pretrained", lambda _name: tokenizer):
        importlib.import_module("model")
    return importlib.import_module


class InsideStep(torch.autograd.Function):
    """The inside weights of all spans of one width from those of narrower ones: computes the same as
    `logbmminside_rule` of genbmm, forward and backward."""

    @staticmethod
    def forward(context: Any, inside: Tensor, node: Tensor, width: int) -> Tensor:
        """Fill in a diagonal of a chart.

        inside (Tensor): Log weights, of which those of the spans (i, j) with `j - i < width` are known.
            Shape: (sentences, n, n)
        node (Tensor): Log weight of each span by itself. Shape: (sentences, n, n)
        width (int): The width of the spans (i, i + width).
        RETURNS (Tensor): A new chart. Shape: (sentences, n, n)
        """
        left, right = _splits(inside, width)
        filled = inside.clone()
        weights = (left + right).logsumexp(-1) + node.diagonal(width, 1, 2)
        filled.diagonal(width, 1, 2).copy_(weights)
        context.save_for_backward(inside)
        context.width = width
        return filled

    @staticmethod
    @once_differentiable
    def backward(context: Any, gradient: Tensor) -> tuple[Tensor, Tensor, None]:
        """The gradients with respect to both charts."""
        (inside,), width = context.saved_tensors, context.width
        of_width = gradient.diagonal(width, 1, 2)
        left, right = _splits(inside, width)
        of_splits = (left + right).softmax(-1) * of_width[..., None]
        by_inside, by_node = gradient.clone(), torch.zeros_like(gradient)
        by_inside.diagonal(width, 1, 2).zero_()
        for part in _splits(by_inside, width):
            part.add_(of_splits)
        by_node.diagonal(width, 1, 2).copy_(of_width)
        return by_inside, by_node, None


def _splits(chart: Tensor, width: int) -> tuple[Tensor, Tensor]:
    """Views of the left and the right parts (i, k) and (k + 1, i + width) of all spans (i, i + width).

    RETURNS (tuple[Tensor, Tensor]): The parts. Shape: (sentences, n - width, width) each
    """
    sentences, n, _ = chart.shape
    shape = (sentences, n - width, width)
    left = chart.as_strided(shape, (n * n, n + 1, 1))
    return left, chart.as_strided(shape, (n * n, n + 1, n), n + width)


def tensorize(doc: Doc, tokenizer: Any, segment_length: int) -> list[Tensor]:
    """The input of the released model for a document without annotation or speakers.

    doc (Doc): The document, with its sentences.
    tokenizer (Any): The tokenizer of the encoder.
    segment_length (int): The number of subwords in a segment, including the special ones.
    RETURNS (list[Tensor]): Ids of subwords, their mask and their speakers, each of shape (segments, segment_length);
        the number of subwords in each segment; genre; the sentence of each subword that is not masked; whether this is
        training.
    """
    sentences = [
        [tokenizer.encode(token.text, add_special_tokens=False) for token in sentence if not token.is_space]
        for sentence in get_sentences(doc)
    ]
    segments = split_into_segments(sentences, segment_length - SPECIAL_PIECES)
    first, genre, last = tokenizer.convert_tokens_to_ids(["[CLS]", GENRE, "[SEP]"])
    ids = torch.zeros((len(segments), segment_length), dtype=torch.long)
    mask, speakers = torch.zeros_like(ids), torch.full_like(ids, PADDING)
    for row, segment in enumerate(segments):
        length = len(segment) + SPECIAL_PIECES
        ids[row, :length] = torch.tensor([first, genre, *(piece for piece, _ in segment), last])
        mask[row, :length] = 1
        speakers[row, :length] = torch.tensor([SPECIAL, SPECIAL, *[ONLY_SPEAKER] * len(segment), SPECIAL])
    lengths, numbers = mask.sum(1), torch.tensor(sentence_numbers(segments))
    return [ids, mask, speakers, lengths, torch.tensor(0), numbers, torch.tensor(False)]


def split_into_segments(sentences: Sequence[Sequence[Sequence[int]]], length: int) -> Segments:
    """Divide subwords into segments as the released code does: each ends with the last sentence that fits or, in a
    longer sentence, with the last word that fits.

    sentences (Sequence[Sequence[Sequence[int]]]): The subwords of each word of each sentence.
    length (int): The maximum number of subwords in a segment.
    RETURNS (Segments): The segments; sentences are counted from 0, without those that have no subwords.
    """
    segments: Segments = [[]]
    sentences = [sentence for sentence in sentences if any(sentence)]
    for number, sentence in enumerate(sentences):
        if len(segments[-1]) + sum(map(len, sentence)) > length:
            segments.append([])
        for word in sentence:
            if len(segments[-1]) + len(word) > length:
                segments.append([])
            segments[-1].extend((piece, number) for piece in word)
    return [segment for segment in segments if segment]


def sentence_numbers(segments: Segments) -> list[int]:
    """The sentence of every subword, as the released code counts: special tokens at the start of a segment belong to
    the sentence of the next subword, and so does [SEP]."""
    numbers: list[int] = []
    for segment in segments:
        first = segment[0][1]
        numbers += [first] * (3 if numbers else 2)  # [SEP] of the segment before, [CLS], genre
        numbers += [number for _, number in segment]
    return [*numbers, numbers[-1] + 1]


class _Scored(Exception):
    """Stops a model after it has scored its spans."""


def scores_of_grammar(model: Any, inputs: Sequence[Tensor]) -> tuple[Tensor, Tensor]:
    """Spans as (first, last) subwords, and their scores in the grammar. Shapes: (spans, 2) and (spans,)"""

    def stop(_module: Any, arguments: tuple[Tensor, ...]) -> None:
        raise _Scored(*arguments[:2])

    handle = model.mention_proposer.register_forward_pre_hook(stop)
    try:
        with torch.no_grad():
            model(*inputs)
    except _Scored as scored:
        spans, scores = scored.args
        return spans, scores.flatten()
    finally:
        handle.remove()
    raise RuntimeError("the released model has not called its mention proposer")


def find_shift(spans: Tensor, scores: Tensor, sentences: Tensor, kept: int) -> float:
    """The number to subtract from all scores so that the best trees of a document keep a number of spans.

    spans (Tensor): First and last token of each span in the document. Shape: (spans, 2)
    scores (Tensor): The score of each span. Shape: (spans,)
    sentences (Tensor): The number of the sentence of each token, from 0. Shape: (tokens,)
    kept (int): The number of spans to keep.
    RETURNS (float): The score of a span; spans with higher scores are kept if a tree can have them.
    """
    lengths = sentences.bincount()
    offsets = lengths.cumsum(0) - lengths
    first, last = spans.T
    number = sentences[first]
    chart = scores.new_full((len(lengths), int(lengths.max()), int(lengths.max())), -torch.inf)
    chart[number, first - offsets[number], last - offsets[number]] = scores
    ordered = scores.sort(descending=True).values

    def count_kept(above: int) -> int:
        return sum(map(len, best_spans(chart - ordered[above], lengths)))

    above = bisect_left(range(len(ordered) - 1), kept, lo=min(kept, len(ordered) - 1), key=count_kept)
    return float(ordered[above])


if __name__ == "__main__":
    typer.run(main)
