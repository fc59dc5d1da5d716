"""The AST that Flink 2.3 prints for conditions and literals which its converter rewrites."""

from __future__ import annotations

import pytest

from firesteel.explain import explain
from tests.rules.planning import GOLDEN, plan, section, tables


@pytest.fixture(scope="module")
def catalog():
    return tables((GOLDEN / "tables.sql").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("NOT (v IN (1, 2) AND k = 'a')", "OR(NOT(OR(=($2, 1), =($2, 2))), NOT(=($1, _UTF-16LE'a')))"),
        ("NOT (v IN (1, 2) OR k = 'a')", "AND(NOT(OR(=($2, 1), =($2, 2))), NOT(=($1, _UTF-16LE'a')))"),
        ("NOT (v NOT IN (1, 2) AND k = 'a')", "OR(=($2, 1), =($2, 2), NOT(=($1, _UTF-16LE'a')))"),
        ("NOT NOT (v IN (1, 2) AND k = 'a')", "AND(OR(=($2, 1), =($2, 2)), =($1, _UTF-16LE'a'))"),
        ("NOT (v > 1 AND k = 'a')", "NOT(AND(>($2, 1), =($1, _UTF-16LE'a')))"),
        ("e IN (1.5, 2)", "OR(=($5, 1.5:DECIMAL(2, 1)), =($5, 2))"),
        ("e IN (1.5, v)", "OR(=($5, 1.5:DECIMAL(2, 1)), =($5, CAST($2):DECIMAL(10, 2)))"),
        ("f IN (1, 2.5)", "OR(=($6, 1), =($6, 2.5))"),
        ("d = 2.5", "=($4, 2.5)"),
        ("e = CAST(3.7 AS DECIMAL(5, 0))", "=($5, 3.7)"),
        ("(b, k) = (v, 'a')", "AND(=($3, $2), =($1, _UTF-16LE'a'))"),
        ("NOT (v > 1 AND (v, b) IN ((1, 2)))", "OR(NOT(>($2, 1)), NOT(AND(=($2, 1), =($3, 2))))"),
        ("NOT (v > 1 OR (v) IN (1, 2))", "AND(NOT(>($2, 1)), NOT(OR(=($2, 1), =($2, 2))))"),
        ("NOT (v + 1 IN (3) AND b > 2)", "OR(NOT(=(+($2, 1), 3)), NOT(>($3, 2)))"),
        ("NOT ((v + 1) IN (3, 4) AND b > 2)", "OR(NOT(OR(=(+($2, 1), 3), =(+($2, 1), 4))), NOT(>($3, 2)))"),
        ("b IN (1, 2) OR v IN (b)", "OR(=($3, 1), =($3, 2), =($2, CAST($3):INTEGER))"),
    ],
)
def test_a_condition_is_converted_as_flink_does(condition: str, expected: str, catalog) -> None:
    bound, physical = plan(f"SELECT id FROM mixed WHERE {condition}", catalog)
    ast = section(explain(bound, physical, set()), "Abstract Syntax Tree")
    assert f"LogicalFilter(condition=[{expected}])" in ast


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (
            "COALESCE(k, CAST('a' AS STRING))",
            "COALESCE($1, _UTF-16LE'a':VARCHAR(2147483647) CHARACTER SET \"UTF-16LE\")",
        ),
        ("COALESCE(k, 'a')", "COALESCE($1, _UTF-16LE'a')"),
        ("IF(v > 1, 1, e)", "IF(>($2, 1), 1, $5)"),
        ("IF(v > 1, 2.5, e)", "IF(>($2, 1), 2.5:DECIMAL(2, 1), $5)"),
        ("IF(v > 1, v, b)", "IF(>($2, 1), $2, $3)"),
        ("COALESCE(v, b)", "COALESCE(CAST($2):BIGINT, $3)"),
        ("NULLIF(v, b)", "CASE(=(CAST($2):BIGINT, $3), null:INTEGER, $2)"),
    ],
)
def test_arguments_of_flinks_own_functions_keep_their_types(expression: str, expected: str, catalog) -> None:
    """It is the call that decides, not where in the text its arguments stand."""
    bound, physical = plan(f"SELECT {expression} AS r FROM mixed", catalog)
    ast = section(explain(bound, physical, set()), "Abstract Syntax Tree")
    assert f"LogicalProject(r=[{expected}])" in ast
