"""Constants beside one that fails stay as they are written, as Flink 2.3 plans them."""

from __future__ import annotations

import pytest

from tests.rules.planning import physical_text, tables

CATALOG = tables("CREATE TABLE t (a INT, s STRING) WITH ('connector' = 'datagen')")
TEXT = 'VARCHAR(2147483647) CHARACTER SET "UTF-16LE"'
X = "_UTF-16LE'X'"
LOWER = f"LOWER({X})"
PLANS = {
    "UPPER('x'), MOD(1, 0), 2 + 3 FROM t": (
        "UPPER(_UTF-16LE'x') AS EXPR$0, MOD(1, 0) AS EXPR$1, +(2, 3) AS EXPR$2]"
    ),
    "UPPER('x') || s, MOD(1, 0) + a, 2 + 3 FROM t": (
        "||(UPPER(_UTF-16LE'x'), s) AS EXPR$0, +(MOD(1, 0), a) AS EXPR$1, +(2, 3) AS EXPR$2]"
    ),
    "UPPER(CAST(MOD(1, 0) AS STRING)), LOWER('X') FROM t": (
        f"UPPER(CAST(MOD(1, 0) AS {TEXT} NOT NULL)) AS EXPR$0, {LOWER} AS EXPR$1]"
    ),
    "a, CAST(UPPER('x') AS INT), LOWER('X') FROM t": (
        f"a, CAST(UPPER(_UTF-16LE'x') AS INTEGER NOT NULL) AS EXPR$1, {LOWER} AS EXPR$2]"
    ),
    "CAST('x' AS INT), UPPER('x') FROM t": (
        f"CAST(_UTF-16LE'x' AS INTEGER NOT NULL) AS EXPR$0, {X} AS EXPR$1]"
    ),
    "a, MOD(1, 0), UPPER('x') FROM t WHERE s = LOWER('X')": (
        f"a, MOD(1, 0) AS EXPR$1, UPPER(_UTF-16LE'x') AS EXPR$2], where=[=(s, _UTF-16LE'x':{TEXT})]"
    ),
    "a, UPPER('x') FROM t WHERE s = LOWER('X') AND a > MOD(1, 0)": (
        f"a, {X} AS EXPR$1], where=[AND(=(s, CAST({LOWER} AS {TEXT} NOT NULL)), >(a, MOD(1, 0)))]"
    ),
    "a FROM t WHERE a = MOD(1, 0) OR s = UPPER('x')": (
        f"a], where=[OR(=(a, MOD(1, 0)), =(s, CAST(UPPER(_UTF-16LE'x') AS {TEXT} NOT NULL)))]"
    ),
}


@pytest.mark.parametrize(("query", "shown"), PLANS.items(), ids=PLANS)
def test_a_constant_that_fails(query: str, shown: str) -> None:
    assert physical_text(f"SELECT {query}", CATALOG).splitlines()[0] == f"Calc(select=[{shown})"
