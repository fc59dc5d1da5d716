"""Common types and casts."""

from __future__ import annotations

import pytest

from firesteel.types import sql
from firesteel.types.arrow import to_arrow
from firesteel.types.codec import decode, encode
from firesteel.types.coerce import can_cast, common_type
from firesteel.types.duckdb import arrow_of, to_duckdb
from firesteel.types.sql import SqlType, array, char, decimal, map_of, row, timestamp, timestamp_ltz, varchar


@pytest.mark.parametrize(
    ("types", "expected"),
    [
        ((sql.TINYINT, sql.BIGINT), "BIGINT"),
        ((sql.INT, decimal(10, 2)), "DECIMAL(12, 2)"),
        ((sql.INT, sql.FLOAT), "FLOAT"),
        ((sql.FLOAT, decimal(3, 1)), "DOUBLE"),
        ((sql.FLOAT, sql.DOUBLE), "FLOAT"),
        ((decimal(38, 10), decimal(38, 0)), "DECIMAL(38, 0)"),
        ((char(3), char(3)), "CHAR(3)"),
        ((char(3), char(1)), "VARCHAR(3)"),
        ((varchar(5), sql.STRING), "STRING"),
        ((timestamp(3), timestamp_ltz(6)), "TIMESTAMP_LTZ(6)"),
        ((sql.DATE, timestamp(3)), "DATE"),
        ((sql.NULL, sql.INT), "INT"),
        ((array(sql.INT), array(sql.BIGINT)), "ARRAY<BIGINT>"),
    ],
)
def test_common_type(types: tuple[SqlType, ...], expected: str) -> None:
    assert str(common_type(types)) == expected


def test_flink_s_own_functions_take_the_wider() -> None:
    assert common_type([sql.FLOAT, sql.DOUBLE], widest=True) == sql.DOUBLE


def test_nullability_is_any_s() -> None:
    assert (
        str(common_type([sql.INT.with_nullable(False), sql.BIGINT.with_nullable(False)])) == "BIGINT NOT NULL"
    )
    assert common_type([sql.INT.with_nullable(False), sql.NULL]) == sql.INT


def test_types_apart() -> None:
    assert common_type([sql.INT, sql.STRING]) is None
    assert common_type([sql.BOOLEAN, sql.INT]) is None


def test_casts() -> None:
    assert can_cast(sql.STRING, sql.DATE)
    assert can_cast(array(sql.STRING), array(sql.INT))
    assert not can_cast(sql.INT, sql.DATE)
    assert not can_cast(timestamp(3), sql.BIGINT)
    assert not can_cast(row(("a",), (sql.INT,)), row(("a", "b"), (sql.INT, sql.INT)))


NESTED = map_of(sql.STRING, row(("a b", 'q"'), (decimal(10, 2), array(timestamp(3)))))


def test_types_travel_as_text() -> None:
    assert decode(encode(NESTED)) == NESTED


def test_duckdb_s_names_lead_back_to_arrow() -> None:
    assert arrow_of(to_duckdb(NESTED)) == to_arrow(NESTED)
