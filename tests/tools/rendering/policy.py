"""What a browser would do with a page under its own Content-Security-Policy."""

from __future__ import annotations

import base64
import hashlib
from html.parser import HTMLParser

LOADING = {"src", "href", "xlink:href", "data", "action", "formaction", "poster", "background", "srcset", "ping"}
"""Attributes that name an address."""


class Page(HTMLParser):
    """The elements of a page, and what its policy must allow."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.policies: list[str] = []
        self.contents: dict[str, list[str]] = {"style": [], "script": []}
        self.elements: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.classes: set[str] = set()
        self.inside = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        if found.get("http-equiv", "").lower() == "content-security-policy":
            assert not {"style", "script", "link", "title"} & set(self.elements), "a policy rules what comes after it"
            self.policies.append(found["content"])
        self.elements.append(tag)
        self.attributes += found.items()
        self.classes |= set(found.get("class", "").split())
        self.inside = tag

    def handle_endtag(self, tag: str) -> None:
        self.inside = ""

    def handle_data(self, data: str) -> None:
        if self.inside in self.contents:
            self.contents[self.inside].append(data)


def assert_nothing_is_blocked(text: str, form_action: str = "'none'") -> None:
    """Assert that a page has a policy that allows its style and its script and nothing else, and that it needs nothing
    else."""
    page = Page(text)
    (policy,) = page.policies
    directives = dict(directive.split(maxsplit=1) for directive in policy.split(";"))
    allowed = {f"{tag}-src": _source("".join(contents)) for tag, contents in page.contents.items() if contents}
    assert directives == {"default-src": "'none'", **allowed, "base-uri": "'none'", "form-action": form_action}
    assert [len(contents) for contents in page.contents.values() if contents] == [1] * len(allowed)
    assert not {"iframe", "object", "embed", "link", "base", "img", "a"} & set(page.elements)
    assert ("form" in page.elements) == (form_action != "'none'")
    names = {name for name, _ in page.attributes}
    assert "style" not in names
    assert {value for name, value in page.attributes if name in LOADING} <= {"/"}  # where the form is sent
    assert not [name for name in names if name.startswith("on")]
    (style,) = page.contents["style"]
    assert "@import" not in style and "url(" not in style


def _source(content: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}'"
