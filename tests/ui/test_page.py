"""The page in a browser: each view, the keyboard, both themes, narrow and wide, and its accessibility."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from firesteel.jobs.registry import Registry
from firesteel.spark.progress import Progress
from tests.ui.browser import (
    asked_elsewhere,
    is_too_wide,
    needs_browser,
    opened_browser,
    opened_tab,
    serious_faults,
    take_picture,
    wait_until,
)
from tests.ui.conftest import add_job, page_of
from tests.ui.jobs_shown import end_batches, registry_of_jobs

pytestmark = needs_browser
NARROW, WIDE = 400, 3840
VIEWS = {
    "": "tbody tr",
    "#/jobs/1/graph": ".box",
    "#/jobs/1/batches": ".chart canvas",
    "#/jobs/1/result": "tbody tr",
    "#/jobs/1/plan": ".line",
    "#/jobs/1/sources": "table",
    "#/jobs/1/options": "table",
    "#/jobs/1/history": "table",
    "#/jobs/2/history": ".failure",
    "#/jobs/3/graph": ".note",
    "#/jobs/4/graph": ".FINISHED",
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
    with opened_browser() as opened:
        yield opened


@pytest.fixture
def tab(browser: Any) -> Iterator[Any]:
    with opened_tab(browser) as opened:
        yield opened


@pytest.mark.parametrize("view", VIEWS)
def test_each_view_is_sound(tab: Any, served: tuple[str, Progress], view: str) -> None:
    """No error, nothing from elsewhere, no serious fault of accessibility, and not wider than the window."""
    url, _ = served
    tab.goto(f"{url}/{view}")
    tab.wait_for_selector(VIEWS[view])
    take_picture(tab, view.strip("#/").replace("/", "-") or "jobs")
    assert serious_faults(tab) == []
    tab.emulate_media(color_scheme="dark")
    assert serious_faults(tab) == []
    assert not is_too_wide(tab, WIDE)
    assert not is_too_wide(tab, NARROW)
    assert serious_faults(tab) == []
    assert tab.problems == []
    assert asked_elsewhere(tab, url) == set()


def test_the_page_says_that_the_command_has_ended(tab: Any, registry: Registry) -> None:
    add_job(registry)
    with page_of(registry) as url:
        tab.goto(url)
        tab.wait_for_selector(".live:has-text('live')")
    tab.wait_for_selector(".lost:has-text('no answer')")
    assert tab.query_selector("td:has-text('orders.sql: totals')") is not None
    assert serious_faults(tab) == []


def test_a_page_that_stays_open_follows_the_next_command(tab: Any) -> None:
    """The next command on the port has another job with the same id: nothing of the first one stays."""
    first, progress = registry_of_jobs()
    end_batches(progress, 3)
    with page_of(first) as url:
        tab.goto(f"{url}/#/jobs/1/batches")
        tab.wait_for_selector("tbody tr")
        tab.goto(f"{url}/#/jobs/1/graph")
        tab.wait_for_selector(".box:has-text('Join')")
    tab.wait_for_selector(".lost")
    following = Registry()
    add_job(following, "other.sql: counts")
    with page_of(following, port=int(url.rpartition(":")[2])) as url:
        tab.wait_for_selector("h2:has-text('other.sql: counts')")
        tab.wait_for_selector(".box:has-text('Join')", state="detached")
        tab.goto(f"{url}/#/jobs/1/batches")
        tab.wait_for_selector(".panel .note")


def test_counters_and_batches_come_while_the_page_is_open(tab: Any, served: tuple[str, Progress]) -> None:
    url, progress = served
    tab.goto(f"{url}/#/jobs/1/batches")
    tab.wait_for_selector("tbody tr")
    end_batches(progress, 1)
    tab.wait_for_selector(f"tbody tr:first-child td:has-text('{progress.batch}')")
    tab.goto(f"{url}/#/jobs/1/graph")
    tab.wait_for_selector(".box")
    end_batches(progress, 5)
    shown = "/[1-9].*\\/s · busy/.test(document.querySelector('.graph').textContent)"
    wait_until(tab, shown)


def test_a_result_is_sorted_searched_and_paged(tab: Any, served: tuple[str, Progress]) -> None:
    tab.goto(f"{served[0]}/#/jobs/1/result")
    tab.wait_for_selector("caption:has-text('120 of 120 rows')")
    tab.click("th button:has-text('total')")
    tab.click("th button:has-text('total')")
    tab.wait_for_selector("tbody tr:first-child td:has-text('119')")
    tab.click("nav button:has-text('next')")
    tab.wait_for_selector("tbody tr:first-child td:has-text('69')")
    tab.fill("#filter", "COUNTRY 39")
    tab.wait_for_selector("caption:has-text('3 of 120 rows')")
    tab.click("button:has-text('changes')")
    tab.wait_for_selector("caption:has-text('The last 50 of 120 changes')")
    assert tab.problems == []


def test_the_operator_under_the_cursor_is_marked_in_the_plan(tab: Any, served: tuple[str, Progress]) -> None:
    tab.goto(f"{served[0]}/#/jobs/1/plan")
    line = tab.wait_for_selector(".line:has-text('GroupAggregate')")
    line.hover()
    tab.wait_for_selector(".line.chosen:has-text('GroupAggregate')")
    assert tab.query_selector("pre.marked") is not None


def test_the_keyboard_is_enough(tab: Any, served: tuple[str, Progress]) -> None:
    tab.goto(served[0])
    tab.wait_for_selector("#filter")
    tab.keyboard.press("/")
    tab.keyboard.type("broken")
    wait_until(tab, "document.querySelectorAll('tbody tr').length === 1")
    tab.keyboard.press("Escape")
    wait_until(tab, "document.querySelectorAll('tbody tr').length === 4")
    tab.goto(f"{served[0]}/#/jobs/1/graph")
    tab.wait_for_selector(".box")
    tab.focus(".box")
    first = tab.evaluate("document.activeElement.id")
    tab.keyboard.press("ArrowRight")
    assert tab.evaluate("document.activeElement.id") not in ("", first)
    tab.focus("#tab-graph")
    tab.keyboard.press("ArrowRight")
    tab.wait_for_selector("#tab-result[aria-selected=true]")
    assert tab.evaluate("document.activeElement.id") == "tab-result"


def test_the_theme_can_be_switched_and_is_remembered(tab: Any, served: tuple[str, Progress]) -> None:
    tab.goto(served[0])
    tab.click("button[aria-label^=Switch]")
    theme = tab.evaluate("document.documentElement.dataset.theme")
    tab.reload()
    assert tab.evaluate("document.documentElement.dataset.theme") == theme
