"""Rows of an OVER aggregate in columns, and the rows that wait for a watermark."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel.changelog import field
from firesteel.runtime.columns.keys import Keys, find_keys, one_array
from firesteel.runtime.dataflow.event_time import milliseconds
from firesteel.runtime.dataflow.operator import MAX_WATERMARK
from firesteel.runtime.state.base import StateBackend

Index = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class TimedRows:
    """n rows with times.

    Attributes:
        columns: Fields, n rows each.
        times: int64[n], milliseconds.
        numbers: int64[n], number of rows that came before each.
    """

    columns: tuple[pa.Array, ...]
    times: Index
    numbers: Index

    @classmethod
    def of(cls, table: pa.Table, width: int, time: int, numbers: Index) -> TimedRows:
        """Return the rows of a changes table.

        Args:
            table: n rows.
            width: Number of fields.
            time: Position of the time field.
            numbers: int64[n], arrival numbers.
        """
        columns = tuple(one_array(table.column(field(i))) for i in range(width))
        return cls(columns, milliseconds(columns[time]), numbers)

    def __len__(self) -> int:
        return len(self.times)

    def take(self, at: Index) -> TimedRows:
        index = pa.array(at)
        columns = tuple(column.take(index) for column in self.columns)
        return TimedRows(columns, self.times[at], self.numbers[at])

    @classmethod
    def concat(cls, parts: Sequence[TimedRows]) -> TimedRows:
        """Return all rows, one part after the other."""
        if len(parts) == 1:
            return parts[0]
        columns = tuple(pa.concat_arrays(each) for each in zip(*(p.columns for p in parts), strict=True))
        return cls(
            columns, np.concatenate([p.times for p in parts]), np.concatenate([p.numbers for p in parts])
        )


class WaitingRows:
    """State of waiting rows, by time and arrival number."""

    def __init__(self, backend: StateBackend, name: str, types: Sequence[pa.DataType]) -> None:
        self._state = backend.times(name, [pa.int64()], types)

    def add(self, rows: TimedRows) -> None:
        if len(rows):
            numbers = find_keys([pa.array(rows.numbers)], len(rows))
            self._state.put(numbers, numbers.codes, rows.times, rows.columns)

    def take_until(self, time: int) -> TimedRows:
        """Remove and return the rows up to and including a time. Rows of one time are in no order."""
        due = self._state.take_until(time)
        return TimedRows(due.columns, due.times, due.keys[0].to_numpy())

    def drop(self, positions: Sequence[int], keys: Keys) -> None:
        """Remove the rows of some keys. All waiting rows are read.

        Args:
            positions: Positions of the key columns.
            keys: The keys.
        """
        rows = self._state.read_until(MAX_WATERMARK)
        count = len(rows.times)
        columns = [
            pa.concat_arrays([rows.columns[i], key]) for i, key in zip(positions, keys.columns, strict=True)
        ]
        codes = find_keys(columns, count + len(keys)).codes
        gone = np.flatnonzero(np.isin(codes[:count], codes[count:]))
        if len(gone):
            at = pa.array(gone)
            numbers = find_keys([rows.keys[0].take(at)], len(gone))
            nothing = [column.take(at) for column in rows.columns]
            self._state.put(numbers, numbers.codes, rows.times[gone], nothing, np.zeros(len(gone), np.bool_))
