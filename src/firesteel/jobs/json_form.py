"""JSON form of jobs, for the API, the web page and the file in a checkpoint.

docs/guide/metrics.md describes the fields.
"""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

from firesteel.jobs.job import Job
from firesteel.spark.batch_log import Batch
from firesteel.spark.progress import Progress

Json = dict[str, Any]


def summary(job: Job, *, asks_spark: bool = True) -> Json:
    """Return a job as a JSON value, with the fields of the list of jobs.

    Args:
        job: The job.
        asks_spark: Whether to include numbers for which Spark or brokers are asked, which may take a second.
    """
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
        "created": time_text(job.created),
        "ended": None if job.ended is None else time_text(job.ended),
        "metrics": None if job.progress is None else values(job.progress, asks_spark=asks_spark),
        "records_skipped_by_cause": {} if job.progress is None else dict(job.progress.skip_causes),
    }


def details(job: Job, *, asks_spark: bool = True, shows_keys: bool = False) -> Json:
    """Return a job as a JSON value with all fields but `batches`.

    The arguments are those of the function `counters` in this module.
    """
    return {
        **summary(job, asks_spark=asks_spark),
        "plan": job.plan,
        "options": dict(job.about.options),
        **counters(job, asks_spark=asks_spark, shows_keys=shows_keys),
    }


def values(progress: Progress, *, asks_spark: bool = True) -> dict[str, float | None]:
    """Return the metrics of one job by their names. Metrics that the job does not have are None."""
    return {
        "records_in_total": progress.read,
        "records_out_total": progress.changes,
        "records_skipped_total": progress.skipped,
        "dead_letters_total": progress.dead_letters,
        "late_records_dropped_total": progress.late,
        "restarts_total": progress.restarts,
        "batches_total": progress.batches,
        "batch_seconds": None if progress.batch_seconds is None else round(progress.batch_seconds, 3),
        "watermark_milliseconds": progress.watermark or None,
        "state_entries": progress.state_entries,
        "state_bytes": progress.state_bytes if asks_spark else None,
        "running_seconds": round(progress.seconds, 1),
    }


def counters(job: Job, *, asks_spark: bool = True, shows_keys: bool = False) -> Json:
    """Return the fields of a job that may change while it runs, without those of `summary`.

    Args:
        job: The job.
        asks_spark: Whether to include numbers for which Spark or brokers are asked, which may take a second.
        shows_keys: Whether readers may see hot keys, which contain data: values of the rows' key columns.
    """
    progress = job.progress or Progress()
    lags = progress.lags.items() if asks_spark else ()
    return {
        "checkpoint": job.about.checkpoint,
        "statements": job.about.statements,
        "has_rows": job.rows is not None,
        "history": [
            {"time": time_text(each.time), "state": each.state.value, "cause": each.cause}
            for each in list(job.history)
        ],
        "chains": [{"chain": chain, "steps": _steps(progress, chain)} for chain in sorted(progress.chains)],
        "hot_keys": _hot_keys(progress) if shows_keys else [],
        "states": [
            {"state": name, "entries": size.entries, "bytes": size.bytes, "oldest": size.oldest}
            for name, size in sorted(progress.state_sizes().items())
        ],
        "lag_messages": [
            {"topic": topic, "partition": partition, "messages": count}
            for (topic, partition), count in sorted(lags)
        ],
    }


def _steps(progress: Progress, chain: int) -> list[Json]:
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


def _hot_keys(progress: Progress) -> list[Json]:
    """Return the keys with the most rows, one list item for each chain and input that has such hot keys.

    An item has the chain, the port, the name of the chain's first operator, the number of all rows, and the
    keys with their rows.
    """
    found = []
    for (chain, port), keys in sorted(progress.hot_keys.copy().items()):
        top = [{"key": list(key), "rows": rows} for key, rows in keys.top()]
        if top:
            operator = (*progress.steps.get(chain, ()), "", "")[1]
            found.append({"chain": chain, "port": port, "operator": operator, "rows": keys.rows, "keys": top})
    return found


def batches(job: Job) -> list[Json]:
    """Return the micro-batches of a job that are still remembered, oldest first."""
    return [] if job.progress is None else [_batch(batch, job) for batch in list(job.progress.log)]


def _batch(batch: Batch, job: Job) -> Json:
    """Return a micro-batch as a JSON value: end, counts of rows and changes, and times of its steps."""
    names = {} if job.progress is None else job.progress.steps
    return {
        "batch": batch.number,
        "ended": time_text(batch.ended),
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


def time_text(seconds: float) -> str:
    """Return a time in UTC: 2026-01-02T03:04:05.678Z. `seconds` count since 1970."""
    utc = datetime.fromtimestamp(seconds, timezone.utc)
    return utc.isoformat(timespec="milliseconds").replace("+00:00", "Z")
