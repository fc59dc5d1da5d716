"""The offset at which a source of a job began, and the connector's own part of a reader's offsets.

The offset of a reader contains that of its connector and more: the processing time, whether a bounded source
has ended, and the offsets of sources that are read before it (spark/stream/source.py).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from firesteel.connectors.base import Offset
from firesteel.durability import write_whole
from firesteel.spark.stream.reader_offset import own_offset

FILE = "start.json"
"""File in the folder of a source's log."""


def note_start(log: str, offset: Offset) -> None:
    """Record durably where a source of a new job begins.

    Args:
        log: Folder of the source's log, which is made if it is missing.
        offset: Offset of the reader.
    """
    write_whole(Path(log) / FILE, json.dumps(own_offset(offset)))


def noted_start(log: Path) -> Offset | None:
    """Return the offset at which a source began; None if an earlier version began the job."""
    try:
        found: Any = json.loads((log / FILE).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    return dict(found)
