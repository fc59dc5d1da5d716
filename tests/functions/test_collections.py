"""Arrays, maps and rows."""

from __future__ import annotations

import pytest

from firesteel.errors import JobError, ValidationError
from firesteel.types.sql import BIGINT, DOUBLE, INT, STRING, array, map_of, row
from tests.functions.evaluate import bind, evaluate, type_of

COLUMNS = {
    "a": (array(INT), [[3, None, 1, 3], None]),
    "m": (map_of(STRING, INT), [[("a", 1)], []]),
    "r": (row(("x", "y"), (INT, STRING)), [{"x": 1, "y": "q"}, None]),
    "l": (BIGINT, [1, 2]),
    "i": (INT, [1, None]),
    "z": (DOUBLE, [-0.0, 0.0]),
}


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("a[1]", ["3", "<NULL>"]),
        ("a[9]", ["<NULL>", "<NULL>"]),
        ("ARRAY[1, 2][i + 5]", ["-1", "-1"]),
        ("ARRAY[i, 2][i + 5]", ["<NULL>", "<NULL>"]),
        ("ARRAY['a'][2]", ["", ""]),
        ("ARRAY[TRUE][2]", ["FALSE", "FALSE"]),
        ("ARRAY[0.5e0][2]", ["-1.0", "-1.0"]),
        ("ARRAY[1.5][2]", ["<NULL>", "<NULL>"]),
        ("ARRAY[DATE '2024-01-01'][2]", ["1969-12-31", "1969-12-31"]),
        ("ARRAY[1, 2][3] + 1", ["<NULL>", "<NULL>"]),
        ("ARRAY[CAST(1 AS TINYINT)][2]", ["-1", "-1"]),
        ("ARRAY_SORT(ARRAY[1e0, z, 0e0])", ["[0.0, -0.0, 1.0]", "[0.0, 0.0, 1.0]"]),
        ("ARRAY[1, 2][9] IS NULL", ["FALSE", "FALSE"]),
        ("a[9] IS NULL", ["TRUE", "TRUE"]),
        ("MAP['a', 1]['b']", ["-1", "-1"]),
        ("MAP['a', 'x']['b']", ["", ""]),
        ("MAP['a', TRUE]['b']", ["FALSE", "FALSE"]),
        ("MAP['a', DATE '2020-01-01']['b']", ["1969-12-31", "1969-12-31"]),
        ("MAP['a', 1.5]['b']", ["<NULL>", "<NULL>"]),
        ("MAP['a', 1]['b'] + 1", ["<NULL>", "<NULL>"]),
        ("MAP['a', 1]['b'] IS NULL", ["FALSE", "FALSE"]),
        ("a[i - 1]", ["<NULL>", "<NULL>"]),
        ("m['a']", ["1", "<NULL>"]),
        ("MAP_UNION(m)['a']", ["1", "<NULL>"]),
        ("t.r.x", ["1", "<NULL>"]),
        ("CARDINALITY(a)", ["4", "<NULL>"]),
        ("ARRAY[i, 2]", ["[1, 2]", "[NULL, 2]"]),
        ("MAP['k', i]", ["{k=1}", "{k=NULL}"]),
        ("ROW(i, 'x')", ["(1, x)", "(NULL, x)"]),
        ("ARRAY_SORT(a)", ["[NULL, 1, 3, 3]", "<NULL>"]),
        ("ARRAY_SORT(a, FALSE)", ["[3, 3, 1, NULL]", "<NULL>"]),
        ("ARRAY_DISTINCT(a)", ["[3, NULL, 1]", "<NULL>"]),
        ("ARRAY_CONTAINS(a, NULL)", ["TRUE", "<NULL>"]),
        ("ARRAY_POSITION(a, 1)", ["3", "<NULL>"]),
        ("ARRAY_REMOVE(a, 3)", ["[NULL, 1]", "<NULL>"]),
        ("ARRAY_APPEND(a, 9)", ["[3, NULL, 1, 3, 9]", "<NULL>"]),
        ("ARRAY_SLICE(a, -2, -1)", ["[1, 3]", "<NULL>"]),
        ("ARRAY_SLICE(a, -9, -5)", ["[3]", "<NULL>"]),  # the end is 0
        ("ARRAY_SLICE(a, 0, -6)", ["[]", "<NULL>"]),
        ("ARRAY_SLICE(a, 4, 0)", ["[]", "<NULL>"]),
        ("ARRAY_MAX(a)", ["3", "<NULL>"]),
        ("ARRAY_UNION(a, ARRAY[7])", ["[3, NULL, 1, 7]", "<NULL>"]),
        ("ARRAY_EXCEPT(a, ARRAY[3])", ["[NULL, 1]", "<NULL>"]),
        ("ARRAY_JOIN(ARRAY['a', NULL, 'b'], '-')", ["a-b", "a-b"]),
        ("MAP_KEYS(m)", ["[a]", "[]"]),
        ("MAP_ENTRIES(m)", ["[(a, 1)]", "[]"]),
        ("MAP['a', 1, 'a', 2]", ["{a=2}", "{a=2}"]),
        ("MAP_UNION(MAP[17, 1, 4, 2], MAP[33, 7, 4, 9])", ["{33=7, 4=9, 17=1}"] * 2),
    ],
)
def test_values(expression: str, expected: list[str]) -> None:
    assert evaluate(expression, COLUMNS) == expected


KEYS = {
    "k": (STRING, ["a", None, "a"]),
    "k2": (STRING, ["b", "a", "a"]),
    "i": (INT, [1, 2, None]),
    "a": (array(STRING), [["a", "b", "a"], [None, "a", None], []]),
    "v": (array(INT), [[1, 2, 3], [1, None, 3], []]),
    "m": (map_of(STRING, INT), [[("a", 1), ("b", 2)], [], [("x", None)]]),
}


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("MAP[k, i, k2, i + 1]", ["{a=1, b=2}", "{NULL=2, a=3}", "{a=NULL, a=NULL}"]),
        ("MAP[k, 1, k2, 5, k, 3]", ["{a=3, b=5}", "{NULL=3, a=5}", "{a=3, a=5}"]),
        ("MAP[UPPER(k), 1, UPPER(k), 2]", ["{A=1, A=2}", "{NULL=1, NULL=2}", "{A=1, A=2}"]),
        ("MAP[k, 1, 'a', 7]", ["{a=1, a=7}", "{NULL=1, a=7}", "{a=1, a=7}"]),
        ("MAP['b', 1, 'a', 2, 'b', 3]", ["{b=3, a=2}"] * 3),
        ("MAP[1, 1, CAST(1 AS BIGINT), 2]", ["{1=2}"] * 3),
        ("MAP[1.5, 1, 1.5, 2]", ["{1.5=1, 1.5=2}"] * 3),
        ("MAP[CAST(NULL AS INT), 1, CAST(NULL AS INT), 2]", ["{NULL=2}"] * 3),
        ("CARDINALITY(MAP[k, 1, k2, 2])", ["2", "2", "2"]),
        ("MAP_KEYS(MAP[k, 1, k2, 2])", ["[a, b]", "[NULL, a]", "[a, a]"]),
        ("MAP_VALUES(MAP[k, 1, k2, 2])", ["[1, 2]"] * 3),
        ("MAP_ENTRIES(MAP[k, 1, k2, 2])", ["[(a, 1), (b, 2)]", "[(NULL, 1), (a, 2)]", "[(a, 1), (a, 2)]"]),
        ("MAP[k, 1, k2, 2]['a']", ["1", "2", "1"]),
        ("MAP[k, i][k]", ["1", "<NULL>", "<NULL>"]),
        ("MAP[k, 7]['']", ["-1", "7", "-1"]),
        ("MAP[i, 7][0]", ["-1", "-1", "7"]),
        ("CAST(MAP[i, 7] AS MAP<INT, STRING>)[0]", ["<NULL>"] * 3),
        ("MAP_FROM_ARRAYS(a, v)", ["{a=1, b=2, a=3}", "{NULL=1, a=NULL, NULL=3}", "{}"]),
        ("CAST(MAP_FROM_ARRAYS(a, v) AS MAP<STRING, STRING>)", ["{a=3, b=2}", "{NULL=3, a=NULL}", "{}"]),
        (
            "CAST(MAP['x', i, 'c', 5, 'abc', 7, 'q', 8] AS MAP<STRING, BIGINT>)",
            ["{x=1, q=8, abc=7, c=5}", "{x=2, q=8, abc=7, c=5}", "{x=NULL, q=8, abc=7, c=5}"],
        ),
        ("CAST(MAP[k, i, k2, 7] AS STRING)", ["{a=1, b=7}", "{NULL=2, a=7}", "{a=NULL, a=7}"]),
        ("MAP_VALUES(CAST(MAP['k', i, 'k2', 7] AS MAP<STRING, INT>))", ["[1, 7]", "[2, 7]", "[NULL, 7]"]),
        ("MAP_UNION(MAP[k, 1], MAP[k2, 2])", ["{b=2, a=1}", "{a=2, NULL=1}", "{a=2}"]),
        ("MAP_UNION(MAP_FROM_ARRAYS(a, v), m)", ["{a=1, b=2}", "{NULL=1, a=NULL, NULL=3}", "{x=NULL}"]),
        (
            "MAP_UNION(MAP_FROM_ARRAYS(a, v), MAP['x', 1])",
            ["{x=1, a=1, b=2}", "{x=1, NULL=1, a=NULL, NULL=3}", "{x=1}"],
        ),
        ("MAP[k, 1, k2, 2] = MAP[k2, 2, k, 1]", ["TRUE", "TRUE", "FALSE"]),
        ("MAP[k, i] = MAP[k, i + 0 * i]", ["TRUE", "TRUE", "FALSE"]),
        ("MAP[k, 1] <> MAP[k2, 1]", ["TRUE", "TRUE", "FALSE"]),
        ("JSON_STRING(MAP_FROM_ARRAYS(ARRAY['a', 'b', 'a'], ARRAY[1, 2, 3]))", ['{"a":3,"b":2}'] * 3),
        ("COALESCE(MAP[k, i], m)", ["{a=1}", "{NULL=2}", "{a=NULL}"]),
    ],
)
def test_null_and_repeated_keys(expression: str, expected: list[str]) -> None:
    assert evaluate(expression, KEYS) == expected


def test_a_null_key_is_no_json() -> None:
    with pytest.raises(JobError, match="Key at index 0 was null"):
        evaluate("JSON_STRING(MAP[k, i])", KEYS)


@pytest.mark.parametrize(
    ("expression", "kind"),
    [
        ("ARRAY[1, 2.5]", "ARRAY<DECIMAL(11, 1) NOT NULL> NOT NULL"),
        ("ARRAY['a', 'bcd']", "ARRAY<VARCHAR(3) NOT NULL> NOT NULL"),
        ("MAP['a', 1]", "MAP<CHAR(1) NOT NULL, INT NOT NULL> NOT NULL"),
        ("ROW(1, 'x')", "ROW<`EXPR$0` INT NOT NULL, `EXPR$1` CHAR(1) NOT NULL> NOT NULL"),
        ("ARRAY_CONCAT(a, ARRAY[l])", "ARRAY<BIGINT>"),
        ("a[1]", "INT"),
    ],
)
def test_types(expression: str, kind: str) -> None:
    assert type_of(expression, COLUMNS) == kind


def test_element_of_more_than_one_fails() -> None:
    with pytest.raises(JobError, match="Array has more than one element"):
        evaluate("ELEMENT(a)", COLUMNS)


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("a[0]", "Array element access needs an index starting at 1 but was 0"),
        (
            "m[1]",
            "Cannot apply 'ITEM' to arguments of type 'ITEM\\(<\\(VARCHAR\\(2147483647\\), INTEGER\\) MAP>",
        ),
        ("ARRAY_APPEND(a, l)", "Invalid input arguments"),
        ("ARRAY_CONTAINS(ARRAY['x'], CAST(i AS STRING))", "Invalid input arguments"),
        ("ARRAY_JOIN(a, '-')", "Invalid input arguments"),
        ("ARRAY_JOIN(ARRAY[TRUE], '-', 'n')", "Invalid input arguments"),
        ("ARRAY_JOIN(ARRAY[ARRAY['a']], '-')", "Invalid input arguments"),
        ("MAP_UNION(m, m)['a']", "Flink fails to read a key of a union"),
    ],
)
def test_refused(expression: str, message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        bind(expression, COLUMNS)


@pytest.mark.parametrize("call", ["ARRAY_MAX(NULL)", "ARRAY_MIN(NULL)", "ARRAY_SORT(NULL, TRUE)"])
def test_a_null_without_a_type_is_no_array(call: str) -> None:
    with pytest.raises(ValidationError, match="Illegal use of 'NULL'"):
        evaluate(call)
