"""The print connector's lines, by Flink's records of them."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from firesteel.connectors.registry import connector
from firesteel.runtime.spec.tables import SinkSpec
from firesteel.types.sql import (
    BIGINT,
    BOOLEAN,
    BYTES,
    DATE,
    DOUBLE,
    FLOAT,
    INT,
    STRING,
    SqlType,
    TypeRoot,
    array,
    char,
    decimal,
    map_of,
    row,
    time,
    timestamp,
    timestamp_ltz,
)
from tests.types import columns as columns_of


def changes(kinds: list[int], **columns: tuple[SqlType, list[Any]]) -> tuple[pa.Table, tuple[SqlType, ...]]:
    return columns_of.changes(columns, kinds), columns_of.types(columns)


def printed(
    capsys: pytest.CaptureFixture[str], table: pa.Table, types: Any, **options: str
) -> tuple[str, str]:
    pairs = tuple((key.replace("_", "-"), value) for key, value in options.items())
    sink = connector("print").sink(SinkSpec("print", pairs, (), types))
    assert sink.on_driver
    sink.open("q")
    sink.open_task("q", 0, 1)
    sink.write(table)
    sink.commit(0, [sink.close_task()])
    caught = capsys.readouterr()
    return caught.out, caught.err


def test_kinds_and_nulls(capsys: pytest.CaptureFixture[str]) -> None:
    table, types = changes([0, 1, 2, 3], name=(STRING, ["Tom", "Tom", None, "x"]), n=(INT, [12, 12, 5, None]))
    assert printed(capsys, table, types)[0] == "+I[Tom, 12]\n-U[Tom, 12]\n+U[null, 5]\n-D[x, null]\n"


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ({}, "+I[1]\n"),
        ({"print_identifier": "ID"}, "ID> +I[1]\n"),
        ({"sink.parallelism": "2"}, "2> +I[1]\n"),
        ({"print_identifier": "ID", "sink.parallelism": "2"}, "ID:2> +I[1]\n"),
    ],
)
def test_prefixes(capsys: pytest.CaptureFixture[str], options: dict[str, str], line: str) -> None:
    table, types = changes([0], n=(INT, [1]))
    assert printed(capsys, table, types, **options)[0] == line


def test_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    table, types = changes([0], n=(INT, [1]))
    assert printed(capsys, table, types, standard_error="true") == ("", "+I[1]\n")


def test_values(capsys: pytest.CaptureFixture[str]) -> None:
    micros = 1_577_934_245_000_000
    table, types = changes(
        [0],
        d=(decimal(10, 3), [Decimal("1.5")]),
        c=(char(4), ["ab"]),
        dt=(DATE, [18263]),
        t=(time(0), [3_723_000_000]),
        t0=(time(0), [0]),
        ts=(timestamp(3), [micros]),
        tm=(timestamp(3), [0]),
        tf=(timestamp(6), [micros + 120]),
        l=(timestamp_ltz(3), [1_234_000]),
        f=(DOUBLE, [1e20]),
        b=(BOOLEAN, [True]),
        y=(BYTES, [b"x\xff"]),
        a=(array(INT), [[1, None, 2]]),
        m=(map_of(STRING, INT), [[("a", 1)]]),
        r=(row(("p", "q"), (INT, STRING)), [{"p": 1, "q": "q"}]),
    )
    expected = (
        "+I[1.500, ab  , 2020-01-02, 01:02:03, 00:00, 2020-01-02T03:04:05, 1970-01-01T00:00, "
        "2020-01-02T03:04:05.000120, 1970-01-01T00:00:01.234Z, 1.0E20, true, [120, -1], [1, null, 2], {a=1}, "
        "+I[1, q]]\n"
    )
    assert printed(capsys, table, types)[0] == expected


def test_blackhole_takes_everything() -> None:
    table, types = changes([0], n=(INT, [1]))
    sink = connector("blackhole").sink(SinkSpec("blackhole", (), (), types))
    assert not sink.on_driver
    sink.open_task("q", 0, 0)
    sink.write(table)
    assert sink.close_task() == ""


COLLECTED = "xi gamma kappa mu iota zeta alpha eta nu delta theta beta epsilon lambda"
MOMENT = 1_767_323_045_678_000
"""2026-01-02 03:04:05.678, in microseconds."""


@pytest.mark.parametrize(
    ("kind", "keys", "expected"),
    [
        (
            STRING,
            COLLECTED.split(),
            "zeta iota nu mu delta theta epsilon xi lambda eta alpha kappa gamma beta",
        ),
        (DATE, [20455, -1, 2932896], "1969-12-31 9999-12-31 2026-01-02"),
        (timestamp(3), [MOMENT, -1000, MOMENT - 678_000], "{}.678 1969-12-31T23:59:59.999 {}"),
        (timestamp_ltz(3), [-1000, MOMENT, MOMENT - 678_000], "{}Z 1969-12-31T23:59:59.999Z {}.678Z"),
        (BOOLEAN, [True, False], "false true"),
        (BIGINT, [17000000119, 2000000014, 1000000007], "17000000119 2000000014 1000000007"),
        (FLOAT, [0.33333334, 0.6666667, 5.6666665], "5.6666665 0.33333334 0.6666667"),
    ],
)
def test_multisets_stand_as_in_a_java_map(
    capsys: pytest.CaptureFixture[str], kind: SqlType, keys: list[Any], expected: str
) -> None:
    counted = SqlType(TypeRoot.MULTISET, children=(kind,))
    table, types = changes([0], c=(counted, [[(key, 1) for key in keys]]))
    line = printed(capsys, table, types)[0].rstrip()
    shown = expected.replace("{}", "2026-01-02T03:04:05")
    assert line.removeprefix("+I[{").removesuffix("}]").replace("=1", "").replace(", ", " ") == shown
