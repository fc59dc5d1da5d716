"""Record of all syncs, for tests that reconstruct the state after a power cut (durability.py: TRACE).

The trace folder has two entries:

- `syncs`: a file with one JSON object a line, in the order in which the syncs ended.
- `kept`: a folder with a hard link to each synced file. The name of the link is the file's inode number.

If a file is replaced or deleted without a sync of its folder, a power cut may bring the old file back. With
the hard link, a test can still read this old file.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

SYNCS, KEPT = "syncs", "kept"


def traced(trace: Path, path: Path, is_folder: bool) -> Callable[[], None]:
    """Return a function that records the sync of a file or folder, with its state before the sync.

    Raises:
        FileNotFoundError: The file or folder is gone.
    """
    path = path.absolute()
    entry: dict[str, object] = {"path": str(path)}
    if is_folder:
        entry["names"] = {found.name: found.inode() for found in os.scandir(path)}
        entry["inode"] = path.stat().st_ino
    else:
        status = path.stat()
        entry |= {"inode": status.st_ino, "size": status.st_size}
        (trace / KEPT).mkdir(exist_ok=True)
        with suppress(FileExistsError):
            os.link(path, trace / KEPT / str(status.st_ino))
    line = f"{json.dumps(entry)}\n".encode()

    def note() -> None:
        descriptor = os.open(trace / SYNCS, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            os.write(descriptor, line)
        finally:
            os.close(descriptor)

    return note
