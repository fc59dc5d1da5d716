"""Aggregate functions over pandas, whose accumulator is the list of rows.

Flink: StreamArrowPythonGroupWindowAggregateFunctionOperator, which also keeps the rows of a window.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from firesteel.functions.python.series import aggregated
from firesteel.runtime.aggregate.functions.declaration import AccumulatorField, HandWritten
from firesteel.runtime.spec.operators import AggregateSpec
from firesteel.types.arrow import to_arrow
from firesteel.types.internal_values import from_list, to_list
from firesteel.types.sql import SqlType, TypeRoot
from firesteel.types.user_function import UserFunction

Rows = list[tuple[Any, ...]]


def over_pandas(call: AggregateSpec) -> HandWritten:
    """Return an aggregate that calls the user's function for each result, with Series of all rows.

    Each Series has the values of one argument, in the arrival order of the rows.
    """
    assert call.user is not None
    arguments = ", ".join(["{rows}", "{x}", *(f"x{i}" for i in call.args[1:])])
    return HandWritten(
        state_id=f"pandas.{call.user.name}.v1",
        fields=(AccumulatorField("rows", SqlType(TypeRoot.RAW), None),),
        views=(),
        accumulate=f"{{rows}} = {{accumulate}}({arguments})",
        retract=f"{{rows}} = {{retract}}({arguments})",
        merge="{rows} = {merge}({rows}, {other_rows})",
        value="{value}({rows})",
        takes_nulls=True,
        functions=(
            ("accumulate", _accumulate),
            ("retract", _retract),
            ("merge", _merge),
            ("value", _value(call.user, call.arg_types, call.type)),
        ),
    )


def _accumulate(rows: Rows | None, *row: Any) -> Rows:
    rows = [] if rows is None else rows
    rows.append(row)
    return rows


def _retract(rows: Rows | None, *row: Any) -> Rows:
    """Return the rows without the first one that equals `row`. NaN equals itself."""
    rows = [] if rows is None else rows
    at = next((i for i, known in enumerate(rows) if _equal(known, row)), None)
    if at is not None:
        del rows[at]
    return rows


def _equal(left: tuple[Any, ...], right: tuple[Any, ...]) -> bool:
    return all(a == b or (a != a and b != b) for a, b in zip(left, right, strict=True))


def _merge(rows: Rows | None, others: Rows | None) -> Rows:
    return [*(rows or ()), *(others or ())]


@lru_cache(maxsize=256)
def _value(user: UserFunction, types: tuple[SqlType, ...], result: SqlType) -> Any:
    """Return the function that computes the result from the rows.

    Calls with the same user-defined function and types get the same function object.
    """

    def value(rows: Rows | None) -> Any:
        columns = zip(*rows, strict=True) if rows else iter([()] * len(types))
        arrays = [from_list(list(each), kind) for each, kind in zip(columns, types, strict=True)]
        return to_list(aggregated(user, arrays, to_arrow(result)), result)[0]

    return value
