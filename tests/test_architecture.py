"""The map in docs/architecture.md against the imports: it has every package, and its arrows are all there are."""

import ast
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

PACKAGE = "spacy_span_selector"
ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")


def rows(heading: str) -> list[list[str]]:
    """The cells of the table under a heading, without its header."""
    section = TEXT.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]
    lines = [line for line in section.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[1:]]


def names(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = sorted((ROOT / PACKAGE).rglob("*.py"))
MODULES = {module_name(path): path for path in FILES}
PACKAGES = {names(row[0])[0]: names(row[1]) for row in rows("Packages")}
"""The packages from top to bottom, and what each imports, as the map says."""
WINGS = ("people", "tools")
"""The wings above the core."""


@cache
def imports(path: Path) -> list[str]:
    """What a file imports, within functions too: modules of this package by their full names, others by their first."""
    package = module_name(path).split(".")
    if path.name != "__init__.py":
        package = package[:-1]
    found: list[str] = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.append(str(node.module))
        elif isinstance(node, ast.ImportFrom):
            base = ".".join([*package[: len(package) + 1 - node.level], *(node.module or "").split(".")]).strip(".")
            for alias in node.names:
                found.append(f"{base}.{alias.name}" if f"{base}.{alias.name}" in MODULES else base)
    return found


def package_of(module: str) -> str | None:
    """The package of the map that a module lies in: the longest that fits; None outside."""
    inside = module.removeprefix(f"{PACKAGE}.").replace(".", "/")
    fitting = [name for name in PACKAGES if inside == name or inside.startswith(f"{name}/")]
    return max(fitting, key=len, default=None) if module.startswith(f"{PACKAGE}.") else None


def imported_packages(name: str) -> set[str]:
    """The other packages of the map that the files of one import."""
    own = [path for module, path in MODULES.items() if package_of(module) == name]
    found = {package_of(module) for path in own for module in imports(path)}
    return {other for other in found if other not in (None, name)}  # type: ignore[misc]


def reached(module: str) -> set[str]:
    """Everything that a module imports, what its imports import, and so on."""
    found: set[str] = set()
    waiting = [module]
    while waiting:
        for name in imports(MODULES[waiting.pop()]):
            if name not in found:
                found.add(name)
                waiting += [name] if name in MODULES else []
    return found


def test_every_file_lies_in_a_package_of_the_map() -> None:
    rooms = {f"{PACKAGE}.{name}" for name in ("layers", "tools")}
    assert {module for module in MODULES if module != PACKAGE and package_of(module) is None} == rooms


@pytest.mark.parametrize("name", PACKAGES)
def test_a_package_imports_what_the_map_says(name: str) -> None:
    assert imported_packages(name) == set(PACKAGES[name])


@pytest.mark.parametrize("name", PACKAGES)
def test_arrows_point_down(name: str) -> None:
    order = list(PACKAGES)
    assert [other for other in PACKAGES[name] if order.index(other) <= order.index(name)] == []


def test_no_module_imports_itself_by_way_of_others() -> None:
    assert [module for module in MODULES if module in reached(module)] == []


@pytest.mark.parametrize("row", rows("Never"), ids=lambda row: row[0])
def test_what_never_happens_does_not(row: list[str]) -> None:
    """Not even by way of other modules, packages above a module apart, which Python runs first."""
    packages, forbidden = names(row[0]), names(row[1])
    for module in MODULES:
        if any(is_in_room(module, name) for name in packages):
            found = {name for name in reached(module) for no in forbidden if is_in(name, no)}
            assert not found, f"{module} imports {sorted(found)}"


MOST_MODULES = 95


@pytest.mark.parametrize("component", ["structured_coref", "structured_srl", "structured_spancat"])
def test_a_component_loads_little(component: str) -> None:
    """In a process that has imported nothing else, with what Python runs for packages above a module."""
    code = f"import sys, {PACKAGE}.pipeline.{component}; print(*(name for name in sys.modules if {PACKAGE!r} in name))"
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()
    assert len(loaded) <= MOST_MODULES
    assert [name for name in loaded if any(is_in(name, wing) for wing in WINGS)] == []


def is_in_room(module: str, name: str) -> bool:
    """Whether a module lies in a package of the map, or in a wing: core is all that is in no other."""
    if name == "core":
        return module != PACKAGE and not any(is_in(module, wing) for wing in WINGS)
    return is_in(module, name) if name in WINGS else package_of(module) == name


def is_in(module: str, name: str) -> bool:
    """Whether a module is a package, or lies in it; packages of the map are named by their path."""
    full = f"{PACKAGE}.{name.replace('/', '.')}" if name in PACKAGES or name in WINGS else name
    return module == full or module.startswith(f"{full}.")
