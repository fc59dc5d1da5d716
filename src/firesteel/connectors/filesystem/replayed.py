"""Replay of dead letters that came from files: checks, and the messages of each file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa

from firesteel.connectors.filesystem.splits import FileInfo
from firesteel.connectors.replay import RawMessage
from firesteel.errors import NotSupportedError, UsageError

_KEPT = (None, "file.path", "file.name")
"""Metadata keys whose values a dead letter's position gives. None stands for a column without metadata."""


def check_metadata(table: str, keys: Sequence[str | None]) -> None:
    """Raise NotSupportedError if the query reads metadata of files that dead letters do not have."""
    for key in keys:
        if key not in _KEPT:
            raise NotSupportedError(
                f"Messages of '{table}' cannot be replayed: a dead-letter table does not keep the metadata "
                f"'{key}' of their files, which the query reads"
            )


def by_file(messages: Sequence[RawMessage]) -> Iterator[tuple[FileInfo, list[RawMessage], pa.BinaryArray]]:
    """Yield each file with its messages in the order of lines, and their bytes.

    Raises:
        UsageError: A position does not have the form `PATH, line NUMBER`.
    """
    found: dict[str, list[tuple[int, RawMessage]]] = {}
    for message in messages:
        path, comma, line = message.position.rpartition(", line ")
        if not comma or not line.isdigit():
            raise UsageError(f"'{message.position}' is no line of a file")
        found.setdefault(path, []).append((int(line), message))
    for path, own in sorted(found.items()):
        ordered = [message for _, message in sorted(own, key=lambda pair: pair[0])]
        yield FileInfo(path, 0, 0), ordered, pa.array([each.value for each in ordered], pa.binary())
