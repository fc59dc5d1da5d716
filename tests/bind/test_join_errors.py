"""Joins and sub-queries that are refused: Flink's message, and the place."""

from __future__ import annotations

# ruff: noqa: E501 - the messages are data
import pytest

from firesteel.bind.names import BindContext
from firesteel.bind.query import bind_query
from firesteel.catalog.catalog import Catalog
from firesteel.errors import FiresteelError, NotSupportedError, ValidationError
from firesteel.rules import optimize
from firesteel.sql.parser import parse_query
from tests.rules.planning import tables

_COLUMNS = "(id BIGINT, k INT, g STRING, v INT, d DATE, t TIMESTAMP(3), b BOOLEAN, a ARRAY<INT>, PRIMARY KEY (id) NOT ENFORCED)"
_DDL = "".join(
    f"CREATE TABLE {name} {_COLUMNS} WITH ('connector' = 'filesystem', 'path' = '/x', 'format' = 'canal-json');"
    for name in "lrc"
)
_NEEDS = "INNER, LEFT, RIGHT or FULL join requires a condition (NATURAL keyword or ON or USING clause)"
_CROSS = "Cannot specify condition (NATURAL keyword, or ON or USING clause) following CROSS JOIN"
_IN = "Values passed to IN operator must have compatible types"
_ON = "is not supported on join's condition now"
_STRING = "VARCHAR(2147483647)"

REFUSED = [
    # clauses
    ("SELECT * FROM l JOIN r", "r", _NEEDS),
    ("SELECT * FROM l LEFT JOIN r", "r", _NEEDS),
    ("SELECT * FROM l CROSS JOIN r ON TRUE", "TRUE", _CROSS),
    ("SELECT * FROM l CROSS JOIN r USING (k)", "k", _CROSS),
    ("SELECT * FROM l NATURAL CROSS JOIN r", "r", _CROSS),
    ("SELECT * FROM l NATURAL JOIN r USING (k)", "k", "Cannot specify NATURAL keyword with ON or USING clause"),
    ("SELECT * FROM l NATURAL JOIN r ON l.k = r.k", "l.k = r.k", "Cannot specify NATURAL keyword with ON or USING clause"),
    # names
    ("SELECT * FROM l JOIN r ON k = 1", "k", "Column 'k' is ambiguous"),
    ("SELECT k FROM l JOIN r ON l.k = r.k", "k", "Column 'k' is ambiguous"),
    ("SELECT k FROM l NATURAL JOIN r", "k", "Column 'k' is ambiguous"),
    ("SELECT * FROM l JOIN r USING (k) WHERE k > 1", "k", "Column 'k' is ambiguous"),
    ("SELECT k FROM l JOIN r USING (k) JOIN c ON l.id = c.id", "k", "Column 'k' is ambiguous"),
    ("SELECT k FROM l JOIN r USING (k), c", "k", "Column 'k' is ambiguous"),
    ("SELECT * FROM l JOIN r ON l.zz = r.k", "l.zz", "Column 'zz' not found in table 'l'"),
    ("SELECT * FROM l JOIN r USING (zz)", "zz", "Column 'zz' not found in any table"),
    ("SELECT * FROM l JOIN (SELECT k FROM r) AS q USING (v)", "v", "Column 'v' not found in any table"),
    ("SELECT * FROM l JOIN l ON l.k = l.k", "l", "Duplicate relation name 'l' in FROM clause"),
    ("SELECT * FROM l AS x JOIN r AS x ON TRUE", "r AS x", "Duplicate relation name 'x' in FROM clause"),
    ("SELECT q.k FROM (SELECT k FROM l) AS q JOIN r ON l.k = r.k", "l.k", "Table 'l' not found"),
    ("SELECT * FROM l WHERE k IN (SELECT zz FROM r)", "zz", "Column 'zz' not found in any table"),
    ("SELECT * FROM l WHERE EXISTS (SELECT 1 FROM r WHERE x.k = r.k)", "x.k", "Table 'x' not found"),
    ("SELECT id, (SELECT SUM(r.v) + l.v FROM r WHERE r.k = l.k) FROM l", "l.v", "Expression 'l.v' is not being grouped"),
    ("SELECT id, (SELECT COUNT(*) FROM r WHERE r.k = l.k HAVING COUNT(*) > l.v) FROM l", "l.v", "Expression 'l.v' is not being grouped"),
    ("SELECT k FROM l GROUP BY k HAVING COUNT(*) > (SELECT COUNT(*) FROM r WHERE r.v = l.v)", "l.v", "Expression 'l.v' is not being grouped"),
    # conditions
    ("SELECT * FROM l JOIN r ON l.k", "l.k", "ON clause must be a condition"),
    ("SELECT * FROM l JOIN r ON COUNT(l.k) = r.k", "COUNT(l.k)", "Aggregate expression is illegal in ON clause"),
    # types
    ("SELECT * FROM l JOIN r ON l.d = r.t", "l.d = r.t", "Cannot apply '=' to arguments of type '<DATE> = <TIMESTAMP(3)>'"),
    ("SELECT * FROM l JOIN r ON l.g = r.id", "l.g = r.id", "implicit type conversion between VARCHAR and BIGINT"),
    ("SELECT l.id FROM l JOIN r ON l.g = r.d", "l.g = r.d", f"implicit type conversion between {_STRING} and DATE {_ON}"),
    ("SELECT l.id FROM l, r WHERE l.g = r.b", "l.g = r.b", f"implicit type conversion between {_STRING} and BOOLEAN {_ON}"),
    ("SELECT l.id FROM l WHERE g IN (SELECT d FROM r)", None, f"implicit type conversion between {_STRING} and DATE {_ON}"),
    ("SELECT l.id FROM l WHERE g IN (SELECT t FROM r) OR k > 3", None, f"implicit type conversion between {_STRING} and TIMESTAMP(3) {_ON}"),
    ("SELECT l.id FROM l WHERE EXISTS (SELECT 1 FROM r WHERE r.d = l.g)", None, f"implicit type conversion between {_STRING} and DATE {_ON}"),
    ("SELECT * FROM l JOIN (SELECT g AS k FROM r) AS q USING (k)", "k", "Column 'k' matched using NATURAL keyword or USING clause has incompatible types"),
    ("SELECT * FROM l JOIN (SELECT t AS d FROM r) AS q USING (d)", "d", "cannot compare 'DATE' to 'TIMESTAMP(3)'"),
    # sub-queries
    ("SELECT * FROM l WHERE k IN (SELECT k, v FROM r)", "k IN (SELECT k, v FROM r)", _IN),
    ("SELECT * FROM l WHERE (k, v) IN (SELECT k FROM r)", "(k, v) IN (SELECT k FROM r)", _IN),
    ("SELECT * FROM l WHERE d IN (SELECT t FROM r)", "d IN (SELECT t FROM r)", _IN),
    ("SELECT * FROM l WHERE k > ANY (SELECT k, v FROM r)", "k > ANY (SELECT k, v FROM r)", _IN),
    ("SELECT * FROM l WHERE k > ANY (SELECT g FROM r)", "k > ANY (SELECT g FROM r)", "Incomparable types: INT and STRING"),
    ("SELECT * FROM l WHERE g < ALL (SELECT d FROM r)", "g < ALL (SELECT d FROM r)", "Incomparable types: STRING and DATE"),
    ("SELECT (SELECT k, v FROM r) FROM l", "(SELECT k, v FROM r)", "Cannot apply '$SCALAR_QUERY' to arguments of type"),
    ("SELECT * FROM l WHERE v = (SELECT * FROM r)", "(SELECT * FROM r)", "Cannot apply '$SCALAR_QUERY' to arguments of type"),
    (
        "SELECT q.k, t.v FROM (SELECT DISTINCT k FROM l) AS q LEFT JOIN LATERAL (SELECT v FROM l WHERE k = q.k ORDER BY v LIMIT 2) AS t ON TRUE",
        None,
        "unexpected correlate variable $cor0 in the plan",
    ),
]  # fmt: skip
LACKING = [
    ("SELECT * FROM UNNEST((SELECT ARRAY_AGG(v) FROM r)) AS t (x)", "(SELECT ARRAY_AGG(v) FROM r)", "a sub-query in the collection of UNNEST"),
    (
        "SELECT * FROM l LEFT JOIN r ON l.k = r.k AND EXISTS (SELECT 1 FROM c WHERE c.v = l.v AND c.k = r.k)",
        "EXISTS (SELECT 1 FROM c WHERE c.v = l.v AND c.k = r.k)",
        "a sub-query of ON that reads both inputs of a LEFT JOIN",
    ),
    ("SELECT * FROM l WHERE (k, v) > ANY (SELECT k, v FROM r)", "(k, v) > ANY (SELECT k, v FROM r)", "a comparison of rows with a sub-query"),
    (
        "SELECT id FROM l WHERE EXISTS (SELECT v FROM r WHERE r.k = l.k UNION ALL SELECT v FROM c)",
        "EXISTS (SELECT v FROM r WHERE r.k = l.k UNION ALL SELECT v FROM c)",
        "below Union",
    ),
    (
        "SELECT id FROM l WHERE EXISTS (SELECT 1 FROM r WHERE NOT EXISTS (SELECT k FROM c WHERE c.v = l.v AND c.k = r.k))",
        "EXISTS (SELECT 1 FROM r WHERE NOT EXISTS (SELECT k FROM c WHERE c.v = l.v AND c.k = r.k))",
        "below the right side of an ANTI JOIN",
    ),
    (
        "SELECT id FROM l WHERE EXISTS (SELECT 1 FROM r WHERE EXISTS (SELECT k FROM c WHERE c.v = l.v AND c.k < r.k))",
        "EXISTS (SELECT 1 FROM r WHERE EXISTS (SELECT k FROM c WHERE c.v = l.v AND c.k < r.k))",
        "below the right side of a SEMI JOIN",
    ),
    (
        "SELECT id FROM l WHERE EXISTS (SELECT 1 FROM r LEFT JOIN (SELECT * FROM c WHERE c.v = l.v) AS q ON r.k = q.k)",
        "EXISTS (SELECT 1 FROM r LEFT JOIN (SELECT * FROM c WHERE c.v = l.v) AS q ON r.k = q.k)",
        "below the right side of a LEFT JOIN",
    ),
]  # fmt: skip


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return tables(_DDL)


def refusal(sql: str, catalog: Catalog) -> FiresteelError:
    """The error of a query that is bound and planned."""
    with pytest.raises(FiresteelError) as raised:
        optimize(bind_query(parse_query(sql).query, BindContext(catalog, sql=sql)), {})
    return raised.value


@pytest.mark.parametrize(("sql", "place", "message"), REFUSED)
def test_what_flink_refuses_is_refused(sql: str, place: str | None, message: str, catalog: Catalog) -> None:
    error = refusal(sql, catalog)
    assert isinstance(error, ValidationError)
    assert message in str(error)
    if place is not None:
        assert error.range is not None
        assert sql[error.range.start : error.range.end] == place


@pytest.mark.parametrize(("sql", "place", "message"), LACKING)
def test_what_is_lacking_is_named_with_its_place(
    sql: str, place: str, message: str, catalog: Catalog
) -> None:
    error = refusal(sql, catalog)
    assert isinstance(error, NotSupportedError)
    assert message in str(error)
    assert error.range is not None
    assert sql[error.range.start : error.range.end] == place
