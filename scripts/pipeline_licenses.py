"""Put the texts of all licences that the meta.json of a pipeline names into its folder.

python scripts/pipeline_licenses.py FACTS FOLDER

FACTS is a JSON file with the fields of a meta.json. FOLDER gets the files that `spacy package` takes into a package:
LICENSE, the licence of the pipeline, and LICENSES_SOURCES, what it was made from, by whom, and under which licences.
Their texts are in pipelines/licenses, verbatim: `CC-BY-4.0.txt` is that of "CC BY 4.0".
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

TEXTS = Path(__file__).resolve().parents[1] / "pipelines" / "licenses"
NO_LICENCES = {"annotations", "texts", "public domain"}
"""What stands between the names of licences, as in "CC BY 4.0 (annotations); public domain (texts)"."""


def licence_names(stated: str) -> list[str]:
    """The licences that a field `license` names, each once."""
    parts = (part.strip() for part in re.split(r"[;,()]| or | and ", stated))
    return list(dict.fromkeys(part for part in parts if part and part not in NO_LICENCES))


def licence_text(name: str, folder: Path = TEXTS) -> str:
    """The text of a licence.

    name (str): Its name, such as "CC BY-SA 4.0".
    folder (Path): Where the texts are.
    RAISES (ValueError): If there is no text of it.
    """
    path = folder / f"{name.replace(' ', '-')}.txt"
    if not path.is_file():
        known = ", ".join(sorted(other.stem for other in folder.glob("*.txt")))
        raise ValueError(f"There is no text of the licence '{name}', only of {known}. Put it, verbatim, into {path}.")
    return path.read_text(encoding="utf-8")


def licence_files(facts: dict[str, Any]) -> dict[str, str]:
    """The files with the licences of a pipeline.

    facts (dict[str, Any]): The fields of its meta.json.
    RETURNS (dict[str, str]): Contents by file name.
    RAISES (ValueError): If there is no text of a licence that it names.
    """
    sources = facts.get("sources", [])
    own = "\n\n".join(licence_text(name) for name in licence_names(facts["license"]))
    notices = "\n".join(
        f"- {source['name']}\n  by {source['author']}\n  {source['url']}\n  Licence: {source['license']}\n"
        for source in sources
    )
    names = dict.fromkeys(name for source in sources for name in licence_names(source["license"]))
    texts = "".join(f"\n{'=' * 80}\n{name}\n{'=' * 80}\n\n{licence_text(name)}" for name in names)
    return {
        "LICENSE": own,
        "LICENSES_SOURCES": "This pipeline is a changed form of these works: it holds what was learned from them, and "
        f"lists that were\ncompiled from them. The texts of their licences follow.\n\n{notices}{texts}",
    }


def main(arguments: Sequence[str]) -> str | None:
    if len(arguments) != 2:
        return __doc__
    try:
        files = licence_files(json.loads(Path(arguments[0]).read_text(encoding="utf-8")))
        for name, content in files.items():
            (Path(arguments[1]) / name).write_text(content, encoding="utf-8")
    except (OSError, ValueError) as error:
        return str(error)
    return None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
