"""SQL/JSON calls in plans: tests/golden/explain/json_calls.txt has queries and what Flink 2.3 explains.

The file begins with the table. A case is the query, a line `----`, and the plans without their blank lines.
"""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from firesteel.catalog.catalog import Catalog
from firesteel.errors import ValidationError
from firesteel.explain import explain
from firesteel.functions.expression.casting import with_all_digits
from firesteel.functions.expression.nodes import Literal
from firesteel.types.sql import decimal
from tests.goldens import hold
from tests.rules.planning import plan, tables

GOLDEN = Path(__file__).parents[1] / "golden" / "explain" / "json_calls.txt"
DDL, *CASES = GOLDEN.read_text(encoding="utf-8").strip().split("\n\n")


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return tables(DDL)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.split("\n")[0][:80])
def test_plans_are_flinks(case: str, catalog: Catalog) -> None:
    sql, expected = case.split("\n----\n")
    found = explain(*plan(sql, catalog), ())
    lines = [line.rstrip() for line in found.splitlines() if line.strip()]
    hold(GOLDEN, (sql, expected), "\n".join(lines))


@pytest.mark.parametrize(
    "expression",
    [
        "JSON(js)",
        "JSON_OBJECT(KEY JSON('\"a\"') VALUE 1)",
        "JSON_OBJECT('a' VALUE UPPER(JSON(js)))",
        "JSON_ARRAY(CASE WHEN b THEN JSON(js) ELSE '1' END)",
        "JSON_STRING(JSON(js))",
        "JSON_ARRAYAGG(JSON(js))",
    ],
)
def test_where_json_may_not_stand(expression: str, catalog: Catalog) -> None:
    with pytest.raises(ValidationError, match=r"The JSON\(\) function is currently only supported inside"):
        plan(f"SELECT {expression} FROM t", catalog)


def test_a_decimal_is_folded_with_all_its_digits() -> None:
    literal = Literal(Decimal("2.5"), decimal(5, 2))
    assert with_all_digits(literal).value == Decimal("2.50")
    assert str(with_all_digits(literal).value) == "2.50"
