"""Wrong statements: what the error says, where, and what it proposes."""

from __future__ import annotations

import pytest

from firesteel.errors import NotSupportedError, ParseError
from firesteel.sql.parser import parse_script

WRONG = [
    ("select name sum(cnt) from t", "sum", "unexpected 'sum'", "comma is missing before 'sum'"),
    ("SELECT a b c FROM t", "c", "unexpected 'c'", "comma is missing before 'c'"),
    ("SELECT a,, b FROM t", ",", "unexpected ','", "a comma too many"),
    ("SELECT SELECT a FROM t", "SELECT", "unexpected 'SELECT'", "written twice"),
    ("SELECT a FROM t GROUP BY BY a", "BY", "unexpected 'BY'", "written twice"),
    ("SELECT a FROM t t t", "t", "unexpected 't'", None),
    ("SELEC a FROM t", "SELEC", "unknown statement 'SELEC'", "did you mean SELECT?"),
    ("SELECT a FORM t", "t", "unexpected 't'", "did you mean FROM instead of 'FORM'?"),
    ("SELECT COUNT(* FROM t", "FROM", "unexpected 'FROM'", None),
    ("SELECT (a + 1 FROM t", "FROM", "unexpected 'FROM'", None),
    ("SELECT a FROM t WHERE", "E", "unexpected end of the statement", None),
    ("SELECT 1 AS value", "value", "unexpected 'value'", "`value`"),
    ("SELECT a FROM t WHERE a != 1", "!=", "Bang equal '!='", "<>"),
    ("SELECT 'abc FROM t", "'abc FROM t", "this string is not closed", "closing '"),
    ("SELECT `abc FROM t", "`abc FROM t", "this name is not closed", "closing `"),
    ("SELECT 1 /* abc", "/* abc", "this comment is not closed", "closing */"),
    ('SELECT "a" FROM t', '"', "unexpected character", "single quotes"),
    ("SELECT a & b FROM t", "&", "unexpected character '&'", None),
    (r"SELECT a \ b FROM t", "\\", r"unexpected character '\'", None),
    ("SELECT a \0 b FROM t", "\0", r"unexpected character '\x00'", None),
    ("SELECT a FROM t LIMIT 1, 2", ",", "'LIMIT start, count' is not allowed", "OFFSET"),
    ("SELECT a ILIKE b FROM t", "ILIKE", "Flink has no ILIKE", "LIKE"),
    ("CREATE TABLE t (a TEXT)", "TEXT", "unknown type 'TEXT'", "STRING"),
    ("CREATE TABLE t (a INT,)", ")", "unexpected ')'", None),
    ("CREATE TABLE t (a INT) WITH (connector = 'x')", "connector", "unexpected 'connector'", None),
    ("CREATE TABLE t (a INT b INT)", "b", "unexpected 'b'", "comma is missing before 'b'"),
    ("CREATE TABLE t (a CHAR(3000000000))", "CHAR(3000000000)", "CHAR length must be at most", None),
    (
        "CREATE TABLE t (a DECIMAL(3, 5))",
        "DECIMAL(3, 5)",
        "Decimal scale must be between 0 and the precision 3",
        None,
    ),
    ("SELECT 'a' 'b'", "'b'", "String literal continued on same line", None),
    ("CREATE TABLE t (a ROW<x INT, x INT>)", "ROW<x INT, x INT>", "Found duplicates: [x]", None),
    ("SELECT X'123'", "X'123'", "even number of hexadecimal digits", None),
    ("SELECT U&'\\12'", "U&'\\12'", "Unicode escape sequence is malformed", None),
    ("EXPLAIN FOO SELECT 1", "FOO", "unexpected 'FOO'", None),
    ("SET 'a' 'b'", "'b'", "unexpected string 'b', expected '='", None),
    ("STATEMENT SET BEGIN INSERT INTO a SELECT 1; END", "STATEMENT", "unexpected", "EXECUTE"),
    ("DESCRIBE", "E", "unexpected end of the statement", None),
    ("SELECT a FROM t WHERE a IN ()", ")", "unexpected ')'", None),
    ("SELECT CASE WHEN a THEN b FROM t", "FROM", "unexpected 'FROM'", None),
    ("INSERT INTO t", "t", "unexpected end of the statement", None),
    ("DROP t", "t", "unexpected 't', expected", None),
]


@pytest.mark.parametrize(("text", "place", "message", "hint"), WRONG)
def test_parse_errors(text: str, place: str, message: str, hint: str | None) -> None:
    with pytest.raises(ParseError) as found:
        parse_script(text)
    error = found.value
    assert message in error.message
    assert error.range is not None
    assert text[error.range.start : error.range.end] == place
    assert error.sql == text
    if hint is not None:
        assert hint in (error.hint or "")


def test_the_place_is_in_the_whole_script() -> None:
    text = "SELECT 1;\nSELECT a\nFROM t t t;"
    with pytest.raises(ParseError, match=r"line 3, column 10"):
        parse_script(text)


@pytest.mark.parametrize(
    "text",
    [
        "CREATE MATERIALIZED TABLE t",
        "ALTER TABLE t DROP DISTRIBUTION",
        "MERGE INTO t",
        "SELECT * FROM t MATCH_RECOGNIZE (x)",
        "CREATE TABLE t (a RAW('x', 'y'))",
        "WITH RECURSIVE q AS (SELECT 1) SELECT * FROM q",
    ],
)
def test_what_flink_has_and_firesteel_has_not(text: str) -> None:
    with pytest.raises(NotSupportedError, match="not supported"):
        parse_script(text)
