"""Correlate: join each row with the rows that a table function returns for it.

Flink: StreamExecCorrelate, TableFunctionCollector. Each joined row is sent with the row kind of
the input row. A row for which the function gives no row is dropped, or padded with NULLs in a LEFT JOIN.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from firesteel.changelog import KIND, SEQUENCE, field
from firesteel.functions.duckdb.calc_spec import CalcSpec
from firesteel.runtime.dataflow.operator import Clock, RowOperator
from firesteel.runtime.dataflow.sequence import derived
from firesteel.runtime.operators.calc.calc import Calc
from firesteel.runtime.operators.correlate.rows import FunctionRows, Index
from firesteel.runtime.operators.correlate.unnest import replicate, unnest
from firesteel.runtime.operators.correlate.user_rows import user_rows
from firesteel.runtime.spec.correlate import CorrelateSpec
from firesteel.runtime.state.base import StateBackend
from firesteel.types.arrow import to_arrow
from firesteel.types.internal_values import one_chunk


class Correlate(RowOperator):
    """Operator that joins rows with their function rows. It has no state.

    The joined rows of an input row are adjacent, in the order of the function's rows.
    """

    def __init__(self, spec: CorrelateSpec) -> None:
        self._spec = spec
        self._args = Calc(spec.args)
        self._condition = None if spec.condition is None else _Condition(spec.condition)
        self._types = [to_arrow(kind) for kind in spec.types]

    def process(self, changes: pa.Table) -> pa.Table:
        """Return each change joined with its function rows, with the kind of the change."""
        found = self._rows(changes)
        if self._condition is not None:
            found = self._condition.passing(found)
        at, places = found.at, np.arange(len(found.at))
        if self._spec.pads:
            at, places = _with_alone(found.at, changes.num_rows)
        rows, taken = pa.array(at), pa.array(places, mask=places < 0)
        width = sum(name.startswith("f") for name in changes.column_names)
        own = [self._own(changes.column(field(i)), i, rows) for i in range(width)]
        columns = [column.take(taken) for column in found.columns]
        return derived(changes, at, one_chunk(changes.column(KIND)).take(rows), [*own, *columns])

    def _own(self, column: pa.ChunkedArray, place: int, rows: pa.Array) -> pa.Array:
        """Return an input column with one value for each joined row, all NULL if no operator reads it.

        Args:
            column: Values of the input rows.
            place: Position of the column among the input fields.
            rows: For each joined row, the number of its input row.
        """
        if place in self._spec.unread:
            return pa.nulls(len(rows), column.type)
        return one_chunk(column).take(rows)

    def _rows(self, changes: pa.Table) -> FunctionRows:
        """Return the function's rows for each change."""
        spec, args = self._spec, self._args.process(changes)
        arguments = [args.column(field(i)) for i in range(len(spec.args.types))]
        if spec.user is not None:
            return user_rows(spec.user, changes, arguments, spec.types)
        if spec.function == "REPLICATE":
            found = replicate(arguments[0], arguments[1:])
        else:
            found = unnest(arguments[0], spec.args.types[0], spec.ordinality)
        columns = zip(found.columns, self._types, strict=True)
        return FunctionRows(found.at, tuple(one_chunk(column).cast(kind) for column, kind in columns))


class _Condition:
    """A condition over the columns of function rows.

    Args:
        spec: Settings of a Calc that has the condition and leaves all columns as they are.
    """

    def __init__(self, spec: CalcSpec) -> None:
        self._calc = Calc(spec)

    def passing(self, rows: FunctionRows) -> FunctionRows:
        """Return the rows for which the condition is true."""
        count = len(rows.at)
        numbers, kinds = np.arange(count, dtype=np.int64), np.zeros(count, np.int8)
        names = [KIND, SEQUENCE, *map(field, range(len(rows.columns)))]
        table = pa.Table.from_arrays([pa.array(kinds), pa.array(numbers), *rows.columns], names=names)
        kept = one_chunk(self._calc.process(table).column(SEQUENCE))
        return FunctionRows(rows.at[kept.to_numpy()], tuple(c.take(kept) for c in rows.columns))


def _with_alone(at: Index, rows: int) -> tuple[Index, Index]:
    """Pair each argument row with its function rows, or with -1 if it has none.

    Args:
        at: Argument row of each function row.
        rows: Number of argument rows.

    Returns:
        For each pair the number of its argument row, ascending, and of its function row, -1 for none.
    """
    alone = np.flatnonzero(np.bincount(at, minlength=rows) == 0)
    every = np.concatenate([at, alone])
    places = np.concatenate([np.arange(len(at)), np.full(len(alone), -1)])
    by = np.argsort(every, kind="stable")
    return every[by], places[by]


def build(spec: CorrelateSpec, state: StateBackend | None, clock: Clock) -> Correlate:
    return Correlate(spec)


def code(spec: CorrelateSpec) -> Iterator[str]:
    join = "LEFT" if spec.pads else "INNER"
    name = spec.function if spec.user is None else spec.user.name
    yield f"-- Correlate ({join}), {name}{' WITH ORDINALITY' if spec.ordinality else ''}"
    yield "-- of " + ", ".join(spec.args.projection)
    if spec.condition is not None:
        yield f"WHERE {spec.condition.condition}"
