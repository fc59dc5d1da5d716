"""Literals that stand beside columns of other types."""

from __future__ import annotations

import pickle
from decimal import Decimal

import pytest

from firesteel.bind.scalar.literals import number
from firesteel.functions.expression.nodes import Literal
from firesteel.job.lower.job import translate
from firesteel.plan.expressions.literal_text import literal_text, scientific_text
from firesteel.plan.expressions.text import prefix_text
from firesteel.plan.nodes.logical import Filter
from firesteel.plan.tree import walk
from firesteel.rules.pushdown.push_filter_into_scan import java_double
from tests.rules.planning import GOLDEN, physical_text, plan, tables


@pytest.fixture(scope="module")
def catalog():
    return tables((GOLDEN / "tables.sql").read_text(encoding="utf-8"))


def test_one_number_written_in_two_ways_is_one_value(catalog) -> None:
    text = physical_text("SELECT k FROM o WHERE w = 0.1 AND w = 1e-1", catalog)
    assert "where=[=(w, 1E-1:DOUBLE)]" in text


def test_a_moment_finer_than_microseconds_is_kept(catalog) -> None:
    fine = "TIMESTAMP '2026-01-01 00:00:00.123456789'"
    sql = f"SELECT k FROM o WHERE ts > {fine} AND ts < TIMESTAMP '2026-02-01 00:00:00'"
    bound, _ = plan(sql, catalog)
    condition = next(n for n in walk(bound) if isinstance(n, Filter)).condition
    assert "00:00:00.123456789" in prefix_text(condition, [f.name for f in bound.children[0].schema])
    assert "SEARCH" not in physical_text(sql, catalog)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("2", "2E0"),
        ("0.001", "1E-3"),
        ("1500", "1.5E3"),
        ("1.50", "1.50E0"),
        ("-0.25", "-2.5E-1"),
        ("0", "0E0"),
    ],
)
def test_doubles_have_one_digit_before_the_point(value: str, text: str) -> None:
    assert scientific_text(Decimal(value)) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(4.0, "4.0E0"), (0.001, "1E-3"), (1500.0, "1.5000E3"), (0.5, "5E-1"), (1e7, "1.0E7"), (1.25, "1.25E0")],
)
def test_a_double_that_went_through_java_keeps_the_digit_after_the_point(value: float, text: str) -> None:
    assert scientific_text(java_double(value)) == text


@pytest.mark.parametrize(
    ("written", "text"),
    [("7.0E0", "7.0E0:DOUBLE"), ("7E0", "7E0:DOUBLE"), ("14.0E0", "1.40E1:DOUBLE"), ("20E0", "2E1:DOUBLE")],
)
def test_a_double_keeps_the_zeros_of_the_query(written: str, text: str) -> None:
    literal = number(written)
    assert literal_text(literal) == text
    assert literal == Literal(float(written), literal.type)
    assert pickle.loads(pickle.dumps(literal)) == literal


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT LAG(w, 1, 2.0E0) OVER (ORDER BY ts) FROM wt",
        "SELECT w + 7.0E0 FROM wt WHERE w IN (1.0E0, 3.0E0)",
        "SELECT * FROM (VALUES (2.0E0), (3.50E1)) AS v (w)",
    ],
)
def test_workers_get_plain_numbers(catalog, sql: str) -> None:
    job = pickle.dumps(translate([plan(sql, catalog)[1]]))
    assert b"expression.nodes" not in job
