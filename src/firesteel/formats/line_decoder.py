"""Decodes blocks of lines, one message a line: the columnar path for the messages that match a learned
shape, the exact path for every other one, the rows put together in the order of the lines.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import duckdb
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from firesteel.formats.base import MESSAGES, Fields, MessageError
from firesteel.formats.json_parser import BadMessage
from firesteel.runtime.duck.connection import connect
from firesteel.runtime.spec import KIND, field
from firesteel.types.arrow import to_arrow
from firesteel.types.sql import SqlType

Row = tuple[int, tuple[object, ...]]
"""A row kind's byte and the wanted fields."""
LINE = "$line"
_SAMPLE = 48
_MAX_SHAPES = 4
_WORTH_KEEPING = 10
"""A shape that fits less than one line in so many is the last that is learned from a block."""
_WORTH_LEARNING = 64
"""So few lines are read faster the exact way than a shape is learned from them."""


class Shape(Protocol):
    """What a learned shape must offer. pattern: a whole line, without its end. statement: DuckDB SQL
    over `messages` (l, the line, and i, its number)."""

    pattern: str
    statement: str

    def rows(self, answer: pa.Table) -> tuple[pa.Table, list[int]]:
        """The statement's answer as changes, with the column `$line`, and the numbers of the lines that
        turned out to need the exact path."""
        ...


class MessageFormat(Protocol):
    """One format's two ways of reading messages."""

    def read(self, message: bytes) -> Sequence[Row] | None:
        """The rows of one message, the exact way; None: a bad message to be skipped. Raises BadMessage
        or ValueError."""
        ...

    def learn(self, messages: list[bytes]) -> Shape | None:
        """A shape that fits the messages, if the columnar path can read them."""
        ...

    def error(self, message: bytes, reason: str) -> str:
        """The error text for a message, in Flink's words."""
        ...


class LineDecoder:
    """A Decoder over a MessageFormat."""

    def __init__(self, messages: MessageFormat, fields: Fields) -> None:
        self._messages = messages
        self._schema = changes_schema(fields.types)
        self._shapes: list[Shape] = []
        self.skipped = 0

    def decode(self, block: memoryview | bytes) -> pa.Table:
        """The changes in a block of whole lines. Raises MessageError."""
        lines = split_lines(block)
        rest = np.arange(len(lines))
        pieces: list[pa.Table] = []
        for shape in tuple(self._shapes):
            rest = self._take(shape, lines, rest, pieces)
        rest = self._learn(lines, rest, pieces)
        if len(rest):
            pieces.append(self._exactly(lines, rest))
        return _in_order(pieces, self._schema)

    def finish(self) -> pa.Table | None:
        """Nothing is left: a line is a message."""
        return None

    def _learn(
        self, lines: pa.Array, rest: npt.NDArray[np.int64], pieces: list[pa.Table]
    ) -> npt.NDArray[np.int64]:
        """Learn new shapes as long as there are many lines that no shape fits; returns what is left."""
        while len(rest) >= _WORTH_LEARNING and len(self._shapes) < _MAX_SHAPES:
            picked = rest[:: max(1, len(rest) // _SAMPLE)][:_SAMPLE]
            shape = self._messages.learn([_message(lines, int(index)) for index in picked])
            if shape is None:
                break
            self._shapes.append(shape)
            before, rest = len(rest), self._take(shape, lines, rest, pieces)
            if before - len(rest) < before // _WORTH_KEEPING:
                break
        return rest

    def _take(
        self, shape: Shape, lines: pa.Array, rest: npt.NDArray[np.int64], pieces: list[pa.Table]
    ) -> npt.NDArray[np.int64]:
        """Read the lines that match; returns those that are left."""
        if not len(rest):
            return rest
        chosen = lines if len(rest) == len(lines) else lines.take(pa.array(rest))
        try:
            found = pc.match_substring_regex(chosen, f"^{shape.pattern}\r?\n?$").to_numpy(
                zero_copy_only=False
            )
        except pa.ArrowInvalid:  # more columns than RE2 takes in one pattern
            self._shapes.remove(shape)
            return rest
        matched = rest[found]
        if not len(matched):
            return rest
        texts = chosen if len(matched) == len(rest) else chosen.filter(pa.array(found))
        rows, odd = self._rows(shape, pa.table({"l": texts, "i": matched}))
        pieces.append(rows)
        return np.sort(np.concatenate([rest[~found], np.array(odd, dtype=np.int64)]))

    def _rows(self, shape: Shape, lines: pa.Table) -> tuple[pa.Table, list[int]]:
        connection = connect()
        try:
            return self._run(shape, connection, lines)
        except duckdb.Error:
            # Some line matched the pattern and is no JSON (a comma is missing): leave those out.
            connection.register(MESSAGES, lines)
            valid = connection.sql(f"SELECT json_valid(l) AS v FROM {MESSAGES}").to_arrow_table()
            good = valid["v"].to_numpy()
            rows, odd = self._run(shape, connection, lines.filter(pa.array(good)))
            return rows, [*odd, *lines["i"].to_numpy()[~good].tolist()]
        finally:
            connection.unregister(MESSAGES)

    def _run(
        self, shape: Shape, connection: duckdb.DuckDBPyConnection, lines: pa.Table
    ) -> tuple[pa.Table, list[int]]:
        connection.register(MESSAGES, lines)
        return shape.rows(connection.sql(shape.statement).to_arrow_table())

    def _exactly(self, lines: pa.Array, rest: npt.NDArray[np.int64]) -> pa.Table:
        """Read single messages."""
        numbers: list[int] = []
        kinds: list[int] = []
        values: list[tuple[object, ...]] = []
        for index in rest.tolist():
            for kind, row in self._read(_message(lines, index), index):
                numbers.append(index)
                kinds.append(kind)
                values.append(row)
        columns = list(zip(*values, strict=True)) if values else [()] * (len(self._schema) - 1)
        arrays = [pa.array(kinds, pa.int8())]
        arrays += [
            pa.array(column, f.type) for column, f in zip(columns, list(self._schema)[1:], strict=True)
        ]
        return pa.Table.from_arrays(
            [*arrays, pa.array(numbers, pa.int64())], names=[*self._schema.names, LINE]
        )

    def _read(self, message: bytes, index: int) -> Sequence[Row]:
        try:
            rows = self._messages.read(message)
        except (BadMessage, ValueError) as error:
            raise MessageError(index, self._messages.error(message, str(error))) from None
        if rows is None:
            self.skipped += 1
            return ()
        return rows


def changes_schema(types: Sequence[SqlType]) -> pa.Schema:
    """`$kind` and the fields."""
    fields = [pa.field(field(index), to_arrow(kind)) for index, kind in enumerate(types)]
    return pa.schema([pa.field(KIND, pa.int8()), *fields])


def split_lines(block: memoryview | bytes) -> pa.Array:
    """The lines of a block as an Arrow column over its bytes, line ends included."""
    data = np.frombuffer(block, dtype=np.uint8)
    ends = np.flatnonzero(data == ord("\n")) + 1
    if len(data) and (not len(ends) or ends[-1] != len(data)):
        ends = np.append(ends, len(data))
    offsets = np.zeros(len(ends) + 1, dtype=np.int32)
    offsets[1:] = ends
    return pa.StringArray.from_buffers(len(ends), pa.py_buffer(offsets), pa.py_buffer(block))


def _message(lines: pa.Array, index: int) -> bytes:
    """One line without its end (LF or CR LF, as Flink's LineBytesInputFormat)."""
    line = bytes(lines[index].as_buffer())
    if line.endswith(b"\n"):
        line = line[:-1]
    return line.removesuffix(b"\r")


def _in_order(pieces: list[pa.Table], schema: pa.Schema) -> pa.Table:
    if not pieces:
        return schema.empty_table()
    if len(pieces) == 1:
        return pieces[0].drop_columns([LINE]).cast(schema)
    numbered = schema.append(pa.field(LINE, pa.int64()))
    table = pa.concat_tables(
        [piece.select(numbered.names).cast(numbered) for piece in pieces]
    ).combine_chunks()
    order = np.argsort(table[LINE].to_numpy(), kind="stable")
    return table.take(pa.array(order)).drop_columns([LINE])
