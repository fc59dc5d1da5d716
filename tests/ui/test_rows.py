"""The rows of a result on the page: its API, its events, and who does not get them."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from firesteel.cli.http_api import Api
from firesteel.jobs.registry import Registry
from firesteel.ui.events import Broadcaster
from tests.session.test_live_rows import changes, live
from tests.ui.conftest import add_job
from tests.ui.test_events import next_event

WHOLE = 4
"""Events for a new client that watches rows of a job."""


def test_the_api_has_a_page_of_the_rows(registry: Registry) -> None:
    httpx = pytest.importorskip("httpx")
    pytest.importorskip("uvicorn")
    from firesteel.cli.ui import page
    from firesteel.jobs.registry import JOBS

    add_job(registry)
    registry.jobs()[0].rows = live(changes(("+I", "Tom", 12), ("+I", "Ann", 9)))
    with page(0, None, as_json=False, feed=Api(registry, shows_rows=True)) as url:
        assert not JOBS.shows_rows  # these are not the jobs of the process
        rows = httpx.get(f"{url}/api/v1/jobs/1/rows?sort=1&order=asc&size=1").json()
        assert (rows["id"], rows["rows"], rows["pages"]) == ("1", [["Ann", "9"]], 2)
        assert httpx.get(f"{url}/api/v1/jobs/1/rows?view=changes").json()["changes"][1] == ["+I", "Ann", "9"]
        assert httpx.get(f"{url}/api/v1/jobs/1").json()["has_rows"] is True
        assert httpx.get(f"{url}/api/v1/jobs/2/rows").status_code == 404
    with page(0, None, as_json=False):
        assert JOBS.shows_rows
    assert not JOBS.shows_rows


def test_the_metrics_port_shows_no_rows(registry: Registry) -> None:
    add_job(registry)
    registry.jobs()[0].rows = live(changes(("+I", "Tom", 12)))
    assert Api(registry).answer("/api/v1/jobs/1/rows").status == 404


def test_a_job_without_rows(registry: Registry) -> None:
    add_job(registry)
    assert Api(registry, shows_rows=True).answer("/api/v1/jobs/1/rows").status == 404


def test_events_bring_the_rows_when_they_change(registry: Registry) -> None:
    async def run() -> None:
        add_job(registry)
        rows = registry.jobs()[0].rows = live(changes(("+I", "Tom", 12)))
        broadcaster = Broadcaster(Api(registry, shows_rows=True), 0.01)
        table, last = broadcaster.join("1", "view=table&sort=1"), broadcaster.join("1", "view=changes")
        none = broadcaster.join("1")
        first = dict([await next_event(table) for _ in range(WHOLE)])
        assert first["rows"]["rows"] == [["Tom", "12"]]
        assert dict([await next_event(last) for _ in range(WHOLE)])["rows"]["changes"] == [
            ["+I", "Tom", "12"]
        ]
        assert [(await next_event(none))[0] for _ in range(WHOLE - 1)] == ["jobs", "job", "batches"]
        rows.add(changes(("-U", "Tom", 12), ("+U", "Tom", 3)))
        assert (await named(table, "rows"))["rows"] == [["Tom", "3"]]
        assert (await named(last, "rows"))["changes"][-1] == ["+U", "Tom", "3"]
        await asyncio.sleep(0.1)
        assert table.queue.empty()
        assert none.queue.empty()
        for client in (table, last, none):
            broadcaster.leave(client)

    asyncio.run(run())


async def named(client: Any, name: str) -> Any:
    while True:
        found, data = await next_event(client)
        if found == name:
            return data
