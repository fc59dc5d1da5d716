"""What a sink demands of rows: Flink's answers (2.3), in columns and row by row."""

from __future__ import annotations

from typing import Any

import pytest

from firesteel.errors import JobError, ValidationError
from firesteel.runtime.operators.sink.constraint_checks import enforce
from firesteel.types.constraints import LENGTH, NESTED, NOT_NULL, constraints_of
from firesteel.types.sql import (
    BIGINT,
    INT,
    STRING,
    SqlType,
    TypeRoot,
    array,
    char,
    map_of,
    row,
    timestamp,
    varchar,
)
from tests.runtime.changes import to_rows, to_table

REQUIRED = INT.with_nullable(False)
NULL_TEXT = (
    " is NOT NULL, however, a null value is being written into it. You can set job configuration "
    "'table.exec.sink.not-null-enforcer'='DROP' to suppress this exception and drop such records silently."
)
LENGTH_TEXT = (
    ", however, a string of length {} is being written into it. You can set job configuration "
    "'table.exec.sink.type-length-enforcer' to control this behaviour."
)
DROP, ERROR, TRIM_PAD = {NOT_NULL: "DROP"}, {LENGTH: "ERROR"}, {LENGTH: "TRIM_PAD"}
ROWS, ALL = {NESTED: "ROWS"}, {NESTED: "ROWS_AND_COLLECTIONS"}
POINT = row(("a", "b"), (REQUIRED, char(4)))


def binary(length: int, *, fixed: bool) -> SqlType:
    return SqlType(TypeRoot.BINARY if fixed else TypeRoot.VARBINARY, length=length)


def run(kinds: tuple[SqlType, ...], rows: list[tuple[Any, ...]], options: dict[str, str]) -> list[Any]:
    names = tuple("xyzuvw"[: len(kinds)])
    constraints = constraints_of(names, kinds, options)
    table = to_table([("+I", *values) for values in rows], kinds)
    return [values for _, *values in to_rows(table if constraints is None else enforce(table, constraints))]


@pytest.mark.parametrize(
    ("kind", "values", "options", "message"),
    [
        (REQUIRED, [1, None], {}, f"Column 'x'{NULL_TEXT}"),
        (timestamp(9).with_nullable(False), [None], {}, f"Column 'x'{NULL_TEXT}"),
        (char(4), ["abcd", None, "abc"], ERROR, f"Column 'x' is CHAR(4){LENGTH_TEXT.format(3)}"),
        (char(4).with_nullable(False), ["abcde"], ERROR, f"Column 'x' is CHAR(4){LENGTH_TEXT.format(5)}"),
        (varchar(3), ["abcdef"], ERROR, f"Column 'x' is VARCHAR(3){LENGTH_TEXT.format(6)}"),
        (binary(4, fixed=True), [b"abc"], ERROR, f"Column 'x' is BINARY(4){LENGTH_TEXT.format(3)}"),
        (binary(3, fixed=False), [b"abcde"], ERROR, f"Column 'x' is VARBINARY(3){LENGTH_TEXT.format(5)}"),
        (POINT, [{"a": None, "b": "xyz"}], ROWS, f"Column 'x.a'{NULL_TEXT}"),
        (POINT, [{"a": 1, "b": "xyz"}], ROWS | ERROR, f"Column 'x.b' is CHAR(4){LENGTH_TEXT.format(3)}"),
        (array(REQUIRED), [[1, 2], [1, None]], ALL, f"Column 'x[1]'{NULL_TEXT}"),
        (array(varchar(2)), [["abcd"]], ALL | ERROR, f"Column 'x[0]' is VARCHAR(2){LENGTH_TEXT.format(4)}"),
        (array(POINT), [[{"a": 1}, {"a": None}]], ALL, f"Column 'x[1].a'{NULL_TEXT}"),
        (map_of(STRING, REQUIRED), [[("k", 1)], [("k", None)]], ALL, f"Column 'x[value]'{NULL_TEXT}"),
        (map_of(varchar(1), INT), [[("kk", 1)]], ALL | ERROR,
         f"Column 'x[key]' is VARCHAR(1){LENGTH_TEXT.format(2)}"),
    ],
)  # fmt: skip
def test_a_row_that_breaks_a_rule_fails_the_job(
    kind: SqlType, values: list[Any], options: dict[str, str], message: str
) -> None:
    with pytest.raises(JobError) as raised:
        run((kind,), [(value,) for value in values], options)
    assert raised.value.message == message


@pytest.mark.parametrize(
    ("kind", "values", "options", "left"),
    [
        (REQUIRED, [1, None, 3], DROP, [1, 3]),
        (varchar(3), ["abcdef"], {}, ["abcdef"]),
        (char(4), ["abc", "abcdef", None, "😀é"], TRIM_PAD, ["abc ", "abcd", None, "😀é  "]),
        (varchar(3), ["abcdef", "", None], TRIM_PAD, ["abc", "", None]),
        (binary(4, fixed=True), [b"abc", b"abcde", None], TRIM_PAD, [b"abc\0", b"abcd", None]),
        (binary(3, fixed=False), [b"abcde", b"ab", None], TRIM_PAD, [b"abc", b"ab", None]),
        (POINT, [{"a": None, "b": "x"}], {}, [{"a": None, "b": "x"}]),
        (POINT, [{"a": 1, "b": "x"}, None, {"a": None, "b": "x"}], ROWS | DROP, [{"a": 1, "b": "x"}, None]),
        (POINT, [{"a": 1, "b": "x"}, None, {"a": 2, "b": "xyzuv"}], ROWS | TRIM_PAD,
         [{"a": 1, "b": "x   "}, None, {"a": 2, "b": "xyzu"}]),
        (array(REQUIRED), [[1, None]], ROWS, [[1, None]]),
        (array(REQUIRED), [[1], None, [1, None], []], ALL | DROP, [[1], None, []]),
        (map_of(STRING, REQUIRED), [[("k", 1)], None, [("k", None)]], ALL | DROP, [[("k", 1)], None]),
        (array(POINT), [[{"a": 1, "b": "x"}, None], [{"a": None, "b": "x"}]], ALL | DROP,
         [[{"a": 1, "b": "x"}, None]]),
    ],
)  # fmt: skip
def test_rows_that_go_on(kind: SqlType, values: list[Any], options: dict[str, str], left: list[Any]) -> None:
    assert run((kind,), [(value,) for value in values], options) == [[value] for value in left]


def test_the_first_row_that_breaks_a_rule_is_reported() -> None:
    kinds = (REQUIRED, varchar(2))
    with pytest.raises(JobError, match=r"'y' is VARCHAR\(2\)"):
        run(kinds, [(1, "a"), (2, "abc"), (None, "a")], ERROR)
    with pytest.raises(JobError, match="'x' is NOT NULL"):
        run(kinds, [(1, "a"), (None, "abc"), (1, "abc")], ERROR)


def test_a_row_is_dropped_before_its_lengths_are_looked_at() -> None:
    assert run((REQUIRED, varchar(2)), [(None, "abc"), (1, "a")], ERROR | DROP) == [[1, "a"]]


def test_changes_keep_their_kind_and_order() -> None:
    constraints = constraints_of(("x",), (REQUIRED,), DROP)
    assert constraints is not None
    table = to_table([("+I", 1), ("-U", None), ("-D", 1)], (REQUIRED,))
    assert to_rows(enforce(table, constraints)) == [("+I", 1), ("-D", 1)]
    assert enforce(table, constraints).column("$order").to_pylist() == [0, 2]


def test_a_part_of_a_longer_column() -> None:
    kinds = (POINT, map_of(STRING, REQUIRED), array(REQUIRED))
    good = ({"a": 1, "b": "xyzu"}, [("k", 1)], [1])
    table = to_table([("+I", {"a": None, "b": None}, [("k", None)], [None]), ("+I", *good)], kinds).slice(1)
    constraints = constraints_of(("x", "y", "z"), kinds, ALL | ERROR)
    assert constraints is not None
    assert enforce(table, constraints).num_rows == 1


def test_nothing_is_demanded_of_plain_columns() -> None:
    assert constraints_of(("x", "y"), (BIGINT, varchar(3)), {}) is None
    assert constraints_of(("x",), (STRING,), ERROR) is None


def test_cutting_inside_of_collections_is_refused() -> None:
    with pytest.raises(ValidationError, match="Trimming and/or padding is not supported if constraint check"):
        constraints_of(("x",), (INT,), ALL | TRIM_PAD)


def test_as_plans_write_it() -> None:
    kinds = (
        *(REQUIRED, POINT, array(REQUIRED), array(varchar(2)), array(POINT)),
        *(map_of(varchar(2), REQUIRED), char(4), varchar(3), binary(2, fixed=True)),
    )
    constraints = constraints_of(("id", "r", "l", "ls", "lr", "m", "s", "v", "x"), kinds, ALL | ERROR)
    assert constraints is not None
    point = "NotNullEnforcer(fields=[a]), LengthEnforcer(fields=[b])"
    assert ", ".join(constraints.texts) == (
        "NotNullEnforcer(fields=[id]), LengthEnforcer(fields=[s, v]), LengthEnforcer(fields=[x]), "
        f"NestedRowEnforcer(constraints=[{{r=[{point}]}}]), "
        "NestedArrayEnforcer(constraints=[{l=[NotNullEnforcer(fields=[element])]}, "
        "{ls=[LengthEnforcer(fields=[element])]}, "
        f"{{lr=[NestedRowEnforcer(constraints=[{{element=[{point}]}}])]}}]), "
        "NestedMapEnforcer(constraints=[{m==[NotNullEnforcer(fields=[value]), "
        "LengthEnforcer(fields=[key])]}])"
    )
