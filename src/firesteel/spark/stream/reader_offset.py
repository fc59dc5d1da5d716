"""Offsets of connectors within the offsets of the stream reader, which Spark stores in a checkpoint.

The reader adds the processing time and the last replay of dead letters, and wraps the rest:

    {"own": offset, "earlier": ...}    a bounded job that reads other sources before this one
    {"of": offset, "ended": ...}       a source whose end sends a last watermark
"""

from __future__ import annotations

from firesteel.connectors.base import Offset
from firesteel.spark.stream.batch_clock import without_time
from firesteel.spark.stream.replaying_source import without_replays


def own_offset(offset: Offset) -> Offset:
    """Return the offset that the connector wrote."""
    found = _of_source(offset)
    own: Offset = found["of"] if _may_end(found) else found
    return own


def has_ended(offset: Offset) -> bool:
    """Return whether the source has ended at this offset. False if the reader does not store that."""
    found = _of_source(offset)
    return _may_end(found) and bool(found["ended"])


def _of_source(offset: Offset) -> Offset:
    found = without_replays(without_time(offset))
    if found.keys() == {"own", "earlier"}:
        found = found["own"]
    return found


def _may_end(offset: Offset) -> bool:
    return offset.keys() == {"of", "ended"}
