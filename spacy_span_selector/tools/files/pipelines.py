"""Pipelines: loaded, told from others by what is in their files, and asked where they put annotation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from spacy import util
from spacy.language import Language
from thinc.api import ConfigValidationError

from .runs import file_digest

KEYS = {
    "structured_coref": {"prefix": "cluster_prefix", "mentions_key": "mentions_key"},
    "structured_srl": {"prefix": "frame_prefix", "predicates_key": "predicates_key", "spans_key": "spans_key"},
    "structured_spancat": {"spans_key": "labelled_key"},
}
"""The settings of components that say where they put annotation, and what `to_dict` calls them."""


def load_pipeline(model: str, config: dict[str, Any] | None = None) -> Language:
    """Load a pipeline by its path or package, with settings that replace those that it was saved with."""
    try:
        return util.load_model(model, config=config or {})
    except (ImportError, OSError):  # they name what is missing
        raise
    except ConfigValidationError as error:
        raise ValueError(f"{model}: can't be loaded ({describe_settings(error)})") from error
    except Exception as error:  # each component reads its own files, and a damaged one fails in its own way
        raise ValueError(f"{model}: can't be loaded ({type(error).__name__}: {error})") from error


def describe_settings(error: ConfigValidationError) -> str:
    """The message of an error in settings without all other settings, which spaCy lists."""
    lines = ConfigValidationError.from_error(error, show_config=False).text.strip().splitlines()
    return ": ".join(line.replace("\t", ": ") for line in lines if line)


def pipeline_folder(model: str) -> Path:
    """The folder with all files of a pipeline, which is given as a path or the name of a package."""
    folder = Path(model)
    if folder.is_dir():
        return folder
    if util.is_package(model):
        package = util.get_package_path(model)
        meta = util.get_model_meta(package)
        return package / f"{meta['lang']}_{meta['name']}-{meta['version']}"
    raise FileNotFoundError(f"{model}: no such folder with a pipeline, nor a package of that name.")


def describe_pipeline(model: str, code: Path | None) -> dict[str, Any]:
    """Describe a pipeline by its name, its version, and fingerprints of its files and its code."""
    folder = pipeline_folder(model)
    meta = util.get_model_meta(folder)
    return {
        "name": f"{meta['lang']}_{meta['name']}",
        "version": meta["version"],
        "files": file_digest(folder),
        "code": None if code is None else file_digest(code),
    }


def find_keys(nlp: Language) -> dict[str, str]:
    """Find the keys under which the components of a pipeline put annotation, as arguments of `to_dict`."""
    found: dict[str, str] = {}
    for name in nlp.pipe_names:
        pipe: Any = nlp.get_pipe(name)
        names = KEYS.get(nlp.get_pipe_meta(name).factory, {})
        own = {argument: getattr(pipe, setting) for setting, argument in names.items()}
        found = own | found  # the first component counts
    return found
