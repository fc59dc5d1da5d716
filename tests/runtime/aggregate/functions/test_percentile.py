"""PERCENTILE against NumPy's, and what Flink answered."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firesteel.errors import JobError
from firesteel.runtime.aggregate.row_engine.handler import generate
from firesteel.runtime.operators.group.group_aggregate import GroupAggregate
from firesteel.runtime.spec.operators import AggregateSpec, GroupAggregateSpec
from firesteel.runtime.state.memory import memory_backend
from firesteel.types.sql import DOUBLE, INT, STRING, SqlType, array, decimal
from tests.runtime.changes import Row, to_rows, to_table
from tests.runtime.driven_operators import COUNT_STAR
from tests.scale import examples


def spec(kind: SqlType, share: SqlType, frequency: bool = True) -> GroupAggregateSpec:
    """PERCENTILE(v, p[, w]) and a COUNT(*) over (k, v, p, w), without -U."""
    args, types = (1, 2, 3), (kind, share, INT)
    result = DOUBLE if share is DOUBLE else array(DOUBLE)
    width = 3 if frequency else 2
    call = AggregateSpec("PERCENTILE", args[:width], types[:width], result, True)
    return GroupAggregateSpec((0,), (call, COUNT_STAR), (STRING, *types), True, False, 1)


def results(what: GroupAggregateSpec, rows: list[Row], batch: int = 1000, stored: bool = False) -> list[Any]:
    """The result after each row."""
    operator = GroupAggregate(what, memory_backend() if stored else None, lambda: 0)
    parts = [rows[start : start + batch] for start in range(0, len(rows), batch)]
    return [
        row[2]
        for part in parts
        for row in to_rows(operator.process(to_table(part, what.input_types)))
        if row[0] != "-D"
    ]


def expected(rows: list[Row], shares: list[float]) -> list[float] | None:
    left: list[float] = []
    for kind, _, value, _, frequency in rows:
        if value is None or frequency is None or frequency <= 0:
            continue
        for _ in range(frequency):
            (left.append if kind == "+I" else left.remove)(value)
    return [float(each) for each in np.percentile(left, [100 * s for s in shares])] if left else None


@st.composite
def histories(draw: st.DrawFn) -> list[Row]:
    """Rows with frequencies, of which some go again; the first stays."""
    rows: list[Row] = [("+I", "a", None, None, 1)]
    live: list[Row] = []
    for _ in range(draw(st.integers(0, 12))):
        if live and draw(st.booleans()):
            rows.append(("-D", *live.pop(draw(st.integers(0, len(live) - 1)))[1:]))
        else:
            value = draw(st.sampled_from([None, -3.5, -0.0, 0.0, 1.25, 8.0, 100.0]))
            live.append(("+I", "a", value, None, draw(st.sampled_from([None, -1, 0, 1, 2, 7]))))
            rows.append(live[-1])
    return rows


@given(histories(), st.lists(st.sampled_from([0.0, 0.1, 0.5, 0.75, 1.0]), min_size=1, max_size=4))
@settings(max_examples=examples(60), deadline=None)
def test_as_numpy(rows: list[Row], shares: list[float]) -> None:
    rows = [(*row[:3], shares, row[4]) for row in rows]
    what = spec(DOUBLE, array(DOUBLE))
    want = expected(rows, shares)
    for batch, stored in ((1000, False), (3, True)):
        found = results(what, rows, batch, stored)[-1]
        assert found == want if want is None else found == pytest.approx(want)


def test_a_part_may_take_back_rows_of_another() -> None:
    generated = generate(spec(DOUBLE, DOUBLE))
    rows = [("+", 1.0, 2), ("+", 5.0, 1), ("-", 1.0, 1), ("-", 9.0, 1), ("+", 9.0, 3)]

    def run(part: list[tuple[str, float, int]]) -> Any:
        handler = generated.create()
        handler.reset_accumulators()
        for kind, value, frequency in part:
            given = {"x1": value, "x2": 0.5, "x3": frequency, "k1": round(value)}
            (handler.accumulate if kind == "+" else handler.retract)(
                *(given.get(each.name) for each in generated.inputs)
            )
        return handler

    whole = run(rows).get_value()
    for cut in range(len(rows) + 1):
        first, second = run(rows[:cut]), run(rows[cut:])
        first.merge(second.get_accumulators())
        assert first.get_value()[0] == whole[0]


@pytest.mark.parametrize(
    ("kind", "values", "shares", "want"),
    [
        (INT, [1, 2], [0.5], [[1.0], [1.5]]),
        (INT, [1, 2], [0.25, 1.0], [[1.0, 1.0], [1.25, 2.0]]),
        (
            decimal(10, 2),
            [Decimal("1.25"), Decimal("-3.50")],
            [0.0, 0.3, 1.0],
            [[1.25] * 3, [-3.5, -2.0749999999999997, 1.25]],
        ),
    ],
)
def test_flinks_digits(kind: SqlType, values: list[Any], shares: list[float], want: list[Any]) -> None:
    rows = [("+I", "a", value, shares, 1) for value in values]
    assert results(spec(kind, array(DOUBLE), frequency=False), rows) == want


def test_the_percentages_of_the_first_row_count() -> None:
    rows = [("+I", "a", None, 0.5, 1), ("+I", "a", 1, 0.9, 1), ("+I", "a", 6, 0.9, 1)]
    assert results(spec(INT, DOUBLE), rows) == [None, 1.0, 3.5]


def test_a_percentage_out_of_range() -> None:
    with pytest.raises(JobError, match=r"should be between \[0.0, 1.0\], but was '2.0'."):
        results(spec(INT, array(DOUBLE)), [("+I", "a", 1, [0.5, 2.0], 1)])


def test_distinct_rows_of_value_percentage_and_frequency() -> None:
    call = AggregateSpec("PERCENTILE", (1, 2, 3), (INT, DOUBLE, INT), DOUBLE, True, distinct=True)
    what = GroupAggregateSpec((0,), (call, COUNT_STAR), (STRING, INT, DOUBLE, INT), True, False, 1)
    rows: list[Row] = [
        ("+I", "a", 1, 0.5, 1),
        ("+I", "a", 1, 0.5, 1),  # the same again
        ("+I", "a", 9, 0.5, 2),
        ("+I", "a", 9, 0.25, 3),  # another percentage: it counts, though the first one stays
        ("-D", "a", 1, 0.5, 1),
        ("-D", "a", 1, 0.5, 1),
        ("-D", "a", 9, 0.5, 2),
    ]
    expected = [1.0, 1.0, 9.0, 9.0, 9.0, 9.0, 9.0]
    for batch in (1, 2, 7):
        for stored in (False, True):
            assert results(what, rows, batch, stored) == expected
