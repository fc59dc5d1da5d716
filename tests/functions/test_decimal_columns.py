"""Arithmetic of wide decimals in columns gives what it gives value by value."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Context, Decimal

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firesteel.functions.duckdb.library import decimals
from tests.scale import examples

_EXACT = Context(prec=200, rounding=ROUND_HALF_UP)
Column = tuple[pa.DataType, list[Decimal | None]]


@st.composite
def columns(draw: st.DrawFn) -> tuple[Column, Column, pa.DataType]:
    """Two columns of one length, and the type of a result."""
    kinds = [draw(kind()) for _ in range(3)]
    length = draw(st.integers(0, 6))
    left, right = (
        (each, draw(st.lists(value(each), min_size=length, max_size=length))) for each in kinds[:2]
    )
    return left, right, kinds[2]


@st.composite
def kind(draw: st.DrawFn) -> pa.DataType:
    precision = draw(st.sampled_from([1, 18, 19, 32, 37, 38]))
    return pa.decimal128(precision, draw(st.integers(0, precision)))


def value(of: pa.DataType) -> st.SearchStrategy[Decimal | None]:
    most = 10**of.precision - 1
    near = st.sampled_from([0, 1, -1, 5, 15, -25, most, -most, most // 2])
    units = st.one_of(near.filter(lambda n: abs(n) <= most), st.integers(-most, most))
    return st.none() | units.map(lambda n: Decimal(n).scaleb(-of.scale, context=_EXACT))


@pytest.mark.parametrize("name", ["add", "subtract", "multiply"])
@settings(max_examples=examples(400), deadline=None)
@given(drawn=columns())
def test_columns_give_what_values_give(name: str, drawn: tuple[Column, Column, pa.DataType]) -> None:
    left, right, result = drawn
    compute = getattr(_EXACT, name)
    expected = [
        None if a is None or b is None else decimals.fit(compute(a, b), result)
        for a, b in zip(left[1], right[1], strict=True)
    ]
    found = getattr(decimals, name)(result, pa.array(left[1], left[0]), pa.array(right[1], right[0]))
    assert found.to_pylist() == expected


@settings(max_examples=examples(400), deadline=None)
@given(drawn=columns())
def test_values_of_any_scale_compare(drawn: tuple[Column, Column, pa.DataType]) -> None:
    left, right, _ = drawn
    expected = [
        None if a is None or b is None else (a > b) - (a < b) for a, b in zip(left[1], right[1], strict=True)
    ]
    found = decimals.compare(pa.array(left[1], left[0]), pa.array(right[1], right[0]))
    assert found.to_pylist() == expected


def test_products_of_the_widest_types_are_computed_in_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decimals, "fit", None)  # which values are computed with one by one
    left = pa.array([Decimal("1.25"), None], pa.decimal128(38, 2))
    right = pa.array([Decimal("3.50"), Decimal(1)], pa.decimal128(38, 2))
    found = decimals.multiply(pa.decimal128(38, 4), left, right)
    assert found.to_pylist() == [Decimal("4.3750"), None]
