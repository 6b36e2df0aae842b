"""Build the wheel and the source distribution of a release, and try both. Uploading is left to you.

python scripts/release.py DIST

Checks that all files agree on the version, builds into DIST, which must be empty or missing, lets twine check the
metadata, installs the wheel in a fresh environment, and there runs tests and the demo from the files of the source
distribution. Needs the extra `release`. What stands in the way of a release is listed at the end, and the exit status
is then 1.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from configparser import ConfigParser
from pathlib import Path
from tempfile import TemporaryDirectory

from smoke import ROOT, TEST_REQUIREMENTS, run_tests, smoke


def problems(root: Path) -> Iterator[str]:
    """What stands in the way of a release, in the files of the repository.

    root (Path): The repository.
    YIELDS (str): What is wrong, and the cure.
    """
    version = _find(r'^__version__ = "(.+)"$', root / "spacy_span_selector/__init__.py")
    cited = _find(r"^version: (.+)$", root / "CITATION.cff")
    if cited != version:
        yield f"CITATION.cff has version {cited}, the package {version}: write the same."
    if not re.search(r"^date-released: ", _read(root / "CITATION.cff"), re.MULTILINE):
        yield "CITATION.cff has no date: add a line 'date-released: YYYY-MM-DD'."
    newest = _find(r"^## (.+)$", root / "CHANGELOG.md")
    if newest is None or newest.split(",")[0] != version:
        yield f"CHANGELOG.md begins with '{newest}': begin with a section '## {version}, DATE'."
    elif "not released" in newest:
        yield f"CHANGELOG.md says '{newest}': write the date of the release."
    setup = ConfigParser(delimiters=("=",))
    setup.read(root / "setup.cfg", encoding="utf-8")
    if "Source = " not in setup["metadata"].get("project_urls", ""):
        yield (
            "setup.cfg names no public repository, so the page on PyPI has no links to the documentation: add "
            "'Source = https://…' under 'project_urls', and 'github' to docs/universe.json."
        )


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _find(pattern: str, path: Path) -> str | None:
    match = re.search(pattern, _read(path), re.MULTILINE)
    return match and match[1]


def build(dist: Path) -> tuple[Path, Path]:
    """Build the wheel and the source distribution, and check their metadata.

    dist (Path): The folder that they are written to.
    RETURNS (tuple[Path, Path]): Both files.
    RAISES (FileExistsError): If there are files in the folder.
    """
    if dist.exists() and any(dist.iterdir()):
        raise FileExistsError(f"{dist} has files of another build: delete them first.")
    subprocess.run([sys.executable, "-m", "build", "--outdir", dist, ROOT], check=True)
    (wheel,), (source,) = dist.glob("*.whl"), dist.glob("*.tar.gz")
    subprocess.run([sys.executable, "-m", "twine", "check", "--strict", wheel, source], check=True)
    return wheel, source


def try_out(wheel: Path, source: Path) -> None:
    """Install the wheel in a fresh environment, and try it with the files of the source distribution."""
    with TemporaryDirectory(prefix="release-") as name:
        folder = Path(name)
        with tarfile.open(source) as archive:
            archive.extractall(folder, filter="data")
        (unpacked,) = (path for path in folder.iterdir() if path.is_dir())
        subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
        python = folder / "venv/bin/python"
        install = (python, "-m", "pip", "install", "--quiet", "--constraint", unpacked / "constraints.txt")
        subprocess.run([*install, wheel, *TEST_REQUIREMENTS], check=True)
        run_tests(python, folder / "demo", unpacked)
        smoke(python, folder / "demo")


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    dist = Path(sys.argv[1])
    try_out(*build(dist))
    found = [*problems(ROOT)]
    print(f"{dist}: built, checked, installed and tried.", *(f"Not ready: {problem}" for problem in found), sep="\n")
    if not found:
        print(f"Now tag this commit, and upload: python -m twine upload {dist}/*")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
