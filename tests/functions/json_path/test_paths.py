"""JSON paths as Flink 2.3 answered for them; `!` stands before the message of an error."""

from __future__ import annotations

import pytest

from firesteel.functions.json_path.document import json_text
from firesteel.functions.json_path.errors import InvalidPath, PathFailure
from firesteel.functions.json_path.path_parser import compile_path
from firesteel.functions.json_path.sql_json import document, find

TEXT = """{"a": 1, "big": 12345678901, "f": 1.5, "s": "abc", "n": null, "o": {"z": 1, "y": [2]},
"l": [1, 2, 3.5], "p": [{"v": 1, "s": "abc", "w": [1, 2]}, {"v": "x", "w": []}, {"v": 2, "w": {"a": 1}},
{"s": "zz", "w": "", "v": null}]}"""


def _found(path: str, text: str = TEXT) -> str:
    found = find(document(text), path)
    return f"!{found.error}" if found.error is not None else json_text(found.value)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("$.a", "1"),
        (" STRICT  $.a", "1"),
        ("laX $.a", "1"),
        ("a", "1"),
        ("$['a', 's']", '{"a":1,"s":"abc"}'),
        ("$.l[-1]", "3.5"),
        ("$.l[0,2]", "[1,3.5]"),
        ("$.l[1:]", "[2,3.5]"),
        ("$.l[:-1]", "[1,2]"),
        ("$.l[-2:-1]", "[2]"),
        ("$.a[", "1"),
        ("$..v", '[1,"x",2,null]'),
        ("$..[0].v", "[1]"),
        ("$.o.*", "[1,[2]]"),
        ("$.o.keys()", '["z","y"]'),
        ("$.l.length()", "3"),
        ("$.length($.l)", "8"),
        ("$..l.length()", "3"),
        ("$..l[0].sum()", "1.0"),
        ("$.l.sum()", "6.5"),
        ("$.l.avg()", "2.1666666666666665"),
        ("$.l.stddev()", "1.0274023338281626"),
        ("$.l.last()", "3.5"),
        ("$.l.index(-1)", "3.5"),
        ("$.l.append(9)", "[1,2,3.5,9]"),
        ('$.concat($.s, "x", $.a)', '"abcx1"'),
        ("$.sum($.l, 5)", "11.5"),
        ("$.p[?(@.s =~ /A.*/i)].v", "[1]"),
        ("$.p[?(!(@.v == 1))].v", '["x",2,null]'),
        ("$.p[?(@.v == null)].s", '["zz"]'),
        ("$.p[?(@.v > $.a)].v", "[2]"),
        ("$.p[?(@.v == 1.0)].v", "[1]"),
        ("$.p[?(@.v == '1')].v", "[1]"),
        ("$.p[?(@.v === '1')].v", "[]"),
    ],
)
def test_what_a_path_finds(path: str, expected: str) -> None:
    assert _found(path) == expected


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("strict $.zz", "No results for path: $['zz']"),
        ("strict $.zz.y", "Missing property in path $['zz']"),
        ("strict $.n", "Strict jsonpath mode requires a non empty returned value, but is null"),
        ("strict $.a[0]", "Filter: [0] can only be applied to arrays. Current context is: 1"),
        ("strict $.n[0]", "The path $['n'] is null"),
        ("strict $.l[9]", "No results for path: $['l'][9]"),
        ("strict $.a.sum()", "Aggregation function attempted to calculate value using empty array"),
        ("", "path can not be null or empty"),
    ],
)
def test_why_a_path_finds_nothing(path: str, message: str) -> None:
    assert _found(path) == f"!{message}"


def test_an_object_is_expected() -> None:
    assert _found("strict $.a.b").startswith(
        "!Expected to find an object with property ['b'] in path $['a'] but found 'java.lang.Integer'."
    )


@pytest.mark.parametrize(
    "path", ["$.[", "$.a[?(@.x)]", "$.a.foo()", "lax $.a[x", "$['a", "$.a.", "$.l[1", "$x"]
)
def test_no_path(path: str) -> None:
    assert _found(path).startswith("!Illegal jsonpath spec ")


@pytest.mark.parametrize("path", ["$.p[?(@.v)]", "$.p[?(@.v in [1])]", "$.p[?(@.w == 1)]", "$.p[?(!@.v)]"])
def test_what_flink_fails_on(path: str) -> None:
    with pytest.raises(PathFailure, match="json-smart"):
        _found(path)


@pytest.mark.parametrize("text", ["", "1", "nul", '{"a"', "{} x", "null"])
def test_lax_takes_what_is_no_document_for_empty(text: str) -> None:
    found = find(document(text), "lax $.a")
    assert (found.value, found.lax or text == "null") == (None, True)


@pytest.mark.parametrize(
    "path", ["$.a..", "$..", "$.a b", "$['a' 'b']", "$['a',]", "$[1 2]", "$[1:2:", "$[::]", "$.f(", "$.f({)"]
)
def test_paths_that_cannot_be_read(path: str) -> None:
    with pytest.raises(InvalidPath):
        compile_path(path)
