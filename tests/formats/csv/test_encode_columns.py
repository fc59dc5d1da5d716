"""csv records written in columns: as value by value."""

from __future__ import annotations

from datetime import date, datetime, timezone
from typing import Any

import pyarrow as pa
import pytest

from firesteel.changelog import field
from firesteel.formats.base import Fields
from firesteel.formats.csv.column_texts import column_texts
from firesteel.formats.json.encode import timestamp_text
from firesteel.formats.registry import find_format
from firesteel.types import sql
from firesteel.types.arrow import to_arrow
from firesteel.types.primitive_text import date_text
from firesteel.types.sql import SqlType
from firesteel.types.text import plain_values

TIMES = [None, datetime(2026, 1, 2, 3, 4, 5), datetime(1969, 12, 31, 23, 59, 59, 120_000), datetime(1, 1, 1)]
_YEAR_10000 = 253_402_300_800
LEAVES: list[tuple[SqlType, list[Any]]] = [
    (sql.INT, [None, -5, 2**31 - 1]),
    (sql.BOOLEAN, [True, None, False]),
    (sql.STRING, ["", None, "a b", "é😀"]),
    (sql.DATE, [date(1, 1, 1), None, date(9999, 12, 31), date(1969, 12, 31)]),
    (sql.timestamp(3), TIMES),
    (sql.timestamp(9), TIMES[:3]),
    (sql.timestamp_ltz(6), [each and each.replace(tzinfo=timezone.utc) for each in TIMES]),
]


def written(kind: SqlType, value: Any) -> str | None:
    """Return the text of a value by the functions for single values."""
    if value is None:
        return None
    if kind.is_datetime and kind != sql.DATE:
        return timestamp_text(value) + ("Z" if kind.root is sql.TypeRoot.TIMESTAMP_LTZ else "")
    return date_text(value) if kind == sql.DATE else str(value).lower() if kind == sql.BOOLEAN else str(value)


@pytest.mark.parametrize(("kind", "values"), LEAVES, ids=lambda each: str(each)[:20])
def test_texts_of_columns(kind: SqlType, values: list[Any]) -> None:
    column = pa.array([None, *values], to_arrow(kind)).slice(1)
    found = column_texts(kind, column)
    assert found is not None
    assert found.to_pylist() == [written(kind, value) for value in plain_values(column)]


@pytest.mark.parametrize("seconds", [-62_135_596_801, _YEAR_10000])
def test_years_of_other_than_four_digits_are_written_one_by_one(seconds: int) -> None:
    moment = pa.array([seconds * 10**6]).view(pa.timestamp("us"))
    assert column_texts(sql.timestamp(3), moment) is None
    day = pa.array([seconds // 86_400], pa.int32()).view(pa.date32())
    assert column_texts(sql.DATE, day) is None
    encoder = find_format("csv").encoder(Fields(("d",), (sql.DATE,)), {})
    assert encoder.encode(pa.table({field(0): day})).to_pylist() == [date_text(seconds // 86_400).encode()]


def test_records_of_several_chunks() -> None:
    kinds = (sql.STRING, sql.INT, sql.decimal(4, 1), sql.timestamp(3))
    encoder = find_format("csv").encoder(Fields(("s", "i", "d", "t"), kinds), {"null-literal": "NULL"})
    rows = [
        ("a,b", 1, None, TIMES[1]),
        (None, None, None, None),
        ("plain", 2, None, None),
        ('"', 3, None, None),
    ]
    parts = [
        pa.table({field(at): pa.array([row[at]], to_arrow(kind)) for at, kind in enumerate(kinds)})
        for row in rows
    ]
    assert encoder.encode(pa.concat_tables(parts)).to_pylist() == [
        b'"a,b",1,NULL,"2026-01-02 03:04:05"',
        b"NULL,NULL,NULL,NULL",
        b"plain,2,NULL,NULL",
        b'"""",3,NULL,NULL',
    ]


def test_no_rows() -> None:
    encoder = find_format("csv").encoder(Fields(("s",), (sql.STRING,)), {})
    assert encoder.encode(pa.table({field(0): pa.array([], pa.string())})).to_pylist() == []
