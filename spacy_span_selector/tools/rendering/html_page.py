"""A complete HTML page: its head, its style and script, and what a browser may do with it.

A Content-Security-Policy lets the page apply its own style and run its own script, each by its hash, and nothing else:
no other script runs, no address is visited, nothing is loaded, even if a text were shown that is not escaped. So markup
has no attributes `style` and none such as `onclick`.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from functools import cache
from html import escape
from importlib import resources
from string import Template


def html_page(
    body: str, *, title: str, style: Sequence[str], script: str, submits: bool = False, connects: bool = False
) -> str:
    css = "".join(map(static, style))
    js = static(script) + static("theme.js")
    policy = ["default-src 'none'", f"style-src {_source(css)}", f"script-src {_source(js)}"]
    policy += ["connect-src 'self'"] if connects else []
    policy += ["base-uri 'none'", f"form-action '{'self' if submits else 'none'}'"]
    return Template(static("page.html")).substitute(
        policy="; ".join(policy), title=escape(title), style=css, body=body, script=f"<script>{js}</script>\n"
    )


@cache
def static(name: str) -> str:
    """The content of a file of the folder `static`: style sheets, scripts and markup that depend on no document."""
    return (resources.files(__package__) / "static" / name).read_text("utf-8")


def _source(content: str) -> str:
    """The name by which a policy allows this content and no other."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}'"
