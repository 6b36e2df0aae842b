"""Try the package in fresh environments: other Pythons, other versions of what it needs, and the files of a release.

    python -m nox --session "versions-3.13(oldest)"    # `--session versions` runs all; `--list` shows them
    python -m nox --session release                    # build the files of a release in dist/, and try them

Each needs its `pythonX.Y` on the PATH and the package index that pip is set up for. Requirements after `--` are
installed as well, such as the path of another package to try this one with. Environments are deleted after use, as
torch may take gigabytes.
"""

from __future__ import annotations

import re
import shutil
import tarfile
from collections.abc import Iterator
from configparser import ConfigParser
from pathlib import Path

import nox

ROOT = Path(__file__).parent
PYTHONS = ("3.10", "3.11", "3.12", "3.13")
VERSIONS = ("oldest", "newest", "tested", "bare")
"""The lower bounds of setup.cfg, no bounds, those of constraints.txt, and the latter without any extra."""

OLDEST_TRANSFORMERS = {"transformers": "4.45.0"}
"""What spacy-transformers 1.3.9 accepts reaches further back than we do."""
FIRST_WHEELS = {
    "3.13": {"pydantic": "2.8.0", "numpy": "2.1.0", "scipy": "1.14.1"},
}
"""Where a lower bound has no wheel: the first version that has one."""

FILES = ("assets", "configs", "project.yml", "setup.cfg", "tests")
"""The files that the tests and the demo need, without the package, so that the installed one is tried."""
TESTS = (
    "test_no_extras.py",
    "annotation",
    "models",
    "scoring",
    "pipeline/test_shared_encoders.py",
    "pipeline/test_structured_coref.py",
    "pipeline/test_structured_srl.py",
)
"""Tests that go through most of the package, and need neither a corpus nor the network."""

nox.options.sessions = ["versions"]


@nox.session(python=PYTHONS)
@nox.parametrize("versions", VERSIONS, ids=VERSIONS)
def versions(session: nox.Session, versions: str) -> None:
    """Install one set of versions, and try the package with it."""
    constraints = Path(session.create_tmp()) / "constraints.txt"
    if versions == "oldest":
        lines = [f"{name}=={version}" for name, version in lower_bounds(str(session.python)).items()]
        constraints.write_text("\n".join(lines), encoding="utf-8")
    elif versions == "newest":
        constraints.write_text("", encoding="utf-8")
    else:
        shutil.copy(ROOT / "constraints.txt", constraints)
    package = str(ROOT) if versions == "bare" else f"{ROOT}[transformers]"
    try_installed(session, package, constraints, ROOT)


@nox.session
def release(session: nox.Session) -> None:
    """Build the wheel and the source distribution in dist/, check them, and try them. Uploading is left to you."""
    dist, folder = ROOT / "dist", Path(session.create_tmp())
    if dist.exists() and any(dist.iterdir()):
        session.error(f"{dist} has files of another build: delete them first.")
    session.install("build", "twine")
    session.run("python", "-m", "build", "--outdir", str(dist), str(ROOT))
    (wheel,), (source,) = dist.glob("*.whl"), dist.glob("*.tar.gz")
    session.run("python", "-m", "twine", "check", "--strict", str(wheel), str(source))
    with tarfile.open(source) as archive:
        archive.extractall(folder, filter="data")
    (unpacked,) = (path for path in folder.iterdir() if path.name.startswith("spacy_span_selector-"))
    try_installed(session, str(wheel), unpacked / "constraints.txt", unpacked)
    if found := [*problems(ROOT)]:
        session.error("\n".join(["This cannot be released yet:", *found]))
    session.log(f"Now tag this commit, and upload: python -m twine upload {dist}/*")


def try_installed(session: nox.Session, package: str, constraints: Path, source: Path) -> None:
    """Install the package; run its tests, two steps of the demo's training, and `annotate`.

    package (str): The package, as pip takes it.
    constraints (Path): A file of constraints for pip.
    source (Path): The repository, or an unpacked source distribution.
    """
    folder = Path(session.create_tmp()) / "demo"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name in FILES:
        copy = shutil.copytree if (source / name).is_dir() else shutil.copy
        copy(source / name, folder / name)
    constrained = ("--only-binary", ":all:", "--constraint", str(constraints))
    session.install(*constrained, package, "pytest", "pytest-xdist", "hypothesis", *session.posargs)
    session.run("python", "-m", "pip", "freeze")
    try:
        with session.chdir(folder):
            tests = [f"tests/{name}" for name in TESTS]
            in_parallel = ("--numprocesses", "auto", "--dist", "loadfile")
            session.run("python", "-m", "pytest", "-q", "-p", "no:cacheprovider", *in_parallel, *tests)
            spacy = ("python", "-m", "spacy")
            session.run(*spacy, "project", "run", "all", ".", "--vars.demo_steps", "2")
            annotate = ("annotate", "training/demo/model-best", "assets/alice.txt", "output/annotated")
            session.run(*spacy, "span-selector", *annotate)
    finally:
        shutil.rmtree(session.virtualenv.location, ignore_errors=True)


def lower_bounds(python: str) -> dict[str, str]:
    """The oldest version of each requirement of the package and its extra `transformers`."""
    setup = ConfigParser()
    setup.read(ROOT / "setup.cfg", encoding="utf-8")
    required = setup["options"]["install_requires"] + setup["options.extras_require"]["transformers"]
    bounds = dict(re.findall(r"^([\w-]+)>=([\d.]+)", required, re.MULTILINE))
    return {**bounds, **OLDEST_TRANSFORMERS, **FIRST_WHEELS.get(python, {})}


def problems(root: Path) -> Iterator[str]:
    """Find what stands in the way of a release in the files of a repository.

    YIELDS (str): A problem and its cure.
    """
    version = _find(r'^__version__ = "(.+)"$', root / "spacy_span_selector/__init__.py")
    cited = _find(r"^version: (.+)$", root / "CITATION.cff")
    if cited != version:
        yield f"CITATION.cff has version {cited}, the package {version}: write the same."
    if not _find(r"^date-released: (.+)", root / "CITATION.cff"):
        yield "CITATION.cff has no date: add a line 'date-released: YYYY-MM-DD'."
    newest = _find(r"^## (.+)$", root / "CHANGELOG.md")
    if newest is None or newest.split(",")[0] != version:
        yield f"CHANGELOG.md begins with '{newest}': begin with a section '## {version}, DATE'."
    elif "not released" in newest:
        yield f"CHANGELOG.md says '{newest}': write the date of the release."
    if not _find(r"^ +Source *= *(\S+)$", root / "setup.cfg"):
        yield (
            "setup.cfg names no public repository, so links to the documentation lead nowhere on PyPI: add "
            "'Source = https://…' under 'project_urls', and 'github' to docs/universe.json."
        )


def _find(pattern: str, path: Path) -> str | None:
    match = re.search(pattern, path.read_text(encoding="utf-8"), re.MULTILINE)
    return match and match[1]
