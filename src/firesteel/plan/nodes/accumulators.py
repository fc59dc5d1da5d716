"""Accumulators that a local aggregate sends to its global aggregate, as columns.

Flink: AggregateUtil.inferAggAccumulatorNames and the buffers of its aggregate functions. The columns come in
the order of the calls. A function whose accumulator is a Java object has one column, named as the function.
After all of them, there is a column `distinct$<i>` for each argument list of DISTINCT calls.
"""

from __future__ import annotations

from collections.abc import Sequence

from firesteel.functions.expression.nodes import AggregateCall
from firesteel.functions.signatures.aggregate_traits import traits_of
from firesteel.plan.tree import Field
from firesteel.types import sql
from firesteel.types.sql import APPROXIMATE, SqlType, TypeRoot


def is_mergeable(call: AggregateCall) -> bool:
    """Return whether the planner may split an aggregate call into a local and a global phase.

    True for a built-in function whose accumulators can be merged. False for every user-defined function, as
    in Flink, even if it has the method `merge`.
    """
    return call.user is None and traits_of(call.function).merges


def merges(call: AggregateCall) -> bool:
    """Return whether two accumulators of an aggregate call can be merged.

    Windows that share slices need this. A user-defined function counts if it has the method `merge`;
    `is_mergeable` is False for it.
    """
    return traits_of(call.function).merges if call.user is None else call.user.merges


COUNT = sql.BIGINT.with_nullable(False)
_OBJECT = SqlType(TypeRoot.RAW)


def record_count(calls: Sequence[AggregateCall]) -> int | None:
    """Return the position in `calls` of the first COUNT(*) without DISTINCT and FILTER, None without one.

    The value of this call is the number of rows in a group: if it is 0, the group has no row left. Flink:
    indexOfCountStar.
    """
    for index, call in enumerate(calls):
        if call.function == "COUNT" and not call.args and call.filter is None and not call.distinct:
            return index
    return None


def function_name(call: AggregateCall) -> str:
    """Return the name of a function in plans.

    For JSON_ARRAYAGG and JSON_OBJECTAGG it includes the ON NULL clause.
    """
    nulls = [option for option in call.options if option.endswith("ON NULL")]
    return "_".join([call.function, *nulls]).replace(" ", "_")


def buffers(call: AggregateCall, retracts: bool) -> tuple[str, ...]:
    """Return the names of a call's accumulator columns, without the number after `$`: `sum` for `sum$0`.

    Args:
        call: The call.
        retracts: Whether the call also takes rows back. Then it may need more columns, such as a count.
    """
    if call.function == "COUNT":
        return ("count",) if call.args else ("count1",)
    traits = traits_of(call.function)
    named = traits.retract_buffers if retracts else traits.buffers
    return (function_name(call).lower(),) if named is None else named


def distinct_arguments(calls: Sequence[AggregateCall]) -> list[tuple[int, ...]]:
    """Return the different argument lists of DISTINCT calls.

    The list at position i belongs to the accumulator column `distinct$<i>`.
    """
    return list(dict.fromkeys(call.args for call in calls if call.distinct))


def accumulator_fields(
    calls: Sequence[AggregateCall], retract: Sequence[bool], columns: Sequence[Field]
) -> tuple[Field, ...]:
    """Return the accumulator columns of calls. Columns of distinct values are last.

    Args:
        calls: The calls.
        retract: For each call, whether it also takes rows back.
        columns: Columns of the input.
    """
    found: list[Field] = []
    for call, retracts in zip(calls, retract, strict=True):
        for name in buffers(call, retracts):
            found.append(Field(f"{name}${len(found)}", _type(name, call, columns)))
    seen = [Field(f"distinct${i}", _OBJECT) for i in range(len(distinct_arguments(calls)))]
    return (*found, *seen)


def split_columns(
    calls: Sequence[AggregateCall], retract: Sequence[bool], names: Sequence[str]
) -> list[tuple[str, ...]]:
    """Return the names of the accumulator columns of each call. Columns of distinct values are left out.

    Args:
        calls: The calls.
        retract: For each call, whether it also takes rows back.
        names: Names of all accumulator columns, in the order of `accumulator_fields`.
    """
    rest = list(names)
    found = []
    for call, retracts in zip(calls, retract, strict=True):
        width = len(buffers(call, retracts))
        found.append(tuple(rest[:width]))
        rest = rest[width:]
    return found


def _type(buffer: str, call: AggregateCall, columns: Sequence[Field]) -> SqlType:
    if buffer in ("count", "count1"):
        return COUNT
    if buffer in ("accDelimiter", "concatAcc"):
        return sql.STRING
    if buffer == "sum" and call.function == "AVG":
        return _average_sum(columns[call.args[0]].type)
    return call.type if buffer in ("sum", "min", "max", "value") else _OBJECT


def _average_sum(kind: SqlType) -> SqlType:
    if kind.root is TypeRoot.DECIMAL:
        return sql.decimal(38, kind.scale or 0)
    return sql.DOUBLE if kind.root in APPROXIMATE else sql.BIGINT
