"""DECIMALs at and beyond the limits of their types: DuckDB computes what exact arithmetic gives, rounded
HALF_UP, and NULL where the type has too few digits."""

from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_DOWN, ROUND_FLOOR, ROUND_HALF_UP, Context, Decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firesteel.types.sql import BIGINT, BOOLEAN, INT, SMALLINT, STRING, TINYINT, SqlType, decimal
from tests.functions.evaluate import column, evaluate
from tests.scale import examples
from tests.types.columns import Columns

EXACT = Context(prec=400, rounding=ROUND_HALF_UP)
QUOTIENT = Context(prec=38, rounding=ROUND_HALF_UP)
BITS = {TINYINT: 8, SMALLINT: 16, INT: 32, BIGINT: 64}


@st.composite
def kinds(draw: st.DrawFn) -> SqlType:
    precision = draw(st.one_of(st.integers(1, 38), st.sampled_from([18, 19, 38])))
    return decimal(precision, draw(st.one_of(st.integers(0, precision), st.sampled_from([0, precision]))))


@st.composite
def decimals(draw: st.DrawFn, kind: SqlType, least: int | None = None) -> Decimal:
    """A value of the type, at a limit of it or of anything smaller."""
    most = 10 ** (kind.precision or 0) - 1
    power = st.integers(0, kind.precision or 0).map(lambda digits: 10**digits)
    near = st.builds(lambda number, off: number + off, power, st.sampled_from([-1, 0, 1]))
    number = draw(st.one_of(near, st.integers(0, most), power.map(lambda one: one // 2), st.just(most)))
    number = min(max(number, least or 0), most) * draw(st.sampled_from([1, -1]))
    return Decimal(number).scaleb(-(kind.scale or 0), EXACT)


def fit(value: Decimal, kind: SqlType) -> Decimal | None:
    rounded = value.quantize(Decimal(1).scaleb(-(kind.scale or 0)), context=EXACT)
    whole = (kind.precision or 0) - (kind.scale or 0)
    return rounded if rounded.copy_abs() < 10**whole else None


def same(expression: str, columns: Columns, expected: Callable[..., Any]) -> None:
    """expected: of the type of the expression and the values of a row of which none is NULL."""
    kind, found = column(expression, columns)
    rows = zip(*(values for _, values in columns.values()), strict=True)
    assert found == [None if None in row else expected(kind, *row) for row in rows]


def drawn(data: st.DataObject, kind: SqlType, least: int | None = None) -> tuple[SqlType, list[Any]]:
    return kind, [*(data.draw(decimals(kind, least)) for _ in range(6)), None]


def wrapped(value: int, bits: int) -> int:
    return (value + (1 << (bits - 1))) % (1 << bits) - (1 << (bits - 1))


@given(st.data(), kinds(), kinds())
@settings(max_examples=examples(120), deadline=None)
def test_casts(data: st.DataObject, source: SqlType, target: SqlType) -> None:
    columns: Columns = {"x": drawn(data, source)}
    same(f"CAST(x AS {target})", columns, lambda _, x: fit(x, target))
    same("CAST(x AS STRING)", columns, lambda _, x: format(x, "f"))
    same("CAST(x AS BOOLEAN)", columns, lambda _, x: bool(x))
    texts = {"x": (STRING, [None if x is None else str(x) for x in columns["x"][1]])}
    same(f"TRY_CAST(x AS {target})", texts, lambda _, x: fit(Decimal(x), target))


@given(st.data(), kinds(), st.sampled_from(list(BITS)))
@settings(max_examples=examples(80), deadline=None)
def test_casts_of_integers(data: st.DataObject, kind: SqlType, other: SqlType) -> None:
    bits = BITS[other]
    half = 1 << (bits - 1)
    number = st.one_of(st.integers(-half, half - 1), st.sampled_from([half - 1, -half, 0]))
    integers = (other, [data.draw(number) for _ in range(7)])
    same(f"CAST(x AS {kind})", {"x": integers}, lambda _, x: fit(Decimal(x), kind))
    same(f"CAST(x AS {kind})", {"x": (BOOLEAN, [True, False])}, lambda _, x: fit(Decimal(x), kind))
    columns: Columns = {"x": drawn(data, kind)}
    same(f"CAST(x AS {other})", columns, lambda _, x: wrapped(wrapped(int(x), 64), bits))
    columns["y"] = integers
    same("x < y", columns, lambda _, x, y: x < y)
    same("x * y", columns, lambda k, x, y: fit(EXACT.multiply(x, Decimal(y)), k))


def as_double(value: Decimal, kind: SqlType) -> float:
    """Flink: DecimalDataUtils.doubleValue."""
    if (kind.precision or 0) > 18:
        return float(value)
    return float(int(value.scaleb(kind.scale or 0, EXACT))) / float(10 ** (kind.scale or 0))


@given(st.data(), kinds())
@settings(max_examples=examples(120), deadline=None)
def test_casts_to_floating_point(data: st.DataObject, kind: SqlType) -> None:
    columns: Columns = {"x": drawn(data, kind)}
    same("CAST(x AS DOUBLE)", columns, lambda _, x: as_double(x, kind))
    same("CAST(x AS FLOAT)", columns, lambda _, x: float(np.float32(as_double(x, kind))))


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        (decimal(17, 17), "0.41342232504181933", "0.41342232504181936"),
        (decimal(18, 6), "578702760087.168162", "5.787027600871681E11"),
        (decimal(38, 18), "12345678901234567890.123456789012345678", "1.2345678901234567E19"),
    ],
)
def test_doubles_as_flink_has_them(kind: SqlType, value: str, expected: str) -> None:
    assert evaluate("CAST(x AS DOUBLE)", {"x": (kind, [Decimal(value)])}) == [expected]


def test_a_text_of_a_fraction_of_38_digits_begins_with_a_zero() -> None:
    columns: Columns = {"x": (decimal(38, 38), [Decimal("0.5"), Decimal("-0.5"), Decimal(0)])}
    zeros = "0" * 37
    assert evaluate("CAST(x AS STRING)", columns) == [f"0.5{zeros}", f"-0.5{zeros}", f"0.0{zeros}"]


@given(st.data(), kinds(), kinds())
@settings(max_examples=examples(120), deadline=None)
def test_arithmetic(data: st.DataObject, left: SqlType, right: SqlType) -> None:
    columns: Columns = {"x": drawn(data, left), "y": drawn(data, right, least=1)}
    for operator, compute in (("+", EXACT.add), ("-", EXACT.subtract), ("*", EXACT.multiply)):
        same(f"x {operator} y", columns, lambda k, x, y, of=compute: fit(of(x, y), k))
    same("x / y", columns, lambda k, x, y: fit(QUOTIENT.divide(x, y), k))
    same("MOD(x, y)", columns, lambda k, x, y: fit(EXACT.remainder(x, y), k))
    same("-x", columns, lambda _, x, __: EXACT.minus(x))


@given(st.data(), kinds(), kinds())
@settings(max_examples=examples(80), deadline=None)
def test_comparisons_and_choices(data: st.DataObject, left: SqlType, right: SqlType) -> None:
    columns: Columns = {"x": drawn(data, left), "y": drawn(data, right)}
    same("x < y", columns, lambda _, x, y: x < y)
    same("x = y", columns, lambda _, x, y: x == y)
    same("CASE WHEN x < y THEN x ELSE y END", columns, lambda k, x, y: fit(min(x, y), k))
    same("COALESCE(x, y)", columns, lambda k, x, _: fit(x, k))


@given(st.data(), kinds(), st.integers(-5, 40))
@settings(max_examples=examples(80), deadline=None)
def test_rounding(data: st.DataObject, kind: SqlType, to: int) -> None:
    columns: Columns = {"x": drawn(data, kind)}
    unit = Decimal(1).scaleb(-min(to, kind.scale or 0))
    for function, how in (("ROUND", ROUND_HALF_UP), ("TRUNCATE", ROUND_DOWN)):
        same(f"{function}(x, {to})", columns, lambda k, x, how=how: fit(x.quantize(unit, how, EXACT), k))
    same("FLOOR(x)", columns, lambda k, x: fit(x.to_integral_value(ROUND_FLOOR, EXACT), k))
    same("CEIL(x)", columns, lambda k, x: fit(x.to_integral_value(ROUND_CEILING, EXACT), k))
    same("ABS(x)", columns, lambda _, x: x.copy_abs())
