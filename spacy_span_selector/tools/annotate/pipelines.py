"""The pipeline of a run: what it is to do, how it is loaded and told from others, and where it puts annotation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypedDict

from spacy import util
from spacy.language import Language
from thinc.api import ConfigValidationError

from ..files.fingerprints import file_digest

ENCODER = "spacy_span_selector.TransformerModel.v1"
Precision = Literal["float32", "bfloat16"]
"""The kinds of numbers that an encoder multiplies at prediction."""

PRECISIONS: dict[str, dict[str, str | bool]] = {
    ENCODER: {"bfloat16": "prediction"},
    "spacy_span_selector.Tok2VecTransformer.v1": {"bfloat16": "prediction"},
    "spacy_span_selector.CorefModel.v1": {"bfloat16": True},
    "spacy_span_selector.SrlModel.v1": {"bfloat16": True},
    "spacy_span_selector.SpancatModel.v1": {"bfloat16": True},
}
"""The architectures that can predict in other numbers than float32, and the settings that let them."""

KEYS = {
    "structured_coref": {"prefix": "cluster_prefix", "mentions_key": "mentions_key"},
    "structured_srl": {"prefix": "frame_prefix", "predicates_key": "predicates_key", "spans_key": "spans_key"},
    "structured_spancat": {"spans_key": "labelled_key"},
}
"""The settings of components that say where they put annotation, and what `to_dict` calls them."""

TableKind = Literal["parquet", "csv"]
"""The kinds of flat tables."""


@dataclass(frozen=True, kw_only=True)
class Job:
    """The settings of a run: all that a process must know to annotate any part. It can be pickled.

    model (str): The pipeline: a path or the name of a package.
    code (Path | None): A Python file with registered functions that the pipeline needs.
    format (str): The format of the output, one of `formats.output_formats()`.
    transcripts (bool): Whether texts are read as transcripts, for who speaks in them.
    tokens (bool): Whether plain data says where tokens are.
    columns (bytes | None): The columns that tables pass on to tables, as `passed_columns` returns them.
    tables (TableKind | None): The kind of flat tables to write; None for none.
    gzip (bool): Whether files that are not compressed by their format are compressed.
    max_length (int | None): The most characters that a text may have; None for what the pipeline says.
    precision (Precision | None): What encoders multiply in, where the device can; None for what the pipeline says.
    batch_words (int): About how many words are annotated at once.
    gpu_id (int): The GPU; -1 for the CPU.
    threads (int | None): The threads of torch; None for as many as it takes by itself.
    """

    model: str
    code: Path | None = None
    format: str = "jsonl"
    transcripts: bool = False
    tokens: bool = False
    columns: bytes | None = None
    tables: TableKind | None = None
    gzip: bool = False
    max_length: int | None = None
    precision: Precision | None = None
    batch_words: int = 20_000
    gpu_id: int = -1
    threads: int | None = None

    def identity(self) -> dict[str, Any]:
        """The settings that change the output."""
        names = ("format", "transcripts", "tokens", "tables", "gzip", "max_length", "precision")
        return {name: getattr(self, name) for name in names}


def load_pipeline(model: str, config: dict[str, Any] | None = None) -> Language:
    """Load a pipeline; errors name it.

    model (str): A path or the name of a package.
    config (dict[str, Any] | None): Settings that replace those that it was saved with.
    RETURNS (Language): The pipeline.
    RAISES (OSError): If it is not there.
    RAISES (ValueError): If it can't be loaded.
    """
    try:
        return util.load_model(model, config=config or {})
    except (ImportError, OSError):  # they name what is missing
        raise
    except ConfigValidationError as error:
        short = ConfigValidationError.from_error(error, show_config=False)
        raise ValueError(f"{model}: can't be loaded ({' '.join(short.text.split())})") from error
    except Exception as error:  # each component reads its own files, and a damaged one fails in its own way
        raise ValueError(f"{model}: can't be loaded ({type(error).__name__}: {error})") from error


def load_for(job: Job) -> Language:
    """Load the pipeline of a job as it says.

    job (Job): The job.
    RETURNS (Language): The pipeline.
    RAISES (ValueError): If its code fails, there is no GPU of this number, or `bf16` is set and nothing there has that
        choice.
    """
    import spacy
    import torch

    if job.threads is not None:
        torch.set_num_threads(job.threads)
    if job.gpu_id >= 0:
        spacy.require_gpu(job.gpu_id)
    if job.code is not None:
        try:
            util.import_file("python_code", job.code)
        except Exception as error:
            raise ValueError(f"{job.code}: this code can't be run ({type(error).__name__}: {error})") from error
    nlp = load_pipeline(job.model)
    if job.precision is not None:
        settings = precision_settings(nlp, job.model, job.precision)
        del nlp
        nlp = load_pipeline(job.model, settings)
    if job.max_length is not None:
        nlp.max_length = job.max_length
    return nlp


def precision_settings(nlp: Language, model: str, precision: Precision) -> dict[str, Any]:
    """The settings that let all encoders and networks of a pipeline compute in one precision, and in no other.

    nlp (Language): The pipeline.
    model (str): What errors call it.
    precision (Precision): The precision.
    RETURNS (dict[str, Any]): Settings to load it with.
    RAISES (ValueError): If it has nothing that can.
    """
    components = {name: nlp.get_pipe_config(name) for name in nlp.pipe_names}
    values = {
        ".".join((*path, name)): value if name == precision else False
        for component, config in components.items()
        for path, name, value in _precisions(config, ("components", component))
    }
    if not values:
        raise ValueError(
            f"{model}: --precision {precision} needs an encoder of the architecture '{ENCODER}' or a component of "
            f"this package, and there is none ({', '.join(components) or 'no component'}). Omit it."
        )
    return util.dot_to_dict(values)


def pipeline_folder(model: str) -> Path:
    """The folder with all files of a pipeline.

    model (str): A path or the name of a package.
    RAISES (OSError): If there is no such pipeline.
    """
    folder = Path(model)
    if folder.is_dir():
        return folder
    if util.is_package(model):
        package = util.get_package_path(model)
        meta = util.get_model_meta(package)
        return package / f"{meta['lang']}_{meta['name']}-{meta['version']}"
    raise FileNotFoundError(f"{model}: no such folder with a pipeline, nor a package of that name.")


def describe_pipeline(job: Job) -> dict[str, Any]:
    """Describe a pipeline by its name, its version, and fingerprints of its files and its code.

    job (Job): The job that names it.
    RAISES (OSError): If there is no such pipeline.
    """
    folder = pipeline_folder(job.model)
    meta = util.get_model_meta(folder)
    return {
        "name": f"{meta['lang']}_{meta['name']}",
        "version": meta["version"],
        "files": file_digest(folder),
        "code": None if job.code is None else file_digest(job.code),
    }


def _precisions(config: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str, str | bool]]:
    """Find the settings of precision in the config of a component: where, their names, and what turns them on."""
    if isinstance(config, dict):
        for name, value in PRECISIONS.get(config.get("@architectures", ""), {}).items():
            yield path, name, value
        for key, value in config.items():
            yield from _precisions(value, (*path, key))


def find_keys(nlp: Language) -> dict[str, str]:
    """Find the keys under which the components of a pipeline put annotation, as arguments of `to_dict`."""
    found: dict[str, str] = {}
    for name in nlp.pipe_names:
        pipe: Any = nlp.get_pipe(name)
        names = KEYS.get(nlp.get_pipe_meta(name).factory, {})
        own = {argument: getattr(pipe, setting) for setting, argument in names.items()}
        found = own | found  # the first component counts
    return found


class Prefixes(TypedDict, total=False):
    """The keys that pages of documents need."""

    cluster_prefix: str
    frame_prefix: str


def only_prefixes(keys: Mapping[str, str]) -> Prefixes:
    """Select the keys that pages of documents need."""
    prefixes: Any = {name: keys[name] for name in Prefixes.__annotations__ if name in keys}
    return prefixes
