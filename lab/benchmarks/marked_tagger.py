"""The tagger of semantic roles that most people would take, trained and scored beside `structured_srl`.

    python -m lab marked-tagger encoders/minilm corpus/ewt/train.spacy corpus/ewt/dev.spacy --epochs 5

The encoder reads each sentence once for each of its predicates, to whose subwords one learnt vector is added, so that
every other vector knows which predicate is meant. A linear layer gives each word a tag, O, B-role or I-role, and the
best well-formed tags are the arguments (Shi and Lin 2019, "Simple BERT Models for Relation Extraction and Semantic Role
Labeling", without their LSTM). Predicates, words and sentences are gold, as in `evaluate --gold-predicates`.

All weights are trained with AdamW, a linear warm-up over a tenth of the updates and a linear decay. On a CPU that has
bfloat16, the encoder computes in it, as the pipelines do.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, NamedTuple

import torch
import typer
from spacy.vocab import Vocab
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence
from tqdm import tqdm

from spacy_span_selector.annotation import Frame, get_frames
from spacy_span_selector.examples.corpus import read_docs
from spacy_span_selector.scoring.metrics.srl import Proposition, SrlScores

from ..baselines.bio import count_tags, decode_tags, encode_tags, read_tags
from ..measuring import Threads, print_header, print_row, set_threads

WORDS_AT_ONCE = 4096
"""Words of a batch at prediction, padding among them."""


class Task(NamedTuple):
    """A predicate in its sentence.

    document (int): The number of its document.
    offset (int): The token at which the sentence starts.
    words (list[str]): The sentence.
    predicate (tuple[int, int]): First and last word of the predicate, in the sentence.
    frame (Frame): The gold frame.
    """

    document: int
    offset: int
    words: list[str]
    predicate: tuple[int, int]
    frame: Frame


class MarkedTagger(nn.Module):
    """An encoder that knows the predicate by a vector added to it, and a layer of tags.

    encoder (Path): Folder of a pretrained encoder.
    roles (Sequence[str]): The roles.
    layers (int): How many of the encoder's layers it has, the lowest; 0 for all.
    """

    def __init__(self, encoder: Path, roles: Sequence[str], layers: int = 0) -> None:
        from transformers import AutoModel, AutoTokenizer

        super().__init__()
        lowest = {"num_hidden_layers": layers} if layers else {}
        self.tokenizer = AutoTokenizer.from_pretrained(encoder, local_files_only=True)
        self.encoder = AutoModel.from_pretrained(encoder, local_files_only=True, add_pooling_layer=False, **lowest)
        words = self.encoder.get_input_embeddings().weight
        self.mark = nn.Parameter(torch.randn(words.shape[1]) * words.std().item())
        self.roles = list(roles)
        self.dropout = nn.Dropout(0.1)
        self.tags = nn.Linear(self.encoder.config.hidden_size, count_tags(len(roles)))

    def forward(self, tasks: Sequence[Task]) -> tuple[Tensor, Tensor]:
        """Log probabilities of tags, and the number of words. Shapes: (tasks, words, tags) and (tasks,)"""
        batch = self.tokenizer(
            [task.words for task in tasks], is_split_into_words=True, padding=True, truncation=True, return_tensors="pt"
        )
        rows = [_first_pieces(batch.word_ids(i), len(task.words)) for i, task in enumerate(tasks)]
        marked = torch.zeros_like(batch["input_ids"], dtype=torch.float32)
        for i, task in enumerate(tasks):
            first, last = task.predicate
            for place, word in enumerate(batch.word_ids(i)):
                marked[i, place] = word is not None and first <= word <= last
        embeddings = self.encoder.get_input_embeddings()(batch["input_ids"]) + marked[:, :, None] * self.mark
        with torch.autocast("cpu", torch.bfloat16):
            vectors = self.encoder(attention_mask=batch["attention_mask"], inputs_embeds=embeddings).last_hidden_state
        of_words = pad_sequence([vectors[i, row].float() for i, row in enumerate(rows)], batch_first=True)
        lengths = torch.tensor([len(task.words) for task in tasks])
        return self.tags(self.dropout(of_words)).log_softmax(dim=2), lengths

    def loss(self, tasks: Sequence[Task]) -> Tensor:
        """The negative log-likelihood of the gold tags, per word."""
        numbers = {role: i for i, role in enumerate(self.roles)}
        log_tags, _ = self(tasks)
        gold = pad_sequence([_gold_tags(task, numbers) for task in tasks], batch_first=True, padding_value=-1)
        return nn.functional.nll_loss(log_tags.flatten(0, 1), gold.flatten(), ignore_index=-1, reduction="mean")

    @torch.inference_mode()
    def predict(self, tasks: Sequence[Task]) -> list[list[tuple[tuple[int, int], str]]]:
        """The arguments of each predicate, as tokens of the document, end exclusive, with their roles."""
        log_tags, lengths = self(tasks)
        rows = decode_tags(log_tags, lengths).tolist()
        return [_arguments(row, task.offset, self.roles) for row, task in zip(rows, tasks, strict=True)]


def read_tasks(path: Path) -> list[Task]:
    """Every predicate of a .spacy file, in its sentence."""
    tasks = []
    for number, doc in enumerate(read_docs(path, Vocab())):
        starts = {token.i: sentence for sentence in doc.sents for token in sentence}
        for frame in get_frames(doc):
            sentence = starts[frame.start]
            place = (frame.start - sentence.start, min(frame.end, sentence.end) - 1 - sentence.start)
            tasks.append(Task(number, sentence.start, [token.text for token in sentence], place, frame))
    return tasks


def batches(tasks: Sequence[Task], words: int) -> Iterator[list[Task]]:
    """Tasks of like lengths together, the longest first, with at most so many words, padding among them."""
    batch: list[Task] = []
    for task in sorted(tasks, key=lambda task: -len(task.words)):
        if batch and len(batch[0].words) * (len(batch) + 1) > words:
            yield batch
            batch = []
        batch.append(task)
    if batch:
        yield batch


def score(tagger: MarkedTagger, tasks: Sequence[Task]) -> tuple[SrlScores, float]:
    """The scores of a tagger, and how many words of text it annotates per second of the CPU."""
    tagger.eval()
    start = time.process_time()
    found = {id(task): arguments for batch in batches(tasks, WORDS_AT_ONCE) for task, arguments in _both(tagger, batch)}
    seconds = time.process_time() - start
    scores = SrlScores()
    for number in range(1 + max(task.document for task in tasks)):
        own = [task for task in tasks if task.document == number]
        gold = [Proposition(task.frame[:2], [(a[:2], a[2]) for a in task.frame.arguments]) for task in own]
        predicted = [Proposition(task.frame[:2], found[id(task)]) for task in own]
        scores.add_document(gold, predicted)
    sentences = {(task.document, task.offset): len(task.words) for task in tasks}
    return scores, sum(sentences.values()) / seconds


def train(tagger: MarkedTagger, tasks: Sequence[Task], *, epochs: int, words: int, learn_rate: float) -> None:
    """Train a tagger.

    epochs (int): How often each predicate is seen.
    words (int): Words of a batch, padding among them.
    learn_rate (float): The greatest rate.
    """
    steps = epochs * sum(1 for _ in batches(tasks, words))
    optimizer = torch.optim.AdamW(tagger.parameters(), lr=learn_rate, weight_decay=0.01, fused=True)
    warmup = max(1, steps // 10)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min((step + 1) / warmup, (steps - step) / max(1, steps - warmup))
    )
    tagger.train()
    progress = tqdm(total=steps, mininterval=10)
    for _ in range(epochs):
        epoch = list(batches(tasks, words))
        random.shuffle(epoch)
        for batch in epoch:
            optimizer.zero_grad()
            tagger.loss(batch).backward()
            nn.utils.clip_grad_norm_(tagger.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            progress.update()
    progress.close()


def main(
    encoder: Annotated[Path, typer.Argument(help="Folder of a pretrained encoder")],
    train_data: Annotated[Path, typer.Argument(help="A .spacy file to train on", metavar="TRAIN.spacy")],
    test_data: Annotated[list[Path], typer.Argument(help="Files to score", metavar="DATA.spacy...")],
    layers: Annotated[int, typer.Option(help="How many layers of the encoder, the lowest; 0 for all")] = 0,
    epochs: Annotated[int, typer.Option(help="How often each predicate is seen")] = 5,
    words: Annotated[int, typer.Option(help="Words of a batch, padding among them")] = 1280,
    learn_rate: Annotated[float, typer.Option(help="The greatest learning rate")] = 2e-4,
    seed: Annotated[int, typer.Option(help="Seed of everything random")] = 0,
    threads: Threads = 1,
) -> None:
    """Train and score a tagger whose encoder reads each sentence once for each predicate."""
    set_threads(threads)
    random.seed(seed)
    torch.manual_seed(seed)
    tasks = read_tasks(train_data)
    roles = Counter(argument.role for task in tasks for argument in task.frame.arguments)
    tagger = MarkedTagger(encoder, [role for role, _ in roles.most_common()], layers)
    train(tagger, tasks, epochs=epochs, words=words, learn_rate=learn_rate)
    print_header("data", "P", "R", "F1", "F1 of spans", "words per CPU s", texts=1)
    for path in test_data:
        scores, speed = score(tagger, read_tasks(path))
        labelled = scores.labelled
        shares = (labelled.precision, labelled.recall, labelled.f1, scores.unlabelled.f1)
        print_row(str(path), *(f"{100 * share:.1f}" for share in shares), f"{speed:,.0f}")


def _both(tagger: MarkedTagger, batch: list[Task]) -> Iterator[tuple[Task, list[tuple[tuple[int, int], str]]]]:
    yield from zip(batch, tagger.predict(batch), strict=True)


def _first_pieces(words: Sequence[int | None], count: int) -> list[int]:
    """The place of the first subword of each word; a word without any has that of the word before."""
    first: dict[int, int] = {}
    for place, word in enumerate(words):
        if word is not None:
            first.setdefault(word, place)
    rows, last = [], 0
    for word in range(count):
        last = first.get(word, last)
        rows.append(last)
    return rows


def _gold_tags(task: Task, numbers: dict[str, int]) -> Tensor:
    inside = [
        (start - task.offset, end - 1 - task.offset, numbers[role])
        for start, end, role in task.frame.arguments
        if role in numbers and task.offset <= start and end <= task.offset + len(task.words)
    ]
    starts, ends, roles = torch.tensor(inside, dtype=torch.long).view(-1, 3).T
    return encode_tags(starts, ends, roles, len(task.words))


def _arguments(tags: Sequence[int], offset: int, roles: Sequence[str]) -> list[tuple[tuple[int, int], str]]:
    return [((offset + start, offset + end + 1), roles[role]) for start, end, role in read_tags(tags)]
