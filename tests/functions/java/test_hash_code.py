"""HASH_CODE is what Flink 2.3 answers: these values are recorded from it."""

from __future__ import annotations

from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from firesteel.errors import NotSupportedError
from firesteel.functions.duckdb.compile.hashes import check_hashed
from firesteel.functions.duckdb.library.hashes import hash_code
from firesteel.types.arrow import to_arrow
from firesteel.types.sql import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    INT,
    STRING,
    TINYINT,
    SqlType,
    TypeRoot,
    array,
    decimal,
    timestamp,
)
from firesteel.types.sql import time as time_type

RECORDED: list[tuple[SqlType, list[Any], list[int | None]]] = [
    (STRING, ["hello", "", None, "12345678", "key-1"], [99162322, 0, None, 1861353340, 101943363]),
    (STRING, ["日本語😀 and longer text here for words", "ünïcödé", "a"], [1225641779, 609221899, 97]),
    (TINYINT, [1, -1, -128], [1, -1, -128]),
    (INT, [3, -3, 2147483647, -2147483648], [3, -3, 2147483647, -2147483648]),
    (BIGINT, [4, -4, (1 << 63) - 1, -(1 << 63), 1 << 32], [4, 3, -2147483648, -2147483648, 1]),
    (FLOAT, [1.5, -0.0, 3.4e38, 0.1], [1069547520, -2147483648, 2139081118, 1036831949]),
    (DOUBLE, [2.5, -0.0, 1e300, 0.1, 0.0], [1074003968, -2147483648, -164130400, -1507852285, 0]),
    (
        decimal(10, 2),
        [Decimal("1.25"), Decimal("-1.20"), Decimal("99999999.99"), None, Decimal("12345.60")],
        [3877, -3718, 762356581, None, 38271362],
    ),
    (
        decimal(30, 5),
        [
            Decimal("1234567890123456789012345.12345"),
            Decimal("-1234567890123456789012345.12345"),
            Decimal(100),
        ],
        [-749870459, 749870469, 310000005],
    ),
    (BOOLEAN, [True, False, None], [1231, 1237, None]),
    (DATE, [date(2020, 1, 2), date(1969, 1, 2), date(1, 1, 1)], [18263, -364, -719162]),
    (time_type(0), [time(1, 2, 3), time(23, 59, 59)], [3723000, 86399000]),
    (
        timestamp(3),
        [datetime(2020, 1, 2, 1, 2, 3, 456000), datetime(1969, 1, 2, 1, 2, 3, 456000), datetime(1, 1, 1)],
        [352100401, -135403576, 863043588],
    ),
    (
        timestamp(6),
        [datetime(1960, 1, 2, 1, 2, 3, 456789), datetime(1969, 12, 31, 23, 59, 59, 999999)],
        [1761630546, 999000],
    ),
    (
        timestamp(9),
        [datetime(2020, 1, 2, 1, 2, 3, 123456), datetime(1970, 1, 1, 0, 0, 0, 1000)],
        [352528036, 31],
    ),
]


@pytest.mark.parametrize(("kind", "values", "expected"), RECORDED, ids=lambda value: str(value)[:30])
def test_hashes_are_javas(kind: SqlType, values: list[Any], expected: list[int | None]) -> None:
    column = pa.array([None, *values], to_arrow(kind))
    assert hash_code(column.slice(1)).to_pylist() == expected
    assert hash_code(column.slice(0, 0)).to_pylist() == []


@pytest.mark.parametrize("kind", [array(INT), SqlType(TypeRoot.TIMESTAMP_LTZ, precision=3)])
def test_types_without_a_hash_are_refused(kind: SqlType) -> None:
    with pytest.raises(NotSupportedError, match="Unsupported call: HASH_CODE"):
        check_hashed(kind)
