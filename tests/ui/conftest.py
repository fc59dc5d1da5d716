"""A page of fake jobs, served by this process."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from firesteel.cli.http_api import Api
from firesteel.jobs.job import Source
from firesteel.jobs.registry import Registry
from firesteel.runtime.dataflow.counters import Counters
from firesteel.runtime.state.size import StateSize
from firesteel.spark.progress import Progress


@pytest.fixture
def registry() -> Registry:
    return Registry()


def add_job(registry: Registry, name: str = "orders.sql: totals") -> Progress:
    """Add a running job with one keyed chain, and return its counters."""
    job = registry.add(Source(f"INSERT INTO totals SELECT name FROM {name}", "orders.sql", 3, 1))
    progress = Progress(
        name=name,
        steps={0: ("read orders", "send"), 1: ("exchange", "GroupAggregate", "send")},
        chains={0: [Counters(), Counters()], 1: [Counters(), Counters(), Counters()]},
        states={(1, 0): {"group-aggregate-1": StateSize(40, 900)}},
    )
    registry.planned(job, progress, lambda: "== Optimized Physical Plan ==\nSink\n")
    job.run()
    return progress


@contextmanager
def page_of(registry: Registry, host: str = "127.0.0.1", port: int = 0) -> Iterator[str]:
    """Serve the page of a registry and yield its URL."""
    pytest.importorskip("starlette")
    pytest.importorskip("uvicorn")
    from firesteel.ui.server import served

    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(128)
        with served(Api(registry, shows_rows=True), listener, host) as url:
            yield url


@pytest.fixture
def page(registry: Registry) -> Iterator[str]:
    with page_of(registry) as url:
        yield url
