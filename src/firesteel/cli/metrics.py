"""Metrics of the running jobs in Prometheus' text format. `--metrics-port` serves them (metrics_server.py).

Metrics that Flink has, too, are named after Flink's (numRecordsIn, numLateRecordsDropped), in Prometheus'
spelling.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from firesteel.jobs.json_form import values
from firesteel.jobs.registry import JOBS, Registry

if TYPE_CHECKING:
    from firesteel.spark.progress import Progress

_METRICS: tuple[tuple[str, str, str], ...] = (
    ("records_in_total", "counter", "Rows read from sources."),
    ("records_out_total", "counter", "Changes that the sinks have committed."),
    ("records_skipped_total", "counter", "Messages left out because they could not be read."),
    ("dead_letters_total", "counter", "Messages and rows that dead-letter tables have."),
    ("late_records_dropped_total", "counter", "Rows that came too late."),
    ("restarts_total", "counter", "Restarts of the job after a failure."),
    ("batches_total", "counter", "Micro-batches that ended."),
    ("batch_seconds", "gauge", "How long the last micro-batch took, from the end of the one before."),
    ("watermark_milliseconds", "gauge", "The last watermark of a source, since 1970."),
    ("state_entries", "gauge", "Entries of the keyed state."),
    ("state_bytes", "gauge", "Bytes of the keyed state in Spark's state store, one micro-batch ago."),
    ("running_seconds", "gauge", "Time since the job's start."),
)
"""Metrics of a job, each as (name without the prefix `firesteel_`, type, meaning)."""

_SKIPPED = "records_skipped_by_cause_total", "counter", "Messages left out because they could not be read."
_LAG = "lag_messages", "gauge", "Messages of a partition that wait to be read."


_OPERATORS: tuple[tuple[str, str, str], ...] = (
    ("operator_records_in_total", "counter", "Rows that came into an operator."),
    ("operator_records_out_total", "counter", "Rows that an operator sent on."),
    ("operator_busy_seconds_total", "counter", "Time that an operator worked, in all tasks."),
    (
        "operator_late_records_dropped_total",
        "counter",
        "Late rows that an operator dropped.",
    ),
)
_STATES: tuple[tuple[str, str, str], ...] = (
    ("operator_state_entries", "gauge", "Entries of one state of an operator."),
    ("operator_state_bytes", "gauge", "Bytes of one state of an operator, compressed."),
    (
        "operator_state_oldest_milliseconds",
        "gauge",
        "Least time of an entry of one state of an operator that is sorted by time.",
    ),
)


class Metrics:
    """Metrics of the jobs of this process, the oldest job first. Jobs that have ended are included.

    Args:
        registry: The running jobs, and the ended jobs that are still remembered.
    """

    def __init__(self, registry: Registry = JOBS) -> None:
        self._registry = registry

    def _by_label(self) -> list[tuple[str, Progress]]:
        return [
            (_escaped(job.label), job.progress) for job in self._registry.jobs() if job.progress is not None
        ]

    def text(self) -> str:
        """Return all metrics in Prometheus' text format, without those that a job does not have."""
        return "".join(self._lines())

    def _lines(self) -> Iterator[str]:
        found = [(label, values(job)) for label, job in self._by_label()]
        for name, kind, meaning in _METRICS:
            yield _head(name, kind, meaning)
            for label, of_job in found:
                if (value := of_job[name]) is not None:
                    yield f'firesteel_{name}{{job="{label}"}} {value}\n'
        yield _head(*_SKIPPED)
        for label, job in self._by_label():
            for cause, count in sorted(job.skip_causes.items()):
                yield f'firesteel_{_SKIPPED[0]}{{job="{label}",cause="{_escaped(cause)}"}} {count}\n'
        yield _head(*_LAG)
        for label, job in self._by_label():
            for (topic, partition), waiting in sorted(job.lags.items()):
                labels = f'job="{label}",topic="{topic}",partition="{partition}"'
                yield f"firesteel_lag_messages{{{labels}}} {waiting}\n"
        yield from _family(_OPERATORS, {label: list(_of_operators(job)) for label, job in self._by_label()})
        yield from _family(_STATES, {label: list(_of_states(job)) for label, job in self._by_label()})


def _family(
    metrics: tuple[tuple[str, str, str], ...], jobs: dict[str, list[tuple[str, tuple[float | None, ...]]]]
) -> Iterator[str]:
    """Yield the lines of some metrics: for each metric HELP and TYPE, then a line for each part of each job.

    Args:
        metrics: Name, type and meaning of each metric.
        jobs: By label of the job, the parts of the job that have these metrics, such as its operators. A part
            is (labels, values) with one value for each metric. A value that is None has no line.
    """
    for place, (name, kind, meaning) in enumerate(metrics):
        yield _head(name, kind, meaning)
        for label, parts in jobs.items():
            for labels, found in parts:
                if found[place] is None:
                    continue
                yield f'firesteel_{name}{{job="{label}",{labels}}} {found[place]}\n'


def _of_operators(job: Progress) -> Iterator[tuple[str, tuple[float | None, ...]]]:
    """Yield, for each operator of a job, its labels and the values of its metrics.

    Labels are one text: `chain="0",step="1",operator="Calc"`, where `step` is the operator's position in its
    chain. The values are in the order of _OPERATORS: rows in, rows out, busy seconds, late rows dropped.
    """
    for chain, steps in sorted(job.chains.items()):
        names = job.steps.get(chain) or ("",) * len(steps)
        for place, (name, step) in enumerate(zip(names, steps, strict=True)):
            labels = f'chain="{chain}",step="{place}",operator="{_escaped(name)}"'
            yield labels, (step.rows_in, step.rows_out, round(step.busy / 1e9, 3), step.late)


def _of_states(job: Progress) -> Iterator[tuple[str, tuple[float | None, ...]]]:
    """Yield, for each state of a job, the label `state="NAME"` and the values of its metrics.

    The values are in the order of _STATES: entries, bytes, and the least time of an entry in milliseconds.
    Entries have times if the state is sorted by time; the time of a slice is its start. The least time is
    None if the state is empty or not sorted by time.
    """
    for name, size in sorted(job.state_sizes().items()):
        yield f'state="{_escaped(name)}"', size


def _escaped(label: str) -> str:
    return label.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _head(name: str, kind: str, meaning: str) -> str:
    return f"# HELP firesteel_{name} {meaning}\n# TYPE firesteel_{name} {kind}\n"
