"""Arrays, maps and rows."""

from __future__ import annotations

import pytest

from firesteel.errors import JobError, ValidationError
from firesteel.types.sql import BIGINT, DOUBLE, INT, STRING, array, map_of, row
from tests.expr.evaluate import bind, evaluate, type_of

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
        ("MAP_UNION(m, m)['a']", "Flink fails to read a key of a union"),
    ],
)
def test_refused(expression: str, message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        bind(expression, COLUMNS)
