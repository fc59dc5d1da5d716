"""The key of the row that is asked for, from a text such as `name = 'Tom' AND day IS NULL`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa

from firesteel.errors import FiresteelError, UsageError
from firesteel.runtime.spec.tables import SinkSpec
from firesteel.spark.why.condition import Condition
from firesteel.sql import syntax
from firesteel.sql.parser import parse_expression
from firesteel.types.arrow import to_arrow
from firesteel.types.sql import SqlType

_FORM = "write it as \"name = 'Tom' AND day = DATE '2026-01-31'\", with a value or IS NULL for each column"


@dataclass(frozen=True)
class Key:
    """Columns of a sink with their wanted values.

    Attributes:
        texts: Text of each value by the column's name, as it was given; None for NULL.
        condition: The same values as a condition on the fields of the sink's rows.
    """

    texts: dict[str, str | None]
    condition: Condition

    def __str__(self) -> str:
        parts = (
            f"{name} IS NULL" if text is None else f"{name} = '{text}'" for name, text in self.texts.items()
        )
        return " AND ".join(parts)


def parse_key(texts: Sequence[str], sink: SinkSpec, names: Sequence[str]) -> Key:
    """Return the key that the user gives.

    Args:
        texts: Conditions such as `name = 'Tom' AND day IS NULL`, all of which the row satisfies.
        sink: The sink that has the row.
        names: Names of its columns.

    Raises:
        UsageError: A text has another form, names an unknown column or a column twice, or has a value that
            does not fit the column's type.
    """
    found: dict[str, str | None] = {}
    values: dict[int, pa.Scalar] = {}
    for text in texts:
        for column, value in _conditions(text):
            if column not in names:
                raise UsageError(
                    f"the result has no column {column}", hint=f"its columns are {', '.join(names)}"
                )
            position = list(names).index(column)
            if column in found:
                raise UsageError(f"the condition names the column {column} twice")
            found[column] = value
            values[position] = _scalar(column, value, sink.types[position])
    return Key(found, Condition(values))


def _scalar(column: str, value: str | None, sql_type: SqlType) -> pa.Scalar:
    kind = to_arrow(sql_type)
    if value is None:
        return pa.scalar(None, kind)
    try:
        if pa.types.is_timestamp(kind):
            naive = pa.array([value]).cast(pa.timestamp(kind.unit))
            return (naive.cast(pa.timestamp(kind.unit, "UTC")) if kind.tz else naive).cast(kind)[0]
        return pa.array([value], pa.string()).cast(kind)[0]
    except pa.ArrowException:
        raise UsageError(f"{value!r} is no value of the column {column}, which is {sql_type}") from None


def _conditions(text: str) -> Iterator[tuple[str, str | None]]:
    try:
        expression = parse_expression(text)
    except FiresteelError as error:
        raise UsageError(f"the condition {text!r} cannot be read: {error.message}", hint=_FORM) from None
    yield from _equalities(expression, text)


def _equalities(expression: syntax.Node, text: str) -> Iterator[tuple[str, str | None]]:
    """Yield (column, value as text) for each `column = value` joined by AND, (column, None) for IS NULL."""
    if isinstance(expression, syntax.Binary) and expression.operator == "AND":
        yield from _equalities(expression.left, text)
        yield from _equalities(expression.right, text)
        return
    if isinstance(expression, syntax.IsTest) and (expression.test, expression.negated) == ("NULL", False):
        column = _column(expression.operand)
        if column is not None:
            yield column, None
            return
    if isinstance(expression, syntax.Binary) and expression.operator == "=":
        for one, other in (
            (expression.left, expression.right),
            (expression.right, expression.left),
        ):
            column, value = _column(one), _value(other)
            if column is not None and value is not None:
                yield column, value
                return
    raise UsageError(f"the condition {text!r} is not a key", hint=_FORM)


def _column(node: syntax.Node) -> str | None:
    return node.path[0] if isinstance(node, syntax.Column) and len(node.path) == 1 else None


def _value(node: syntax.Node) -> str | None:
    """Return the text of a literal: a number, string, date or time, TRUE or FALSE. None for other nodes."""
    if isinstance(node, syntax.BooleanLiteral):
        return None if node.value is None else str(node.value).lower()
    if (
        isinstance(node, syntax.Unary)
        and node.operator == "-"
        and isinstance(node.operand, syntax.NumberLiteral)
    ):
        return f"-{node.operand.text}"
    if isinstance(node, (syntax.NumberLiteral, syntax.StringLiteral, syntax.DateTimeLiteral)):
        return node.text
    return None
