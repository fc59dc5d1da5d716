"""JSON functions as Flink answered."""

from __future__ import annotations

import re
from datetime import datetime, timezone
from decimal import Decimal
from typing import Any

import pytest

from firesteel.errors import JobError, ValidationError
from firesteel.types import sql
from tests.functions.evaluate import bind, evaluate, one, type_of

INSTANT = datetime(2026, 1, 2, 3, 4, 5, 75000, tzinfo=timezone.utc)


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        (sql.INT, -7, "-7"),
        (sql.BOOLEAN, True, "true"),
        (sql.STRING, 'a"b\\c/d\n\x01日 😀', '"a\\"b\\\\c/d\\n\\u0001日 😀"'),
        (sql.DOUBLE, 1.7976931348623157e308, "1.7976931348623157E+308"),
        (sql.DOUBLE, 2147483648.0, "2147483648"),
        (sql.DOUBLE, 1e7, "1.0E+7"),
        (sql.DOUBLE, 1e-5, "0.000010"),
        (sql.DOUBLE, -0.0, "0.0"),
        (sql.DOUBLE, float("nan"), '"NaN"'),
        (sql.FLOAT, 0.1, "0.10000000149011612"),
        (sql.FLOAT, 16777216.0, "16777216"),
        (sql.decimal(38, 10), Decimal("0E-10"), "0E-10"),
        (sql.decimal(10, 2), Decimal("-3.50"), "-3.50"),
        (sql.BYTES, b"hello", '"aGVsbG8="'),
        (sql.timestamp(3), datetime(2026, 1, 1), '"2026-01-01T00:00:00"'),
        (sql.timestamp_ltz(3), INSTANT, '"2026-01-02T03:04:05.075Z"'),
        (sql.array(sql.DOUBLE), [1e10, None], "[1.0E+10,null]"),
        (sql.map_of(sql.STRING, sql.INT), [("z", 1), ("a", None), ("Z", 3)], '{"Z":3,"a":null,"z":1}'),
        (sql.row(("z", "B"), (sql.INT, sql.STRING)), {"z": 1, "B": "x"}, '{"B":"x","z":1}'),
        (
            sql.row(("t", "l"), (sql.timestamp(9), sql.array(sql.timestamp_ltz(3)))),
            {"t": datetime(1969, 12, 31, 23), "l": [INSTANT]},
            '{"l":["2026-01-02T03:04:05.075Z"],"t":"1969-12-31T23:00:00"}',
        ),
    ],
)
def test_json_string(kind: sql.SqlType, value: Any, expected: str) -> None:
    assert one("JSON_STRING(x)", x=(kind, value)) == expected


def test_of_null_and_its_type() -> None:
    assert evaluate("JSON_STRING(x)", {"x": (sql.INT, [None, 1])}) == ["<NULL>", "1"]
    assert type_of("JSON_STRING(1)") == "STRING NOT NULL"


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        (sql.DATE, "Expected type of family 'CHARACTER_STRING' but actual type was 'DATE'."),
        (sql.array(sql.DATE), "Type 'DATE' is not scalar or cannot be converted into JSON."),
        (sql.map_of(sql.INT, sql.INT), "Type 'INT' is not supported for JSON conversion."),
    ],
)
def test_types_without_a_json_form(kind: sql.SqlType, message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        bind("JSON_STRING(x)", {"x": (kind, [None])})


ROW = {
    "i": (sql.INT, 7),
    "s": (sql.STRING, 'a"b'),
    "n": (sql.STRING, None),
    "sn": (sql.STRING.with_nullable(False), "k"),
}


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("JSON_OBJECT()", "{}"),
        ("JSON_OBJECT('z': i, 'a': s)", '{"a":"a\\"b","z":7}'),
        ("JSON_OBJECT('a' VALUE n)", '{"a":null}'),
        ("JSON_OBJECT('a' VALUE n, 'b' VALUE i ABSENT ON NULL)", '{"b":7}'),
        ("JSON_OBJECT('a' VALUE 1, 'a' VALUE n ABSENT ON NULL)", '{"a":1}'),
        ("JSON_OBJECT('a' VALUE 1, 'a' VALUE n)", '{"a":null}'),
        ("JSON_OBJECT(sn VALUE 1, 'b' VALUE 2)", '{"b":2,"k":1}'),
        ("JSON_OBJECT(sn VALUE n, 'b' VALUE 2 ABSENT ON NULL)", '{"b":2}'),
        ("JSON_OBJECT('😀' VALUE 1, '豈' VALUE 2, 'b' VALUE 3)", '{"b":3,"豈":2,"😀":1}'),
        ("JSON_OBJECT('k' VALUE JSON_OBJECT('m' VALUE i))", '{"k":{"m":7}}'),
        ("JSON_ARRAY(n, i, JSON_ARRAY(s))", '[7,["a\\"b"]]'),
        ("JSON_ARRAY(n, i NULL ON NULL)", "[null,7]"),
        ("JSON_ARRAY(IF(TRUE, JSON_OBJECT('a' VALUE i), 'x'))", '["{\\"a\\":7}"]'),
        ("JSON_ARRAY(CAST(JSON_OBJECT('a' VALUE i) AS STRING))", '[{"a":7}]'),
        ("JSON_ARRAY(JSON(' '), JSON('{\"b\":1,\"a\":[1.50, 1e2]} x'))", '[{"a":[1.50,1E+2],"b":1}]'),
        ("JSON_ARRAY(JSON(' '), JSON('null') NULL ON NULL)", "[null,null]"),
        ("JSON_ARRAY(JSON_STRING(JSON_ARRAY(s)))", '["[\\"a\\\\\\"b\\"]"]'),
        ("JSON_STRING(JSON_ARRAY(s))", '["a\\"b"]'),
        ("JSON_QUOTE(s)", '"a\\"b"'),
        ("JSON_UNQUOTE(JSON_QUOTE(s))", 'a"b'),
        ("n IS JSON", "FALSE"),
        ("n IS NOT JSON ARRAY", "TRUE"),
        ("'[1]x' IS JSON ARRAY", "TRUE"),
        ("JSON_VALUE('{\"a\":1}', 'lax $.zz' DEFAULT DATE '2020-01-01' ON EMPTY)", "18262"),
        (
            "JSON_VALUE('{}', 'lax $.a' DEFAULT TIMESTAMP '2020-01-01 00:00:00.120' ON EMPTY)",
            "2020-01-01T00:00:00.120",
        ),
        ("JSON_VALUE('{}', 'lax $.a' DEFAULT 1e2 ON EMPTY)", "100.0"),
        ("JSON_VALUE('{\"a\":1}', '$.a' DEFAULT CAST(NULL AS STRING) ON EMPTY)", "<NULL>"),
        ("JSON_VALUE('{}', 'lax $.a' NULL ON EMPTY ERROR ON EMPTY)", "<NULL>"),
        ("JSON_QUERY('{}', 'lax $.a' NULL ON EMPTY EMPTY ARRAY ON EMPTY)", "[]"),
        ("JSON_QUERY('[1,null,{\"a\":2}]', '$' RETURNING ARRAY<STRING>)", '[1, NULL, {"a":2}]'),
        ("JSON_QUERY('[1]', '$' RETURNING ARRAY<STRING> WITH WRAPPER)", "[[1]]"),
        ("JSON_VALUE('\"\\ud83d\"', '$')", "?"),
        ("JSON_EXISTS(n, '$')", "<NULL>"),
        ("JSON_EXISTS('{}', '$.a' UNKNOWN ON ERROR)", "<NULL>"),
    ],
)
def test_calls(expression: str, expected: str) -> None:
    assert one(expression, **ROW) == expected


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("JSON_VALUE(s, 'strict $' ERROR ON ERROR)", "JSON"),
        ("JSON_VALUE('{}', 'lax $.a' ERROR ON EMPTY NULL ON EMPTY)", "Empty result of JSON_VALUE function"),
        ("JSON_VALUE('{\"a\": 12345678901}', '$.a' RETURNING INT)", "java.lang.Long cannot be cast"),
        ("JSON_VALUE('{\"a\": 1}', '$.a' RETURNING DOUBLE)", "java.lang.Integer cannot be cast"),
        ("JSON_VALUE('{}', 'lax $.a' RETURNING DOUBLE DEFAULT 1.5 ON EMPTY)", "DecimalData cannot be cast"),
        ("JSON_QUERY('1', '$' ERROR ON ERROR)", "requires array or object value"),
        ("JSON_EXISTS('{}', '$.a' ERROR ON ERROR)", "No results for path"),
        ("JSON_ARRAY(JSON('bad'))", "Invalid JSON string in JSON"),
        ("JSON_QUERY('[1]', '$[?(@.a)]')", "json-smart"),
    ],
)
def test_what_ends_the_job(expression: str, message: str) -> None:
    with pytest.raises(JobError, match=message):
        one(expression, **ROW)


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("JSON_VALUE(s, '$' RETURNING BIGINT)", "Unsupported type 'BIGINT' for RETURNING in JSON_VALUE()."),
        ("JSON_VALUE(s, '$' DEFAULT s ON EMPTY)", "The DEFAULT of JSON_VALUE must be a literal"),
        ("JSON_VALUE(s, 5)", "Cannot apply 'JSON_VALUE' to arguments of type"),
        ("JSON_QUERY(s, '$' RETURNING ARRAY<INT>)", "Unsupported array element type 'INTEGER'"),
        ("JSON_QUERY(s, '$' RETURNING ARRAY<STRING> EMPTY OBJECT ON ERROR)", "Illegal on error behavior"),
        ("JSON_EXISTS(s, s)", "Unsupported call: JSON_EXISTS(STRING, STRING)"),
        ("JSON_EXISTS(i, '$')", "Unsupported call: JSON_EXISTS(INT, CHAR(1) NOT NULL)"),
        ("i IS JSON", "Cannot apply 'IS JSON VALUE' to arguments of type '<INTEGER> IS JSON VALUE'."),
        ("JSON_QUOTE(i)", "Expected type of family 'CHARACTER_STRING' but actual type was 'INT'."),
        ("JSON_OBJECT(s VALUE i)", "Argument to function 's' must not be NULL"),
        ("JSON_OBJECT(i VALUE i)", "Expected a character type"),
        ("JSON_OBJECT('k' VALUE NULL)", "Type is not supported: ANY"),
        (
            "JSON_ARRAY(DATE '2020-01-01')",
            "Type 'DATE NOT NULL' is not scalar or cannot be converted into JSON.",
        ),
    ],
)
def test_refused(expression: str, message: str) -> None:
    columns = {name: (kind, [value]) for name, (kind, value) in ROW.items()}
    with pytest.raises(ValidationError, match=re.escape(message)):
        bind(expression, columns)


@pytest.mark.parametrize(
    ("expression", "kind"),
    [
        ("JSON_VALUE('{}', '$.a' RETURNING INT)", "INT"),
        ("JSON_QUERY('{}', '$' RETURNING ARRAY<STRING>)", "ARRAY<STRING>"),
        ("JSON_EXISTS('{}', '$')", "BOOLEAN"),
        ("'{}' IS JSON", "BOOLEAN NOT NULL"),
        ("JSON_OBJECT()", "STRING NOT NULL"),
        ("JSON_ARRAY()", "STRING NOT NULL"),
        ("JSON_QUOTE('a')", "STRING NOT NULL"),
    ],
)
def test_types(expression: str, kind: str) -> None:
    assert type_of(expression) == kind


def test_rows_whose_fields_differ_in_case_only() -> None:
    """DuckDB's functions are named by their types, and it does not tell upper from lower case."""
    for name in "ab", "aB", "AB":
        kind = sql.row(("z", name), (sql.INT, sql.STRING))
        assert one("JSON_STRING(x)", x=(kind, {"z": 1, name: "x"})) in (
            f'{{"z":1,"{name}":"x"}}',
            f'{{"{name}":"x","z":1}}',
        )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"a": "x\\/y"}', "x/y"),
        ('{"a": -0}', "0"),
        ('{"a": 1.50}', "1.50"),
        ('{"a": 123456789012345678901234567890}', "123456789012345678901234567890"),
        ('{"a": 1, "a": 2}', "2"),
        ('{"a": 1, "\\u0061": 2}', "2"),
        ('{"a": "\\ud83d"}', "?"),
        ('{"a": 1, "b": [1,]}', "<NULL>"),
        ('{"a": 1, "b": NaN}', "<NULL>"),
        ('{"a": 1, "b": 1e99999999999}', "<NULL>"),
        ('{"a": true} x', "true"),
        ('{"a": 1, "b": ' + "[" * 1000 + "]" * 1000 + "}", "<NULL>"),
    ],
)
def test_what_duckdb_reads_in_another_way(text: str, expected: str) -> None:
    assert one("JSON_VALUE(x, '$.a')", x=(sql.STRING, text)) == expected
    assert one("JSON_VALUE(x || '', '$.a')", x=(sql.STRING, text)) == expected


def test_a_blank_before_a_path_without_a_mode() -> None:
    column = (sql.STRING, '{"a": 1}')
    assert [one(f"JSON_VALUE(x, '{path}')", x=column) for path in (" $.a", " lax $.a")] == ["<NULL>", "1"]
