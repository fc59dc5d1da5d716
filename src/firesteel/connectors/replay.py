"""Decoding of messages that were dead letters, with today's options of their table (`firesteel replay`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import pyarrow as pa

from firesteel.changelog import INSERT_ONLY, ChangelogMode
from firesteel.errors import NotSupportedError


@dataclass(frozen=True)
class RawMessage:
    """Message that a dead-letter table contains."""

    position: str
    """Topic, partition and offset, or file and line, as in the column `source_position`."""
    value: bytes | None
    """Bytes of the message."""
    key: bytes | None = None
    """Key of the message; None if it has none, or if the table has no column for it."""
    time: int | None = None
    """Time of the message in milliseconds since 1970; None if it has none, or the table lacks the column."""


@dataclass(frozen=True)
class DecodedMessages:
    """Rows of messages, and the messages that still cannot be read."""

    rows: Mapping[int, pa.Table]
    """Changes without sequences, by the channel of their watermarks (connectors/base.py: Split)."""
    errors: Mapping[str, str]
    """Text of the error of each bad message, by its position."""


@runtime_checkable
class ReplayableSource(Protocol):
    """Source that can decode given messages, without reading them from its topic or file."""

    def decode(self, messages: Sequence[RawMessage]) -> DecodedMessages:
        """Return the rows of messages, and the error of each message that still cannot be read.

        The rows of a topic's partition, or of a file, are in the order of its messages, whatever the order of
        `messages` is. A message that cannot be read raises nothing.

        Raises:
            NotSupportedError: The query reads metadata that dead letters lack, or a message may be an update
                or a delete.
            UsageError: A position does not have the form of this kind of source, or a needed column of the
                dead-letter table is missing.
        """
        ...


def check_inserts(table: str, mode: ChangelogMode, *, upserts: bool = False) -> None:
    """Check that each message of a table is a new row.

    A message is replayed long after its turn. If it were an update or a delete, the job could have processed
    later changes of the same key already, and the replayed message would undo them.

    Args:
        table: Path of the table.
        mode: Kinds of changes in its messages.
        upserts: Whether messages replace the row of their key.

    Raises:
        NotSupportedError: Messages hold other changes.
    """
    if upserts or mode != INSERT_ONLY:
        raise NotSupportedError(
            f"Messages of '{table}' cannot be replayed: they are changes of rows, and a change that comes "
            "after later ones of its row would undo them",
            hint="send the mended messages to the table's topic or folder, behind all others",
        )
