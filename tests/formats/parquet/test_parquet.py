"""parquet: what is written is read, in files as Flink writes them."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firesteel.changelog import field
from firesteel.errors import DataError, ValidationError
from firesteel.formats.base import Fields
from firesteel.formats.parquet.format import Parquet
from firesteel.types import sql
from firesteel.types.sql import SqlType
from tests.formats.typed_rows import FLAT, nested, tables
from tests.scale import examples

TYPES = st.sampled_from([*FLAT, sql.time(3), sql.timestamp(3), sql.timestamp(6), sql.timestamp_ltz(3)])


def fields(types: tuple[SqlType, ...]) -> Fields:
    names = tuple(f"c{i}" for i in range(len(types)))
    return Fields(names, types, names, types)


def write(path: Path, types: tuple[SqlType, ...], rows: pa.Table, options: dict[str, str]) -> None:
    with path.open("wb") as stream:
        writer = Parquet().file_writer(fields(types), options, stream)
        writer.write(rows)
        writer.close()


def read(path: Path, types: tuple[SqlType, ...], options: dict[str, str]) -> pa.Table:
    return pa.concat_tables(Parquet().file_reader(fields(types), options).read(str(path)))


@given(tables(nested(TYPES)), st.booleans(), st.booleans(), st.sampled_from(["UTC", "Asia/Shanghai"]))
@settings(max_examples=examples(60), deadline=None)
def test_what_is_written_is_read(
    tmp_path_factory: pytest.TempPathFactory,
    given_: tuple[tuple[SqlType, ...], pa.Table],
    utc: bool,
    int64: bool,
    zone: str,
) -> None:
    types, rows = given_
    path = tmp_path_factory.mktemp("parquet") / "a"
    options = {"utc-timezone": str(utc), "write.int64.timestamp": str(int64)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", zone)
        write(path, types, rows, options)
        assert read(path, types, options).to_pylist() == rows.to_pylist()


def test_columns_are_found_by_name_and_missing_ones_are_null(tmp_path: Path) -> None:
    pq.write_table(pa.table({"B": [1, 2], "x": [3, 4]}), tmp_path / "a")
    wanted = Fields(("b", "gone"), (sql.INT, sql.STRING), ("b", "gone"), (sql.INT, sql.STRING))
    (found,) = Parquet().file_reader(wanted, {}).read(str(tmp_path / "a"))
    assert found.select([field(0), field(1)]).to_pylist() == [{"f0": 1, "f1": None}, {"f0": 2, "f1": None}]


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"PAR1 and no more")
    with pytest.raises(DataError, match=f"{tmp_path}/a: cannot be read"):
        read(tmp_path / "a", (sql.INT,), {})


def test_a_value_that_a_column_cannot_hold_is_reported_with_the_column(tmp_path: Path) -> None:
    pq.write_table(pa.table({"c0": [1], "c1": pa.array([Decimal("123.45")])}), tmp_path / "a")
    with pytest.raises(DataError, match=f"{tmp_path}/a: cannot be read: column c1: .*[Dd]ecimal"):
        read(tmp_path / "a", (sql.INT, sql.decimal(3, 1)), {})


def test_a_codec_that_there_is_not() -> None:
    with pytest.raises(ValidationError, match=r"'parquet\.compression' = 'ZIP'"):
        Parquet().validate({"compression": "ZIP"}, ("a",), (sql.INT,))


def test_times_in_96_bits_reach_beyond_nanoseconds(tmp_path: Path) -> None:
    """Arrow reads them as nanoseconds unless told otherwise, over and around."""
    path = tmp_path / "a.parquet"
    times = pa.array(
        [253370764800000000, -62135596800000000, None], pa.timestamp("us")
    )  # 9999-01-01, 0001-01-01
    coarse = pa.table({"t": times})
    pq.write_table(coarse, path, use_deprecated_int96_timestamps=True)
    fields = Fields(("t",), (sql.timestamp(3),))
    (found,) = Parquet().file_reader(fields, {"utc-timezone": "true"}).read(str(path))
    assert found["f0"].combine_chunks().cast(pa.int64()).to_pylist() == times.cast(pa.int64()).to_pylist()
