"""Dead letters: messages that cannot be read, set aside for a table instead of ending the job.

A source of messages notes each of them, and its task sends them to the table's sink with the micro-batch.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from firesteel.formats.base import Decoder, Flags, Indices, MessageError
from firesteel.types.sql import BYTES, STRING, SqlType, timestamp_ltz

COLUMNS: dict[str, SqlType] = {
    "source_table": STRING,
    "source_position": STRING,
    "failed_at": timestamp_ltz(3),
    "error_class": STRING,
    "error_text": STRING,
    "raw_bytes": BYTES,
    "row_kind": STRING,
}
"""The columns of a dead-letter table. A table may have fewer of them, in any order."""

_PIECE = 1024
"""Messages that are read together near a bad one: each bad message has its piece read once more."""


@dataclass(frozen=True)
class DeadLetter:
    """One message that cannot be read."""

    position: str
    """Where it stands: topic, partition and offset, or file and line."""
    text: str
    """What is wrong, in Flink's words."""
    raw: bytes | None
    """The bytes of the message; None if it has none."""


class DeadLetters:
    """Dead letters of one split, in the order in which they were met."""

    def __init__(self) -> None:
        self._held: list[DeadLetter] = []

    def add(self, letter: DeadLetter) -> None:
        self._held.append(letter)

    def take(self) -> Sequence[DeadLetter]:
        """Remove and return what is held."""
        taken, self._held = self._held, []
        return taken


def decode_around(decoder: Decoder, messages: pa.BinaryArray) -> tuple[pa.Table, Indices, list[MessageError]]:
    """Return what a decoder reads of the messages without the bad ones, and the bad ones' errors.

    Returns:
        The changes, int64[n] with the message of each change, and the errors in the order of their messages.
    """
    causes = Counter(decoder.causes)
    try:
        return (*decoder.decode(messages), [])
    except MessageError:
        decoder.causes = causes
    tables, numbers, errors = [], [], list[MessageError]()
    for start in range(0, len(messages), _PIECE):
        changes, at, bad = _piece_around(decoder, messages.slice(start, _PIECE))
        tables.append(changes)
        numbers.append(at + start)
        errors += [MessageError(e.index + start, e.text, is_control=e.is_control) for e in bad]
    return pa.concat_tables(tables).combine_chunks(), np.concatenate(numbers), errors


def _piece_around(decoder: Decoder, piece: pa.BinaryArray) -> tuple[pa.Table, Indices, list[MessageError]]:
    """Return what a decoder reads of a few messages, after emptying each one that it refuses."""
    errors: list[MessageError] = []
    is_bad: Flags = np.zeros(len(piece), np.bool_)
    while True:
        causes = Counter(decoder.causes)
        try:
            changes, at = decoder.decode(piece)
            break
        except MessageError as error:
            if is_bad[error.index]:
                raise
            decoder.causes = causes
            errors.append(error)
            is_bad[error.index] = True
            piece = pc.if_else(pa.array(is_bad), pa.scalar(None, piece.type), piece)
    kept = ~is_bad[at]  # a format may take an empty message for a row
    return changes.filter(pa.array(kept)), at[kept], sorted(errors, key=lambda error: error.index)
