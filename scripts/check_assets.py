"""Check that downloaded corpora are those that project.yml pins, as a branch may have moved on since.

python scripts/check_assets.py FOLDER

Compares each asset in FOLDER with its checksum. A folder of your own, which no asset is downloaded to, is not checked.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import srsly
from weasel.util import get_checksum

PROJECT = Path("project.yml")


def problem_of(asset: dict[str, Any]) -> str | None:
    """What is wrong with an asset, and the cure; None if nothing is, or if it was not downloaded."""
    dest = Path(asset["dest"])
    if not dest.exists() or (found := get_checksum(dest)) == asset["checksum"]:
        return None
    problem = f"{dest}: found the checksum {found}, expected {asset['checksum']}."
    if "git" not in asset:
        return f"{problem} Delete it, and download it again: python -m spacy project assets"
    git = asset["git"]
    return (
        f"{problem} It differs from {git['path']!r} in commit {git['commit']} of {git['repo']}. If "
        f"'{git['branch']}' has moved on, get that commit:\n"
        f"    git clone --filter=blob:none --no-checkout {git['repo']} pinned\n"
        f"    git -C pinned checkout {git['commit']} -- {git['path']}\n"
        f"    rm -r {dest} && mv pinned/{git['path']} {dest}\n"
        "To use another version all the same, move it to a folder of another name, and name that with --vars."
    )


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    folder = Path(sys.argv[1]).absolute()
    assets = srsly.read_yaml(PROJECT)["assets"]
    assets = [asset for asset in assets if Path(asset["dest"]).absolute().is_relative_to(folder)]
    problems = [problem for asset in assets if (problem := problem_of(asset))]
    sys.stderr.writelines(f"{problem}\n" for problem in problems)
    return int(bool(problems))


if __name__ == "__main__":
    sys.exit(main())
