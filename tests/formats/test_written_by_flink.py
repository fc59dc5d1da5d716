"""Files that Flink 2.3 wrote of one row with a value of each type, by its formats parquet and avro."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from firesteel.changelog import KIND
from firesteel.formats.avro.format import Avro
from firesteel.formats.base import Fields
from firesteel.formats.files import file_format
from firesteel.formats.parquet.format import Parquet
from firesteel.types import sql
from firesteel.types.sql import SqlType
from firesteel.types.text import render

FOLDER = Path(__file__).parent / "written_by_flink"
ROW: dict[str, tuple[SqlType, str]] = {
    "b": (sql.BOOLEAN, "TRUE"),
    "ti": (sql.TINYINT, "1"),
    "si": (sql.SMALLINT, "2"),
    "i": (sql.INT, "3"),
    "n": (sql.BIGINT, "4"),
    "f": (sql.FLOAT, "1.5"),
    "d": (sql.DOUBLE, "2.5"),
    "e": (sql.decimal(10, 2), "1.50"),
    "e5": (sql.decimal(5, 1), "1234.5"),
    "e30": (sql.decimal(30, 10), "123.4567890123"),
    "c": (sql.char(3), "x  "),
    "s": (sql.STRING, "é"),
    "y": (sql.BYTES, "x'4142'"),
    "z": (sql.BYTES, "x'0102'"),
    "dt": (sql.DATE, "2020-01-02"),
    "t": (sql.time(0), "03:04:05"),
    "t3": (sql.time(3), "03:04:05.123"),
    "ts": (sql.timestamp(3), "2020-01-02 03:04:05.120"),
    "ts6": (sql.timestamp(6), "2020-01-02 03:04:05.123456"),
    "l": (sql.timestamp_ltz(3), "2020-01-02 03:04:05.000"),
    "a": (sql.array(sql.INT), "[1, NULL, 2]"),
    "m": (sql.map_of(sql.STRING, sql.INT), "{k=1}"),
    "r": (sql.row(("x", "y"), (sql.INT, sql.STRING)), "(1, q)"),
}
NOT_IN_AVRO = ("ts6", "l")


@pytest.mark.parametrize(
    ("name", "found", "options"),
    [
        ("int96.parquet", Parquet(), {}),
        ("int64-utc.parquet", Parquet(), {"utc-timezone": "true"}),
        ("values.avro", Avro(), {}),
    ],
)
def test_a_file_of_flinks(
    name: str, found: Any, options: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if isinstance(found, Avro):
        pytest.importorskip("fastavro")
    monkeypatch.setenv("TZ", "UTC")
    columns = {n: each for n, each in ROW.items() if not (name.endswith("avro") and n in NOT_IN_AVRO)}
    names, types = tuple(columns), tuple(kind for kind, _ in columns.values())
    reader = file_format(found).file_reader(Fields(names, types, names, types), options)
    rows = pa.concat_tables(reader.read(str(FOLDER / name))).drop_columns([KIND])
    shown = {n: render(rows.column(i), types[i])[0] for i, n in enumerate(names)}
    assert shown == {n: text for n, (_, text) in columns.items()}
