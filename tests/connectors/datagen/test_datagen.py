"""Made-up rows: how many, of which values, and the same again when read again."""

from __future__ import annotations

import time
from typing import Any

import pytest

from firesteel.connectors.base import ReadLimit
from firesteel.connectors.datagen.connector import DatagenSource
from firesteel.runtime.spec.tables import ScanSpec
from firesteel.types import sql
from firesteel.types.arrow import to_arrow

FAST = {"rows-per-second": "1000000000"}


def source(options: dict[str, str], **columns: sql.SqlType) -> DatagenSource:
    names = tuple(columns)
    made = tuple({"connector": "datagen", **FAST, **options}.items())
    return DatagenSource(ScanSpec("datagen", made, names, tuple(columns.values()), tuple(range(len(names)))))


def rows(made: DatagenSource, parallelism: int = 2) -> list[dict[str, Any]]:
    splits = made.splits(parallelism)
    found = [one for split in splits for table in made.read(split) for one in table.to_pylist()]
    again = [one for split in splits for table in made.read(split) for one in table.to_pylist()]
    assert found == again
    return found


def test_a_sequence_ends_the_rows() -> None:
    options = {
        "fields.i.kind": "sequence",
        "fields.i.start": "3",
        "fields.i.end": "9",
        "number-of-rows": "100",
    }
    options |= {"fields.s.kind": "sequence", "fields.s.start": "1", "fields.s.end": "5"}
    found = rows(source(options, i=sql.INT, s=sql.STRING))
    assert [(one["f0"], one["f1"]) for one in found] == [(3, "1"), (4, "2"), (5, "3"), (6, "4"), (7, "5")]
    assert [one["$order"] for one in found] == list(range(5))


@pytest.mark.parametrize("parallelism", [1, 3])
def test_many_rows_in_splits(parallelism: int) -> None:
    options = {"fields.i.kind": "sequence", "fields.i.start": "0", "fields.i.end": "299999"}
    made = source(options, i=sql.BIGINT, r=sql.INT)
    splits = made.splits(parallelism)
    tables = [table for split in splits for table in made.read(split)]
    assert [n for table in tables for n in table["f0"].to_pylist()] == list(range(300_000))


def test_every_type_is_made_within_its_bounds() -> None:
    columns = {
        "t": sql.TINYINT,
        "d": sql.DOUBLE,
        "f": sql.FLOAT,
        "m": sql.decimal(5, 2),
        "b": sql.BOOLEAN,
        "s": sql.STRING,
        "v": sql.varchar(4),
        "c": sql.char(3),
        "y": sql.BYTES,
        "x": sql.timestamp(3),
        "l": sql.timestamp_ltz(3),
        "dt": sql.DATE,
        "tm": sql.time(0),
        "a": sql.array(sql.INT),
        "mp": sql.map_of(sql.STRING, sql.INT),
        "r": sql.row(("p", "q"), (sql.INT, sql.STRING)),
    }
    options = {
        "number-of-rows": "200", "fields.t.min": "5", "fields.t.max": "6", "fields.d.min": "-1",
        "fields.d.max": "1", "fields.s.length": "7", "fields.v.var-len": "true", "fields.x.max-past": "10 s",
        "fields.a.length": "2", "fields.a.element.min": "0", "fields.a.element.max": "3",
        "fields.r.q.length": "1",
        "fields.mp.null-rate": "1", "fields.b.null-rate": "0.5",
    }  # fmt: skip
    made = source(options, **columns)
    (table,) = [table for split in made.splits(1) for table in made.read(split)]
    for index, kind in enumerate(columns.values()):
        assert table.schema.field(f"f{index}").type == to_arrow(kind)
    column = {name: table[f"f{index}"].to_pylist() for index, name in enumerate(columns)}
    assert set(column["t"]) == {5, 6}
    assert all(-1 <= one <= 1 for one in column["d"])
    assert {len(one) for one in column["s"]} == {7}
    assert all(set(one) <= set("0123456789abcdef") for one in column["s"])
    assert {len(one) for one in column["v"]} == {1, 2, 3, 4}
    assert {len(one) for one in column["c"]} == {3}
    assert max(column["x"]) - min(column["x"]) > max(column["x"]) - max(column["x"])
    assert (max(column["x"]) - min(column["x"])).total_seconds() <= 10
    assert {tuple(map(type, one)) for one in column["a"]} == {(int, int)}
    assert {value for one in column["a"] for value in one} == {0, 1, 2, 3}
    assert set(column["mp"]) == {None}
    assert set(column["b"]) == {None, True, False}
    assert {len(one["q"]) for one in column["r"]} == {1}


@pytest.mark.parametrize("scale", [0, 1, 18, 37])
@pytest.mark.parametrize("bounds", [{}, {"fields.m.min": "1e37", "fields.m.max": "1e400"}])
def test_decimals_of_many_digits(scale: int, bounds: dict[str, str]) -> None:
    if bounds and scale:
        bounds = {"fields.m.min": "-1", "fields.m.max": "1e300"}
    found = rows(source({"number-of-rows": "100", **bounds}, m=sql.decimal(38, scale)))
    assert len({row["f0"] for row in found}) > 1
    assert all(abs(row["f0"]) < 10 ** (38 - scale) for row in found)


def test_the_rate_holds_back_bounded_reads_too() -> None:
    made = source({"number-of-rows": "25", "rows-per-second": "20"}, a=sql.INT)
    began = time.monotonic()
    assert sum(table.num_rows for split in made.splits(1) for table in made.read(split)) == 25
    assert 0.9 < time.monotonic() - began < 20


def test_micro_batches_follow_the_clock_and_the_limit() -> None:
    made = source({"rows-per-second": "10"}, a=sql.INT)
    assert not made.bounded
    start = made.initial_offset()
    end = made.latest_offset(start, ReadLimit())
    assert end["row"] == 10
    assert made.latest_offset(end, ReadLimit()) == end
    assert made.latest_offset(start, ReadLimit(rows=3))["row"] == 3
    splits = made.splits_between(start, end, 2)
    first = [one for split in splits for table in made.read(split) for one in table.to_pylist()]
    splits = made.splits_between(start, end, 1)
    assert [one for split in splits for table in made.read(split) for one in table.to_pylist()] == first
    assert not made.is_finished(end)
