"""Queries that Flink refuses: its message, the place, a hint."""

from __future__ import annotations

# ruff: noqa: E501 - the messages are data
import pytest

from firesteel.errors import NotSupportedError, ValidationError
from tests.bind.session import Session

DIFFERS = "Column types of query result and sink for 'default_catalog.default_database.snk2' do not match."
REFUSED = [
    ("SELECT h + 1, COUNT(*) FROM t GROUP BY 1", "h", "Expression 'h' is not being grouped"),
    ("SELECT h + 1 AS hh, COUNT(*) FROM t GROUP BY hh", "hh", "Column 'hh' not found in any table"),
    ("SELECT g AS hh, COUNT(*) FROM t GROUP BY g HAVING hh = 'a'", "hh", "Column 'hh' not found in any table"),
    ("SELECT g, v FROM t GROUP BY g", "v", "Expression 'v' is not being grouped"),
    ("SELECT * FROM t GROUP BY g", "*", "Expression 't.id' is not being grouped"),
    ("SELECT g FROM t HAVING v > 1", "v", "Expression 'v' is not being grouped"),
    ("SELECT g, SUM(SUM(v)) FROM t GROUP BY g", "SUM(v)", "Aggregate expressions cannot be nested"),
    ("SELECT g FROM t WHERE SUM(v) > 1", "SUM(v)", "Aggregate expression is illegal in WHERE clause"),
    ("SELECT g FROM t GROUP BY SUM(v)", "SUM(v)", "Aggregate expression is illegal in GROUP BY clause"),
    ("SELECT nope FROM t", "nope", "Column 'nope' not found in any table"),
    ("SELECT G FROM t", "G", "Column 'G' not found in any table; did you mean 'g'?"),
    ("SELECT tt.g FROM t", "tt.g", "Table 'tt' not found"),
    ("SELECT t.nope FROM t", "t.nope", "Column 'nope' not found in table 't'"),
    ("SELECT r.nope FROM t", "r.nope", "Column 'r.nope' not found in table 't'"),
    ("SELECT t.* FROM t AS q", "t.*", "Unknown identifier 't'"),
    ("SELECT g FROM nope", "nope", "Object 'nope' not found"),
    ("SELECT g FROM t WHERE v", "v", "WHERE clause must be a condition"),
    ("SELECT COUNT(*) FILTER (WHERE v) FROM t", "v", "FILTER clause must be a condition"),
    ("SELECT g, h FROM t UNION ALL SELECT g FROM t", "SELECT g FROM t", "Column count mismatch in UNION ALL"),
    ("SELECT g FROM t UNION ALL SELECT f FROM t", "f", "Type mismatch in column 1 of UNION ALL"),
    ("SELECT x FROM (SELECT g AS x, h AS x FROM t)", "x", "Column 'x' is ambiguous"),
    (
        "SELECT x FROM (SELECT g, h FROM t) AS q(x)",
        "(SELECT g, h FROM t) AS q(x)",
        "List of column aliases must have same degree as table; table has 2 columns ('g', 'h'), "
        "whereas alias list has 1 columns",
    ),
    ("SELECT * FROM (VALUES (1), (1, 2))", "(1, 2)", "Values passed to VALUES operator must have compatible types"),
    ("SELECT * FROM (VALUES (1), ('a'))", "'a'", "Values passed to VALUES operator must have compatible types"),
    ("VALUES (1, NULL), (2, 3.5)", "NULL", "Illegal use of 'NULL'"),
    ("SELECT SUM(*) FROM t", "SUM(*)", "Unknown identifier '*'"),
    ("SELECT SUM(v, h) FROM t", "SUM(v, h)", "Invalid number of arguments to function 'SUM'. Was expecting 1 arguments"),
    ("SELECT COUNT() FROM t", "COUNT()", "Invalid number of arguments to function 'COUNT'. Was expecting 1 arguments"),
    ("SELECT COUNT(DISTINCT g, h) FROM t", "COUNT(DISTINCT g, h)", "We now only support the count of one field."),
    ("SELECT ABS(v) FILTER (WHERE f) FROM t", "ABS(v) FILTER (WHERE f)", "FILTER must be applied to aggregate function"),
    ("SELECT ABS(DISTINCT v) FROM t", "ABS(DISTINCT v)", "DISTINCT/ALL not allowed with ABS function"),
    ("INSERT INTO vw SELECT g, v FROM t", "vw", "Sink 'default_catalog.default_database.vw' does not exists"),
    ("INSERT INTO snk2 SELECT g FROM t", "snk2", DIFFERS),
    ("INSERT INTO snk2 SELECT g, g FROM t", "g", DIFFERS + " Cause: Incompatible types for sink column 'b' at position 2."),
    ("INSERT INTO snk2 SELECT v, g FROM t", "v", DIFFERS),
    ("INSERT INTO snk2 (b, b) SELECT v, v FROM t", "b", "Target column 'b' is assigned more than once"),
    ("INSERT INTO snk2 (b, zz) SELECT v, v FROM t", "zz", "Unknown target column 'zz'"),
    ("INSERT INTO snk2 (b) SELECT v, v FROM t", "SELECT v, v FROM t", "Number of columns must match number of query columns"),
    ("INSERT INTO snk (b) SELECT v FROM t", "snk", "Column 'a' has no default value and does not allow NULLs"),
    (
        "INSERT INTO nosuch SELECT v FROM t",
        "nosuch",
        "Cannot find table '`default_catalog`.`default_database`.`nosuch`' in any of the catalogs "
        "[default_catalog], nor as a temporary table.",
    ),
]  # fmt: skip


@pytest.fixture(scope="module")
def session() -> Session:
    return Session()


@pytest.mark.parametrize(("query", "place", "message"), REFUSED, ids=[case[0][:60] for case in REFUSED])
def test_refused_as_flink_refuses_it(session: Session, query: str, place: str, message: str) -> None:
    with pytest.raises(ValidationError) as found:
        session.bind(query)
    error = found.value
    assert error.message.startswith(message)
    assert error.sql == query
    assert error.range is not None
    assert query[error.range.start : error.range.end] == place


@pytest.mark.parametrize(
    ("query", "hint"),
    [
        ("SELECT naem FROM (SELECT g AS name FROM t)", "did you mean 'name'?"),
        ("SELECT g FROM snk22", "did you mean 'snk2'?"),
        ("SELECT g, v FROM t GROUP BY g", "put it into GROUP BY, or into an aggregate function"),
        ("INSERT INTO snk2 SELECT v, g FROM t", "query schema: [v: INT, g: STRING]; sink schema: [a: STRING, b: BIGINT]"),
    ],
)  # fmt: skip
def test_hints(session: Session, query: str, hint: str) -> None:
    with pytest.raises(ValidationError) as found:
        session.bind(query)
    assert found.value.hint == hint


@pytest.mark.parametrize(
    ("query", "what"),
    [("SELECT FIRST_VALUE(g ORDER BY v) FROM t", "ORDER BY within an aggregate call")],
)
def test_what_is_not_there_yet_is_named(session: Session, query: str, what: str) -> None:
    with pytest.raises(NotSupportedError, match=what) as found:
        session.bind(query)
    assert found.value.range is not None


def test_errors_in_a_view_point_into_its_text(session: Session) -> None:
    local = Session("CREATE TABLE a (x INT); CREATE VIEW v AS SELECT x FROM a;")
    local.catalog.drop("TABLE", ("a",))
    with pytest.raises(ValidationError, match="Object 'a' not found") as found:
        local.bind("SELECT x FROM v")
    assert found.value.sql == "SELECT `a`.`x`\nFROM `default_catalog`.`default_database`.`a` AS `a`"
