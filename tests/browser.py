"""A real browser, Chromium, that opens pages and says what went wrong there.

It is the one that the environment variable CHROMIUM names, or the first of `NAMES` that is installed.
"""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
OPTIONS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
VIEWPORT = {"width": 1280, "height": 860}
OpenPage = Callable[..., Any]


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    sync_api = pytest.importorskip("playwright.sync_api", reason="needs playwright, of the extra 'dev'")
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        pytest.skip(f"no browser: none of {', '.join(NAMES)} is installed, and CHROMIUM is not set")
    with sync_api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=OPTIONS)
        chromium.new_context(viewport=VIEWPORT)  # for all pages without options
        yield chromium
        chromium.close()


@pytest.fixture
def open_page(browser: Any, tmp_path: Path) -> Iterator[OpenPage]:
    """Opens a page, given as HTML or by its address. At the end of the test nothing may have been blocked, failed or
    loaded, apart from what the test has taken out of the list `page.problems`."""
    pages: list[Any] = []

    def open_(page: str, **options: Any) -> Any:
        context = browser.new_context(**{"viewport": VIEWPORT, **options}) if options else browser.contexts[0]
        opened = context.new_page()
        pages.append(opened)
        opened.set_default_timeout(10_000)
        problems = opened.problems = []
        address = page
        if not page.startswith("http:"):
            file = tmp_path / f"page-{len(pages)}.html"
            file.write_text(page, encoding="utf-8")
            address = file.as_uri()
        known = (address, "about:srcdoc")
        opened.on("console", lambda message: problems.append(message.text))
        opened.on("pageerror", lambda error: problems.append(str(error)))
        opened.on("dialog", lambda dialog: (problems.append(dialog.message), dialog.dismiss()))
        opened.on("request", lambda sent: sent.url in known or problems.append(f"request: {sent.url}"))
        opened.goto(address)
        return opened

    yield open_
    problems = [problem for page in pages for problem in page.problems]
    for page in pages:
        page.close()
    for context in browser.contexts[1:]:
        context.close()
    assert problems == []
