"""The batch answer of a logical plan by DuckDB: scans, filters, projections, plain aggregates, joins, UNION.

Expressions are compiled as in jobs. Aggregates and joins are DuckDB's own, so rules, operators, state and
retraction have no part in the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import duckdb
import pyarrow as pa

from firesteel.changelog import field
from firesteel.errors import FiresteelError
from firesteel.functions.duckdb.calc_spec import CalcSpec
from firesteel.functions.duckdb.compile.calc import compile_calc
from firesteel.functions.duckdb.connection import connect
from firesteel.functions.expression.nodes import AggregateCall, Call, Expr
from firesteel.plan.expressions.operations import expand_search, walk
from firesteel.plan.expressions.sub_query import sub_queries
from firesteel.plan.nodes import logical
from firesteel.plan.nodes.join.join_type import EQUALITIES
from firesteel.plan.nodes.join.logical import Join
from firesteel.plan.tree import Node
from firesteel.types.duckdb import to_duckdb
from firesteel.types.sql import APPROXIMATE, CHARACTER, DATETIME, INTEGERS, NUMERIC, SqlType, TypeRoot

_ORDERED = (*NUMERIC, *CHARACTER, *DATETIME)
_SUMMED = (*INTEGERS, TypeRoot.DECIMAL, TypeRoot.DOUBLE)
_JOINS = {"inner": "JOIN", "left": "LEFT JOIN", "right": "RIGHT JOIN", "full": "FULL JOIN"}


class NotPlainError(Exception):
    """A plan that is not plain SQL: DuckDB's answer could differ from Flink's."""


def plain_answer(plan: Node, tables: Mapping[str, pa.Table], zone: str) -> pa.Table:
    """Return the rows of a logical plan, with the fields f0, f1, ...

    Args:
        plan: The logical plan before optimization.
        tables: The rows of each table by the table's path, after all its changes are merged. They have all
            columns of the table's scan.
        zone: Time zone of the session.

    Raises:
        NotPlainError: The plan is not plain SQL, or DuckDB cannot run it.
    """
    writer = _Writer(tables, zone)
    try:
        text = writer.sql(plan)
        connection = connect(writer.functions, (), writer.sets.items())
        for name, rows in writer.registered.items():
            connection.register(name, rows)
        try:
            found: pa.Table = connection.sql(text).to_arrow_table()
        finally:
            for name in writer.registered:
                connection.unregister(name)
    except (FiresteelError, duckdb.Error, KeyError) as error:
        raise NotPlainError(str(error)) from error
    return found


class _Writer:
    """Writer of the DuckDB statement of a plan. Each node is a sub-query with the columns f0, f1, ..."""

    def __init__(self, tables: Mapping[str, pa.Table], zone: str) -> None:
        self._tables = tables
        self._zone = zone
        self.registered: dict[str, pa.Table] = {}
        self.functions: dict[str, None] = {}
        self.sets: dict[str, Any] = {}

    def sql(self, node: Node) -> str:
        write = _WRITE.get(type(node))
        if write is None:
            raise NotPlainError(type(node).__name__)
        return write(self, node)

    def _scan(self, node: logical.Scan) -> str:
        path = ".".join(node.table.path)
        if node.project is not None or path not in self._tables:
            raise NotPlainError(path)
        name = f"$verified{len(self.registered)}"
        self.registered[name] = self._tables[path]
        return f'SELECT {_columns(len(node.schema))} FROM "{name}"'

    def _project(self, node: logical.Project) -> str:
        calc = self._calc(node.exprs, None, _types(node.input))
        rows = self._stepped(self.sql(node.input), calc.steps)
        columns = ", ".join(f"{text} AS {field(i)}" for i, text in enumerate(calc.projection))
        return f"SELECT {columns} FROM ({rows})"

    def _filter(self, node: logical.Filter) -> str:
        calc = self._calc((), node.condition, _types(node.input))
        rows = self._stepped(self.sql(node.input), calc.condition_steps)
        return f"SELECT {_columns(len(node.schema))} FROM ({rows}) WHERE {calc.condition}"

    def _aggregate(self, node: logical.Aggregate) -> str:
        if node.groups:
            raise NotPlainError("grouping sets")
        input_types = _types(node.input)
        _check_keys([input_types[key] for key in node.keys])
        columns = [field(key) for key in node.keys]
        columns += [_aggregate_call(call, input_types) for call in node.calls]
        shown = ", ".join(f"{text} AS {field(i)}" for i, text in enumerate(columns))
        keys = ", ".join(field(key) for key in node.keys)
        group = f"GROUP BY {keys}" if keys else "HAVING COUNT(*) > 0"  # like Flink: no result without rows
        return f"SELECT {shown} FROM ({self.sql(node.input)}) {group}"

    def _join(self, node: Join) -> str:
        word = _JOINS.get(node.join_type.value)
        if word is None:
            raise NotPlainError(node.join_type.name)
        left, right = node.inputs
        for part in () if node.condition is None else walk(node.condition):
            if isinstance(part, Call) and part.function in EQUALITIES:
                _check_keys([arg.type for arg in part.args])
        calc = self._calc((), node.condition, (*_types(left), *_types(right)))
        if calc.condition_steps:
            raise NotPlainError("a condition in steps")
        width = len(left.schema)
        moved = ", ".join(f"{field(i)} AS {field(width + i)}" for i in range(len(right.schema)))
        rows = f"(SELECT {moved} FROM ({self.sql(right)}))"
        return f"SELECT * FROM ({self.sql(left)}) {word} {rows} ON {calc.condition or 'TRUE'}"

    def _union(self, node: logical.Union) -> str:
        for one in node.inputs:
            if not all(a.same_as(b) for a, b in zip(_types(one), _types(node), strict=True)):
                raise NotPlainError("a UNION of several types")
        if not node.all:
            _check_keys(_types(node))
        word = " UNION ALL " if node.all else " UNION "
        return word.join(f"(SELECT * FROM ({self.sql(one)}))" for one in node.inputs)

    def _input(self, node: logical.Sink | logical.WatermarkAssigner) -> str:
        return self.sql(node.input)

    def _calc(self, exprs: Sequence[Expr], condition: Expr | None, types: Sequence[SqlType]) -> CalcSpec:
        every = [*exprs, *([] if condition is None else [condition])]
        if any(sub_queries(expr) for expr in every):
            raise NotPlainError("a sub-query")
        exprs = [expand_search(expr, lists=True) for expr in exprs]
        condition = None if condition is None else expand_search(condition, lists=True)
        calc = compile_calc(exprs, condition, types, None, self._zone)
        if calc.user or calc.parts:
            raise NotPlainError("a function of the user, or a part of a nested value")
        self.functions.update(dict.fromkeys(calc.functions))
        self.sets.update(calc.sets)
        return calc

    def _stepped(self, rows: str, steps: Sequence[Sequence[str]]) -> str:
        for step in steps:
            rows = f"SELECT *, {', '.join(step)} FROM ({rows})"
        return rows


def _aggregate_call(call: AggregateCall, types: Sequence[SqlType]) -> str:
    """Return the DuckDB text of an aggregate function, with Flink's type."""
    if call.user is not None or call.options:
        raise NotPlainError(call.function)
    args = ", ".join(field(arg) for arg in call.args)
    roots = [types[arg].root for arg in call.args]
    allowed = {"COUNT": None, "SUM": _SUMMED, "MIN": _ORDERED, "MAX": _ORDERED}
    if call.function not in allowed or len(roots) > 1:
        raise NotPlainError(call.function)
    if call.distinct:
        _check_keys([types[arg] for arg in call.args])
    kinds = allowed[call.function]
    if kinds is not None and not all(root in kinds for root in roots):
        raise NotPlainError(f"{call.function} of {roots}")
    distinct = "DISTINCT " if call.distinct else ""
    where = "" if call.filter is None else f" FILTER (WHERE {field(call.filter)})"
    return f"CAST({call.function}({distinct}{args or '*'}){where} AS {to_duckdb(call.type)})"


def _check_keys(types: Sequence[SqlType]) -> None:
    """Raise NotPlainError for floating point keys: 0.0 and -0.0 are one key to DuckDB, two to Flink."""
    if any(each.root in APPROXIMATE for each in types):
        raise NotPlainError("a floating point key")


def _types(node: Node) -> tuple[SqlType, ...]:
    return tuple(column.type for column in node.schema)


def _columns(number: int) -> str:
    return ", ".join(field(i) for i in range(number))


_WRITE: dict[type[Node], Callable[[_Writer, Any], str]] = {
    logical.Scan: _Writer._scan,
    logical.Project: _Writer._project,
    logical.Filter: _Writer._filter,
    logical.Aggregate: _Writer._aggregate,
    Join: _Writer._join,
    logical.Union: _Writer._union,
    logical.Sink: _Writer._input,
    logical.WatermarkAssigner: _Writer._input,
}
