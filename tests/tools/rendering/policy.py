"""What a browser would do with a page under its own Content-Security-Policy."""

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
        self.contents = {"style": "", "script": ""}
        self.elements: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        if found.get("http-equiv", "").lower() == "content-security-policy":
            assert not {"style", "script", "link", "title"} & set(self.elements), "a policy rules what comes after it"
            self.policies.append(found["content"])
        self.elements.append(tag)
        self.attributes += found.items()

    def handle_data(self, data: str) -> None:
        if self.cdata_elem:
            self.contents[self.cdata_elem] += data


def assert_nothing_is_blocked(text: str, form_action: str = "'none'") -> None:
    """Assert that a page has a policy that allows its style and its script and nothing else, and that it needs nothing
    else."""
    page = Page(text)
    (policy,) = page.policies
    hashes = {kind: hashlib.sha256(content.encode()).digest() for kind, content in page.contents.items()}
    allowed = {f"{kind}-src": f"'sha256-{base64.b64encode(digest).decode()}'" for kind, digest in hashes.items()}
    directives = dict(directive.split(maxsplit=1) for directive in policy.split(";"))
    assert directives == {"default-src": "'none'", **allowed, "base-uri": "'none'", "form-action": form_action}
    assert page.elements.count("style") == page.elements.count("script") == 1
    assert not {"iframe", "object", "embed", "link", "base", "img", "a"} & set(page.elements)
    assert ("form" in page.elements) == (form_action != "'none'")
    names = {name for name, _ in page.attributes}
    assert "style" not in names
    assert {value for name, value in page.attributes if name in LOADING} <= {"/"}  # where the form is sent
    assert not [name for name in names if name.startswith("on")]
    assert "@import" not in page.contents["style"] and "url(" not in page.contents["style"]
