"""Lookup join: join each row with the rows that a table has for its key.

Flink: LookupJoinRunner, LookupJoinWithCalcRunner, RetryableLookupFunctionDelegator. Each joined row
is sent with the row kind of the input row. All distinct keys of a batch are looked up together.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pyarrow as pa

from firesteel.changelog import KIND, SEQUENCE, field
from firesteel.functions.duckdb.calc_spec import CalcSpec
from firesteel.runtime.columns.keys import Keys, find_keys, one_array
from firesteel.runtime.dataflow.operator import RowOperator
from firesteel.runtime.dataflow.sequence import derived
from firesteel.runtime.operators.calc.calc import Calc
from firesteel.runtime.operators.join.residual import Residual
from firesteel.runtime.operators.lookup_join.lookup import FoundRows, Index, Lookup
from firesteel.runtime.spec.lookup_join import LookupJoinSpec, Retry
from firesteel.types.arrow import to_arrow
from firesteel.types.internal_values import one_chunk

NONE = -1
"""Value in place of a row number if a row has no partner."""


class LookupJoin(RowOperator):
    """Operator of a lookup join. It has no state.

    The joined rows of an input row are adjacent, in the order of the table's rows.

    Args:
        spec: Settings.
        lookup: The table.
        sleep: Function that waits for some seconds before a key is looked up again.
    """

    def __init__(
        self, spec: LookupJoinSpec, lookup: Lookup, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self._spec = spec
        self._lookup = lookup if spec.retry is None else _Retrying(lookup, spec.retry, sleep)
        self._args = Calc(spec.args)
        self._calc = None if spec.calc is None else TableCalc(spec.calc)
        self._before = None if spec.before is None else Residual(spec.before)
        self._condition = None if spec.condition is None else Residual(spec.condition)
        self._types = [to_arrow(kind) for kind in spec.types]

    def process(self, changes: pa.Table) -> pa.Table:
        """Return each change joined with the table's rows for its key, with the kind of the change."""
        own = own_columns(changes)
        every = np.arange(changes.num_rows, dtype=np.int64)
        at, places, rows = self.partners(changes, own, every)
        if self._spec.pads:
            at, places = with_alone(at, places, changes.num_rows)
        taken = pa.array(places, mask=places == NONE)
        kinds = one_chunk(changes.column(KIND)).take(pa.array(at))
        return derived(changes, at, kinds, [*_taken(own, at), *(column.take(taken) for column in rows)])

    def partners(
        self, changes: pa.Table, own: Sequence[pa.Array], asking: Index
    ) -> tuple[Index, Index, Sequence[pa.Array]]:
        """Pair changes with the table's rows of equal keys that satisfy the join's conditions.

        Args:
            changes: The changes.
            own: Fields of the changes.
            asking: Numbers of the changes to look up, ascending. The others get no pair.

        Returns:
            Number of each pair's change, ascending; position of each pair's table row in the columns; the
            columns of the table rows.
        """
        at, places, rows = self._pairs(changes, own, asking)
        if self._condition is None:
            return at, places, rows
        holds = self._condition.holds([*_taken(own, at), *_taken(rows, places)], len(at))
        return at[holds], places[holds], rows

    def _pairs(
        self, changes: pa.Table, own: Sequence[pa.Array], asking: Index
    ) -> tuple[Index, Index, Sequence[pa.Array]]:
        """Pair changes with the table's rows of equal keys.

        A change has no pair if a column of its key is NULL. It has none, either, if its row fails the part of
        the join's condition that reads only the input.

        Args:
            changes: The changes.
            own: Fields of the changes.
            asking: Numbers of the changes to look up, ascending. The others get no pair.

        Returns:
            As `partners`, without the check of the condition over both inputs.
        """
        if self._before is not None:
            asking = asking[self._before.holds(_taken(own, asking), len(asking))]
        args = [one_array(column) for column in self._arguments(changes)]
        for column in args:
            asking = asking[column.is_valid().to_numpy(zero_copy_only=False)[asking]]
        if not len(asking):
            nothing = np.zeros(0, np.int64)
            return nothing, nothing, [pa.nulls(0, kind) for kind in self._types]
        keys = find_keys(_taken(args, asking), len(asking))
        found = self._lookup.find(keys.columns)
        if self._calc is not None:
            found = self._calc.passing(found)
        change, row = _matched(keys, found.at)
        return asking[change], row, found.columns

    def _arguments(self, changes: pa.Table) -> list[pa.ChunkedArray]:
        args = self._args.process(changes)
        return [args.column(field(i)) for i in range(len(self._spec.args.types))]


def own_columns(changes: pa.Table) -> list[pa.Array]:
    """Return the fields of a changes table, one array each."""
    width = sum(name.startswith("f") for name in changes.column_names)
    return [one_array(changes.column(field(i))) for i in range(width)]


class TableCalc:
    """Projection and filter over the rows of a table."""

    def __init__(self, spec: CalcSpec) -> None:
        self._calc = Calc(spec)
        self._width = len(spec.types)

    def passing(self, rows: FoundRows) -> FoundRows:
        """Return the rows that pass the filter, projected."""
        count = len(rows.at)
        numbers, kinds = np.arange(count, dtype=np.int64), np.zeros(count, np.int8)
        names = [KIND, SEQUENCE, *map(field, range(len(rows.columns)))]
        table = pa.Table.from_arrays([pa.array(kinds), pa.array(numbers), *rows.columns], names=names)
        made = self._calc.process(table)
        kept = one_chunk(made.column(SEQUENCE)).to_numpy()
        return FoundRows(rows.at[kept], tuple(one_array(made.column(field(i))) for i in range(self._width)))


class _Retrying:
    """A Lookup that looks up keys without rows again, `retry.attempts` times at most.

    It waits for `retry.delay` milliseconds before each attempt. Flink: RetryableLookupFunctionDelegator.
    """

    def __init__(self, lookup: Lookup, retry: Retry, sleep: Callable[[float], None]) -> None:
        self._lookup = lookup
        self._retry = retry
        self._sleep = sleep

    def find(self, keys: Sequence[pa.Array]) -> FoundRows:
        found = self._lookup.find(keys)
        for _ in range(self._retry.attempts):
            missed = np.flatnonzero(np.bincount(found.at, minlength=len(keys[0])) == 0)
            if not len(missed):
                break
            self._sleep(self._retry.delay / 1000)
            more = self._lookup.find(_taken(keys, missed))
            columns = [pa.concat_arrays(pair) for pair in zip(found.columns, more.columns, strict=True)]
            found = FoundRows.sorted(np.concatenate([found.at, missed[more.at]]), columns)
        return found


def with_alone(at: Index, places: Index, rows: int) -> tuple[Index, Index]:
    """Add a pair with the partner NONE for each row that has no pair.

    Args:
        at: Number of the row of each pair, ascending.
        places: Position of the partner of each pair.
        rows: Number of rows.

    Returns:
        `at` and `places` of all pairs, old and new, ascending by row.
    """
    alone = np.flatnonzero(np.bincount(at, minlength=rows) == 0)
    if not len(alone):
        return at, places
    every = np.concatenate([at, alone])
    by = np.argsort(every, kind="stable")
    return every[by], np.concatenate([places, np.full(len(alone), NONE)])[by]


def _matched(keys: Keys, at: Index) -> tuple[Index, Index]:
    """Pair the rows of a batch with found rows of the same key.

    Args:
        keys: Keys of the batch.
        at: int64[r], ascending: the key of each found row.

    Returns:
        For each pair the number of the batch's row, ascending, and the position of the found row.
    """
    starts = np.searchsorted(at, np.arange(len(keys)), side="left")
    sizes = (np.searchsorted(at, np.arange(len(keys)), side="right") - starts)[keys.codes]
    row = np.repeat(np.arange(len(sizes), dtype=np.int64), sizes)
    within = np.arange(len(row)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return row, starts[keys.codes][row] + within


def _taken(columns: Sequence[pa.Array], at: Index) -> list[pa.Array]:
    index = pa.array(at)
    return [column.take(index) for column in columns]


def code(spec: LookupJoinSpec) -> Iterator[str]:
    """Yield the lines that `explain --code` prints for the operator."""
    table = spec.table
    names = [table.scan.names[table.scan.projection[key]] for key in table.keys]
    yield f"-- LookupJoin ({'LEFT' if spec.pads else 'INNER'}), {table.scan.table}"
    yield "-- by " + ", ".join(f"{n} = {text}" for n, text in zip(names, spec.args.projection, strict=True))
    if spec.calc is not None and spec.calc.condition is not None:
        yield f"WHERE {spec.calc.condition}"
    if spec.before is not None:
        yield f"-- for rows WHERE {spec.before.condition}"
    if spec.condition is not None:
        yield f"-- ON {spec.condition.condition}"
