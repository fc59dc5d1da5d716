"""SinkSample, the last rows that a task sends to a sink, for display on the job's web page.

While a web page shows the rows of the job, the driver touches a file again and again. A task on the same
machine sees the file's new time, and sends a few of its last rows to the driver with its other packets. A
task on another machine does not see the file, and sends no sample.
"""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import pyarrow as pa

from firesteel.runtime.dataflow.packets import FIRST, SAMPLE, Packet, write_ipc

LOOK_SECONDS = 10.0
"""Seconds for which tasks send samples after a page has asked for the rows."""
ROWS, BYTES = 20, 1 << 16
"""Maximum number of rows in a task's sample, and maximum number of bytes of these rows."""


def touch(look_file: Path) -> None:
    """Touch the file that makes tasks send samples of a job's rows, if the file's folder still exists."""
    with suppress(OSError):
        look_file.touch(mode=0o600)


def is_watched(look_file: str) -> bool:
    """Return whether a web page has asked for the rows of a job in the last `LOOK_SECONDS`.

    Args:
        look_file: Path of the file that the driver touches.
    """
    try:
        return time.time() - Path(look_file).stat().st_mtime < LOOK_SECONDS
    except OSError:
        return False


class SinkSample:
    """The last rows of one task for one sink.

    Args:
        look_file: Path of the file that the driver touches while a page looks; "" if there is no page.
        sink: Number of the sink in the job.
    """

    def __init__(self, look_file: str, sink: int) -> None:
        self._look_file = look_file
        self._sink = sink
        self._last: pa.Table | None = None

    def add(self, changes: pa.Table) -> None:
        """Keep a copy of the last rows of `changes` as the sample, if a web page asks for rows of the job."""
        if self._look_file and changes.num_rows and is_watched(self._look_file):
            self._last = _small(changes.slice(max(0, changes.num_rows - ROWS)))

    def packets(self) -> list[Packet]:
        """Return a list with one packet of the kept rows for the driver; [] if there are no rows."""
        if self._last is None or not self._last.num_rows:
            return []
        payload, self._last = write_ipc(self._last), None
        return [Packet(0, FIRST, 0, 0, payload, SAMPLE, port=self._sink)]


def _small(changes: pa.Table) -> pa.Table:
    """Return a copy of the changes with at most BYTES bytes.

    If all rows are too large, keep the last half of them, then the last quarter, and so on. Keep no row if
    even the last one is too large.
    """
    own = changes.take(pa.array(np.arange(changes.num_rows)))
    if own.nbytes <= BYTES:
        return own
    return _small(changes.slice(changes.num_rows - changes.num_rows // 2))
