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
        self.styles: list[str] = []
        self.elements: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.classes: set[str] = set()
        self.in_style = False
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
        self.in_style = tag == "style"

    def handle_endtag(self, tag: str) -> None:
        self.in_style = False

    def handle_data(self, data: str) -> None:
        if self.in_style:
            self.styles.append(data)


def assert_nothing_is_blocked(text: str) -> None:
    """Assert that a page has a policy that allows its style and nothing else, and that it needs nothing else."""
    page = Page(text)
    (policy,), (style,) = page.policies, page.styles
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    directives = dict(directive.split(maxsplit=1) for directive in policy.split(";"))
    assert directives == {
        "default-src": "'none'",
        "style-src": f"'sha256-{digest}'",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    assert not {"script", "iframe", "object", "embed", "link", "base", "form", "img", "a"} & set(page.elements)
    names = {name for name, _ in page.attributes}
    assert "style" not in names
    assert not LOADING & names
    assert not [name for name in names if name.startswith("on")]
    assert "@import" not in style and "url(" not in style
    dynamic = {name for name in page.classes if name.startswith(("bg-", "top-", "tall-"))}
    assert [name for name in sorted(dynamic) if f".{name} {{ " not in style] == []
