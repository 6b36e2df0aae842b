"""A complete HTML page: its head, its style, and what a browser may do with it.

A Content-Security-Policy lets the page apply its own style, by the hash of that, and nothing else. No script runs, no
address is visited, nothing is loaded, even if a text were shown that is not escaped. So markup has no attributes
`style`: what depends on the content has a class, for which this module knows the rule.
"""

from __future__ import annotations

import base64
import hashlib
import re
from html import escape

PAGE = """<!DOCTYPE html>
<html lang="{lang}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<title>{title}</title>
<style>{style}</style>
</head>
<body dir="{direction}">
{body}
</body>
</html>
"""
POLICY = "default-src 'none'; style-src 'sha256-{style}'; base-uri 'none'; form-action 'none'"

RULES = {
    r"bg-hsl-(\d+)-(\d+)-(\d+)": "background: hsl({0}, {1}%, {2}%)",
    r"bg-([0-9a-f]{6})": "background: #{0}",
    r"top-(\d+)": "top: {0}px",
    r"tall-(\d+)": "height: {0}px",
}
"""The classes that depend on the content of a page, and their rules."""

CLASSES = re.compile(r'class="([^"]*)"')


def html_page(body: str, *, title: str, style: str, lang: str, direction: str = "ltr") -> str:
    """Make a page.

    body (str): Its markup, in which all text is escaped. Quotation marks in text are, too.
    title, lang, direction (str): Of the page.
    style (str): The style sheet, except for the rules of `RULES`.
    RETURNS (str): The page.
    """
    style = f"\n{style.strip()}\n{''.join(_rules(body))}"
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return PAGE.format(
        lang=escape(lang),
        policy=POLICY.format(style=digest),
        title=escape(title),
        style=style,
        direction=escape(direction),
        body=body,
    )


def color_class(color: str) -> str:
    """The class of what has a background: "bg-ffd54a" for "#ffd54a", "bg-hsl-205-80-86" for "hsl(205, 80%, 86%)"."""
    return "-".join(["bg", *re.findall(r"\w+", color)])


def _rules(body: str) -> list[str]:
    """A line of the style sheet for each class in the markup that depends on its content."""
    used = sorted({name for names in CLASSES.findall(body) for name in names.split()})
    found = ((name, re.fullmatch(pattern, name), rule) for name in used for pattern, rule in RULES.items())
    return [f".{name} {{ {rule.format(*match.groups())} }}\n" for name, match, rule in found if match]
