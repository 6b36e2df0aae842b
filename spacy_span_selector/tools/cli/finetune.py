"""`finetune`: a trained pipeline learns from a few texts."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import asdict
from itertools import product
from math import isnan, nan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import srsly
import typer
from packaging.version import Version
from spacy.language import Language
from spacy.util import dot_to_dict
from wasabi import msg

from ...annotation import describe_doc
from ...scoring.task import Task, find_tasks
from ..files.folders import MANIFEST, made_as
from ..files.runs import file_digest
from ..files.writing import write_file, write_files
from ..formats.commands import Annotates, spacy_file
from ..formats.reports import MOST_NAMES, Report
from ._app import WITH_OVERRIDES, CodePath, GpuId, Model, Resume, app
from .compact import save_compact
from .train import run_training

if TYPE_CHECKING:
    from ..finetuning.comparison import Comparison

FEW, LONGEST_CELL, SHARE = 5, 200, 0.5
MADE = '{"format": "spacy_span_selector.Finetune.v1"}\n'
LICENCES = ("LICENSE", "LICENSES_SOURCES")  # of a package, which stay with what is made of it
OF_TRAINING = ("training.", "corpora.")  # how options begin that are no settings of the pipeline


@app.command("finetune", context_settings=WITH_OVERRIDES)
def finetune_cli(
    ctx: typer.Context,
    model: Model,
    texts_path: Annotated[
        Path, typer.Argument(metavar="TEXTS", exists=True, help="A file, or a folder: *.txt, *.spacy")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for the new pipeline and its scores")],
    dev: Annotated[
        Path | None, typer.Option(exists=True, help="Texts that are only scored; by default one in five")
    ] = None,
    annotates: Annotates = None,
    allow_new_labels: Annotated[
        bool, typer.Option("--allow-new-labels", help="Learn labels that are not known")
    ] = False,
    known: Annotated[
        list[Path] | None, typer.Option(exists=True, help="Other texts, to show what is forgotten; repeatable")
    ] = None,
    share: Annotated[
        float | None, typer.Option(min=0, max=1, help="How far weights move; by default 0.5, or 1 for new labels")
    ] = None,
    name: Annotated[str | None, typer.Option(help="Name of the new pipeline, without its language")] = None,
    version: Annotated[str | None, typer.Option(help="Version of the new pipeline")] = None,
    package: Annotated[bool, typer.Option("--package", help="Build a package, too, in OUTPUT/packages")] = False,
    resume: Resume = False,
    force: Annotated[bool, typer.Option("--force", help="Replace a pipeline in the folder")] = False,
    code_path: CodePath = None,
    gpu_id: GpuId = -1,
) -> None:
    """Let a trained pipeline learn from a few texts of your own, and say what that brought and what it cost.

    Its components learn what the texts annotate: coreference, semantic roles, labelled spans. All else stays as it is,
    the encoder that they share too. OUTPUT gets the new pipeline in `model`, its scores before and after in
    `scores.json`, and the texts that were learnt and scored in `corpus`.

    Settings can be given as options, such as --training.optimizer.learn_rate.initial_rate 0.0001 or
    --components.structured_coref.keep_singletons false.
    """
    from spacy.cli._util import import_code, parse_config_overrides, setup_gpu

    from ...models.interpolation import interpolate
    from ..checking.trainings import check_training
    from ..files.pipelines import load_pipeline, pipeline_folder
    from ..finetuning.comparison import Compared, compare, read_known
    from ..finetuning.settings import configure, describe_finetuned
    from ..finetuning.texts import check_several, find_unmarked, gather, keep_known, learn_labels
    from ..training.checkpoints import Checkpoints, identity, whole_folder

    started = time.monotonic()
    target, trained = output / "model", output / "training" / "model-last"
    if target.exists() and not (force or resume):
        raise FileExistsError(f"{target} exists. Name another --output, or give --force to replace it.")
    _check_output(output, [path for path in (texts_path, dev, *(known or ())) if path])
    if not (name or "x").isidentifier():  # spaCy would fail only in the end
        raise ValueError(f"--name {name}: a pipeline's name has letters, digits and underscores only.")
    Version(version or "0")
    options = parse_config_overrides(ctx.args, env_var=None)
    of_training = {key: value for key, value in options.items() if key.startswith(OF_TRAINING)}
    of_pipeline = dot_to_dict({key: value for key, value in options.items() if key not in of_training})
    import_code(code_path)
    setup_gpu(gpu_id)
    source = pipeline_folder(model)
    if dev is None:
        check_several(texts_path)
    nlp = load_pipeline(model, of_pipeline)
    report = Report()
    try:
        texts = gather(texts_path, dev, nlp, report, annotates)
        parts = [Compared("dev", texts.dev), *(read_known(path, nlp, report) for path in known or ())]
    finally:
        report.warn()
    more = len(texts.dev) - MOST_NAMES
    names = ", ".join(map(describe_doc, texts.dev[:MOST_NAMES])) + (f" and {more} more" if more > 0 else "")
    split = "" if dev else f", split off: {names}"
    msg.info(f"Documents: {len(texts.train)} to learn, {len(texts.dev)} of dev{split}")
    msg.info(f"Learning: {', '.join(texts.learning)}")
    for part in parts[1:]:
        msg.info(f"Known, {'annotated' if part.is_gold else 'raw, as no text has annotation'}: {part.title}")
    if unmarked := find_unmarked(texts, nlp):
        found = f"No text marks {', '.join(unmarked)}, so it is learnt that there are none."
        msg.warn(f"{found} If only some types are annotated, say which, as by --annotates ORG.")
    keep_known(texts, nlp)
    if len(texts.dev) < FEW:
        msg.warn(f"With fewer than {FEW} documents of dev, one text more or less may change scores by several points.")
    corpora = {"train": texts.train, "dev": texts.dev}
    files = {split: output / "corpus" / f"{split}.spacy" for split in corpora}
    marks = [(folder / MANIFEST, MADE) for folder in (output, output / "corpus")]  # which no command reads as texts
    replaced = [(path, path.read_bytes()) for path in files.values() if path.exists()]
    with ExitStack() as undo:
        undo.callback(write_files, replaced)  # unless these texts are learnt
        write_files([*marks, *((files[split], spacy_file(docs, files[split])) for split, docs in corpora.items())])
        config = configure(nlp, texts, files, of_training)
        check_training(config)
        training = identity(config, code_path, gpu_id)
        training["files"] |= {str(source): file_digest(source)}
        checkpoints = Checkpoints(output / "training", training)
        if target.exists() and not force:
            if not checkpoints.is_finished():
                found = f"{target} is of another fine-tuning"
                raise FileExistsError(f"{found}. Name another --output, or give --force, too.")
            msg.good("This fine-tuning has ended. With --force it begins anew.", target)
            if package:
                _build_package(target, output / "packages", force)
            return

        def begin() -> Language:
            new = learn_labels(texts, nlp, allowed=allow_new_labels, declared=(annotates or {}).values())
            if new:
                msg.info(f"New labels: {'; '.join(new)}")
            undo.pop_all()
            return nlp

        if not trained.exists() or not checkpoints.is_finished():
            run_training(checkpoints, begin, resume=resume, gpu_id=gpu_id)
    msg.divider("Comparing pipelines")
    start, learnt = load_pipeline(model, of_pipeline), load_pipeline(str(trained))
    for component in texts.learning:
        after, before = learnt.get_pipe(component), start.get_pipe(component)
        interpolate(after, before, _default_share(after, before) if share is None else share, texts.train)
    with whole_folder(target) as folder:
        save_compact(learnt, folder)
        old, new = load_pipeline(model, of_pipeline), load_pipeline(str(folder))
        dev_scores, *known_scores = compared = [compare(old, new, part) for part in parts]
        facts = {
            "components": texts.learning,
            **{split: {"documents": len(docs), "words": sum(map(len, docs))} for split, docs in corpora.items()},
            "megabytes": round(sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 1e6, 1),
            "seconds": round(time.monotonic() - started),
        }
        meta = describe_finetuned(old.meta, {"name": name, "version": version}, facts, dev_scores.after)
        srsly.write_json(folder / "meta.json", meta)
        for file in LICENCES:
            if (source / file).is_file():
                shutil.copy(source / file, folder)
    scores = {"dev": asdict(dev_scores), "known": [asdict(each) for each in known_scores]}
    write_file(output / "scores.json", srsly.json_dumps({**facts, "scores": scores}, indent=2))
    for folder in trained, trained.with_name("model-best"):
        shutil.rmtree(folder)
    _print_comparisons(compared, find_tasks(new).values())
    msg.good(f"{target}: {facts['megabytes']} MB, after {facts['seconds']} seconds")
    if package:
        _build_package(target, output / "packages", force)


def _check_output(output: Path, texts: Iterable[Path]) -> None:
    """Refuse a folder that has texts to read, or what no fine-tuning has made."""
    for path in texts:
        if output.resolve() in (path.resolve(), *path.resolve().parents):
            raise FileExistsError(f"{path} would be in the output, {output}. Name another --output.")
    for folder in (output, output / "corpus"):
        made = made_as(folder)
        is_foreign = (folder / MANIFEST).exists() or (folder.exists() and folder != output)
        if made != "the output of 'finetune'" and (made or is_foreign):
            raise FileExistsError(f"{folder} is {made or 'of another program'}. Name another --output.")


def _build_package(pipeline: Path, packages: Path, force: bool) -> None:
    from spacy.cli.package import package

    packages.mkdir(parents=True, exist_ok=True)
    package(pipeline, packages, create_sdist=False, force=force)  # nothing is built, so pip can install it
    meta = srsly.read_json(pipeline / "meta.json")
    msg.good(f"pip install {packages / '{lang}_{name}-{version}'.format(**meta)}")


def _default_share(after: Any, before: Any) -> float:
    """Half way, a new label of spans, which starts from nothing, would hardly be found."""
    return 1.0 if hasattr(after, "types") and len(after.labels) > len(before.labels) else SHARE


def _print_comparisons(compared: Iterable[Comparison], tasks: Iterable[Task]) -> None:
    rows = []
    for task, each in product(tasks, compared):
        title = f"{task.title}, {task.main_title}"
        before, after = (100 * scores.get(task.main_score, nan) for scores in (each.before, each.after))
        if isnan(before) and not isnan(after):
            rows.append((title, f"{each.title}: agreement", "", f"{after:.1f}", ""))
        elif not isnan(after):
            rows.append((title, each.title, f"{before:.1f}", f"{after:.1f}", f"{after - before:+.1f}"))
    header = ("", "", "Before", "After", "")
    msg.table(rows, header=header, aligns=("l", "l", "r", "r", "r"), divider=True, max_col=LONGEST_CELL)
