"""The README as the page on PyPI, where links relative to the repository would lead nowhere."""

import re
from pathlib import Path

from setuptools import setup


def page_for_pypi(root: Path) -> str:
    """The README, whose links lead to the files at the tag of this version, if setup.cfg names a repository."""
    readme, settings, package = (
        (root / name).read_text(encoding="utf-8")
        for name in ("README.md", "setup.cfg", "spacy_span_selector/__init__.py")
    )
    source = re.search(r"^ +Source *= *(\S+?)/?$", settings, re.MULTILINE)
    version = re.search(r'__version__ = "(.+)"', package)
    if not source or not version:
        return readme
    links = re.sub(r"(?<!!)(\[[^\[\]]*\]\()(?!https?:|#)", rf"\1{source[1]}/blob/v{version[1]}/", readme)
    return re.sub(r"(!\[[^\[\]]*\]\()(?!https?:)", rf"\1{source[1]}/raw/v{version[1]}/", links)


if __name__ == "__main__":
    setup(long_description=page_for_pypi(Path(__file__).parent))
