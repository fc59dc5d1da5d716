"""Headless Chromium for tests of the page: its tabs, what a tab asks for, and faults of accessibility."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

playwright = pytest.importorskip("playwright.sync_api", reason="the package playwright is not installed")
_NAMES = ("chromium-headless-shell", "chromium", "google-chrome")
PATH = next(filter(None, map(shutil.which, _NAMES)), None)
PICTURES = os.environ.get("FIRESTEEL_PICTURES")
"""Folder that gets a picture of each view, for docs/guide."""
SECONDS = 120_000
"""Milliseconds that a view may take on a busy machine."""
needs_browser = [
    pytest.mark.slow,
    pytest.mark.skipif(PATH is None, reason="there is no Chromium on this machine"),
]


@contextmanager
def opened_browser() -> Iterator[Any]:
    """Start Chromium, which asks nobody for anything by itself."""
    with playwright.sync_playwright() as started:
        opened = started.chromium.launch(executable_path=PATH, args=["--no-sandbox", "--disable-quic"])
        yield opened
        opened.close()


@contextmanager
def opened_tab(browser: Any, width: int = 1280) -> Iterator[Any]:
    """Open a tab that keeps its errors in `problems`, and the URLs that it has asked for in `asked`."""
    context = browser.new_context(viewport={"width": width, "height": 900})
    context.set_default_timeout(SECONDS)
    opened = context.new_page()
    opened.problems, opened.asked = [], []
    opened.on("pageerror", lambda error: opened.problems.append(str(error)))
    opened.on("console", lambda said: said.type == "error" and opened.problems.append(said.text))
    opened.on("request", lambda request: opened.asked.append(request.url))
    yield opened
    context.close()


def wait_until(tab: Any, condition: str) -> None:
    """Wait until a JavaScript expression is true.

    The tab's own `wait_for_function` evaluates text in the page, which its security policy forbids.
    """
    end = time.monotonic() + SECONDS / 1000
    while not tab.evaluate(condition):
        assert time.monotonic() < end, f"not true after {SECONDS / 1000} s: {condition}"
        time.sleep(0.05)


def asked_elsewhere(tab: Any, url: str) -> set[str]:
    """Return the URLs of other servers that a tab has asked for."""
    return {asked for asked in tab.asked if not asked.startswith((f"{url}/", f"blob:{url}/"))}


def serious_faults(tab: Any) -> list[tuple[str, str, str]]:
    """Return the serious and critical faults that axe-core finds: rule, element, and what to do."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    return [
        (fault["id"], fault["nodes"][0]["html"], fault["nodes"][0]["failureSummary"])
        for fault in axe.Axe().run(tab).response["violations"]
        if fault["impact"] in ("serious", "critical")
    ]


def is_too_wide(tab: Any, width: int) -> bool:
    """Return whether the page is wider than a window of this width, so that the whole page scrolls.

    Charts follow the window a frame later.
    """
    tab.set_viewport_size({"width": width, "height": 800})
    tab.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    return bool(tab.evaluate("document.documentElement.scrollWidth") > width)


def take_picture(tab: Any, name: str) -> None:
    """Keep a picture of a view if somebody wants pictures."""
    if PICTURES:
        tab.screenshot(path=Path(PICTURES) / f"{name}.png")
