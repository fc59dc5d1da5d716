"""Results that are sent again though they did not change, as Flink sends them."""

from __future__ import annotations

from typing import Any

import pytest

from firesteel.runtime.aggregate.row_engine.result_equality import equals_itself
from firesteel.runtime.spec.operators import AggregateSpec
from firesteel.types.sql import DOUBLE, INT, STRING, SqlType, array, map_of, row

NAN = float("nan")
ROW = row(("x", "y"), (INT, STRING))
MAP = map_of(STRING, INT)


@pytest.mark.parametrize(
    ("function", "kind", "value", "expected"),
    [
        ("ARRAY_AGG", array(INT), [1, 2], True),
        ("ARRAY_AGG", array(INT), [1, None], False),
        ("ARRAY_AGG", array(INT), None, True),
        ("ARRAY_AGG", array(DOUBLE), [NAN], False),
        ("ARRAY_AGG", array(array(INT)), [[None]], True),
        ("ARRAY_AGG", array(ROW), [(None, None)], True),
        ("ARRAY_AGG", array(MAP), [[("a", 1)]], False),
        ("FIRST_VALUE", array(INT), [1, None], True),
        ("FIRST_VALUE", MAP, [("a", 1)], True),
        ("FIRST_VALUE", MAP, [("a", None)], False),
        ("LAST_VALUE", ROW, (None, None), True),
        ("SUM", DOUBLE, NAN, False),
    ],
)
def test_equals_itself(function: str, kind: SqlType, value: Any, expected: bool) -> None:
    test = equals_itself(AggregateSpec(function, (1,), (kind,), kind))
    assert (test is None or test(value)) == expected
