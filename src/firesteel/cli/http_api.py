"""Answers of `--metrics-port`: Prometheus' text at /metrics, and the jobs as JSON below /api/v1.

docs/guide/metrics.md describes the fields. A release may add fields to v1; another
meaning is v2.
"""

from __future__ import annotations

import json
from datetime import datetime, timezone
from typing import Any

from firesteel import __version__
from firesteel.cli.metrics import Metrics, values
from firesteel.cli.metrics_server import Answer
from firesteel.jobs.job import Job
from firesteel.jobs.registry import JOBS, Registry
from firesteel.spark.batch_log import Batch
from firesteel.spark.progress import Progress

PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8"
JSON = "application/json; charset=utf-8"
PREFIX = "/api/v1/jobs"


class Api:
    """Answers about the jobs of a registry.

    Args:
        registry: The jobs.
    """

    def __init__(self, registry: Registry = JOBS) -> None:
        self._registry = registry
        self._metrics = Metrics(registry)

    def answer(self, path: str) -> Answer:
        """Return the answer to GET of a path, with the status 404 if nothing is there."""
        if path in ("/", "/metrics"):
            return Answer(self._metrics.text(), PROMETHEUS)
        if path.rstrip("/") == PREFIX:
            return _json({"version": __version__, "jobs": self.summaries()})
        if not path.startswith(f"{PREFIX}/"):
            return Answer(f"there are only /metrics and {PREFIX}\n", status=404)
        id, _, rest = path.removeprefix(f"{PREFIX}/").rstrip("/").partition("/")
        job = self._registry.find(id)
        if job is None:
            return _json({"error": f"there is no job {id!r}"}, 404)
        if rest == "":
            return _json(details(job))
        if rest == "graph":
            return _json({"id": job.id, **job.graph})
        if rest == "batches":
            return _json({"id": job.id, "batches": self.batches(job.id)})
        return _json({"error": f"a job has batches and a graph, and no {rest!r}"}, 404)

    def summaries(self) -> list[dict[str, Any]]:
        """Return all jobs as JSON values, oldest first, with the fields of the list of jobs."""
        return [summary(job) for job in self._registry.jobs()]

    def changing(self, id: str) -> dict[str, Any] | None:
        """Return the fields of a job that may change while it runs; None if the job is unknown.

        The micro-batches are not among them.
        """
        job = self._registry.find(id)
        return None if job is None else {**summary(job), **_counters(job)}

    def batches(self, id: str) -> list[dict[str, Any]]:
        """Return the micro-batches of a job that are still remembered, oldest first."""
        job = self._registry.find(id)
        return [] if job is None else [_batch(batch, job) for batch in _batches(job)]


def _json(value: Any, status: int = 200) -> Answer:
    return Answer(json.dumps(value, ensure_ascii=False, indent=1) + "\n", JSON, status)


def summary(job: Job) -> dict[str, Any]:
    """Return a job as a JSON value, with the fields of the list of jobs."""
    return {
        "id": job.id,
        "name": job.name,
        "label": job.label,
        "state": job.state.value,
        "phase": job.phase,
        "cause": job.cause,
        "restarts": job.restarts,
        "script": job.source.script or None,
        "line": job.source.line,
        "column": job.source.column,
        "statement": job.source.statement,
        "created": _time(job.created),
        "ended": None if job.ended is None else _time(job.ended),
        "metrics": None if job.progress is None else values(job.progress),
        "records_skipped_by_cause": {} if job.progress is None else dict(job.progress.skip_causes),
    }


def details(job: Job) -> dict[str, Any]:
    """Return a job as a JSON value with all fields but its micro-batches."""
    return {
        **summary(job),
        "plan": job.plan,
        "options": dict(job.about.options),
        **_counters(job),
    }


def _counters(job: Job) -> dict[str, Any]:
    progress = job.progress or Progress()
    lags = progress.lags.items()
    return {
        "checkpoint": job.about.checkpoint,
        "statements": job.about.statements,
        "history": [
            {"time": _time(each.time), "state": each.state.value, "cause": each.cause}
            for each in list(job.history)
        ],
        "chains": [{"chain": chain, "steps": _steps(progress, chain)} for chain in sorted(progress.chains)],
        "states": [
            {"state": name, "entries": size.entries, "bytes": size.bytes, "oldest": size.oldest}
            for name, size in sorted(progress.state_sizes().items())
        ],
        "lag_messages": [
            {"topic": topic, "partition": partition, "messages": count}
            for (topic, partition), count in sorted(lags)
        ],
    }


def _steps(progress: Progress, chain: int) -> list[dict[str, Any]]:
    steps = progress.chains[chain]
    return [
        {
            "operator": name,
            "records_in": step.rows_in,
            "records_out": step.rows_out,
            "busy_seconds": _seconds(step.busy),
            "late_records_dropped": step.late,
        }
        for name, step in zip(progress.steps.get(chain) or ("",) * len(steps), steps, strict=True)
    ]


def _batches(job: Job) -> list[Batch]:
    return [] if job.progress is None else list(job.progress.log)


def _batch(batch: Batch, job: Job) -> dict[str, Any]:
    """Return a micro-batch as a JSON value: end, counts of rows and changes, and times of its steps."""
    names = {} if job.progress is None else job.progress.steps
    return {
        "batch": batch.number,
        "ended": _time(batch.ended),
        "seconds": round(batch.seconds, 3),
        "spent": {part: round(seconds, 3) for part, seconds in batch.spent.items()},
        "records_in": batch.counts.rows_in,
        "records_out": batch.counts.rows_out,
        "late_records_dropped": batch.counts.late,
        "records_skipped": batch.counts.skipped,
        "busy": [
            {"chain": chain, "operator": name, "seconds": _seconds(busy)}
            for chain, steps in sorted(batch.busy.items())
            for name, busy in zip(names.get(chain) or ("",) * len(steps), steps, strict=True)
        ],
    }


def _seconds(nanoseconds: int) -> float:
    return round(nanoseconds / 1e9, 3)


def _time(seconds: float) -> str:
    """Return a time in UTC: 2026-01-02T03:04:05.678Z."""
    utc = datetime.fromtimestamp(seconds, timezone.utc)
    return utc.isoformat(timespec="milliseconds").replace("+00:00", "Z")
