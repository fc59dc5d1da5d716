"""Execution of a projection and a filter as one DuckDB statement over Arrow tables of changes."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from typing import Any

import duckdb
import pyarrow as pa

from firesteel.changelog import KIND, SEQUENCE, SUB_SEQUENCE, field
from firesteel.errors import FiresteelError, JobError
from firesteel.functions.duckdb.calc_spec import IN_PLACE_OF_NULL, CalcSpec
from firesteel.functions.duckdb.connection import connect
from firesteel.functions.duckdb.registry import take_error
from firesteel.types.arrow import to_arrow
from firesteel.types.duckdb import quote

_REFERENCE = re.compile(r"f(\d+)\Z")
_OVERFLOW = re.compile(r"Overflow in \w+ of INT64 \((.*?)\)!")
_RAISED = re.compile(r"flink:(.*)", re.DOTALL)

_LONG = 10_000
"""Length in characters from which binding a statement takes longer than copying its result."""


def calculated(spec: CalcSpec) -> Any:
    """Return the value of a spec's first expression, which must not read any column, as a Python object."""
    row = pa.table([pa.array([0], pa.int8()), pa.array([0], pa.int64())], names=[KIND, SEQUENCE])
    return Statement(spec).process(row).column(field(0))[0].as_py()


class Statement:
    """Projection and filter of changes. Rows keep their order, their kind and their sequence number.

    If the spec has `parts` (values within nested columns, such as `buyer.city`), the caller has to append
    their columns to the table of changes.

    Raises:
        JobError: An expression fails on a row, as in Flink, or a NOT NULL column without default is NULL.
    """

    def __init__(self, spec: CalcSpec) -> None:
        self._spec = spec
        matches = [_REFERENCE.match(text) for text in spec.projection]
        self._references = [int(match[1]) if match else None for match in matches]
        self._computed = [i for i, match in enumerate(matches) if match is None]
        self._types = [to_arrow(kind) for kind in spec.types]
        self._sql = {with_places: self._statement(with_places) for with_places in (False, True)}
        self._computed_not_null = [i for i in self._computed if not spec.types[i].nullable]

    def process(self, changes: pa.Table) -> pa.Table:
        if changes.num_rows == 0 and (self._computed or self._filters):
            return self._empty(changes)
        if self._filters:
            return self._checked(self._typed(self._run(changes)))
        computed = self._run(changes) if self._computed else None
        return self._checked(self._typed(self._beside(changes, computed)))

    @property
    def _filters(self) -> bool:
        return self._spec.condition is not None

    def _beside(self, changes: pa.Table, computed: pa.Table | None) -> pa.Table:
        """Return the output of a statement without a filter, which keeps all rows of the input.

        An output column that is an input column shares its memory. The others are taken from `computed`.

        Args:
            changes: The input.
            computed: Table of the output columns that are computed. None: no column is computed.
        """
        columns = {name: changes.column(name) for name in (KIND, SEQUENCE)}
        for i, reference in enumerate(self._references):
            if reference is not None:
                columns[field(i)] = changes.column(field(reference))
            else:
                assert computed is not None
                columns[field(i)] = computed.column(field(i))
        if SUB_SEQUENCE in changes.column_names:
            columns[SUB_SEQUENCE] = changes.column(SUB_SEQUENCE)
        return pa.table(columns)

    def _statement(self, with_places: bool) -> str:
        """Return the SQL of the statement.

        With a filter, it returns all output columns; without one, only the computed columns.

        Args:
            with_places: Whether the table of changes has the column of sub-sequences.
        """
        of_rows = [quote(KIND), quote(SEQUENCE)] if self._filters else []
        wanted = range(len(self._references)) if self._filters else self._computed
        columns = [*of_rows, *(f"{self._spec.projection[i]} AS {field(i)}" for i in wanted)]
        columns += [quote(SUB_SEQUENCE)] * (with_places and self._filters)
        where = f" WHERE {self._spec.condition}" if self._spec.condition is not None else ""
        source = _over("changes", self._spec.condition_steps) + where
        if self._spec.steps:
            source = _over(f"(SELECT * FROM {source})", self._spec.steps)
        return f"SELECT {', '.join(columns)} FROM {source}"

    def _run(self, changes: pa.Table) -> pa.Table:
        """Execute the statement. Subclasses override this to add details to errors."""
        connection = connect(self._spec.functions, self._spec.user, self._spec.sets)
        connection.register("changes", without_zone(changes))
        try:
            return _answer(connection, self._sql[SUB_SEQUENCE in changes.column_names])
        except duckdb.Error as error:
            raise job_error(error) from None
        finally:
            connection.unregister("changes")

    def _typed(self, table: pa.Table) -> pa.Table:
        """Return the columns in their Arrow types, with the time zone of TIMESTAMP_LTZ restored."""
        for i, kind in enumerate(self._types):
            column = table.column(i + 2)
            if column.type != kind:
                table = table.set_column(i + 2, field(i), _converted(column, kind))
        return table

    def _checked(self, table: pa.Table) -> pa.Table:
        """Replace computed NULLs in NOT NULL columns with Java's default, or raise if the type has none."""
        for i in self._computed_not_null:
            column = table.column(i + 2)
            if not column.null_count:
                continue
            root = self._spec.types[i].root
            if root not in IN_PLACE_OF_NULL:
                raise JobError(
                    f"Expression {i + 1} of the projection is NOT NULL, however, its value is NULL",
                    hint="a DECIMAL result that has more digits than its type becomes NULL",
                )
            default = pa.scalar(IN_PLACE_OF_NULL[root]).cast(column.type)
            table = table.set_column(i + 2, field(i), column.fill_null(default))
        return table

    def _empty(self, changes: pa.Table) -> pa.Table:
        kinds = [changes.schema.field(KIND), changes.schema.field(SEQUENCE)]
        kinds += [pa.field(field(i), kind) for i, kind in enumerate(self._types)]
        return pa.schema(kinds).empty_table()


def _answer(connection: duckdb.DuckDBPyConnection, statement: str) -> pa.Table:
    """Return the result of a statement, by the faster one of DuckDB's two methods.

    `sql` binds the statement twice, which takes most of the time of a long statement. `execute` binds the
    statement once, but copies the result. So `execute` runs statements of at least _LONG characters. DuckDB
    warns about the copy; the warning is suppressed.
    """
    if len(statement) < _LONG:
        return connection.sql(statement).to_arrow_table()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return connection.execute(statement).to_arrow_table()


def _over(source: str, steps: Sequence[Sequence[str]]) -> str:
    """Return the SQL of `source` with further columns. Each step is a list of columns in SQL.

    There is one subquery for each step, so that its columns can read those of the steps before it.
    """
    for columns in steps:
        source = f"(SELECT *, {', '.join(columns)} FROM {source})"
    return source


def _converted(column: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray:
    try:
        return column.cast(kind, safe=False)
    except pa.ArrowException:  # The column has an untyped NULL within an array or map.
        return pa.chunked_array([pa.array(column.to_pylist(), kind)])


def without_zone(table: pa.Table) -> pa.Table:
    """Return the table with TIMESTAMP_LTZ columns as plain timestamps in UTC, as expressions expect them."""
    for i, column in enumerate(table.columns):
        kind = column.type
        if pa.types.is_timestamp(kind) and kind.tz is not None:
            table = table.set_column(i, table.schema.field(i).name, column.cast(pa.timestamp(kind.unit)))
    return table


def job_error(error: duckdb.Error) -> FiresteelError:
    """Return the user's error for an exception that DuckDB raised while a statement ran."""
    known = take_error()
    if known is not None:
        return known
    text = str(error)
    raised = _RAISED.search(text)
    if raised:
        return JobError(raised[1].strip())
    if "Date out of range" in text or "not in timestamp range" in text:
        return JobError("A DATE or TIMESTAMP is outside the years -290000 to 294000, in which times are held")
    if over := _OVERFLOW.search(text):
        return JobError(f"{over[1]} is not within 64 bits, in which times and intervals are counted")
    # DuckDB's error for a DATE that does not fit a TIMESTAMP_NS names INT32, the type of the DATE's days.
    beyond = isinstance(error, duckdb.ConversionException) and "INT32 with value" in text
    if beyond or "higher precision" in text or "timestamp_ns" in text.lower():
        return JobError("A TIMESTAMP of more than 6 digits is held from 1677-09-21 to 2262-04-11 only")
    if isinstance(error, duckdb.OutOfMemoryException):
        return JobError("A result is larger than the memory", hint="WHERE can leave such rows out")
    return JobError(f"An expression failed: {text.splitlines()[0]}")
