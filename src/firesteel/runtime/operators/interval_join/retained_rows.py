"""State of one input of an interval join: its rows by join key and time.

Rows that can get no more partners are dropped in whole slices of time. For a padded input, a second state has
the rows without a partner by their times, so that expired ones are found at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from firesteel.runtime.columns.keys import Keys, find_keys
from firesteel.runtime.dataflow.retained_watermark import RetainedNumber
from firesteel.runtime.operators.interval_join.arrivals import Index, Mask, NewRows
from firesteel.runtime.operators.interval_join.places import distinct_pairs
from firesteel.runtime.spec.interval_join import IntervalJoinSpec
from firesteel.runtime.state.base import StateBackend
from firesteel.types.arrow import to_arrow

NAMES = ("left", "right")
_LATEST, _EARLIEST = (1 << 62), -(1 << 62)


@dataclass(frozen=True)
class StoredRows:
    """Stored rows of one input.

    Attributes:
        owners: int64[m], index of each row's join key.
        numbers: int64[m], number of each row among all rows of its input.
        times: int64[m], milliseconds.
        fields: Fields of the rows, m values each.
    """

    owners: Index
    numbers: Index
    times: Index
    fields: tuple[pa.Array, ...]


@dataclass(frozen=True)
class Waiting:
    """m stored rows that expire in a batch, in ascending order of their times.

    No row had a partner before the batch.

    Attributes:
        times: int64[m], row time of each row, or its arrival by processing time, in milliseconds.
        numbers: int64[m], number of each row among all rows of its input.
        keys: Columns of the join keys, m rows each.
    """

    times: Index
    numbers: Index
    keys: tuple[pa.Array, ...]

    def take(self, at: Index) -> Waiting:
        """Return the rows at the given positions."""
        taken = pa.array(at)
        return Waiting(self.times[at], self.numbers[at], tuple(column.take(taken) for column in self.keys))


class RetainedRows:
    """State of one input of an interval join.

    Args:
        spec: Settings of the join.
        port: The input.
        backend: State of the operator.
    """

    def __init__(self, spec: IntervalJoinSpec, port: int, backend: StateBackend) -> None:
        side, name = spec.inputs[port], f"{spec.state_id}.{NAMES[port]}"
        types = [to_arrow(kind) for kind in side.types]
        self._expiry = spec.expiry(port)
        self._key_positions = side.keys
        self._rows = backend.sliced(f"{name}.rows.v1", [pa.int64(), *types], spec.upper - spec.lower + 1)
        self._waiting = None
        if spec.kind.pads(port):
            key_types = [types[key] for key in side.keys]
            self._waiting = backend.times(f"{name}.waiting.v1", [pa.int64()], key_types)
        self._count = RetainedNumber(backend, f"{name}.count.v1", 0)

    def near(self, keys: Keys, owners: Index, low: Index, high: Index) -> StoredRows:
        """Return all stored rows that may be partners of n rows of the other input.

        Whole slices of time are read, so the result also has rows with times outside of the given ranges.

        Args:
            keys: The join keys.
            owners: int64[n], index of the join key of each row of the other input.
            low, high: int64[n], least and greatest time of a partner of each row of the other input.
        """
        first, last = self._rows.slices_of(low), self._rows.slices_of(high)
        of, at = distinct_pairs(
            np.concatenate([owners, owners]), np.concatenate([first, last]), len(keys)
        )  # fmt: skip
        found = self._rows.entries(keys, of, at)
        times, *fields = found.columns
        return StoredRows(of[found.owners], found.sub_keys.to_numpy(), times.to_numpy(), tuple(fields))

    def take_expired(self, now: int) -> Waiting | None:
        """Return the stored rows without a partner that have expired; None for an input without padding.

        A second call does not return them again. Their fields stay in the state until `drop_expired`.

        Args:
            now: Lower watermark of both inputs, or the clock in a join by processing time.
        """
        if self._waiting is None:
            return None
        due = self._waiting.take_until(_within(now - self._expiry))
        return Waiting(due.times, due.keys[0].to_numpy(), due.columns)

    def rows_of(self, waiting: Waiting) -> tuple[pa.Array, ...]:
        """Return the fields of rows without a partner."""
        keys = find_keys(waiting.keys, len(waiting.times))
        found = self._rows.get(keys, keys.codes, waiting.times, waiting.numbers)
        return found.columns[1:]

    def next_expiry(self) -> int | None:
        """Return when the next row without a partner expires; None if no such row is stored.

        The result is in milliseconds. It is compared with the lower watermark of both inputs, or with the
        clock in a join by processing time.
        """
        time = None if self._waiting is None else self._waiting.next_time()
        return None if time is None else time + self._expiry

    def found_partner(self, rows: StoredRows, at: Index) -> None:
        """Mark rows as having a partner.

        Args:
            rows: Rows of the state.
            at: int64[m], distinct positions of the rows to mark.
        """
        if self._waiting is None or not len(at):
            return
        numbers = rows.numbers[at]
        keys = find_keys([pa.array(numbers)], len(at))
        times = rows.times[at]
        found = self._waiting.get(keys, keys.codes, times)
        here = np.flatnonzero(found.found)
        if len(here):
            taken = pa.array(here)
            columns = [column.take(taken) for column in found.columns]
            dead = np.zeros(len(here), np.bool_)
            self._waiting.put(keys, keys.codes[here], times[here], columns, dead)

    def add(self, keys: Keys, rows: NewRows, at: Index, alone: Mask) -> None:
        """Store new rows.

        Args:
            keys: The join keys.
            rows: The new rows.
            at: int64[m], positions in `rows` of the rows to store.
            alone: bool[m], whether each row to store has no partner yet.
        """
        numbers = self._count.now + np.arange(len(at))
        self._count.now += len(at)
        if not len(at):
            return
        taken, times = pa.array(at), rows.times[at]
        columns = [column.take(taken) for column in rows.fields]
        self._rows.put(keys, rows.codes[at], times, numbers, [pa.array(times), *columns])
        if self._waiting is not None and alone.any():
            here = np.flatnonzero(alone)
            names = find_keys([pa.array(numbers[here])], len(here))
            values = [columns[key].take(pa.array(here)) for key in self._key_positions]
            self._waiting.put(names, names.codes, times[here], values)

    def drop_expired(self, now: int) -> None:
        """Drop the slices of time whose rows have all expired."""
        self._rows.drop_before(_within(now - self._expiry + 1))

    def save(self) -> None:
        """Write all changes to the state."""
        self._count.save()


def concat_fields(stored: Sequence[pa.Array], new: Sequence[pa.Array]) -> tuple[pa.Array, ...]:
    """Return the fields of stored rows, followed by those of new rows."""
    return tuple(
        new_ if not len(old) else old if not len(new_) else pa.concat_arrays([old, new_])
        for old, new_ in zip(stored, new, strict=True)
    )


def _within(time: int) -> int:
    """Return a time, limited to -2^62 to 2^62.

    Callers compute the time from a watermark, which may be the least or the greatest int64 (no input yet, end
    of input). After a subtraction, the unlimited time may not fit into the int64 of the state.
    """
    return min(max(time, _EARLIEST), _LATEST)
