"""The rows of a batch in the order in which they arrive, whichever input they come from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel.changelog import KIND, SEQUENCE, field
from firesteel.runtime.columns.keys import Keys, find_keys, one_array
from firesteel.runtime.dataflow.event_time import milliseconds
from firesteel.runtime.dataflow.operator import WatermarkedBatch
from firesteel.runtime.dataflow.sequence import sequences, sub_sequences
from firesteel.runtime.operators.interval_join.port_watermarks import Steps
from firesteel.runtime.spec.interval_join import IntervalJoinSpec
from firesteel.types.arrow import to_arrow

Index = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class NewRows:
    """n rows of one input.

    The operator's time is the lower watermark of both inputs. In a join by processing time, it is the clock.

    Attributes:
        changes: The changes table.
        fields: Its fields, n rows each.
        codes: int64[n], the join key of each row, as an index in `Arrivals.keys`.
        joins: bool[n], whether a row can have a partner: neither its key nor its time is NULL.
        times: int64[n], row time of each row in milliseconds, or the clock in a join by processing time.
        passed: int64[n], how many times the operator's time advances in the batch before each row arrives
            (`Steps`).
        now: int64[n], the operator's time when each row arrives, in milliseconds.
        stays: bool[n], whether the row must be kept for later: a row of the other input that arrives after it
            may still be its partner.
        ranks: int64[n], position of each row in the arrival order of both inputs.
    """

    changes: pa.Table
    fields: tuple[pa.Array, ...]
    codes: Index
    joins: Mask
    times: Index
    passed: Index
    now: Index
    stays: Mask
    ranks: Index

    def __len__(self) -> int:
        return len(self.times)


@dataclass(frozen=True)
class Arrivals:
    """N rows of both inputs.

    Attributes:
        keys: The distinct join keys.
        sides: The rows of each input.
        ports: int64[N], the input of each row, in the order of arrival.
        rows: int64[N], number of each row among the rows of its input, in the order of arrival.
    """

    keys: Keys
    sides: tuple[NewRows, NewRows]
    ports: Index
    rows: Index

    def __len__(self) -> int:
        return len(self.ports)

    @classmethod
    def of(
        cls, spec: IntervalJoinSpec, inputs: Sequence[WatermarkedBatch | None], steps: Steps, clock: int
    ) -> Arrivals:
        """Return the rows of both inputs in a batch, in order of arrival.

        Args:
            spec: Settings of the join.
            inputs: For each port its rows, or None.
            steps: Steps by which the operator's time advances within the batch.
            clock: Processing time in milliseconds: the time of all rows in a join by processing time.
        """
        tables = [_table(spec, port, part) for port, part in enumerate(inputs)]
        sizes = [table.num_rows for table in tables]
        fields = [
            tuple(one_array(table.column(field(i))) for i in range(len(side.types)))
            for table, side in zip(tables, spec.inputs, strict=True)
        ]
        keys = _keys(spec, fields, sum(sizes))
        ports = np.repeat(np.arange(2), sizes)
        rows = np.concatenate([np.arange(size) for size in sizes])
        by = _arrival(tables)
        ranks = np.empty(len(by), np.int64)
        ranks[by] = np.arange(len(by))
        split = [slice(0, sizes[0]), slice(sizes[0], None)]
        left, right = (
            _new_rows(spec, port, tables[port], fields[port], keys.codes[at], ranks[at], steps, clock)
            for port, at in enumerate(split)
        )
        return cls(keys, (left, right), ports[by], rows[by])


def _table(spec: IntervalJoinSpec, port: int, part: WatermarkedBatch | None) -> pa.Table:
    if part is not None and part.table.num_columns:
        return part.table
    types = spec.inputs[port].types
    names = [KIND, SEQUENCE, *map(field, range(len(types)))]
    kinds = [pa.int8(), pa.int64(), *map(to_arrow, types)]
    return pa.Table.from_arrays([pa.nulls(0, kind) for kind in kinds], names=names)


def _keys(spec: IntervalJoinSpec, fields: Sequence[tuple[pa.Array, ...]], rows: int) -> Keys:
    """Return the join keys of the left input's rows, followed by those of the right input's rows."""
    pairs = zip(*(side.keys for side in spec.inputs), strict=True)
    columns = [pa.concat_arrays([fields[0][one], fields[1][other]]) for one, other in pairs]
    return find_keys(columns, rows)


def _arrival(tables: Sequence[pa.Table]) -> Index:
    """Return the numbers of all rows in order of arrival, int64[N].

    Rows of the left input have the numbers from 0 on, rows of the right input the numbers after them.
    """
    sequence = np.concatenate([sequences(table) for table in tables])
    found = [sub_sequences(table) for table in tables]
    if all(each is None for each in found):
        return np.argsort(sequence, kind="stable")
    sub_sequence = [
        np.zeros(t.num_rows, np.int64) if p is None else p for t, p in zip(tables, found, strict=True)
    ]
    return np.lexsort([np.concatenate(sub_sequence), sequence])


def _new_rows(
    spec: IntervalJoinSpec, port: int, changes: pa.Table, fields: tuple[pa.Array, ...], codes: Index,
    ranks: Index, steps: Steps, clock: int,
) -> NewRows:  # fmt: skip
    side, rows = spec.inputs[port], changes.num_rows
    joins = np.ones(rows, np.bool_)
    for key, safe in zip(side.keys, spec.null_safe, strict=True):
        if not safe:
            joins &= _valid(fields[key])
    if spec.is_rowtime:
        times = milliseconds(fields[spec.times[port]])
        timed = _valid(fields[spec.times[port]])
        passed = steps.passed(sequences(changes))
        now = steps.at_rows(passed)
    else:
        times = now = np.full(rows, clock)
        timed, passed = np.ones(rows, np.bool_), np.zeros(rows, np.int64)
    stays = timed & (now < times + spec.reach(port)) if spec.has_pairs else np.zeros(rows, np.bool_)
    return NewRows(changes, fields, codes, joins & timed, times, passed, now, stays, ranks)


def _valid(column: pa.Array) -> Mask:
    if not column.null_count:
        return np.ones(len(column), np.bool_)
    valid: Mask = column.is_valid().to_numpy(zero_copy_only=False)
    return valid
