"""Broadcaster, the one producer of the server-sent events of all clients."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from firesteel.ui.feed import Feed, Json

SECONDS = 0.5
"""Least time between two snapshots."""
SHARE = 0.05
"""Largest fraction of the time to spend on snapshots. If they are slow, they are taken less often."""
QUEUED = 8
"""Maximum number of events that may wait for a client. If more would wait, the client is dropped."""
QUIET_SECONDS = 15.0
"""Time without a change after which clients get a comment, so that proxies keep the connection open."""
_VOLATILE = ("running_seconds",)
"""Metrics that change all the time. If only they have changed, no event is sent."""


class TooSlow(Exception):
    """Error for a client that does not read its events."""


@dataclass(eq=False)
class Client:
    """One client that reads events.

    Attributes:
        job: ID of the job whose details the client gets, None for none.
        rows: Query of a URL that says which rows of the job the client wants to see; None for no rows.
        queue: Encoded events that are not sent to the client yet.
        is_new: Whether the client still waits for its first snapshot.
        dropped: Whether the client was dropped because it was too slow.
    """

    job: str | None
    rows: str | None = None
    queue: asyncio.Queue[bytes] = field(default_factory=lambda: asyncio.Queue(QUEUED))
    is_new: bool = True
    dropped: bool = False

    def put(self, event: bytes) -> None:
        """Queue an event for the client, or drop the client if too many events wait."""
        try:
            self.queue.put_nowait(event)
        except asyncio.QueueFull:
            self.dropped = True

    async def next(self) -> bytes:
        """Wait for the next event and return it.

        Raises:
            TooSlow: The client has not read its events.
        """
        while not self.dropped:
            with suppress(asyncio.TimeoutError):
                return await asyncio.wait_for(self.queue.get(), QUIET_SECONDS)
            return b": nothing has changed\n\n"
        raise TooSlow


Watched = tuple[str | None, str | None]
"""Part of the data that a client watches: its values of Client.job and Client.rows."""


@dataclass(frozen=True)
class _Snapshot:
    """State of the feed at one time."""

    jobs: dict[str, Json]
    """Summaries of all jobs, by the job's id."""
    details: dict[str, Json]
    """Details of the watched jobs, by the job's id. An unknown job has an object with `error`."""
    batches: dict[str, list[Json]]
    """Micro-batches of the watched jobs, by the job's id."""
    rows: dict[Watched, Json | None] = field(default_factory=dict)
    """Rows of jobs, by what a client watches. A value is None if the job shows no rows or is unknown."""


class Broadcaster:
    """Producer of events. It works while there are clients, in the server's event loop.

    Each client first gets all jobs (`jobs`), then changes (`changes`: changed jobs, and ids that are gone). A
    client that watches a job also gets its details (`job`) and its new micro-batches (`batches`). One that
    watches rows of the job gets a page of them (`rows`).

    Args:
        feed: The jobs.
        seconds: Least time between two snapshots.
    """

    def __init__(self, feed: Feed, seconds: float = SECONDS) -> None:
        self._feed = feed
        self._seconds = seconds
        self._clients: set[Client] = set()
        self._previous = _Snapshot({}, {}, {})
        self._arrival = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    @property
    def clients(self) -> int:
        """Number of clients."""
        return len(self._clients)

    def join(self, job: str | None, rows: str | None = None) -> Client:
        """Add a client and return it. `job` and `rows` are the fields of Client, None to watch nothing."""
        client = Client(job, rows)
        self._clients.add(client)
        self._arrival.set()
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._produce())
        return client

    def leave(self, client: Client) -> None:
        """Remove a client."""
        self._clients.discard(client)

    async def _produce(self) -> None:
        while self._clients:
            self._arrival.clear()
            start = time.monotonic()
            watched: set[Watched] = {
                (client.job, client.rows) for client in self._clients if client.job is not None
            }
            with suppress(Exception):  # a job may change while it is read: the next snapshot is right
                self._send(await asyncio.to_thread(self._take, watched))
            took = time.monotonic() - start
            await asyncio.sleep(min(self._seconds, 0.05))  # clients that come together share a snapshot
            with suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self._arrival.wait(), max(self._seconds, took / SHARE))
        self._previous = _Snapshot({}, {}, {})

    def _take(self, watched: set[Watched]) -> _Snapshot:
        jobs = {each["id"]: each for each in self._feed.summaries()}
        details: dict[str, Json] = {}
        batches: dict[str, list[Json]] = {}
        for id in {id for id, _ in watched if id is not None}:
            found = self._feed.changing(id)
            details[id] = {"id": id, "error": "there is no such job"} if found is None else found
            batches[id] = self._feed.batches(id)
        rows: dict[Watched, Json | None] = {
            (id, wanted): self._feed.rows(id, wanted)
            for id, wanted in watched
            if id is not None and wanted is not None
        }
        return _Snapshot(jobs, details, batches, rows)

    def _send(self, now: _Snapshot) -> None:
        """Send each client what it does not have yet. Each event is encoded once for all clients."""
        previous, self._previous = self._previous, now
        new, old = _Whole(now), _News(previous, now)
        for client in list(self._clients):
            for each in (new if client.is_new else old).of((client.job, client.rows)):
                client.put(each)
            client.is_new = False


class _Whole:
    """Events for a client that has received nothing yet: the whole snapshot."""

    def __init__(self, now: _Snapshot) -> None:
        self._now = now
        self._of: dict[Watched, list[bytes]] = {}

    def of(self, watched: Watched) -> list[bytes]:
        """Return the events for a client, by the job and rows that the client watches."""
        if watched not in self._of:
            self._of[watched] = [*self._make(watched[0]), *self._rows(watched)]
        return self._of[watched]

    def _make(self, job: str | None) -> Iterator[bytes]:
        yield event("jobs", {"jobs": list(self._now.jobs.values())})
        if job is not None:
            yield event("job", self._now.details[job])
            yield event("batches", {"id": job, "batches": self._now.batches[job]})

    def _rows(self, watched: Watched) -> Iterator[bytes]:
        rows = self._now.rows.get(watched)
        if rows is not None:
            yield event("rows", {"id": watched[0], **rows})


class _News(_Whole):
    """Events for a client that has received the previous snapshot: what has changed since then."""

    def __init__(self, previous: _Snapshot, now: _Snapshot) -> None:
        super().__init__(now)
        self._previous = previous
        changed = [each for id, each in now.jobs.items() if not _is_same(previous.jobs.get(id), each)]
        gone = [id for id in previous.jobs if id not in now.jobs]
        self._changes = [event("changes", {"jobs": changed, "gone": gone})] if changed or gone else []

    def _make(self, job: str | None) -> Iterator[bytes]:
        yield from self._changes
        if job is None:
            return
        if not _is_same(self._previous.details.get(job), self._now.details[job]):
            yield event("job", self._now.details[job])
        previous = {_key(batch) for batch in self._previous.batches.get(job, ())}
        new = [batch for batch in self._now.batches[job] if _key(batch) not in previous]
        if new:
            yield event("batches", {"id": job, "batches": new})

    def _rows(self, watched: Watched) -> Iterator[bytes]:
        if self._now.rows.get(watched) != self._previous.rows.get(watched):
            yield from super()._rows(watched)


def _key(batch: Json) -> tuple[int, str]:
    return batch["batch"], batch["ended"]


def event(name: str, data: Any) -> bytes:
    """Return a server-sent event."""
    return f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n".encode()


def _is_same(previous: Json | None, now: Json) -> bool:
    return previous is not None and _lasting(previous) == _lasting(now)


def _lasting(job: Json) -> Json:
    metrics = job.get("metrics") or {}
    return {**job, "metrics": {key: value for key, value in metrics.items() if key not in _VOLATILE}}
