"""JSON_STRING as Flink answered."""

from __future__ import annotations

from datetime import datetime, timezone
from decimal import Decimal
from typing import Any

import pytest

from firesteel.errors import ValidationError
from firesteel.types import sql
from tests.expr.evaluate import bind, evaluate, one, type_of

INSTANT = datetime(2026, 1, 2, 3, 4, 5, 75000, tzinfo=timezone.utc)


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        (sql.INT, -7, "-7"),
        (sql.BOOLEAN, True, "true"),
        (sql.STRING, 'a"b\\c/d\n\x01日 😀', '"a\\"b\\\\c/d\\n\\u0001日 😀"'),
        (sql.DOUBLE, 1.7976931348623157e308, "1.7976931348623157E+308"),
        (sql.DOUBLE, 2147483648.0, "2147483648"),
        (sql.DOUBLE, 1e7, "1.0E+7"),
        (sql.DOUBLE, 1e-5, "0.000010"),
        (sql.DOUBLE, -0.0, "0.0"),
        (sql.DOUBLE, float("nan"), '"NaN"'),
        (sql.FLOAT, 0.1, "0.10000000149011612"),
        (sql.FLOAT, 16777216.0, "16777216"),
        (sql.decimal(38, 10), Decimal("0E-10"), "0E-10"),
        (sql.decimal(10, 2), Decimal("-3.50"), "-3.50"),
        (sql.BYTES, b"hello", '"aGVsbG8="'),
        (sql.timestamp(3), datetime(2026, 1, 1), '"2026-01-01T00:00:00"'),
        (sql.timestamp_ltz(3), INSTANT, '"2026-01-02T03:04:05.075Z"'),
        (sql.array(sql.DOUBLE), [1e10, None], "[1.0E+10,null]"),
        (sql.map_of(sql.STRING, sql.INT), [("z", 1), ("a", None), ("Z", 3)], '{"Z":3,"a":null,"z":1}'),
        (sql.row(("z", "B"), (sql.INT, sql.STRING)), {"z": 1, "B": "x"}, '{"B":"x","z":1}'),
        (
            sql.row(("t", "l"), (sql.timestamp(9), sql.array(sql.timestamp_ltz(3)))),
            {"t": datetime(1969, 12, 31, 23), "l": [INSTANT]},
            '{"l":["2026-01-02T03:04:05.075Z"],"t":"1969-12-31T23:00:00"}',
        ),
    ],
)
def test_json_string(kind: sql.SqlType, value: Any, expected: str) -> None:
    assert one("JSON_STRING(x)", x=(kind, value)) == expected


def test_of_null_and_its_type() -> None:
    assert evaluate("JSON_STRING(x)", {"x": (sql.INT, [None, 1])}) == ["<NULL>", "1"]
    assert type_of("JSON_STRING(1)") == "STRING NOT NULL"


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        (sql.DATE, "Expected type of family 'CHARACTER_STRING' but actual type was 'DATE'."),
        (sql.array(sql.DATE), "Type 'DATE' is not scalar or cannot be converted into JSON."),
        (sql.map_of(sql.INT, sql.INT), "Type 'INT' is not supported for JSON conversion."),
    ],
)
def test_types_without_a_json_form(kind: sql.SqlType, message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        bind("JSON_STRING(x)", {"x": (kind, [None])})
