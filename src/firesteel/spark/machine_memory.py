"""Memory of this machine or container, and the share of it that a micro-batch may read."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

_LIMITS = ("sys/fs/cgroup/memory.max", "sys/fs/cgroup/memory/memory.limit_in_bytes")
"""Files with the limit of a container, for control groups of version 2 and 1."""
_SHARE = 32
LEAST, MOST = 32 << 20, 512 << 20
"""Minimum and maximum of `default_batch_bytes`. Micro-batches above the maximum are not faster."""


def memory(root: Path = Path("/")) -> int | None:
    """Return the bytes of memory that this process may use, None if they are unknown.

    Args:
        root: Root of the file system.
    """
    found = []
    for name in _LIMITS:
        with suppress(OSError, ValueError):  # No limit: no file, or "max".
            found.append(int((root / name).read_text()))
    with suppress(OSError, ValueError, AttributeError):  # Some systems lack sysconf or its SC_ names.
        found.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    return min((each for each in found if each > 0), default=None)


def default_batch_bytes(root: Path = Path("/")) -> int:
    """Return the default of `firesteel.source.max-bytes-per-batch`, between LEAST and MOST.

    It is a 32nd of the memory (`memory`), or MOST if the memory is unknown.
    """
    known = memory(root)
    return MOST if known is None else min(MOST, max(LEAST, known // _SHARE))
