"""Return of freed memory from Python workers to the system, between two tasks.

During a task, glibc keeps most of the memory that a worker frees: Firesteel sets it so (settings.py), because
the next batch needs as much again. A worker that waits for a task would keep as much memory as its largest
task took: up to 1 GB after a GROUP BY of 2,000,000 rows.
"""

from __future__ import annotations

import ctypes
import gc
import mmap
from pathlib import Path

_SIZES = Path("/proc/self/statm")
_MOST = 128 << 20
"""Bytes of a worker in memory (`resident`), above which it returns freed memory to the system.

To get memory from the system again takes some tenths of a second for each GB.
"""


def return_after_tasks(most: int = _MOST) -> bool:
    """Make this process return freed memory to the system after each full garbage collection.

    pyspark ends each task with such a collection, after the task's last output, so no task waits for it.

    Args:
        most: Memory is returned only if the process has more than this number of bytes in memory
            (`resident`).

    Returns:
        True if memory will be returned. False if the system cannot do so: its C library has no `malloc_trim`,
        or the file /proc/self/statm does not exist.
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is None or not _SIZES.exists():
        return False

    def after_collection(phase: str, facts: dict[str, int]) -> None:
        if phase == "stop" and facts["generation"] == 2 and resident() > most:
            trim(0)

    gc.callbacks.append(after_collection)
    return True


def resident() -> int:
    """Return the bytes of this process that are in memory, those shared with other processes included."""
    return int(_SIZES.read_text().split()[1]) * mmap.PAGESIZE
