"""The aggregate function PERCENTILE."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any

from firesteel.errors import JobError
from firesteel.runtime.aggregate.functions.declaration import (
    AccumulatorField,
    Aggregate,
    HandWritten,
    MapView,
)
from firesteel.runtime.aggregate.functions.statements import statements
from firesteel.runtime.spec.operators import AggregateSpec
from firesteel.types.numbers import from_scaled, from_sortable
from firesteel.types.sql import APPROXIMATE, BIGINT, DOUBLE, SqlType, TypeRoot, array


def _keep_first(
    percentages: list[float] | None, checked: Callable[[Any], list[float]], percentage: Any
) -> list[float] | None:
    if percentages is None:
        percentages = checked(percentage)
    return percentages


def _count(map: Any, k: Any, is_counted: bool, change: int) -> None:
    if is_counted:
        count = map.get(k, 0) + change
        if count:
            map[k] = count
        else:
            map.pop(k, None)


def _merge(
    percentages: list[float] | None, other_percentages: list[float] | None, map: Any, other_map: Any
) -> list[float] | None:
    if percentages is None:
        percentages = other_percentages
    for key, other in other_map.items():
        count = map.get(key, 0) + other
        if count:
            map[key] = count
        else:
            map.pop(key, None)
    return percentages


def percentile(call: AggregateSpec) -> Aggregate:
    """Return the aggregate PERCENTILE(x, percentages[, frequency]).

    The result has the sorted values at the percentages, interpolated linearly. The percentages of the group's
    first row apply. Flink: PercentileAggFunction.
    """
    given, frequency = "{x} is not None", "1"
    if len(call.args) > 2:
        frequency = f"x{call.args[2]}"
        given += f" and {frequency} is not None and {frequency} > 0"
    percentages = statements(_keep_first, percentage=f"x{call.args[1]}")
    added, retracted = (
        statements(_count, is_counted=f"({given})", change=change) for change in (frequency, f"-{frequency}")
    )
    several = call.arg_types[1].root is TypeRoot.ARRAY
    return HandWritten(
        state_id="percentile.v2" if call.distinct else "percentile.v1",
        fields=(AccumulatorField("percentages", array(DOUBLE), None),),
        views=(MapView("map", call.arg_types[0], BIGINT, whole=True),),
        accumulate=f"{percentages}\n{added}",
        retract=retracted,
        merge=statements(_merge),
        value="{values}({map}.items(), {percentages})",
        takes_nulls=True,
        constants=() if call.distinct else ("percentages",),
        in_order=call.distinct,
        functions=(("checked", _checked), ("values", _percentiles(call.arg_types[0], several))),
    )


def _checked(percentages: float | list[float]) -> list[float]:
    """Return one or several percentages as a list.

    Raises:
        JobError: A percentage is not between 0 and 1.
    """
    found = percentages if isinstance(percentages, list) else [percentages]
    for each in found:
        if each < 0.0 or each > 1.0:
            raise JobError(f"Percentage of PERCENTILE should be between [0.0, 1.0], but was '{each}'.")
    return found


@lru_cache(maxsize=64)
def _percentiles(kind: SqlType, several: bool) -> Callable[..., Any]:
    """Return the function that computes the result from (value, number of occurrences) pairs and percentages.

    FLOAT and DOUBLE values in the pairs are integers that sort like the numbers (types/internal_values.py:
    sortable_column), and DECIMAL values are unscaled integers.

    Args:
        kind: Type of the values.
        several: Whether the percentages are an ARRAY. The result is then an ARRAY, too.
    """
    number = _number(kind)

    def values(counts: Iterable[tuple[Any, int]], percentages: list[float] | None) -> Any:
        if not percentages:
            return None
        found = percentiles([(number(key), count) for key, count in sorted(counts)], percentages)
        return found if several or found is None else found[0]

    return values


def _number(kind: SqlType) -> Callable[[Any], float]:
    if kind.root in APPROXIMATE:
        return from_sortable
    if kind.root is TypeRoot.DECIMAL:
        scale = kind.scale or 0
        return lambda value: from_scaled(value, scale)
    return float


def percentiles(counts: list[tuple[float, int]], percentages: list[float]) -> list[float] | None:
    """Return the value at each percentage. None if the counts add up to 0 or less (they may be negative).

    Args:
        counts: Ascending values, each with its number of occurrences.
        percentages: The percentages. Of n values at the positions 1 to n, percentage p is at p * (n - 1) + 1.
    """
    total = sum(count for _, count in counts)
    if total <= 0:
        return None
    found = [0.0] * len(percentages)
    positions = sorted((p * (total - 1) + 1, index) for index, p in enumerate(percentages))
    at, passed = 0, counts[0][1]
    for position, index in positions:
        lower, higher = math.floor(position), math.ceil(position)
        while passed < lower:
            at += 1
            passed += counts[at][1]
        value = counts[at][0]
        if passed < higher:
            value = (higher - position) * value + (position - lower) * counts[at + 1][0]
        found[index] = value
    return found
