"""Answers of `--metrics-port`: Prometheus' text at /metrics, and the jobs as JSON below /api/v1.

docs/guide/metrics.md describes the fields. A release may add fields to v1. If the
meaning of a field changes, the path begins with /api/v2.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from typing import Any
from urllib.parse import parse_qsl

from firesteel import __version__
from firesteel.cli.metrics import Metrics
from firesteel.cli.metrics_server import Answer
from firesteel.jobs.json_form import Json, batches, counters, details, summary
from firesteel.jobs.registry import JOBS, Registry

PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8"
JSON = "application/json; charset=utf-8"
PREFIX = "/api/v1/jobs"


class JobsApi(ABC):
    """Answers about jobs. Subclasses provide the jobs."""

    def answer(self, path: str, query: str = "") -> Answer:
        """Return the answer to GET of a path, with the status 404 if nothing is there.

        Args:
            path: The path.
            query: The query of the URL.
        """
        if path.rstrip("/") == PREFIX:
            return as_json({"version": __version__, "jobs": self.summaries()})
        if not path.startswith(f"{PREFIX}/"):
            return Answer(f"there is only {PREFIX}\n", status=404)
        id, _, rest = path.removeprefix(f"{PREFIX}/").rstrip("/").partition("/")
        if not self.has(id):
            return as_json({"error": f"there is no job {id!r}"}, 404)
        if rest == "":
            return as_json(self.details(id))
        if rest == "graph":
            return as_json({"id": id, **self.graph(id)})
        if rest == "batches":
            return as_json({"id": id, "batches": self.batches(id)})
        if rest == "rows" and (rows := self.rows(id, query)) is not None:
            return as_json({"id": id, **rows})
        known = "it has batches, a graph and, if --ui shows them, rows"
        return as_json({"error": f"job {id!r} has no {rest!r}: {known}"}, 404)

    @abstractmethod
    def has(self, id: str) -> bool:
        """Return whether there is a job with this id."""

    @abstractmethod
    def summaries(self) -> list[Json]:
        """Return all jobs as JSON values, oldest first, with the fields that GET /api/v1 lists."""

    @abstractmethod
    def changing(self, id: str) -> Json | None:
        """Return the fields of a job that may change while it runs; None if the job is unknown.

        The micro-batches are not among them.
        """

    @abstractmethod
    def details(self, id: str) -> Json | None:
        """Return all fields of a job but its micro-batches; None if the job is unknown."""

    @abstractmethod
    def graph(self, id: str) -> Json:
        """Return the graph of a job; an empty object if it has none or the job is unknown."""

    @abstractmethod
    def batches(self, id: str) -> list[Json]:
        """Return the latest micro-batches of a job, oldest first. Earlier ones may have been dropped."""

    def rows(self, id: str, query: str) -> Json | None:
        """Return rows of a job's result as JSON. Return None if the job is unknown or its rows are not shown.

        Args:
            id: The job.
            query: The query of the URL. It may select and page the rows (`ResultView.answer`).
        """
        return None


class Api(JobsApi):
    """Answers about the jobs of a registry, and their metrics.

    Args:
        registry: The jobs.
        shows_rows: Whether to show the rows of results, and hot keys. False for `--metrics-port`, because it
            asks its clients for no token.
    """

    def __init__(self, registry: Registry = JOBS, *, shows_rows: bool = False) -> None:
        self._registry = registry
        self._shows_rows = shows_rows
        self._metrics = Metrics(registry)

    def answer(self, path: str, query: str = "") -> Answer:
        if path in ("/", "/metrics"):
            return Answer(self._metrics.text(), PROMETHEUS)
        if not path.startswith(PREFIX):
            return Answer(f"there are only /metrics and {PREFIX}\n", status=404)
        return super().answer(path, query)

    def has(self, id: str) -> bool:
        return self._registry.find(id) is not None

    def summaries(self) -> list[Json]:
        return [summary(job) for job in self._registry.jobs()]

    def changing(self, id: str) -> Json | None:
        job = self._registry.find(id)
        if job is None:
            return None
        return {**summary(job), **counters(job, shows_keys=self._shows_rows)}

    def details(self, id: str) -> Json | None:
        job = self._registry.find(id)
        return None if job is None else details(job, shows_keys=self._shows_rows)

    def graph(self, id: str) -> Json:
        job = self._registry.find(id)
        return {} if job is None else job.graph

    def batches(self, id: str) -> list[Json]:
        job = self._registry.find(id)
        return [] if job is None else batches(job)

    def rows(self, id: str, query: str) -> Json | None:
        job = self._registry.find(id)
        if job is None or job.rows is None or not self._shows_rows:
            return None
        return job.rows.answer(dict(parse_qsl(query)))


def as_json(value: Any, status: int = 200) -> Answer:
    """Return an answer with a JSON value."""
    return Answer(json.dumps(value, ensure_ascii=False, indent=1) + "\n", JSON, status)
