"""Limit of the rows that a source reads in a micro-batch, from the bytes that the micro-batch before sent.

One row may cause millions of changes, or changes of megabytes. The changes that a micro-batch sends are on
the disk until they are delivered. If they have too many bytes, the next micro-batch reads fewer rows. The
limit has no effect on a micro-batch whose offsets are already in the checkpoint.

The driver writes the limit into a file for the readers of sources, which are other processes on its machine.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path

from firesteel.job.spec import JobSpec
from firesteel.runtime.dataflow.packets import Packet
from firesteel.runtime.spec.operators import GroupAggregateSpec
from firesteel.spark.task.counters import sent_bytes

SENT_FACTOR = 4
"""Bytes that a micro-batch should send at most, as a multiple of the bytes that it may read."""
FIRST_ROWS = 10_000
"""Limit of rows of the first micro-batch, for a job with growing results (`has_growing_results`)."""
_GROWTH = 16
"""Largest factor by which the limit of rows grows from one micro-batch to the next."""


class AdmittedRows:
    """Limit of rows of the next micro-batch.

    Args:
        file: File to which the limit is written.
        most_bytes: Bytes that a micro-batch should send at most.
        most_rows: Rows that each source reads at most if there is no limit. A limit that has grown to this
            number is removed.
        least_rows: Number of rows below which the limit never falls.
        first_rows: Limit of the first micro-batch; None if it has no limit.
    """

    def __init__(
        self, file: str, most_bytes: int, most_rows: int, least_rows: int = 1, first_rows: int | None = None
    ) -> None:
        self.file = file
        self._most_bytes, self._most_rows, self._least_rows = most_bytes, most_rows, max(1, least_rows)
        self._limit = first_rows
        if first_rows is not None:
            self._write()

    def take(self, packets: Iterable[Packet]) -> None:
        """Set the limit for the next micro-batch. `packets` are all that the driver got in the last one."""
        read = sent = 0
        for packet in packets:
            read, sent = read + packet.read, sent + sent_bytes(packet)
        limit = self._next(read, sent) if read else self._limit
        if limit != self._limit:
            self._limit = limit
            self._write()

    def _next(self, read: int, sent: int) -> int | None:
        if self._limit is not None:  # the limit is for each source, `read` is the sum of all
            read = min(read, self._limit)
        if sent > self._most_bytes:
            return max(self._least_rows, read * self._most_bytes // sent)
        if self._limit is None:
            return None
        # Results may grow with each row: twice the rows then send four times the bytes. So if the last
        # micro-batch sent a quarter of the allowed bytes, the limit is doubled, not quadrupled.
        factor = min(_GROWTH, math.sqrt(self._most_bytes / max(1, sent)))
        limit = max(self._limit, int(read * factor))
        return None if limit >= self._most_rows else limit

    def _write(self) -> None:
        new = Path(f"{self.file}.new")
        new.write_text("" if self._limit is None else str(self._limit))
        new.replace(self.file)


def admitted_rows(file: str) -> int | None:
    """Return the limit of rows that `file` has for the next micro-batch; None if it has none, or is ""."""
    try:
        text = Path(file).read_text() if file else ""
    except FileNotFoundError:
        return None
    return int(text) if text else None


def has_growing_results(job: JobSpec) -> bool:
    """Return whether a result of the job may become longer with each row of its key, as with LISTAGG.

    A GROUP BY with mini-batches does not count: it sends a result once a bundle, not once a row.
    """
    operators = (operator for chain in job.chains for operator in chain.operators)
    aggregates = (each for each in operators if isinstance(each, GroupAggregateSpec) and not each.bundle)
    return any(each.growing_calls for each in aggregates)
