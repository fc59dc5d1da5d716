"""Dead letters: messages that cannot be read, set aside for a table instead of ending the job.

A source collects these messages. Its task sends them to the dead-letter table with the micro-batch.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from firesteel.changelog import KIND, SEQUENCE, RowKind, field
from firesteel.errors import DataError
from firesteel.formats.base import Decoder, Flags, Indices, MessageError
from firesteel.runtime.dataflow.sequence import row_sequences
from firesteel.runtime.spec.tables import SinkSpec
from firesteel.types.arrow import to_arrow
from firesteel.types.sql import BYTES, STRING, SqlType, timestamp_ltz

COLUMNS: dict[str, SqlType] = {
    "source_table": STRING,
    "source_id": STRING,
    "source_position": STRING,
    "failed_at": timestamp_ltz(3),
    "error_class": STRING,
    "error_text": STRING,
    "raw_bytes": BYTES,
    "raw_key": BYTES,
    "message_time": timestamp_ltz(3),
    "row_kind": STRING,
}
"""The columns of a dead-letter table. A table may have fewer of them, in any order."""

_PIECE = 1024
"""Number of messages to decode together if some messages are bad.

All of them are decoded again for each bad message among them.
"""


NULLABLE = ("raw_bytes", "raw_key", "message_time", "row_kind")
"""Columns that are NULL for some dead letters."""
RAW_KEY, HEADERS = "raw_key", "headers"
"""Columns of the sink that writes dead letters to a Kafka topic (connectors/kafka/error_options.py)."""
_TIMES = ("failed_at", "message_time")


@dataclass(frozen=True)
class LetterSource:
    """The source or sink from which dead letters come, or the operator that dropped late rows."""

    table: str
    """Path of the table that was read or written."""
    id: str
    """Text that identifies the source, sink or operator among those of all jobs.

    For a source: the result of `source_id`, such as `q/0`. For a sink: the name by which it knows the job
    (spark/sink_task.py: job_of), such as `q` or `q.1`. For late rows: `JOB/CHAIN.OPERATOR`, with the number
    of the operator that dropped the rows and of its chain.
    """


def source_id(job: str, chain: int) -> str:
    """Return the identity of the source that a chain of a job reads: `JOB/CHAIN`.

    Args:
        job: Name of the job, without the number that is added for a sink (spark/sink_task.py: job_of).
        chain: Number of the chain. For late rows, it is the chain of the operator that drops them.
    """
    return f"{job}/{chain}"


@dataclass(frozen=True)
class DeadLetter:
    """A message that cannot be read, a row that cannot be written, or a row that was dropped as late."""

    position: str
    """Position of the message as text: topic, partition and offset, or file and line.

    For a row, the text names the number of the micro-batch.
    """
    text: str
    """Message of the error, in Flink's words."""
    raw: bytes | None
    """Bytes of the message, None if it has none.

    For a row, a JSON object, or the text of the print connector if JSON cannot represent the row.
    """
    error_class: str = DataError.__name__
    """Name of the error's class, such as `DataError`."""
    row_kind: str | None = None
    """Short form of the row kind, such as +I; None for a message."""
    cause: str = ""
    """Cause of a Kafka message's error, as metrics name it (formats/messages/skip_causes.py); else ""."""
    key: bytes | None = None
    """Key of the message; None if it has none, or if no dead-letter table needs it."""
    time: int | None = None
    """Time of the message in milliseconds since 1970; None if it has none, or if no table needs it."""
    headers: tuple[tuple[str, bytes], ...] = ()
    """Headers that describe the error; () unless a Kafka topic of dead letters needs them."""


def letters_table(
    letters: Sequence[DeadLetter],
    spec: SinkSpec,
    source: LetterSource,
    now: Sequence[int],
    task: int,
    first: int,
) -> pa.Table:
    """Return dead letters as a changes table of inserts, with the columns of the dead-letter table.

    Args:
        letters: The dead letters.
        spec: Sink that writes to the dead-letter table. Its names and types are the columns to return.
        source: Source, sink or operator from which the letters come.
        now: Time of each letter's error in milliseconds since 1970.
        task: Number of the task that sends the letters, for their sequence.
        first: Number of letters that the task has sent before.
    """
    values: dict[str, list[Any]] = {
        "source_table": [source.table] * len(letters),
        "source_id": [source.id] * len(letters),
        "source_position": [letter.position for letter in letters],
        "failed_at": list(now),
        "error_class": [letter.error_class for letter in letters],
        "error_text": [letter.text for letter in letters],
        "raw_bytes": [letter.raw for letter in letters],
        "message_time": [letter.time for letter in letters],
        "row_kind": [letter.row_kind for letter in letters],
        RAW_KEY: [letter.key for letter in letters],
        HEADERS: [list(letter.headers) for letter in letters],
    }
    columns = [
        pa.array(values[name], pa.int64()).cast(to_arrow(kind))
        if name in _TIMES
        else pa.array(values[name], to_arrow(kind))
        for name, kind in zip(spec.names, spec.types, strict=True)
    ]
    kinds = pa.repeat(pa.scalar(int(RowKind.INSERT), pa.int8()), len(letters))
    sequences = row_sequences(task, first, len(letters))
    names = [KIND, SEQUENCE, *(field(index) for index in range(len(columns)))]
    return pa.Table.from_arrays([kinds, sequences, *columns], names=names)


class DeadLetters:
    """Collector of the dead letters of one split, in the order of the split."""

    def __init__(self) -> None:
        self._held: list[DeadLetter] = []

    def add(self, letter: DeadLetter) -> None:
        self._held.append(letter)

    def take(self) -> Sequence[DeadLetter]:
        """Remove and return the collected dead letters."""
        taken, self._held = self._held, []
        return taken


def decode_around(decoder: Decoder, messages: pa.BinaryArray) -> tuple[pa.Table, Indices, list[MessageError]]:
    """Decode the good messages, and collect the errors of the bad ones instead of raising them.

    Returns:
        The n changes of the good messages; int64[n] with the index in `messages` of the message from which
        each change comes; and one error for each bad message, in the order of the messages.
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
        errors += [error.at(error.index + start) for error in bad]
    return pa.concat_tables(tables).combine_chunks(), np.concatenate(numbers), errors


def _piece_around(decoder: Decoder, piece: pa.BinaryArray) -> tuple[pa.Table, Indices, list[MessageError]]:
    """Decode at most _PIECE messages, and return the same as `decode_around`.

    The decoder stops at the first bad message. This message is replaced by NULL, and all messages are decoded
    again, until no bad message is left.
    """
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
    kept = ~is_bad[at]  # The format raw makes rows of NULL, too: drop the rows that replace bad messages.
    return changes.filter(pa.array(kept)), at[kept], sorted(errors, key=lambda error: error.index)
