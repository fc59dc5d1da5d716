"""A value that a sink's format cannot carry is an error with its row and column."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from firesteel.changelog import KIND, SEQUENCE, field
from firesteel.connectors.filesystem.sink import FilesystemSink
from firesteel.connectors.kafka.records import Records
from firesteel.connectors.unwritable import is_of_values, unwritable
from firesteel.errors import DataError, JobError
from firesteel.runtime.spec.tables import SinkSpec
from firesteel.types.arrow import KEY, VALUE, to_arrow
from firesteel.types.sql import BIGINT, INT, STRING, SqlType, map_of, timestamp

BEYOND_PYTHON = 253402300800000000  # 10000-01-01 in microseconds
BEYOND_NANOS = 32503680000000000  # 3000-01-01


def changes(types: tuple[SqlType, ...], *rows: tuple[Any, ...]) -> pa.Table:
    columns = [pa.array([row[place] for row in rows], to_arrow(kind)) for place, kind in enumerate(types)]
    kinds = pa.array([0] * len(rows), pa.int8())
    names = [KIND, SEQUENCE, *map(field, range(len(types)))]
    return pa.Table.from_arrays([kinds, pa.array(range(len(rows))), *columns], names=names)


def write_file(folder: Path, name: str, types: tuple[SqlType, ...], rows: pa.Table, *options: str) -> None:
    of = {"connector": "filesystem", "path": str(folder), "format": name}
    of |= dict.fromkeys((f"{name}.{key}" for key in options), "true")
    names = tuple("abc"[: len(types)])
    sink = FilesystemSink(SinkSpec("filesystem", tuple(of.items()), names, types, "cat.db.t"))
    sink.open("run-x")
    sink.open_task("run-x", 0, 0)
    try:
        sink.write(rows)
        sink.close_task()
    except BaseException:
        sink.abort_task()
        raise
    assert sink._task.files


TIMES = (BIGINT, timestamp(3))


@pytest.mark.parametrize("name", ["avro", "parquet"])
def test_a_time_that_the_format_does_not_reach(tmp_path: Path, name: str) -> None:
    time = BEYOND_PYTHON if name == "avro" else BEYOND_NANOS
    good = [(number, 1_000_000) for number in range(50)]
    rows = changes(TIMES, *good, (77, time), *good)
    with pytest.raises(
        DataError, match=r"^cat.db.t, column b: the row \+I\[77, .*\] cannot be written: "
    ) as caught:
        write_file(tmp_path, name, TIMES, rows)
    year = "10000" if name == "avro" else "3000"
    assert year[-4:] in str(caught.value)
    assert ("write.int64.timestamp" in str(caught.value)) == (name == "parquet")
    assert not list(tmp_path.glob(".part-*"))
    write_file(tmp_path, name, TIMES, changes(TIMES, *good))


def test_parquet_in_64_bits_reaches_further(tmp_path: Path) -> None:
    rows = changes(TIMES, (77, BEYOND_NANOS))
    write_file(tmp_path, "parquet", TIMES, rows, "write.int64.timestamp")


def test_a_null_key_of_a_map(tmp_path: Path) -> None:
    types = (INT, map_of(STRING, INT))
    rows = changes(types, (1, [{KEY: "k", VALUE: 1}]), (2, [{KEY: None, VALUE: 1}]))
    for name in ("json", "parquet"):
        with pytest.raises(
            DataError, match=r"^cat.db.t, column b: the row .*\[2, .* cannot be written: .*null key"
        ):
            write_file(tmp_path, name, types, rows)


def test_a_message_to_kafka() -> None:
    pytest.importorskip("confluent_kafka")
    types = (INT, map_of(STRING, INT))
    rows = changes(types, (1, []), (2, [{KEY: None, VALUE: 1}]), (3, []))
    options = {"topic": "t", "format": "json", "properties.bootstrap.servers": "none:1"}
    records = Records(SinkSpec("kafka", tuple(options.items()), ("id", "m"), types, "cat.db.t"), options)
    with pytest.raises(DataError, match=r"^cat.db.t, column m: the row \+I\[2, .* cannot be written: "):
        list(records.of(rows))
    options |= {"key.format": "json", "key.fields": "m", "value.fields-include": "EXCEPT_KEY"}
    records = Records(SinkSpec("kafka", tuple(options.items()), ("id", "m"), types, "cat.db.t"), options)
    with pytest.raises(DataError, match=r"^cat.db.t, column m: the row .* cannot be written: "):
        list(records.of(rows))


def test_what_is_no_value_of_a_row_is_not_looked_for() -> None:
    assert not is_of_values(JobError("the registry does not answer"))
    assert not is_of_values(OSError("no space left"))
    assert is_of_values(DataError("a NULL"))
    assert is_of_values(OverflowError("too large"))


def test_a_failure_that_is_of_no_single_value() -> None:
    types = (INT, STRING)
    rows = changes(types, *[(number, "x") for number in range(9)])

    def write(part: pa.Table) -> None:
        if 5 in part[field(0)].to_pylist() or None in part[field(0)].to_pylist():
            raise KeyError("five")

    columns = (("a", INT), ("b", STRING))
    found = unwritable(KeyError("five"), "t", columns, rows, write)
    assert str(found).startswith("t: the row +I[5, x] cannot be written: KeyError: 'five'")
