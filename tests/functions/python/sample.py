"""Functions that the tests register, as a user would write them."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from firesteel.functions.python import (
    AggregateFunction,
    DataTypes,
    FunctionContext,
    ScalarFunction,
    udaf,
    udf,
)


@udf(result_type="BIGINT")
def plus_one(x: int | None) -> int | None:
    return None if x is None else x + 1


@udf(result_type=DataTypes.BIGINT())
def coalesced(x: int | None) -> int:
    return -1 if x is None else x


@udf(result_type="STRING", func_type="arrow")
def shout(text: pa.Array) -> pa.Array:
    return pc.binary_join_element_wise(pc.utf8_upper(text), "!", "")


@udf(result_type="DOUBLE", func_type="pandas")
def share(x):  # type: ignore[no-untyped-def]
    return x / x.max()


@udf(result_type="STRING", func_type="pandas")
def tagged(text):  # type: ignore[no-untyped-def]
    return text + "#"


@udf(result_type="BIGINT", func_type="arrow")
def one_only(x: pa.Array) -> pa.Array:
    return x.slice(0, 1)


@udf(result_type="INT")
def wrong(x: int) -> Any:
    return "seven" if x == 7 else x


@udf(result_type="DECIMAL(10, 2)")
def half(x: Decimal | None) -> Decimal | None:
    return None if x is None else x / 2


@udf(result_type="ROW<a INT, b ARRAY<STRING>>")
def pair(x: int) -> tuple[int, list[str]]:
    return x, ["n", str(x)]


@udf(result_type="STRING")
def shape(*values: object) -> str:
    """How values come."""
    return " ".join(f"{type(v).__name__}:{v}" for v in values)


forty_two = udf(lambda: 42, result_type="INT", deterministic=False, name="forty_two")


class Times(ScalarFunction):
    """Counts how often it is opened and closed."""

    result_type = "BIGINT"
    opened: int = 0
    closed: int = 0

    def open(self, function_context: FunctionContext) -> None:
        Times.opened += 1
        self.factor = int(function_context.get_job_parameter("factor", "10"))

    def eval(self, x: int) -> int:
        return x * self.factor

    def close(self) -> None:
        Times.closed += 1


class CannotOpen(ScalarFunction):
    """Fails before the first row."""

    result_type = "INT"

    def open(self, function_context: FunctionContext) -> None:
        raise OSError("no licence")

    def eval(self, x: int) -> int:
        return x


class WeightedAverage(AggregateFunction):
    """The average of its first argument, weighted by the second."""

    def create_accumulator(self) -> list[int]:
        return [0, 0]

    def accumulate(self, accumulator: list[int], value: int | None = None, weight: int | None = 1) -> None:
        if value is not None and weight is not None:
            accumulator[0] += value * weight
            accumulator[1] += weight

    def retract(self, accumulator: list[int], value: int | None = None, weight: int | None = 1) -> None:
        if value is not None and weight is not None:
            accumulator[0] -= value * weight
            accumulator[1] -= weight

    def get_value(self, accumulator: list[int]) -> int | None:
        total, weight = accumulator
        return total // weight if weight else None

    def get_result_type(self) -> str:
        return "BIGINT"


weighted_average = udaf(WeightedAverage())


class Longest(AggregateFunction):
    """The longest text; it cannot forget one."""

    def create_accumulator(self) -> dict[str, str]:
        return {}

    def accumulate(self, accumulator: dict[str, str], text: str | None) -> None:
        if text is None:
            return
        if text == "boom":
            raise ValueError("no booms")
        if len(text) > len(accumulator.get("best", "")):
            accumulator["best"] = text

    def get_value(self, accumulator: dict[str, str]) -> str | None:
        return accumulator.get("best")

    def get_result_type(self) -> str:
        return "STRING"


class Seen(AggregateFunction):
    """All values, in the accumulator's own list."""

    def create_accumulator(self) -> list[int | None]:
        return []

    def accumulate(self, accumulator: list[int | None], value: int | None) -> None:
        accumulator.append(value)

    def retract(self, accumulator: list[int | None], value: int | None) -> None:
        accumulator.remove(value)

    def get_value(self, accumulator: list[int | None]) -> list[int | None]:
        return accumulator


seen = udaf(Seen(), result_type="ARRAY<INT>")
nothing = "not a function"


summed = udaf(lambda values: values.sum(), result_type="INT", func_type="pandas")
counted = udaf(lambda values: len(values), result_type="BIGINT", func_type="pandas", name="counted")


@udaf(result_type="STRING", func_type="pandas")
def listed(*columns):  # type: ignore[no-untyped-def]
    """The values in their order; of no rows none are asked for."""
    columns[0].iloc[0]
    return "|".join("~".join(map(str, column)) for column in columns)


@udaf(result_type="INT", func_type="pandas")
def median(values):  # type: ignore[no-untyped-def]
    return values.median()
