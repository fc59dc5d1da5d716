"""Calls of constants that depend on the session's time zone are computed in it, as Flink 2.3 plans them."""

from __future__ import annotations

import pytest

from tests.rules.planning import physical_text, tables

CATALOG = tables(
    "CREATE TABLE t (a INT, s STRING, ts TIMESTAMP(3), l TIMESTAMP_LTZ(3)) WITH ('connector' = 'datagen')"
)
TEXT = 'VARCHAR(2147483647) CHARACTER SET "UTF-16LE"'


def _as_cast(literal: str, kind: str) -> str:
    return f"CAST({literal} AS {kind}) AS EXPR$0"


def _as_text(value: str, kind: str = TEXT) -> str:
    return _as_cast(f"_UTF-16LE'{value}':{kind}", kind)


NEW_YORK, SHANGHAI = "America/New_York", "Asia/Shanghai"
ITEMS = [
    (SHANGHAI, "FROM_UNIXTIME(0)", _as_text("1970-01-01 08:00:00")),
    (SHANGHAI, "FROM_UNIXTIME(44, 'HH:mm')", _as_text("08:00")),
    (SHANGHAI, "DATE_FORMAT(TO_TIMESTAMP_LTZ(1000, 3), 'yyyy-MM-dd HH:mm')", _as_text("1970-01-01 08:00")),
    (SHANGHAI, "CAST(TO_TIMESTAMP_LTZ(1000, 3) AS STRING)", _as_text("1970-01-01 08:00:01.000")),
    (
        SHANGHAI,
        "CAST(TO_TIMESTAMP_LTZ(1000, 3) AS TIMESTAMP(3))",
        _as_cast("1970-01-01 08:00:01:TIMESTAMP(3)", "TIMESTAMP(3)"),
    ),
    (SHANGHAI, "HOUR(TO_TIMESTAMP_LTZ(1000, 3))", _as_cast("8:BIGINT", "BIGINT")),
    (SHANGHAI, "CAST(TO_TIMESTAMP_LTZ(1000, 3) AS DATE)", _as_cast("1970-01-01", "DATE")),
    (SHANGHAI, "CAST(TO_TIMESTAMP_LTZ(1000, 3) AS TIME)", _as_cast("08:00:01", "TIME(0)")),
    (
        SHANGHAI,
        "UNIX_TIMESTAMP('2020-01-01 00:00:00')",
        "UNIX_TIMESTAMP(_UTF-16LE'2020-01-01 00:00:00') AS EXPR$0",
    ),
    (NEW_YORK, "UPPER(FROM_UNIXTIME(44, 'HH:mm'))", _as_text("19:00")),
    (NEW_YORK, "TO_DATE(FROM_UNIXTIME(0))", _as_cast("1969-12-31", "DATE")),
    (NEW_YORK, "FROM_UNIXTIME(0) || s", f"||(_UTF-16LE'1969-12-31 19:00:00':{TEXT}, s) AS EXPR$0"),
    (
        NEW_YORK,
        "CAST(TO_TIMESTAMP_LTZ(1234, 3) AS TIMESTAMP(6))",
        _as_cast("1969-12-31 19:00:01.234:TIMESTAMP(6)", "TIMESTAMP(6)"),
    ),
    (
        NEW_YORK,
        "CAST(TO_TIMESTAMP_LTZ(1234, 3) AS VARCHAR(10))",
        _as_text("1969-12-31", 'VARCHAR(10) CHARACTER SET "UTF-16LE"'),
    ),
    (NEW_YORK, "YEAR(TO_TIMESTAMP_LTZ(1577836800000, 3))", _as_cast("2019:BIGINT", "BIGINT")),
]


@pytest.mark.parametrize(("zone", "item", "shown"), ITEMS, ids=lambda value: value[:40])
def test_it_is_a_literal(zone: str, item: str, shown: str) -> None:
    text = physical_text(f"SELECT {item}, a FROM t", CATALOG, settings={"table.local-time-zone": zone})
    assert text.splitlines()[0] == f"Calc(select=[{shown}, a])"


def test_in_a_condition() -> None:
    query = "SELECT a FROM t WHERE s = FROM_UNIXTIME(0)"
    text = physical_text(query, CATALOG, settings={"table.local-time-zone": SHANGHAI})
    assert text.splitlines()[0] == f"Calc(select=[a], where=[=(s, _UTF-16LE'1970-01-01 08:00:00':{TEXT})])"
