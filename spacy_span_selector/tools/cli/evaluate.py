"""`evaluate`: the scores of a pipeline, as tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Annotated, Any

import typer
from spacy.language import Language
from spacy.scorer import Scorer
from spacy.training import Example
from spacy.util import dot_to_dict
from wasabi import msg

from ...annotation import SPEAKERS_KEY, get_annotates, get_speakers
from ...documents.given import without_extensions
from ...scoring.task import PARTS, Task, all_tasks, find_tasks, reader_settings
from ..files.pipelines import load_pipeline
from ..files.writing import write_files
from ..formats.commands import check_spacy_file, spacy_file
from ._app import WITH_OVERRIDES, CodePath, GpuId, Model, app

RUNS_WITH_SPEAKERS = {"without_speakers": False, "with_speakers": True}  # whether the pipeline is given the turns


@app.command("evaluate", context_settings=WITH_OVERRIDES)
def evaluate_cli(
    ctx: typer.Context,
    model: Model,
    data: Annotated[Path, typer.Argument(help="A .spacy file with gold annotation")],
    gold_predicates: Annotated[bool, typer.Option("--gold-predicates", help="Give those of the data")] = False,
    gold_mentions: Annotated[bool, typer.Option("--gold-mentions", help="Give those of the data")] = False,
    speakers: Annotated[bool, typer.Option("--speakers", help="Score twice: without and with speaker turns")] = False,
    per_role: Annotated[bool, typer.Option("--per-role", help="Print the scores of each semantic role, too")] = False,
    output: Annotated[Path | None, typer.Option(dir_okay=False, help="Write all scores to this JSON file")] = None,
    predictions: Annotated[Path | None, typer.Option(metavar="OUT.spacy", help="Write what is predicted")] = None,
    code_path: CodePath = None,
    gpu_id: GpuId = -1,
) -> None:
    """Print precision, recall and F1 of coreference and semantic roles, as far as pipeline and data have them.

    The pipeline starts from raw text, or from gold words where the data does not know their spacing: the scores are
    those of `spacy evaluate`, which prints only the metrics of spaCy's own components. --gold-predicates is the setting
    of most papers on semantic role labelling; with --gold-mentions the scores of coreference are those of links; both
    give words, sentences and speakers, too. With --speakers, --predictions writes the annotation of the second run.

    Settings of the pipeline can be given as options, such as --components.structured_coref.keep_singletons false for
    data that mark no singletons.
    """
    import spacy
    import srsly
    from spacy.cli._util import import_code, parse_config_overrides

    from ...examples.corpus import create_corpus

    import_code(code_path)
    check_spacy_file(data)
    if predictions is not None and predictions.suffix != ".spacy":
        raise ValueError(f"The file of predictions must end in .spacy; found {predictions}.")
    for path in (output, predictions):
        if path is not None and path.exists() and path.samefile(data):
            raise ValueError(f"{path}: not written, since it is what was read. Name another file.")
    if gpu_id >= 0:
        spacy.require_gpu(gpu_id)
    nlp = load_pipeline(model, dot_to_dict(parse_config_overrides(ctx.args, env_var=None)))
    given = gold_predicates or gold_mentions
    tasks = _tasks_to_score(nlp)
    scores: dict[str, dict[str, Any]] = {}
    for run, gives_speakers in RUNS_WITH_SPEAKERS.items() if speakers else [("", given)]:
        read = create_corpus(
            data,
            **reader_settings(nlp),
            gold_tokens=given,
            sentences=given,
            predicates=gold_predicates,
            mentions=gold_mentions,
            speakers=gives_speakers,
        )
        examples = list(read(nlp))
        if not examples:
            raise ValueError(f"{data} has no documents with words. Expected a .spacy file, as 'convert' writes it.")
        if speakers and not any(get_speakers(example.reference) for example in examples):
            found = f"{data}: found no speaker turns, expected some in doc.spans['{SPEAKERS_KEY}']"
            raise ValueError(f"{found}. Leave out --speakers, or use data that say who speaks, such as OntoGUM.")
        scorer = KeepingScorer(nlp)
        scores[run] = nlp.evaluate(examples, scorer=scorer)
        _check_scored(scores[run], tasks, model, data)
    for run, found_scores in scores.items():
        if run:
            msg.divider(run.replace("_", " ").capitalize())
        _print_scores(found_scores, tasks, per_role)
    if declared := [*dict.fromkeys(chain(*(get_annotates(example.reference) or () for example in examples)))]:
        typer.echo(f"Scored for the types that {data} is annotated for: {', '.join(declared)}")
    files: list[tuple[Path, str | bytes]] = []
    if output is not None:
        files.append((output, srsly.json_dumps(scores if speakers else scores[""], indent=2)))
    if predictions is not None:
        files.append((predictions, spacy_file([*map(without_extensions, scorer.docs)], predictions)))
    write_files(files, read=[data, *([code_path] if code_path else [])])
    for title, path in (("Scores", output), ("Predictions", predictions)):
        if path is not None:
            typer.echo(f"{title}: {path}")


class KeepingScorer(Scorer):
    """Keeps the annotated documents, of which `Language.evaluate` returns the scores only."""

    def score(self, examples: Iterable[Example], *, per_component: bool = False) -> dict[str, Any]:
        examples = list(examples)
        self.docs = [example.predicted for example in examples]
        return super().score(examples, per_component=per_component)


def _tasks_to_score(nlp: Language) -> list[Task]:
    """The tasks of the components, each of a score once, and those that other components may have scores of."""
    own = {task.main_score: task for task in find_tasks(nlp).values()}
    factories = {task.factory for task in own.values()}
    others = (task for task in all_tasks() if task.factory not in factories)
    return sorted((*own.values(), *others), key=lambda task: task.factory)


def _check_scored(scores: Mapping[str, Any], tasks: Sequence[Task], model: str, data: Path) -> None:
    """Fail if no task has a score, and say for each whether the data or the pipeline lacks it."""
    if any(scores.get(task.main_score) is not None for task in tasks):
        return
    lacking = [
        f"{data} has no annotation of {task.title.lower()}"
        if task.main_score in scores
        else f"{model} has no component that scores {task.title.lower()}"
        for task in tasks
    ]
    raise ValueError(f"There is nothing to score: {' and '.join(lacking)}.")


def _print_scores(scores: Mapping[str, Any], tasks: Iterable[Task], per_label: bool) -> None:
    scored = [task for task in tasks if scores.get(task.main_score) is not None]
    for task in scored:
        rows = {title: [scores[f"{name}_{part}"] for part in PARTS] for name, title in task.scores.items()}
        _print_table(task.title, rows)
        shown = [f"Spans per token: {scores[task.density]:.3f}"] if task.density else []
        for name, title in task.accuracies.items():
            shown += [] if scores[name] is None else [f"{title}: {100 * scores[name]:.2f}"]
        if shown:
            typer.echo("   ".join(shown))
        if per_label and task.per_label:
            by_label = scores[task.per_label].items()
            _print_table("Label", {label: [parts[part] for part in PARTS] for label, parts in by_label})
    if per_label and not any(task.per_label for task in scored):
        msg.warn("There is no table of roles: no semantic roles were scored.")
    typer.echo(f"Words per second: {scores['speed']:,.0f}")


def _print_table(title: str, rows: Mapping[str, Sequence[float | None]]) -> None:
    """Print precision, recall and F1 in per cent, without rows that have none."""
    cells = [(name, *(f"{100 * part:.2f}" for part in parts if part is not None)) for name, parts in rows.items()]
    scored = [row for row in cells if len(row) > len(PARTS)]
    msg.table(scored, header=(title, "P", "R", "F"), aligns=("l", "r", "r", "r"), divider=True)
