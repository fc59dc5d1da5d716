"""Decoder that reads most messages column by column, and the others one by one with an exact reader."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pyarrow as pa

from firesteel.changelog import KIND, field
from firesteel.errors import FiresteelError
from firesteel.formats.base import Indices, MessageError
from firesteel.formats.messages.control_messages import ControlMessage
from firesteel.formats.messages.json_limits import BadMessage
from firesteel.formats.messages.lines import bare
from firesteel.formats.messages.skip_causes import cause_of
from firesteel.types.arrow import to_arrow
from firesteel.types.sql import SqlType

Row = tuple[int, tuple[object, ...]]
"""A row: the number of its row kind, and the wanted fields."""
_NO_VALUE = (pa.ArrowException, ValueError, TypeError, ArithmeticError)
"""Errors that Arrow raises if a column cannot hold a value."""
WORTH_COLUMNS = 64
"""Minimum number of messages that are read column by column. Fewer are read faster one by one."""


@dataclass(frozen=True)
class Columnar:
    """Result of reading messages column by column."""

    changes: pa.Table
    """Changes, in the order of their messages."""
    messages: Indices
    """int64[n], index of the message of each change."""
    odd: Indices
    """Indices of messages that the exact reader must read."""


class Columns(Protocol):
    """A format's reader of many messages, column by column."""

    def is_worth(self, messages: int) -> bool:
        """Return whether this number of messages is read faster in columns than one by one."""
        ...

    def read(self, messages: pa.BinaryArray) -> Columnar: ...


class Exact(Protocol):
    """A format's exact reader of single messages.

    Attributes:
        ignored: The error of the last message for which `read` returned None; None if it had no error.
    """

    ignored: Exception | None

    def read(self, message: bytes) -> Sequence[Row] | None:
        """Return the rows of a message, or None for a bad message to skip.

        Raises:
            BadMessage, ValueError: The message is bad.
        """
        ...

    def error(self, message: bytes, reason: str) -> str:
        """Return the error text for a message, in Flink's words."""
        ...


class MessageDecoder:
    """A Decoder (formats/base.py) that uses a format's two readers.

    If the columnar reader raises an unexpected error, the exact reader reads all messages instead. If the
    exact reader raises one, the message counts as bad: it is skipped if `ignores` is set, and otherwise
    reported in a MessageError.

    Args:
        exact: Reader of single messages.
        columns: Reader of many messages; None if the wanted types need the exact reader.
        schema: Schema of the changes.
        keeps_line_end: Whether the exact reader gets messages with their line ends.
        ignores: Whether bad messages are skipped.
    """

    def __init__(
        self,
        exact: Exact,
        columns: Columns | None,
        schema: pa.Schema,
        *,
        keeps_line_end: bool = False,
        ignores: bool = False,
    ) -> None:
        self._exact = exact
        self._columns = columns
        self._schema = schema
        self._keeps_line_end = keeps_line_end
        self._ignores = ignores
        self.causes = Counter[str]()
        self.unforeseen = 0
        """Number of unexpected errors so far, for tests.

        An error of the columnar reader is counted once for its block of messages. An error of the exact
        reader is counted for its message, an error of the conversion to a table for its row.
        """

    @property
    def skipped(self) -> int:
        """Number of messages skipped so far because of `ignore-parse-errors`."""
        return self.causes.total()

    def decode(self, messages: pa.BinaryArray) -> tuple[pa.Table, Indices]:
        """Return the changes in the messages, and the index of each change's message (base.py: Decoder)."""
        if self._columns is None or not self._columns.is_worth(len(messages)):
            return self._exactly(messages, np.arange(len(messages)))
        try:
            found = self._columns.read(messages)
        except (FiresteelError, MemoryError):
            raise
        except Exception:
            self.unforeseen += 1
            return self._exactly(messages, np.arange(len(messages)))
        if not len(found.odd):
            return found.changes, found.messages
        table, numbers = self._exactly(messages, np.sort(found.odd))
        both = pa.concat_tables([found.changes, table]).combine_chunks()
        numbers = np.concatenate([found.messages, numbers])
        order = np.argsort(numbers, kind="stable")
        return both.take(pa.array(order)), numbers[order]

    def _exactly(self, messages: pa.BinaryArray, chosen: Indices) -> tuple[pa.Table, Indices]:
        """Read the messages at `chosen` one by one. Return the changes, and each one's message index."""
        numbers: list[int] = []
        rows: list[Row] = []
        for index in chosen.tolist():
            found = self._read(self._message(messages, index), index)
            numbers += [index] * len(found)
            rows += found
        try:
            table = self._table(rows)
        except _NO_VALUE:
            return self._without_bad_rows(messages, numbers, rows)
        return table, np.array(numbers, dtype=np.int64)

    def _message(self, messages: pa.BinaryArray, index: int) -> bytes:
        message = messages[index].as_py() or b""
        return message if self._keeps_line_end else bare(message)

    def _table(self, rows: Sequence[Row]) -> pa.Table:
        """Return rows as a changes table.

        If a column cannot hold a value, raise one of the errors in _NO_VALUE.
        """
        kinds = [kind for kind, _ in rows]
        values = list(zip(*(row for _, row in rows), strict=True)) if rows else [()] * (len(self._schema) - 1)
        arrays = [
            pa.array(column, one.type) for column, one in zip([kinds, *values], self._schema, strict=True)
        ]
        return pa.Table.from_arrays(arrays, schema=self._schema)

    def _without_bad_rows(
        self, messages: pa.BinaryArray, numbers: Sequence[int], rows: Sequence[Row]
    ) -> tuple[pa.Table, Indices]:
        """Return the rows as changes, without those of messages with a value that a column cannot hold.

        `numbers` has the index of each row's message. The second result has it for the remaining rows.

        Raises:
            MessageError: There is such a message, and bad messages are not skipped.
        """
        bad: dict[int, Exception] = {}
        for number, row in zip(numbers, rows, strict=True):
            try:
                self._table([row])
            except _NO_VALUE as error:
                bad.setdefault(number, error)
                self._unforeseen(self._message(messages, number), number, error)
        self.causes.update(map(cause_of, bad.values()))
        kept = [(number, row) for number, row in zip(numbers, rows, strict=True) if number not in bad]
        return self._table([row for _, row in kept]), np.array([number for number, _ in kept], np.int64)

    def _read(self, message: bytes, index: int) -> Sequence[Row]:
        try:
            rows = self._exact.read(message)
        except (BadMessage, ValueError) as error:
            raise MessageError(
                index,
                self._exact.error(message, str(error)),
                is_control=isinstance(error, ControlMessage),
                cause=cause_of(error),
            ) from None
        except (FiresteelError, MemoryError):
            raise
        except Exception as error:
            self._unforeseen(message, index, error)
            self.causes[cause_of(error)] += 1
            return ()
        if rows is None:
            self.causes[cause_of(self._exact.ignored)] += 1
            return ()
        return rows

    def _unforeseen(self, message: bytes, index: int, error: Exception) -> None:
        """Count an unexpected error. Raise MessageError unless bad messages are skipped."""
        self.unforeseen += 1
        if not self._ignores:
            text = self._exact.error(message, f"{type(error).__name__}: {error}")
            raise MessageError(index, text, cause=cause_of(error)) from None


def changes_schema(types: Sequence[SqlType]) -> pa.Schema:
    """Return the schema of changes with these field types: `$kind`, f0, f1, ..."""
    fields = [pa.field(field(index), to_arrow(kind)) for index, kind in enumerate(types)]
    return pa.schema([pa.field(KIND, pa.int8()), *fields])
