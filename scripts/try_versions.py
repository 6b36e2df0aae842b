"""Try the package in fresh environments, with the oldest, the newest and the tested versions of what it needs.

python scripts/try_versions.py [ROW ...] [--with REQUIREMENT] [--keep]

A row is PYTHON-VERSIONS, such as 3.13-oldest; without any, all rows run. Each needs its `pythonX.Y` on the PATH and the
package index that pip is set up for. REQUIREMENT is installed as well, such as the path of another package to try this
one with. Each environment is deleted after use, as torch may take gigabytes, unless --keep is given. Prints what was
installed and a line for each row; the exit status is 1 if one of them failed.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
from configparser import ConfigParser
from pathlib import Path
from tempfile import mkdtemp

from smoke import ROOT, TEST_REQUIREMENTS, run_tests, smoke

PYTHONS = ("3.10", "3.11", "3.12", "3.13")
VERSIONS = ("oldest", "newest", "tested", "bare")
"""The lower bounds of setup.cfg, no bounds, those of constraints.txt, and the latter without any extra."""
SHOWN = ("spacy", "thinc", "torch", "numpy", "scipy", "spacy-transformers", "transformers", "pydantic", "typer")

# What spacy-transformers 1.3.9 accepts reaches further back than we do.
OLDEST_TRANSFORMERS = {"transformers": "4.45.0"}
# Where a lower bound has no wheel, the first version that has one.
FIRST_WHEELS = {
    "3.12": {"pydantic": "2.4.0"},
    "3.13": {"pydantic": "2.8.0", "numpy": "2.1.0", "scipy": "1.14.1"},
}


def lower_bounds(python: str) -> dict[str, str]:
    """The oldest version of each requirement of the package and its extra `transformers`."""
    setup = ConfigParser()
    setup.read(ROOT / "setup.cfg", encoding="utf-8")
    required = setup["options"]["install_requires"] + setup["options.extras_require"]["transformers"]
    bounds = dict(re.findall(r"^([\w-]+)>=([\d.]+)", required, re.MULTILINE))
    return {**bounds, **OLDEST_TRANSFORMERS, **FIRST_WHEELS.get(python, {})}


def try_row(python: str, versions: str, extra: list[str], folder: Path) -> str:
    """Install one row, run the tests and the demo, and return what was installed.

    RAISES (subprocess.CalledProcessError): If something fails.
    """
    interpreter = shutil.which(f"python{python}")
    if interpreter is None:
        raise FileNotFoundError(f"there is no python{python} on the PATH")
    subprocess.run([interpreter, "-m", "venv", folder / "venv"], check=True)
    own = folder / "venv/bin/python"
    constraints = folder / "constraints.txt"
    if versions == "oldest":
        lines = [f"{name}=={version}" for name, version in lower_bounds(python).items()]
        constraints.write_text("\n".join(lines), encoding="utf-8")
    elif versions == "newest":
        constraints.touch()
    else:
        shutil.copy(ROOT / "constraints.txt", constraints)
    package = str(ROOT) if versions == "bare" else f"{ROOT}[transformers]"
    install = (
        own,
        "-m",
        "pip",
        "install",
        "--progress-bar",
        "off",
        "--only-binary",
        ":all:",
        "--constraint",
        constraints,
    )
    subprocess.run([*install, package, *extra, *TEST_REQUIREMENTS], check=True)
    run_tests(own, folder / "demo")
    smoke(own, folder / "demo")
    frozen = subprocess.run(
        [own, "-m", "pip", "list", "--format=freeze"], check=True, capture_output=True, text=True
    ).stdout
    pinned = dict(line.split("==", 1) for line in frozen.splitlines() if "==" in line)
    return ", ".join(f"{name} {pinned[name]}" for name in SHOWN if name in pinned)


def main() -> int:
    rows = [f"{python}-{versions}" for python in PYTHONS for versions in VERSIONS]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="*", metavar="ROW", help=f"one of {', '.join(rows)}")
    parser.add_argument("--with", dest="extra", action="append", default=[], metavar="REQUIREMENT")
    parser.add_argument("--keep", action="store_true", help="leave the environments where they are")
    arguments = parser.parse_args()
    if unknown := set(arguments.rows) - set(rows):
        parser.error(f"there is no row {', '.join(sorted(unknown))}; there are {', '.join(rows)}")
    lines = []
    failed = False
    for row in arguments.rows or rows:
        python, versions = row.split("-")
        folder = Path(mkdtemp(prefix=f"versions-{row}-"))
        try:
            lines.append(f"{row}: passed with {try_row(python, versions, arguments.extra, folder)}")
        except (subprocess.CalledProcessError, FileNotFoundError) as error:
            failed = True
            lines.append(f"{row}: FAILED: {error}")
        finally:
            if not arguments.keep:
                shutil.rmtree(folder)
        print(lines[-1], flush=True)
    print("", *lines, sep="\n")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
