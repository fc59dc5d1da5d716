"""Aggregate functions over pandas of the case `pandas`; Flink recorded it with them, too."""

from __future__ import annotations

from typing import Any

try:
    from firesteel.functions.python import AggregateFunction, udaf
except ImportError:
    from pyflink.table.udf import AggregateFunction, udaf


@udaf(result_type="DOUBLE", func_type="pandas")
def mean(values: Any) -> Any:
    return values.mean()


@udaf(result_type="STRING", func_type="pandas")
def listed(*columns: Any) -> str:
    """What there is, in its order, and how it comes."""
    return " ".join(f"{column.dtype}:{column.tolist()}" for column in columns)


@udaf(result_type="STRING", func_type="pandas")
def ordered(values: Any) -> str:
    return str(values.sort_values().tolist())


@udaf(result_type="INT", func_type="pandas")
def alone(values: Any) -> Any:
    """The value of a single row; there is always a first one."""
    first = values.iloc[0]
    return first if len(values) == 1 else None


class Spread(AggregateFunction):
    """From the least value to the greatest."""

    def create_accumulator(self) -> list[Any]:
        return []

    def accumulate(self, accumulator: list[Any], *args: Any) -> None:
        accumulator.append(args[0].max() - args[0].min())

    def get_value(self, accumulator: list[Any]) -> Any:
        return accumulator[0]


spread = udaf(Spread(), result_type="BIGINT", func_type="pandas")


class Total(AggregateFunction):
    """Row by row, for what it cannot be mixed with."""

    def create_accumulator(self) -> list[int]:
        return [0]

    def accumulate(self, accumulator: list[int], *args: Any) -> None:
        accumulator[0] += args[0] or 0

    def get_value(self, accumulator: list[int]) -> int:
        return accumulator[0]


total = udaf(Total(), result_type="BIGINT", accumulator_type="ARRAY<BIGINT>")
