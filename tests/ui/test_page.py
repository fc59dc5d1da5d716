"""The page in a browser: each view, the keyboard, both themes, narrow and wide, and its accessibility."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from firesteel.spark.progress import Progress
from tests.ui.conftest import page_of
from tests.ui.jobs_shown import end_batches, registry_of_jobs

playwright = pytest.importorskip("playwright.sync_api", reason="the package playwright is not installed")
_NAMES = ("chromium-headless-shell", "chromium", "google-chrome")
BROWSER = next(filter(None, map(shutil.which, _NAMES)), None)
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(BROWSER is None, reason="there is no Chromium on this machine"),
]
PICTURES = os.environ.get("FIRESTEEL_PICTURES")
"""Folder that gets a picture of each view, for docs/guide."""
VIEWS = {
    "": "table",
    "#/jobs/1/graph": ".box",
    "#/jobs/1/batches": ".chart canvas",
    "#/jobs/1/result": "tbody tr",
    "#/jobs/1/plan": ".line",
    "#/jobs/1/sources": "table",
    "#/jobs/1/options": "table",
    "#/jobs/2/history": ".failure",
    "#/jobs/9/graph": "[role=alert]",
}


@pytest.fixture(scope="module")
def served() -> Iterator[tuple[str, Progress]]:
    registry, progress = registry_of_jobs()
    end_batches(progress, 30)
    with page_of(registry) as url:
        yield url, progress


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as started:
        opened = started.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture
def tab(browser: Any, served: tuple[str, Progress]) -> Iterator[Any]:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    opened = context.new_page()
    opened.problems, opened.asked = [], []
    opened.on("pageerror", lambda error: opened.problems.append(str(error)))
    opened.on("console", lambda said: said.type == "error" and opened.problems.append(said.text))
    opened.on("request", lambda request: opened.asked.append(request.url))
    yield opened
    context.close()


@pytest.mark.parametrize("view", VIEWS)
def test_each_view_opens_without_an_error(tab: Any, served: tuple[str, Progress], view: str) -> None:
    url, _ = served
    tab.goto(f"{url}/{view}")
    tab.wait_for_selector(VIEWS[view], timeout=60_000)
    if PICTURES:
        tab.screenshot(path=Path(PICTURES) / f"{view.strip('#/').replace('/', '-') or 'jobs'}.png")
    assert tab.problems == []
    assert {asked for asked in tab.asked if not asked.startswith((url, "blob:"))} == set()


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_view_has_a_serious_fault_of_accessibility(
    tab: Any, served: tuple[str, Progress], view: str, scheme: str
) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    tab.emulate_media(color_scheme=scheme)
    tab.goto(f"{served[0]}/{view}")
    tab.wait_for_selector(VIEWS[view], timeout=60_000)
    faults = axe.Axe().run(tab).response["violations"]
    serious = [
        (fault["id"], fault["nodes"][0]["html"], fault["nodes"][0]["failureSummary"])
        for fault in faults
        if fault["impact"] in ("serious", "critical")
    ]
    assert serious == []


@pytest.mark.parametrize("width", [400, 1280, 3840])
def test_no_view_is_wider_than_the_window(tab: Any, served: tuple[str, Progress], width: int) -> None:
    tab.set_viewport_size({"width": width, "height": 800})
    for view, shown in VIEWS.items():
        tab.goto(f"{served[0]}/{view}")
        tab.wait_for_selector(shown, timeout=60_000)
        assert tab.evaluate("document.documentElement.scrollWidth") <= width, view


def test_counters_and_batches_come_while_the_page_is_open(tab: Any, served: tuple[str, Progress]) -> None:
    url, progress = served
    tab.goto(f"{url}/#/jobs/1/batches")
    tab.wait_for_selector("tbody tr", timeout=60_000)
    end_batches(progress, 1)
    tab.wait_for_selector(f"tbody tr:first-child td:has-text('{progress.batch}')", timeout=60_000)
    tab.goto(f"{url}/#/jobs/1/graph")
    tab.wait_for_selector(".box", timeout=60_000)
    end_batches(progress, 5)
    tab.wait_for_function("/[1-9].*\\/s · busy/.test(document.querySelector('.graph').textContent)")


def test_a_result_is_sorted_searched_and_paged(tab: Any, served: tuple[str, Progress]) -> None:
    tab.goto(f"{served[0]}/#/jobs/1/result")
    tab.wait_for_selector("caption:has-text('120 of 120 rows')", timeout=60_000)
    tab.click("th button:has-text('total')")
    tab.click("th button:has-text('total')")
    tab.wait_for_selector("tbody tr:first-child td:has-text('119')", timeout=60_000)
    tab.click("nav button:has-text('next')")
    tab.wait_for_selector("tbody tr:first-child td:has-text('69')", timeout=60_000)
    tab.fill("#filter", "COUNTRY 39")
    tab.wait_for_selector("caption:has-text('3 of 120 rows')", timeout=60_000)
    tab.click("button:has-text('changes')")
    tab.wait_for_selector("caption:has-text('The last 50 of 120 changes')", timeout=60_000)
    assert tab.problems == []


def test_the_operator_under_the_cursor_is_marked_in_the_plan(tab: Any, served: tuple[str, Progress]) -> None:
    tab.goto(f"{served[0]}/#/jobs/1/plan")
    line = tab.wait_for_selector(".line:has-text('GroupAggregate')", timeout=60_000)
    line.hover()
    tab.wait_for_selector(".line.chosen:has-text('GroupAggregate')")
    assert tab.query_selector("pre.marked") is not None


def test_the_keyboard_is_enough(tab: Any, served: tuple[str, Progress]) -> None:
    tab.goto(served[0])
    tab.wait_for_selector("#filter", timeout=60_000)
    tab.keyboard.press("/")
    tab.keyboard.type("broken")
    tab.wait_for_function("document.querySelectorAll('tbody tr').length === 1")
    tab.keyboard.press("Escape")
    tab.wait_for_function("document.querySelectorAll('tbody tr').length === 3")
    tab.goto(f"{served[0]}/#/jobs/1/graph")
    tab.wait_for_selector(".box", timeout=60_000)
    tab.focus(".box")
    first = tab.evaluate("document.activeElement.id")
    tab.keyboard.press("ArrowRight")
    assert tab.evaluate("document.activeElement.id") not in ("", first)
    tab.focus("#tab-graph")
    tab.keyboard.press("ArrowRight")
    tab.wait_for_selector("#tab-batches[aria-selected=true]")
    assert tab.evaluate("document.activeElement.id") == "tab-batches"


def test_the_theme_can_be_switched_and_is_remembered(tab: Any, served: tuple[str, Progress]) -> None:
    tab.goto(served[0])
    tab.click("button[aria-label^=Switch]", timeout=60_000)
    theme = tab.evaluate("document.documentElement.dataset.theme")
    tab.reload()
    assert tab.evaluate("document.documentElement.dataset.theme") == theme
