"""Files by which the driver guides the readers of a job's sources between micro-batches."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import uuid4

from firesteel.job.spec import JobSpec
from firesteel.job.timer_routing import has_timers
from firesteel.runtime.dataflow.packets import Packet
from firesteel.spark.stream.admitted_rows import FIRST_ROWS, SENT_FACTOR, AdmittedRows, has_growing_results
from firesteel.spark.stream.settings import MAX_ROWS, StreamSettings
from firesteel.spark.stream.timers import JobTimers
from firesteel.spark.temporary import process_folder


class SourceFeedback:
    """Next timer of a job, and limit of rows of its next micro-batch.

    Attributes:
        timers: File with the time of the next timer (timers.py), "" for a job without timers.
        admitted: File with the limit of rows (admitted_rows.py).

    Args:
        job: The job.
        settings: Settings of the stream host.
    """

    def __init__(self, job: JobSpec, settings: StreamSettings) -> None:
        name = f"{process_folder()}/{{}}-{uuid4().hex}"
        self._timers = JobTimers(name.format("timers")) if has_timers(job) else None
        self.timers = "" if self._timers is None else self._timers.file
        self._admitted = AdmittedRows(
            name.format("rows"), settings.max_bytes * SENT_FACTOR, settings.max_rows or MAX_ROWS,
            least_rows=settings.least_rows, first_rows=FIRST_ROWS if has_growing_results(job) else None,
        )  # fmt: skip
        self.admitted = self._admitted.file

    def take(self, packets: Sequence[Packet]) -> None:
        """Read the packets of a micro-batch, and write the files."""
        self._admitted.take(packets)
        if self._timers is not None:
            self._timers.take(packets)
