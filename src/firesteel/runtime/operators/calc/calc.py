"""Calc: project and filter a batch of changes with one DuckDB statement (Flink: StreamExecCalc)."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from firesteel.changelog import field
from firesteel.errors import JobError
from firesteel.functions.duckdb.calc_spec import CalcSpec
from firesteel.functions.duckdb.statement import Statement
from firesteel.runtime.columns.nested_parts import part_of
from firesteel.runtime.dataflow.failed_row import FailedCalc, failing_row, with_row
from firesteel.runtime.dataflow.operator import Clock, RowOperator
from firesteel.runtime.state.base import StateBackend


class Calc(RowOperator):
    """Operator that projects and filters. Rows keep their order, their kind and their sequence number.

    Raises:
        JobError: An expression fails on a row, or a NOT NULL column is NULL.
    """

    def __init__(self, spec: CalcSpec) -> None:
        self._spec = spec
        self._statement = _CalcStatement(spec)

    def process(self, changes: pa.Table) -> pa.Table:
        return self._statement.process(with_parts(self._spec, changes))


class _CalcStatement(Statement):
    """Statement that reports the row in which an expression fails."""

    def _run(self, changes: pa.Table) -> pa.Table:
        try:
            return super()._run(changes)
        except JobError as error:
            spec, run = self._spec, super()._run
            rows = changes.drop_columns([field(place) for place, _, _ in spec.parts])
            row = failing_row(rows, lambda some: run(with_parts(spec, some)))
            if row.num_rows:
                with_row(error, row, 0)
                error.calc = None if spec.user else FailedCalc(spec, row)
            raise


def with_parts(spec: CalcSpec, changes: pa.Table) -> pa.Table:
    """Append a column for each part of a nested column that the Calc reads, such as a field of a ROW."""
    for place, column, path in spec.parts:
        changes = changes.append_column(field(place), part_of(changes.column(field(column)), path))
    return changes


def build(spec: CalcSpec, state: StateBackend | None, clock: Clock) -> Calc:
    return Calc(spec)


def code(spec: CalcSpec) -> Iterator[str]:
    yield "-- Calc, in DuckDB"
    for place, column, path in spec.parts:
        yield f"-- {field(place)} is {field(column)}" + "".join(f"[{step!r}]" for step in path)
    yield "SELECT " + ",\n       ".join(f"{sql} AS {field(i)}" for i, sql in enumerate(spec.projection))
    if spec.condition is not None:
        yield f"WHERE {spec.condition}"
    for name, members in spec.sets:
        yield f'-- "{name}"(x): x IN ({len(members.values)} values)'
