"""Who is who in a whole novel: is each person one cluster, and does it hold nobody else?

    python -m lab casts training/litbank0/model-best --novels novels 158_emma
    python -m lab casts MODEL --novels novels 158_emma --largest 5 \
        --components.structured_coref.link_threshold 1

`casts.json` has names that mean one person throughout a novel, and longer pieces of text in which they mean others. The
folder has the texts as `158_emma.txt`: those of LitBank, github.com/dbamman/litbank, in `original/`.

Scores are B3 over the places of these names; a place without a mention is a cluster of its own. "exact" counts mentions
that are a name and nothing else. "within" also counts those in which only words such as "poor" or "my" stand before it:
LitBank, for example, has only the longest noun phrase as a mention. "R at most" is the recall that the found mentions
allow. A person is right if more than half of the names in the cluster with most of theirs are theirs.
"""

from __future__ import annotations

import json
import re
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import spacy
import typer
from spacy.cli._util import parse_config_overrides
from spacy.language import Language
from spacy.tokens import Doc, SpanGroup
from spacy.util import dot_to_dict

from spacy_span_selector.annotation import cluster_groups, find_cluster_prefix, find_mentions_key
from spacy_span_selector.extensions.mention_types import mention_type, without_clitic
from spacy_span_selector.pipeline.split_dashes import split_dashes
from spacy_span_selector.scoring.metrics.coreference import b_cubed
from spacy_span_selector.scoring.metrics.counts import Counts
from spacy_span_selector.tools.files.pipelines import load_pipeline
from spacy_span_selector.tools.files.writing import write_file

from ..measuring import GpuId, Threads, print_header, print_row, set_threads

CASTS = Path(__file__).with_name("casts.json")
COMMON = 6
"""How many names, and how many pronouns, are printed of a large cluster."""
POSSESSIVES = ("'s", "’s")
NEW_SENTENCE = re.compile(r"""(?:^|[.!?:;—"“‘'_-])\s*$""")
JOINING = re.compile(
    "about|after|against|and|as|at|before|between|but|by|for|from|in|like|nor|not|of|on|or|over|than|to|upon|with"
)
"""Words after which a name is not the head: "the father of Emma"."""

Offsets = tuple[int, int]


class Cast(NamedTuple):
    """The persons of a novel.

    persons (dict[str, list[str]]): The names that mean each throughout.
    others (list[str]): Pieces of the text with such a name that mean someone else, or no one.
    """

    persons: dict[str, list[str]]
    others: list[str]


class Place(NamedTuple):
    """A place where a person is named: from which character to which."""

    start: int
    end: int
    person: str


class Novel(NamedTuple):
    """A novel, and the places in its text where a person of its cast is named."""

    name: str
    text: str
    places: list[Place]


class Score(NamedTuple):
    """How well places of names are clustered.

    found (int): At how many of them there is a mention.
    b3 (Counts): Precision and recall.
    most_recall (float): The recall if the found ones were clustered without an error.
    wrong (list[str]): The persons whose main cluster is not theirs.
    """

    found: int
    b3: Counts
    most_recall: float
    wrong: list[str]


def main(
    model: Annotated[str, typer.Argument(help="A trained pipeline with structured_coref")],
    novels: Annotated[Path, typer.Option(help="A folder with the texts of the novels")],
    arguments: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NOVEL]... [--components.NAME.SETTING VALUE]...",
            help="Names in casts.json, by default all; then settings of the pipeline",
            show_default=False,
        ),
    ] = None,
    split: Annotated[bool, typer.Option("--split-dashes", help="Split dashes and underscores from words")] = False,
    largest: Annotated[int, typer.Option(min=0, help="Print what this many of the largest clusters hold")] = 0,
    casts: Annotated[Path, typer.Option(help="Another file of casts")] = CASTS,
    output: Annotated[Path | None, typer.Option(help="Write all scores to this JSON file")] = None,
    threads: Threads = 0,
    gpu_id: GpuId = -1,
) -> None:
    """Print two rows for each novel."""
    given = arguments or []
    n_names = next((i for i, argument in enumerate(given) if argument.startswith("--")), len(given))
    read = read_novels(novels, read_casts(casts), given[:n_names])
    set_threads(threads)
    if gpu_id >= 0:
        spacy.require_gpu(gpu_id)
    nlp = load_pipeline(model, dot_to_dict(parse_config_overrides(given[n_names:], env_var=None)))
    nlp.max_length = sys.maxsize
    if split:
        split_dashes(nlp)
    columns = ("found", "P", "R", "R at most", "F1", "persons right", "words per CPU s")
    print_header("novel", "mentions", "names", *columns, texts=2)
    results = {novel.name: measure(nlp, novel, largest) for novel in read}
    if output is not None:
        about = {"model": model, "settings": given[n_names:], "split_dashes": split}
        write_file(output, json.dumps({**about, "novels": results}, indent=2, ensure_ascii=False) + "\n")


def read_casts(path: Path) -> dict[str, Cast]:
    """The casts of a file, by novel."""
    novels = json.loads(path.read_text(encoding="utf-8"))
    return {name: Cast(novel["persons"], novel["others"]) for name, novel in novels.items()}


def read_novels(folder: Path, casts: Mapping[str, Cast], names: Sequence[str]) -> list[Novel]:
    """The novels of some names; all that have a cast if there are no names.

    RAISES (ValueError): If a novel has no cast, or its text has nobody of it.
    RAISES (FileNotFoundError): If it has no text.
    """
    novels = []
    for name in names or casts:
        if name not in casts:
            raise ValueError(f"There is no cast of '{name}'. Expected one of {', '.join(casts)}.")
        path = folder / f"{name}.txt"
        if not path.is_file():
            raise FileNotFoundError(f"{path}: no such file. Expected the text of the novel.")
        text = path.read_text(encoding="utf-8", errors="replace")
        places = find_places(text, casts[name])
        if not places:
            raise ValueError(f"{path} names nobody of its cast. Expected the text of the novel.")
        novels.append(Novel(name, text, places))
    return novels


def measure(nlp: Language, novel: Novel, largest: int) -> dict[str, Any]:
    """Annotate a novel, print its rows and return all scores.

    nlp (Language): The pipeline.
    novel (Novel): The novel.
    largest (int): How many clusters to describe.
    RETURNS (dict[str, Any]): The scores, as JSON can hold them.
    """
    begin = time.process_time()
    doc = nlp(novel.text)
    seconds = time.process_time() - begin
    words = sum(not token.is_space for token in doc)
    persons = [place.person for place in novel.places]
    n_names, n_persons = len(persons), len({*persons})
    result: dict[str, Any] = {"words": words, "seconds": seconds, "names": n_names, "persons": n_persons}
    mentions = read_mentions(doc)
    ways = {"exact": find_exact(novel.places, mentions), "within": find_within(novel, mentions)}
    for way, clusters in ways.items():
        found, b3, most_recall, wrong = score(persons, clusters)
        parts = {"precision": b3.precision, "recall": b3.recall, "most_recall": most_recall, "f1": b3.f1}
        result[way] = {"found": found, **parts, "persons_wrong": wrong}
        per_cent = [f"{100 * value:.1f}" for value in (found / n_names, *parts.values())]
        right = f"{n_persons - len(wrong)} of {n_persons}"
        print_row(novel.name, way, f"{n_names:,}", *per_cent, right, f"{words / seconds:,.0f}")
    if largest:
        clusters_by_size = sorted(cluster_groups(doc, find_cluster_prefix(doc)), key=len, reverse=True)
        result["largest"] = [describe(cluster) for cluster in clusters_by_size[:largest]]
        for number, held in enumerate(result["largest"], 1):
            texts = "; ".join(_list(held[kind]) for kind in ("names", "pronouns") if held[kind])
            typer.echo(f"{number}. {held['mentions']:,} mentions: {texts}")
    return result


def find_places(text: str, cast: Cast) -> list[Place]:
    """The places where a person of the cast is named: of names that begin at the same place, the longest counts."""
    person_of = {name: person for person, names in cast.persons.items() for name in names}
    pieces = sorted([*person_of, *cast.others], key=len, reverse=True)
    pattern = "|".join(re.escape(piece).replace(r"\ ", r"\s+") for piece in pieces)
    # A name may stand between underscores, which mark emphasis.
    found = re.finditer(rf"(?<![^\W_])(?:{pattern})(?![^\W_])", text)
    named = ((match, person_of.get(" ".join(match.group().split()))) for match in found)
    return [Place(match.start(), match.end(), person) for match, person in named if person is not None]


def read_mentions(doc: Doc) -> dict[Offsets, int]:
    """The number of the cluster of each mention, by its characters; a mention in no cluster has one of its own."""
    prefix = find_cluster_prefix(doc)
    groups = [[*group] for group in cluster_groups(doc, prefix)]
    groups += [[mention] for mention in doc.spans.get(find_mentions_key(doc, prefix), ())]
    found: dict[Offsets, int] = {}
    for number, group in enumerate(groups):
        for mention in group:
            found.setdefault((mention.start_char, mention.end_char), number)
    return found


def find_exact(places: Sequence[Place], mentions: Mapping[Offsets, int]) -> list[int | None]:
    """The cluster at each place: that of the mention that is the name and nothing else; None if there is none."""
    return [mentions.get((place.start, place.end)) for place in places]


def find_within(novel: Novel, mentions: Mapping[Offsets, int]) -> list[int | None]:
    """The cluster at each place: that of the shortest mention whose head is the name; None if there is none."""
    text = novel.text
    starts = defaultdict(list)
    for start, end in mentions:
        starts[end].append(start)

    def find(place: Place) -> int | None:
        ends = [place.end, *([place.end + 2] if text.startswith(POSSESSIVES, place.end) else [])]
        for end in ends:
            for start in sorted(starts[end], reverse=True):
                if start <= place.start and is_head(text, start, place.start):
                    return mentions[start, end]
        return None

    return [find(place) for place in novel.places]


def is_head(text: str, start: int, name: int) -> bool:
    """Whether a name is the head of a mention that ends with it: what stands before it may be "poor", "my" or "Meg's".

    text (str): The text.
    start (int): Where the mention starts.
    name (int): Where the name starts.
    """
    words = text[start:name].split()
    if words and NEW_SENTENCE.search(text[max(0, start - 20) : start]):
        words[0] = words[0].lower()
    return all(
        word.endswith(POSSESSIVES)
        or (word[0].islower() and re.fullmatch(r"[\w'’-]+", word) and not JOINING.fullmatch(word))
        for word in words
    )


def score(persons: Sequence[str], clusters: Sequence[int | None]) -> Score:
    """Score the clusters of places.

    persons (Sequence[str]): The person of each place.
    clusters (Sequence[int | None]): The cluster that each place is in; None without a mention.
    RETURNS (Score): The score.
    """
    missed = [i if cluster is None else None for i, cluster in enumerate(clusters)]
    gold, predicted = _group(persons), _group([*zip(clusters, missed, strict=True)])
    best = _group([(person if i is None else None, i) for person, i in zip(persons, missed, strict=True)])
    sizes = Counter(cluster for cluster in clusters if cluster is not None)
    wrong = []
    for person, own in zip(dict.fromkeys(persons), gold, strict=True):
        held = Counter(cluster for i in own if (cluster := clusters[i]) is not None)
        if not any(2 * count > sizes[cluster] for cluster, count in held.most_common(1)):
            wrong.append(person)
    return Score(sum(sizes.values()), b_cubed(gold, predicted), b_cubed(gold, best).recall, wrong)


def describe(cluster: SpanGroup) -> dict[str, Any]:
    """What a cluster holds: the number of its mentions, and its most frequent names and pronouns."""
    texts: dict[str, Counter[str]] = {"proper": Counter(), "pronominal": Counter()}
    for mention in cluster:
        text = " ".join(without_clitic(mention).text.split())
        if (kind := mention_type(mention)) in texts:
            texts[kind][text.lower() if kind == "pronominal" else text] += 1
    names, pronouns = (dict(counts.most_common(COMMON)) for counts in texts.values())
    return {"mentions": len(cluster), "names": names, "pronouns": pronouns}


def _group(keys: Sequence[Hashable]) -> list[list[int]]:
    """The positions of each key, keys in the order in which they appear."""
    groups = defaultdict(list)
    for i, key in enumerate(keys):
        groups[key].append(i)
    return [*groups.values()]


def _list(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{text} {count:,}" for text, count in counts.items())
