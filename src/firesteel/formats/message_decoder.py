"""Decodes messages: in columns those that columns can judge, exactly every other one, in their order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pyarrow as pa

from firesteel.formats.base import Indices, MessageError
from firesteel.formats.json_parser import BadMessage
from firesteel.formats.lines import bare
from firesteel.runtime.spec import KIND, field
from firesteel.types.arrow import to_arrow
from firesteel.types.sql import SqlType

Row = tuple[int, tuple[object, ...]]
"""A row kind's byte and the wanted fields."""
WORTH_COLUMNS = 64
"""Fewer messages are read faster one by one."""


@dataclass(frozen=True)
class Columnar:
    """changes and the message of each, in order; odd: the messages for the exact reader."""

    changes: pa.Table
    messages: Indices
    odd: Indices


class Columns(Protocol):
    """A format's way to read many messages."""

    def is_worth(self, messages: int) -> bool:
        """Whether so many are read faster than one by one."""
        ...

    def read(self, messages: pa.BinaryArray) -> Columnar: ...


class Exact(Protocol):
    """A format's way to read one message."""

    def read(self, message: bytes) -> Sequence[Row] | None:
        """Its rows; None: a bad message to be skipped. Raises BadMessage or ValueError."""
        ...

    def error(self, message: bytes, reason: str) -> str:
        """The error text for a message, in Flink's words."""
        ...


class MessageDecoder:
    """A Decoder (base.py). columns: None where the wanted types need the exact reader. keeps_line_end: the
    exact reader is given messages with their line end."""

    def __init__(
        self, exact: Exact, columns: Columns | None, schema: pa.Schema, *, keeps_line_end: bool = False
    ) -> None:
        self._exact = exact
        self._columns = columns
        self._schema = schema
        self._keeps_line_end = keeps_line_end
        self.skipped = 0

    def decode(self, messages: pa.BinaryArray) -> tuple[pa.Table, Indices]:
        """See Decoder."""
        if self._columns is None or not self._columns.is_worth(len(messages)):
            return self._exactly(messages, np.arange(len(messages)))
        found = self._columns.read(messages)
        if not len(found.odd):
            return found.changes, found.messages
        table, numbers = self._exactly(messages, np.sort(found.odd))
        both = pa.concat_tables([found.changes, table]).combine_chunks()
        numbers = np.concatenate([found.messages, numbers])
        order = np.argsort(numbers, kind="stable")
        return both.take(pa.array(order)), numbers[order]

    def _exactly(self, messages: pa.BinaryArray, chosen: Indices) -> tuple[pa.Table, Indices]:
        """Read single messages."""
        numbers: list[int] = []
        kinds: list[int] = []
        values: list[tuple[object, ...]] = []
        for index in chosen.tolist():
            message = messages[index].as_py() or b""
            for kind, row in self._read(message if self._keeps_line_end else bare(message), index):
                numbers.append(index)
                kinds.append(kind)
                values.append(row)
        columns = list(zip(*values, strict=True)) if values else [()] * (len(self._schema) - 1)
        arrays = [
            pa.array(column, one.type) for column, one in zip([kinds, *columns], self._schema, strict=True)
        ]
        return pa.Table.from_arrays(arrays, schema=self._schema), np.array(numbers, dtype=np.int64)

    def _read(self, message: bytes, index: int) -> Sequence[Row]:
        try:
            rows = self._exact.read(message)
        except (BadMessage, ValueError) as error:
            raise MessageError(index, self._exact.error(message, str(error))) from None
        if rows is None:
            self.skipped += 1
            return ()
        return rows


def changes_schema(types: Sequence[SqlType]) -> pa.Schema:
    """`$kind` and the fields."""
    fields = [pa.field(field(index), to_arrow(kind)) for index, kind in enumerate(types)]
    return pa.schema([pa.field(KIND, pa.int8()), *fields])
