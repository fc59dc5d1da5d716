"""Evaluate one SQL expression over a few rows, without Spark: bind, compile, run Calc, render."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from firesteel.bind.names import BindContext, Relation, Scope
from firesteel.bind.scalar.scalar import ScalarBinder
from firesteel.catalog.catalog import Catalog
from firesteel.functions.duckdb.compile.calc import compile_calc
from firesteel.functions.expression.nodes import IN_LIST, ROWS_EQUAL, Call, Expr
from firesteel.plan.expressions.operations import rewrite, walk
from firesteel.plan.rel_builder import consistent
from firesteel.plan.simplify import simplify_value
from firesteel.plan.tree import Field
from firesteel.runtime.operators.calc.calc import Calc
from firesteel.sql.parser import parse_query
from firesteel.types.sql import SqlType, TypeRoot
from firesteel.types.text import render
from tests.types.columns import Columns, changes, types


def bind(expression: str, columns: Columns | None = None, time_zone: str = "UTC") -> Expr:
    """The typed tree of an expression over columns of these names and types."""
    fields = tuple(Field(name, kind) for name, (kind, _) in (columns or {}).items())
    text = f"SELECT {expression} FROM t"
    node = parse_query(text).query.items[0]
    scope = Scope((Relation(("t",), fields),))
    return ScalarBinder(scope, BindContext(Catalog(), time_zone=time_zone, sql=text)).bind(node)


def evaluate(
    expression: str, columns: Columns | None = None, time_zone: str = "UTC", exchanged: bool = True
) -> list[str]:
    """The cells that a tableau shows for the expression, one a row."""
    kind, values = _calculated(expression, columns, time_zone, exchanged)
    return render(values, kind, time_zone)


def column(expression: str, columns: Columns | None = None) -> tuple[SqlType, list[Any]]:
    """The type of the expression, and its values as Arrow gives them to Python, one a row."""
    kind, values = _calculated(expression, columns, "UTC", exchanged=True)
    return kind, values.to_pylist()


def _calculated(
    expression: str, columns: Columns | None, time_zone: str, exchanged: bool
) -> tuple[SqlType, pa.ChunkedArray]:
    bound = bind(expression, columns, time_zone)
    planned = [_planned(bound)]
    spec = compile_calc(planned, None, types(columns or {}), time_zone=time_zone, exchanged=exchanged)
    return bound.type, Calc(spec).process(changes(columns or {})).column(2)


def _planned(expr: Expr) -> Expr:
    """The expression with its casts as planned; one that holds a list or rows as plan/rel_builder.py makes
    AND and OR of them."""
    held = any(isinstance(e, Call) and e.function in (IN_LIST, ROWS_EQUAL) for e in walk(expr))
    return rewrite(consistent(expr) if held else expr, _planned_cast)


def _planned_cast(expr: Expr) -> Expr:
    """Without a cast to the same type, and with what is written as a moment as one."""
    if not isinstance(expr, Call) or expr.function != "CAST":
        return expr
    same = expr.type.same_as(expr.args[0].type) and not expr.options
    return simplify_value(expr) if same or expr.type.root in (TypeRoot.DATE, TypeRoot.TIMESTAMP) else expr


def one(expression: str, **columns: tuple[SqlType, Any]) -> str:
    """The cell for one row whose columns have these types and values."""
    return evaluate(expression, {name: (kind, [value]) for name, (kind, value) in columns.items()})[0]


def type_of(expression: str, columns: Columns | None = None) -> str:
    """The type of an expression as TYPEOF shows it."""
    return str(bind(expression, columns).type)
