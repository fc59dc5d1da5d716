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
        ("(b, k) = (v, 'a')", "AND(=($3, $2), =($1, _UTF-16LE'a'))"),
    ],
)
def test_a_condition_is_converted_as_flink_does(condition: str, expected: str, catalog) -> None:
    bound, physical = plan(f"SELECT id FROM mixed WHERE {condition}", catalog)
    ast = section(explain(bound, physical, set()), "Abstract Syntax Tree")
    assert f"LogicalFilter(condition=[{expected}])" in ast
