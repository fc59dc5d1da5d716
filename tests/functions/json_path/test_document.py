"""JSON texts as Jackson reads and writes them for Flink."""

from __future__ import annotations

import pytest

from firesteel.functions.json_path.document import at_any_depth, java_text, json_text, parse, well_formed
from firesteel.functions.json_path.errors import JsonError
from firesteel.functions.json_path.sql_json import json_document, json_quoted, json_unquoted


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("-0", "0"),
        ("-0.0", "0.0"),
        ("0e10", "0E+10"),
        ("1E400", "1E+400"),
        ("0.00000001", "1E-8"),
        ("0.000001", "0.000001"),
        ("1.50", "1.50"),
        ("123456789012345678901234567890", "123456789012345678901234567890"),
        ('{"b":1,"a":{"d":1.50,"c":1e3},"b":2}', '{"a":{"c":1E+3,"d":1.50},"b":2}'),
        ('["\\u0001\\u001f\\/\\"\\\\é😀\\ud83d\\ude00"]', '["\\u0001\\u001F/\\"\\\\é😀😀"]'),
        ('{"😀":1,"豈":2,"b":3}', '{"b":3,"豈":2,"😀":1}'),
        (" [1] x", "[1]"),
        ("1 2", "1"),
        ("true,", "true"),
        ('"a"x', '"a"'),
    ],
)
def test_read_and_written(text: str, expected: str) -> None:
    assert json_text(parse(text)) == expected


@pytest.mark.parametrize(
    "text",
    ["", " ", "1x", "1,", "truex", "true1", "-", "1e", "01", ".5", "[1,]", "{a:1}", "'a'", "NaN", '"\\x"'],
)
def test_what_is_no_json(text: str) -> None:
    with pytest.raises(JsonError):
        parse(text)


def test_levels() -> None:
    """Jackson reads a thousand levels, and no more."""
    assert at_any_depth(lambda: json_text(parse("[" * 1000 + "]" * 1000))) == "[" * 1000 + "]" * 1000
    with pytest.raises(JsonError, match="nesting depth"):
        parse("[" * 1001 + "]" * 1001)
    assert json_text(parse('"' + "[" * 2000 + '"')) == '"' + "[" * 2000 + '"'


def test_java_texts() -> None:
    assert java_text(parse('{"z": [1, 2.50, null, true], "a": "x"}')) == "{z=[1, 2.50, null, true], a=x}"
    assert well_formed("a\ud83d\ude00\ud83d") == "a😀?"


def test_json() -> None:
    assert json_document(' {"b":1,"a":[1.50, 1e2]} x') == '{"a":[1.50,1E+2],"b":1}'
    assert json_document(" ") is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('"\\u00e9\\ud83d\\ude00"', "é😀"),
        ('"a" "b"', 'a" "b'),
        ('"\\x"', '"\\x"'),
        (' "a"', ' "a"'),
        ('"a" ', '"a" '),
        ("", ""),
        ('"', '"'),
        ('"a\\/\\b\\n"', "a/\b\n"),
        ('"\\ud83d"', "?"),
    ],
)
def test_unquoted(text: str, expected: str) -> None:
    assert json_unquoted(text) == expected


def test_quoted() -> None:
    assert json_quoted('日😀/"\\\x01') == '"\\u65e5\\u1f600\\ude00\\/\\"\\\\\x01"'
