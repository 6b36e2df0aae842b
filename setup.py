"""The README as the page on PyPI, where links relative to the repository would lead nowhere."""

import re
from configparser import ConfigParser
from pathlib import Path

from setuptools import setup

RELATIVE = re.compile(r"(!?)\[([^\[\]]*)\]\((?!https?:|#)([^()\s]+)\)")
"""A link or an image, its text and its target, but for links to other sites and within the page."""


def page_for_pypi(readme: str, files: str | None) -> str:
    """Let relative links and images lead to the files of a repository, or take links away.

    readme (str): The README, in Markdown.
    files (str | None): Where its files lie, such as https://github.com/NAME/REPOSITORY/blob/v1.0.0. If None, links
        become their text, and images become nothing.
    """

    def replaced(link: re.Match[str]) -> str:
        image, text, target = link.groups()
        if files is None:
            return "" if image else text
        # /blob/ is a page about an image; /raw/ is the image.
        return f"{image}[{text}]({files.replace('/blob/', '/raw/') if image else files}/{target})"

    return RELATIVE.sub(replaced, readme)


def files_of_this_version(root: Path) -> str | None:
    """Where the files of this version lie: at its tag in the repository that setup.cfg names, if it names one."""
    config = ConfigParser(delimiters=("=",))
    config.optionxform = str  # type: ignore[assignment,method-assign]
    config.read(root / "setup.cfg", encoding="utf-8")
    urls = dict(re.findall(r"^(\w+) *= *(\S+)$", config["metadata"].get("project_urls", ""), re.MULTILINE))
    version = re.search(r'__version__ = "(.+)"', (root / "spacy_span_selector/__init__.py").read_text(encoding="utf-8"))
    return f"{urls['Source'].rstrip('/')}/blob/v{version[1]}" if "Source" in urls and version else None


if __name__ == "__main__":
    root = Path(__file__).parent
    setup(long_description=page_for_pypi((root / "README.md").read_text(encoding="utf-8"), files_of_this_version(root)))
