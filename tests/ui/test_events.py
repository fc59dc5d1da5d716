"""Server-sent events: what clients get, and that slow ones are dropped."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from typing import Any
from urllib.parse import urlsplit

import pytest

from firesteel.cli.http_api import Api
from firesteel.jobs.registry import Registry
from firesteel.ui import events
from firesteel.ui.events import QUEUED, Broadcaster, TooSlow
from tests.ui.conftest import add_job, page_of

Event = tuple[str, Any]


class Counted(Api):
    """A feed that counts how often all jobs are asked for."""

    def __init__(self, registry: Registry) -> None:
        super().__init__(registry)
        self.asked = 0

    def summaries(self) -> list[dict[str, Any]]:
        self.asked += 1
        return super().summaries()


def parsed(body: bytes) -> Event:
    name, data = body.decode().rstrip("\n").split("\ndata: ")
    return name.removeprefix("event: "), json.loads(data)


async def next_event(client: events.Client) -> Event:
    return parsed(await asyncio.wait_for(client.next(), 20))


def test_a_client_gets_all_jobs_and_then_changes(registry: Registry) -> None:
    async def run() -> None:
        add_job(registry)
        broadcaster = Broadcaster(Api(registry), 0.01)
        client = broadcaster.join(None)
        name, data = await next_event(client)
        assert (name, [job["id"] for job in data["jobs"]]) == ("jobs", ["1"])
        add_job(registry, "second")
        name, data = await next_event(client)
        assert (name, [job["id"] for job in data["jobs"]], data["gone"]) == ("changes", ["2"], [])
        registry.discard(registry.jobs()[0])
        assert await next_event(client) == ("changes", {"jobs": [], "gone": ["1"]})
        broadcaster.leave(client)

    asyncio.run(run())


def test_a_client_that_watches_a_job_gets_its_details_and_new_batches(registry: Registry) -> None:
    async def run() -> None:
        progress = add_job(registry)
        progress.batch = 1
        progress.end_batch()
        broadcaster = Broadcaster(Api(registry), 0.01)
        client = broadcaster.join("1")
        found = [await next_event(client) for _ in range(3)]
        assert [name for name, _ in found] == ["jobs", "job", "batches"]
        assert found[1][1]["states"] == [
            {"state": "group-aggregate-1", "entries": 40, "bytes": 900, "oldest": None}
        ]
        assert [batch["batch"] for batch in found[2][1]["batches"]] == [1]
        progress.batch = 2
        progress.end_batch()
        found = [await next_event(client) for _ in range(3)]
        assert [name for name, _ in found] == ["changes", "job", "batches"]
        assert [batch["batch"] for batch in found[2][1]["batches"]] == [2]
        late = broadcaster.join("1")
        found = [await next_event(late) for _ in range(3)]
        assert [batch["batch"] for batch in found[2][1]["batches"]] == [1, 2]
        unknown = broadcaster.join("9")
        found = [await next_event(unknown) for _ in range(2)]
        assert found[1] == ("job", {"id": "9", "error": "there is no such job"})

    asyncio.run(run())


def test_time_alone_is_no_event_and_all_clients_share_a_snapshot(registry: Registry) -> None:
    async def run() -> None:
        add_job(registry)
        feed = Counted(registry)
        broadcaster = Broadcaster(feed, 0.05)
        clients = [broadcaster.join("1") for _ in range(50)]
        for client in clients:
            assert [(await next_event(client))[0] for _ in range(3)] == ["jobs", "job", "batches"]
        before, begun = feed.asked, time.monotonic()
        await asyncio.sleep(0.5)
        assert feed.asked - before <= (time.monotonic() - begun) / 0.05 + 2
        assert all(client.queue.empty() for client in clients)
        for client in clients:
            broadcaster.leave(client)
        await asyncio.sleep(0.2)
        before = feed.asked
        await asyncio.sleep(0.2)
        assert feed.asked == before

    asyncio.run(run())


def test_a_slow_feed_is_asked_less_often(registry: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    feed = Counted(registry)
    monkeypatch.setattr(Registry, "jobs", lambda self: time.sleep(0.05) or [])

    async def run() -> None:
        broadcaster = Broadcaster(feed, 0.001)
        broadcaster.join(None)
        await asyncio.sleep(1.2)

    asyncio.run(run())
    assert feed.asked <= 3


def test_an_error_of_the_feed_does_not_end_the_events(
    registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    failures = iter([RuntimeError("dictionary changed size during iteration")])

    class Failing(Api):
        def summaries(self) -> list[dict[str, Any]]:
            for failure in failures:
                raise failure
            return super().summaries()

    async def run() -> None:
        client = Broadcaster(Failing(registry), 0.01).join(None)
        assert (await next_event(client))[0] == "jobs"

    asyncio.run(run())


def test_a_client_that_does_not_read_is_dropped(registry: Registry) -> None:
    async def run() -> None:
        client = Broadcaster(Api(registry)).join(None)
        for _ in range(QUEUED + 1):
            client.put(b"")
        with pytest.raises(TooSlow):
            await client.next()

    asyncio.run(run())


def test_quiet_clients_get_a_comment(registry: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "QUIET_SECONDS", 0.01)

    async def run() -> None:
        client = Broadcaster(Api(registry), 5).join(None)
        assert (await next_event(client))[0] == "jobs"
        assert (await client.next()).startswith(b": ")

    asyncio.run(run())


def read(page: str, job: str) -> tuple[socket.socket, Iterator[Event]]:
    """Open a stream of events over HTTP."""
    parts = urlsplit(page)
    client = socket.create_connection((parts.hostname, parts.port), 10)
    client.sendall(f"GET /api/v1/events?job={job} HTTP/1.0\r\nHost: localhost\r\n\r\n".encode())
    file = client.makefile("rb")

    def found() -> Iterator[Event]:
        for line in file:
            if line.startswith(b"event: "):
                yield parsed(line + file.readline())

    return client, found()


def test_fifty_clients_at_once(registry: Registry, page: str) -> None:
    progress = add_job(registry)
    opened = [read(page, "1") for _ in range(50)]
    for _, found in opened:
        assert [next(found)[0] for _ in range(3)] == ["jobs", "job", "batches"]
    progress.batch = 7
    progress.end_batch()
    for client, found in opened:
        assert [next(found)[0] for _ in range(3)] == ["changes", "job", "batches"]
        client.close()


def test_there_is_a_limit_of_clients(registry: Registry, page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    httpx = pytest.importorskip("httpx")
    monkeypatch.setattr("firesteel.ui.event_stream.MOST_CLIENTS", 1)
    client, found = read(page, "1")
    assert next(found)[0] == "jobs"
    assert httpx.get(f"{page}/api/v1/events").status_code == 503
    client.close()


def test_a_client_that_stops_reading_is_cut_off_and_others_go_on(
    registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("uvicorn")
    from firesteel.ui.connections import Connections
    from firesteel.ui.event_stream import EventStream

    aborted = threading.Event()
    abort = Connections.abort
    monkeypatch.setattr(Connections, "abort", lambda *given: (abort(*given), aborted.set()))
    monkeypatch.setattr(EventStream.__init__, "__defaults__", (0.3,))
    monkeypatch.setattr(events, "SECONDS", 0.02)
    monkeypatch.setattr(Broadcaster.__init__, "__defaults__", (0.02,))
    progress = add_job(registry)
    progress.steps = {0: ("read " + "x" * 400_000, "send")}
    with page_of(registry) as page:
        stuck, _ = read(page, "1")
        reader, found = read(page, "1")
        stop = threading.Event()

        def work() -> None:
            while not stop.is_set():
                progress.read += 1
                stop.wait(0.01)

        worker = threading.Thread(target=work)
        worker.start()
        try:
            deadline = time.monotonic() + 60
            while not aborted.is_set():
                assert time.monotonic() < deadline, "the client was not cut off"
                assert next(found)[0]
            assert next(found)[0]  # the other client still gets events
        finally:
            stop.set()
            worker.join()
        with closing(reader), closing(stuck):
            stuck.settimeout(60)
            while stuck.recv(1 << 20):  # what was on its way, and then the end
                pass
