"""VARIANT as Flink answered: PARSE_JSON, access to parts, equality, what is refused."""

from __future__ import annotations

import re
from typing import Any

import pytest

from firesteel.errors import JobError, ValidationError
from firesteel.types import sql
from tests.functions.evaluate import bind, evaluate, one, type_of

READ = [
    ("1", "1"),
    ('{"b":1,"a":2}', '{"a":2,"b":1}'),
    ('{"a":1.50,"b":[1,2.0,-0.0]}', '{"a":1.5,"b":[1,2,0]}'),
    ("null", "null"),
    ("1e2", "100.0"),
    ("1E400", "Infinity"),
    ("123456789012345678901234567890123456789", "1.2345678901234568E38"),
    ("-0", "0"),
    ("0.1e-5", "1.0E-6"),
    ("[1] x", "[1]"),
    ("  1  ", "1"),
    ("1 2", "1"),
    ('{"a":1}{"b":2}', '{"a":1}'),
    ('"\\ud800"', '"?"'),
    ("0.00000000000000000000000000000000000001", "0.00000000000000000000000000000000000001"),
    ("0.000000000000000000000000000000000000001", "1.0E-39"),
    ("1.00000000000000000000000000000000000000", "1.0"),
    ("12345678901234567890.10", "12345678901234567890.1"),
    ("100000000000000000000", "100000000000000000000"),
    ("99999999999999999999999999999999999999", "99999999999999999999999999999999999999"),
    ("-1234567890123456789012345678.9012345670", "-1234567890123456789012345678.901234567"),
    ("1e-7", "1.0E-7"),
    ("1.5e10", "1.5E10"),
    ("12345.678E3", "1.2345678E7"),
    ('{"z":1,"b":{"y":1,"x":[]},"a":{}}', '{"a":{},"b":{"x":[],"y":1},"z":1}'),
    ('{"":1}', '{"":1}'),
    ("true", "true"),
    ("false", "false"),
    ("9223372036854775807", "9223372036854775807"),
    ("9223372036854775808", "9223372036854775808"),
    ("-9223372036854775808", "-9223372036854775808"),
    ("-9223372036854775809", "-9223372036854775809"),
    ("[1,[2,[3,[4]]]]", "[1,[2,[3,[4]]]]"),
    ('"😀"', '"😀"'),
    ('"日"', '"日"'),
    ("[1]]", "[1]"),
    ('{"😀":1,"～":2}', '{"😀":1,"～":2}'),
    ("1e+5", "100000.0"),
    ("-1e-5", "-1.0E-5"),
    ("-0.0", "0"),
    ("0e0", "0.0"),
    ("1.0e1000", "Infinity"),
    ("1E-400", "0.0"),
    ("4.9e-324", "4.9E-324"),
    ("2.2250738585072014E-308", "2.2250738585072014E-308"),
    ("\t\n\r 5 \n", "5"),
    ('"\x7f"', '"\x7f"'),
    ('"\x80"', '"\x80"'),
    ('"\\/"', '"/"'),
    ('"</script>"', '"</script>"'),
    ("[1]x", "[1]"),
    ("true false", "true"),
    ('"a" "b"', '"a"'),
    ("[]{", "[]"),
    ('{"a":1}]', '{"a":1}'),
]
"""A text, and the VARIANT that Flink reads, as it shows it."""

NOT_JSON = [
    "{bad",
    "[1,2",
    "",
    "NaN",
    "Infinity",
    "01",
    "-",
    "+1",
    "1.",
    ".5",
    "[1,]",
    '{"a":1,}',
    "{'a':1}",
    "{a:1}",
    "/*c*/1",
    '"\\x"',
    '"tab\there"',
    "tru",
    "\ufeff1",
    "\xa01",
    "1\x00",
    "1e",
    "1e+",
    "-",
    "--1",
    "[nul]",
    "nullx",
    '"a',
    '"a\n"',
    "[1 2]",
    '{"a" 1}',
    '{"a":}',
    "{1:2}",
    "[,1]",
    "\x0b5",
    "123x",
    "1" * 1001,
    "1." + "1" * 1001,
]

TWICE = [
    ('{"a":1,"a":2}', '{"a":2}'),
    ('{"a":1,"b":2,"a":3}', '{"a":3,"b":2}'),
    ('{"a":1,"\\u0061":2}', '{"a":2}'),
]
"""A key that is there twice, and what is left where that is allowed."""


def parsed(function: str, texts: list[str], more: str = "", access: str = "") -> list[str]:
    return evaluate(f"{function}(v{more}){access}", {"v": (sql.STRING, texts)})


def test_texts_that_are_read() -> None:
    texts, expected = zip(*READ, strict=True)
    assert parsed("PARSE_JSON", list(texts)) == list(expected)
    assert parsed("TRY_PARSE_JSON", list(texts), ", TRUE") == list(expected)


def test_texts_that_are_no_json() -> None:
    assert parsed("TRY_PARSE_JSON", NOT_JSON) == ["<NULL>"] * len(NOT_JSON)
    with pytest.raises(JobError, match=r"Failed to parse json string: \{bad"):
        parsed("PARSE_JSON", ["{bad"])


def test_a_key_that_is_there_twice() -> None:
    texts, expected = zip(*TWICE, strict=True)
    assert parsed("TRY_PARSE_JSON", list(texts)) == ["<NULL>"] * len(texts)
    assert parsed("PARSE_JSON", list(texts), ", TRUE") == list(expected)


def test_null_and_deep_texts() -> None:
    assert evaluate("PARSE_JSON(v)", {"v": (sql.STRING, [None])}) == ["<NULL>"]
    assert parsed("TRY_PARSE_JSON", ["[" * 100 + "]" * 100]) == ["[" * 100 + "]" * 100]
    assert parsed("TRY_PARSE_JSON", ["[" * 1001 + "]" * 1001]) == ["<NULL>"]


def test_long_strings_and_many_members() -> None:
    text = "{" + ",".join(f'"k{i:03d}":{i}' for i in range(300)) + "}"
    array = "[" + ",".join(f'"{"x" * i}"' for i in range(300)) + "]"
    assert parsed("PARSE_JSON", [text, array]) == [text, array]
    assert parsed("PARSE_JSON", [text], access="['k299']") == ["299"]
    assert parsed("PARSE_JSON", [array], access="[300]") == [f'"{"x" * 299}"']


@pytest.mark.parametrize(
    ("access", "expected"),
    [
        ("['a']['b'][1]", "10"),
        ("['a']['b'][3]", "<NULL>"),
        ("['a']['b'][0]", "<NULL>"),
        ("['a']['b'][-1]", "<NULL>"),
        ("['a']['b'][i]", "20"),
        ("['a']['b'][CAST(i AS TINYINT)]", "20"),
        ("['a']['b'][CAST(NULL AS INT)]", "<NULL>"),
        ("['x']", "<NULL>"),
        ("['n']", "null"),
        ("['n'] IS NULL", "FALSE"),
        ("['x'] IS NULL", "TRUE"),
        ("['a']", '{"b":[10,20]}'),
    ],
)
def test_access(access: str, expected: str) -> None:
    text = '{"n":null,"a":{"b":[10,20]}}'
    assert one(f"PARSE_JSON(v){access}", v=(sql.STRING, text), i=(sql.INT, 2)) == expected


@pytest.mark.parametrize(
    ("text", "access", "message"),
    [
        ('{"a":1}', "[1]", "Integer index access on variant requires an array variant"),
        ("[1]", "['a']", "String key access on variant requires an object variant"),
        ("1", "['a']", "String key access on variant requires an object variant"),
        ("null", "['a']", "String key access on variant requires an object variant"),
    ],
)
def test_access_to_what_has_no_such_parts(text: str, access: str, message: str) -> None:
    with pytest.raises(JobError, match=message):
        one(f"PARSE_JSON(v){access}", v=(sql.STRING, text))


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("v['a'] = v['b']", "FALSE"),  # where they stood counts
        ("v['a'] = v['a']", "TRUE"),
        ("v['a'] = TRY_PARSE_JSON('1')", "FALSE"),  # so do the names around it
        ("TRY_PARSE_JSON('{ \"a\": 1}') = TRY_PARSE_JSON('{\"a\":1}')", "TRUE"),
        ('TRY_PARSE_JSON(\'{"a":1,"b":1}\') = TRY_PARSE_JSON(\'{"b":1,"a":1}\')', "FALSE"),
        ("TRY_PARSE_JSON('[1,1]')[1] = TRY_PARSE_JSON('[1,1]')[2]", "FALSE"),
        ("TRY_PARSE_JSON('[1,1]')[1] = TRY_PARSE_JSON('[1,2]')[1]", "TRUE"),
        ("TRY_PARSE_JSON('[1,1]')[1] = TRY_PARSE_JSON('[1]')[1]", "FALSE"),
        ("PARSE_JSON('1') IS DISTINCT FROM PARSE_JSON('1.0')", "TRUE"),
        ("PARSE_JSON('1') IS NOT DISTINCT FROM TRY_PARSE_JSON('1')", "TRUE"),
        ("PARSE_JSON('1') IN (PARSE_JSON('2'), PARSE_JSON('1'))", "TRUE"),
        ("ARRAY[v['a']] = ARRAY[v['b']]", "TRUE"),
        ("ROW(v['a']) = ROW(v['b'])", "FALSE"),
        ("NULLIF(v, v) IS NULL", "TRUE"),
    ],
)
def test_equality(expression: str, expected: str) -> None:
    assert one(re.sub(r"\bv\b", "PARSE_JSON(v)", expression), v=(sql.STRING, '{"a":1,"b":1}')) == expected


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("PARSE_JSON(v) = TRY_PARSE_JSON(v)", None),
        ("PARSE_JSON('1') = TRY_PARSE_JSON('1')", "No assign rules for VARIANT defined"),
        ("CASE WHEN TRUE THEN PARSE_JSON('1') END", "No assign rules for VARIANT defined"),
        ("CASE WHEN TRUE THEN TRY_PARSE_JSON('1') END", None),
        ("PARSE_JSON('1') < PARSE_JSON('1')", "Comparable type expected, but was 'VARIANT"),
        ("PARSE_JSON('1') = 1", "Cannot apply '='"),
        ("PARSE_JSON(v) = v", "Cannot apply '='"),
        ("CAST(PARSE_JSON('1') AS STRING)", "Cast function cannot convert value of type VARIANT"),
        ("CAST(PARSE_JSON('1') AS INT)", "Cast function cannot convert value of type VARIANT"),
        ("CAST(v AS VARIANT)", "to type VARIANT"),
        ("CAST(NULL AS VARIANT)", None),
        ("IF(TRUE, PARSE_JSON('1'), PARSE_JSON('2'))", "Cannot apply 'IF'"),
        ("GREATEST(PARSE_JSON('1'), PARSE_JSON('2'))", "Can not compare VARIANT NOT NULL"),
        ("PARSE_JSON('[1]')[1.0]", "Cannot apply 'ITEM'"),
        ("PARSE_JSON('[1]')[TRUE]", "Cannot apply 'ITEM'"),
        ("PARSE_JSON('{}').a", "no fields"),
        ("PARSE_JSON(1)", "PARSE_JSON"),
        ("PARSE_JSON(NULL)", None),
        ("TRY_PARSE_JSON(NULL)", "Illegal use of 'NULL'"),
        ("PARSE_JSON(v, 1)", "PARSE_JSON"),
        ("UPPER(PARSE_JSON('1'))", "UPPER"),
    ],
)
def test_what_is_refused(expression: str, message: str | None) -> None:
    columns: dict[str, Any] = {"v": (sql.STRING, ["1"])}
    if message is None:
        bind(expression, columns)
        return
    with pytest.raises(ValidationError, match=message):
        bind(expression, columns)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("PARSE_JSON('1')", "VARIANT NOT NULL"),
        ("PARSE_JSON(v)", "VARIANT"),
        ("TRY_PARSE_JSON('1')", "VARIANT"),
        ("PARSE_JSON('{}')['a']", "VARIANT"),
        ("JSON_STRING(PARSE_JSON('1'))", "STRING NOT NULL"),
        ("ARRAY[PARSE_JSON('1')]", "ARRAY<VARIANT NOT NULL> NOT NULL"),
    ],
)
def test_types(expression: str, expected: str) -> None:
    assert type_of(expression, {"v": (sql.STRING, [])}) == expected


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("JSON_STRING(PARSE_JSON(v))", '{"a":1.5,"b":2}'),
        ("JSON_STRING(ARRAY[PARSE_JSON(v)])", '[{"a":1.5,"b":2}]'),
        ("JSON_STRING(MAP['x', PARSE_JSON(v)])", '{"x":{"a":1.5,"b":2}}'),
        ("CAST(ROW(1, PARSE_JSON(v)) AS STRING)", '(1, {"a":1.5,"b":2})'),
        ("MAP['x', PARSE_JSON(v)]", '{x={"a":1.5,"b":2}}'),
        ("COALESCE(TRY_PARSE_JSON('x'), PARSE_JSON('0'))", "0"),
        ("IFNULL(TRY_PARSE_JSON('x'), PARSE_JSON('0'))", "0"),
        ("ARRAY_CONTAINS(ARRAY[PARSE_JSON('1')], PARSE_JSON('1'))", "TRUE"),
        ("ARRAY_DISTINCT(ARRAY[PARSE_JSON('1'), PARSE_JSON('1'), PARSE_JSON('1.0')])", "[1, 1]"),
    ],
)
def test_in_other_functions(expression: str, expected: str) -> None:
    assert one(expression, v=(sql.STRING, '{"b":2,"a":1.50}')) == expected
