"""Ranks of rows of all types: sorted by them where they have an order, and carried where not."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from datetime import time as time_of_day
from decimal import Decimal
from typing import Any

import pytest

from firesteel.runtime.dataflow.chain import standing_clock
from firesteel.runtime.operators.rank.rank import build
from firesteel.runtime.spec.rank import RankSpec, RankStrategy
from firesteel.runtime.state.memory import memory_backend
from firesteel.runtime.state.order_codes import SortOrder
from firesteel.types.sql import (
    BIGINT,
    BOOLEAN,
    BYTES,
    DATE,
    DOUBLE,
    FLOAT,
    INT,
    SMALLINT,
    STRING,
    TINYINT,
    SqlType,
    TypeRoot,
    array,
    decimal,
    map_of,
    row,
    time,
    timestamp,
    timestamp_ltz,
)
from tests.runtime.changes import Row, to_table
from tests.runtime.messages import all_rows

START = datetime(2026, 1, 1)
SORTED: list[tuple[SqlType, list[Any]]] = [
    (BOOLEAN, [False, True]),
    (TINYINT, [-3, 5, 7]),
    (SMALLINT, [-3, 5, 7]),
    (INT, [-3, 5, 7]),
    (BIGINT, [-(1 << 40), 5, 1 << 50]),
    (FLOAT, [-1.5, 0.0, 2.0]),
    (DOUBLE, [-1.5, 0.0, 2.0]),
    (decimal(5, 2), [Decimal("-1.50"), Decimal("0.00"), Decimal("2.25")]),
    (decimal(38, 0), [Decimal(-(10**30)), Decimal(7), Decimal(10**30)]),
    (STRING, ["", "a", "ab"]),
    (BYTES, [b"", b"\x00", b"\xff"]),
    (DATE, [date(1969, 1, 1), date(2026, 1, 1)]),
    (time(3), [time_of_day(0, 0), time_of_day(12, 30)]),
    (timestamp(3), [START, START + timedelta(milliseconds=1)]),
    (timestamp_ltz(3), [START, START + timedelta(days=1)]),
    (SqlType(TypeRoot.INTERVAL_YEAR_MONTH), [-1, 12]),
]
"""Types, with values in ascending order."""

CARRIED: list[tuple[SqlType, list[Any]]] = [
    (array(INT), [None, [], [1, None]]),
    (map_of(STRING, INT), [None, [], [{"key": "a", "value": 1}]]),
    (row(("x", "y"), (INT, STRING)), [None, {"x": 1, "y": None}, {"x": 2, "y": "b"}]),
]
"""Types without an order, with values."""


def played(spec: RankSpec, rows: list[Row]) -> list[Row]:
    """What rows cause, in tables of two, through the state."""
    state, found = memory_backend(), list[Row]()
    operator = build(spec, state, standing_clock(1))
    for start in range(0, len(rows), 2):
        found += all_rows(operator.changes(to_table(rows[start : start + 2], spec.input_types, start)))
        all_rows(operator.barrier())
        state.commit()
        operator = build(spec, state, standing_clock(1))
    return found


@pytest.mark.parametrize("strategy", RankStrategy)
@pytest.mark.parametrize(("kind", "values"), SORTED, ids=[str(kind) for kind, _ in SORTED])
def test_rows_are_sorted_by_every_type(strategy: RankStrategy, kind: SqlType, values: list[Any]) -> None:
    types = (INT, INT, kind)
    spec = RankSpec(
        types, (0,), (2,), (SortOrder(),), strategy, len(values) + 1, with_number=True,
        row_key=(0, 1) if strategy is RankStrategy.UPDATE else (),
    )  # fmt: skip
    rows: list[Row] = [("+I", 1, number, value) for number, value in enumerate([*reversed(values), None])]
    found = played(spec, rows)
    ranks = {rank: number for change, _, number, _, rank in found if change != "-U"}
    assert [ranks[rank] for rank in sorted(ranks)] == list(reversed(range(len(rows))))


@pytest.mark.parametrize("strategy", RankStrategy)
@pytest.mark.parametrize(("kind", "values"), CARRIED, ids=[str(kind) for kind, _ in CARRIED])
def test_every_type_is_carried(strategy: RankStrategy, kind: SqlType, values: list[Any]) -> None:
    spec = RankSpec(
        (INT, INT, kind), (0,), (1,), (SortOrder(),), strategy, 2,
        row_key=(0, 1) if strategy is RankStrategy.UPDATE else (),
    )  # fmt: skip
    rows: list[Row] = [("+I", 1, number, value) for number, value in enumerate(values)]
    if strategy is RankStrategy.RETRACT:
        rows += [("-D", *rows[1][1:]), ("-D", *rows[2][1:])]
    found = played(spec, rows)
    assert [each[:3] for each in found[:2]] == [("+I", 1, 0), ("+I", 1, 1)]
    if strategy is RankStrategy.RETRACT:
        assert [each[:3] for each in found[2:]] == [("-D", 1, 1), ("+I", 1, 2), ("-D", 1, 2)]
