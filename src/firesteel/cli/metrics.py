"""Metrics of the running jobs as Prometheus reads them: text over HTTP, at `--metrics-port`.

What Flink measures, too, has Flink's words in its name (numRecordsIn, numLateRecordsDropped), in
Prometheus' spelling.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

from firesteel.errors import UsageError

if TYPE_CHECKING:
    from firesteel.spark.progress import Progress

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

_METRICS: tuple[tuple[str, str, str], ...] = (
    ("records_in_total", "counter", "Rows read from sources."),
    ("records_out_total", "counter", "Changes that the sinks have committed."),
    ("records_skipped_total", "counter", "Messages left out because they could not be read."),
    ("late_records_dropped_total", "counter", "Rows that came too late."),
    ("batches_total", "counter", "Micro-batches that ended."),
    ("batch_seconds", "gauge", "How long the last micro-batch took, from the end of the one before."),
    ("watermark_milliseconds", "gauge", "The last watermark of a source, since 1970."),
    ("state_entries", "gauge", "Entries of the keyed state."),
    ("state_bytes", "gauge", "Bytes of the keyed state in Spark's state store, one micro-batch ago."),
    ("running_seconds", "gauge", "Time since the job's start."),
)
"""Name without the prefix, type and meaning."""

_LAG = "lag_messages", "gauge", "Messages of a partition that wait to be read."


class Metrics:
    """The jobs of a process, by the order of their starts; a job that has ended keeps its numbers."""

    def __init__(self) -> None:
        self._jobs: dict[int, Progress] = {}

    def watch(self, progress: Progress) -> None:
        """Called at each change of a job's counts."""
        self._jobs.setdefault(id(progress), progress)

    def text(self) -> str:
        """All metrics in Prometheus' text format; what a job has none of is left out."""
        return "".join(self._lines())

    def _lines(self) -> Iterator[str]:
        found = [(number, values(job)) for number, job in enumerate(list(self._jobs.values()), 1)]
        for name, kind, meaning in _METRICS:
            yield _head(name, kind, meaning)
            for number, of_job in found:
                if (value := of_job[name]) is not None:
                    yield f'firesteel_{name}{{job="{number}"}} {value}\n'
        yield _head(*_LAG)
        for number, job in enumerate(list(self._jobs.values()), 1):
            for (topic, partition), waiting in sorted(job.lags.items()):
                labels = f'job="{number}",topic="{topic}",partition="{partition}"'
                yield f"firesteel_lag_messages{{{labels}}} {waiting}\n"


def _head(name: str, kind: str, meaning: str) -> str:
    return f"# HELP firesteel_{name} {meaning}\n# TYPE firesteel_{name} {kind}\n"


def values(progress: Progress) -> dict[str, float | None]:
    """By the metrics' names, the numbers of one job; None for what it does not have."""
    return {
        "records_in_total": progress.read,
        "records_out_total": progress.changes,
        "records_skipped_total": progress.skipped,
        "late_records_dropped_total": progress.late,
        "batches_total": progress.batches,
        "batch_seconds": None if progress.batch_seconds is None else round(progress.batch_seconds, 3),
        "watermark_milliseconds": progress.mark or None,
        "state_entries": progress.state_entries,
        "state_bytes": progress.state_bytes,
        "running_seconds": round(progress.seconds, 1),
    }


@contextmanager
def served(metrics: Metrics, port: int) -> Iterator[int]:
    """Answer GET /metrics at a port of this machine, 0 for a free one; the port.

    Raises UsageError for a port that cannot be had.
    """

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            is_known = self.path.partition("?")[0] in ("/", "/metrics")
            body = (metrics.text() if is_known else "there is only /metrics\n").encode()
            self.send_response(200 if is_known else 404)
            self.send_header("Content-Type", CONTENT_TYPE)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Nothing: stderr is the job's."""

    try:
        server = ThreadingHTTPServer(("", port), Handler)
    except (OSError, OverflowError) as error:
        reason = error.strerror if isinstance(error, OSError) else "there is no such port"
        raise UsageError(f"--metrics-port {port} cannot be had: {reason}") from None
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True)
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()
