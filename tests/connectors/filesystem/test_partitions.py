"""PARTITIONED BY: folders as Flink 2.3 calls them, written and read."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firesteel.connectors.filesystem import sink as filesystem_sink
from firesteel.connectors.filesystem.partitions import escaped, unescaped, unnamable
from firesteel.connectors.filesystem.sink import FilesystemSink
from firesteel.connectors.filesystem.source import FilesystemSource
from firesteel.errors import DataError, JobError
from firesteel.runtime.spec.tables import ScanSpec, SinkSpec
from firesteel.types.arrow import to_arrow
from firesteel.types.sql import BIGINT, BOOLEAN, DOUBLE, INT, STRING, SqlType, char, timestamp

Rows = list[tuple[Any, ...]]


def write(
    path: Path, types: tuple[SqlType, ...], keys: tuple[str, ...], rows: Rows, **more: str
) -> FilesystemSink:
    """One batch of rows of columns a, b..."""
    options = {"path": str(path), "format": "json", **{k.replace("_", "-"): v for k, v in more.items()}}
    names = tuple("abcdef"[: len(types)])
    spec = SinkSpec("filesystem", tuple(options.items()), names, types, partition_keys=keys)
    sink, task = FilesystemSink(spec), FilesystemSink(spec)
    sink.open("q")
    task.open_task("q", 0, 0)
    columns = [
        pa.array(column, to_arrow(kind)) for column, kind in zip(zip(*rows, strict=True), types, strict=True)
    ]
    names_of = ["$kind", *(f"f{i}" for i in range(len(types)))]
    task.write(pa.Table.from_arrays([pa.array([0] * len(rows), pa.int8()), *columns], names=names_of))
    sink.commit(0, [task.close_task()])
    return sink


def read(
    path: Path, types: tuple[SqlType, ...], keys: tuple[str, ...], projection: tuple[int, ...] | None = None
) -> Rows:
    names = tuple("abcdef"[: len(types)])
    wanted = projection if projection is not None else tuple(range(len(types)))
    options = (("path", str(path)), ("format", "json"))
    source = FilesystemSource(ScanSpec("filesystem", options, names, types, wanted, partition_keys=keys))
    tables = [table for split in source.splits(1) for table in source.read(split)]
    return [tuple(row.values())[2:] for table in tables for row in table.to_pylist()]


def folders(path: Path) -> list[str]:
    return sorted(str(one.parent.relative_to(path)) for one in path.rglob("part-*"))


@pytest.mark.parametrize(
    ("kind", "value", "folder"),
    [
        (BOOLEAN, True, "true"),
        (INT, 1, "1"),
        (BIGINT, 2, "2"),
        (STRING, "a b/c=%:é{}", "a b%2Fc%3D%25%3Aé%7B%7D"),
        (DOUBLE, 1.5, "1.5"),
        (timestamp(3), datetime(2020, 1, 2, 3, 4, 5, 120_000), "2020-01-02T03%3A04%3A05.120"),
        (char(3), "x", "x  "),
        (STRING, "", "__DEFAULT_PARTITION__"),
        (INT, None, "__DEFAULT_PARTITION__"),
    ],
)
def test_folders_are_called_as_by_flink(kind: SqlType, value: Any, folder: str, tmp_path: Path) -> None:
    write(tmp_path, (INT, kind), ("b",), [(7, value)])
    assert folders(tmp_path) == [f"b={folder}"]
    shown = None if value == "" else value.ljust(3) if kind == char(3) else value
    assert read(tmp_path, (INT, kind), ("b",)) == [(7, shown)]


def test_several_columns_in_the_order_of_the_clause(tmp_path: Path) -> None:
    types, keys = (INT, STRING, INT), ("c", "b")
    rows = [(1, "x", 1), (2, "y", 1), (3, "x", 1), (4, None, None)]
    write(tmp_path, types, keys, rows)
    assert folders(tmp_path) == ["c=1/b=x", "c=1/b=y", "c=__DEFAULT_PARTITION__/b=__DEFAULT_PARTITION__"]
    assert [path.read_text() for path in tmp_path.glob("c=1/b=x/part-*")] == ['{"a":1}\n{"a":3}\n']
    assert sorted(read(tmp_path, types, keys), key=str) == sorted(rows, key=str)
    assert sorted(read(tmp_path, types, keys, (2, 0)), key=str) == sorted(
        ((c, a) for a, _, c in rows), key=str
    )


def test_more_partitions_than_files_may_be_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filesystem_sink, "_MOST_OPEN", 2)
    rows = [(n, n % 5) for n in range(20)]
    write(tmp_path, (INT, INT), ("b",), rows)
    assert sorted(read(tmp_path, (INT, INT), ("b",))) == rows


def test_a_partition_with_rows_has_an_empty_file_that_says_so(tmp_path: Path) -> None:
    more = {
        "sink.partition-commit.policy.kind": "success-file",
        "sink.partition-commit.success-file.name": "_OK",
    }
    write(tmp_path, (INT, INT), ("b",), [(1, 1), (2, 2)], **more)
    assert sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("_OK")) == ["b=1/_OK", "b=2/_OK"]


def test_files_outside_of_partitions_are_no_part_of_the_table(tmp_path: Path) -> None:
    write(tmp_path, (INT, INT), ("b",), [(1, 1)])
    (tmp_path / "other.json").write_text('{"a":5}\n')
    (tmp_path / "x=1").mkdir()
    (tmp_path / "x=1" / "other.json").write_text('{"a":5}\n')
    assert read(tmp_path, (INT, INT), ("b",)) == [(1, 1)]


def test_a_folder_whose_value_is_of_another_type(tmp_path: Path) -> None:
    write(tmp_path, (INT, STRING), ("b",), [(1, "one")])
    with pytest.raises(DataError, match="'one' is no INT, as the column b is"):
        read(tmp_path, (INT, INT), ("b",))


@settings(deadline=None)  # a busy machine
@given(st.text(max_size=20))
def test_names_of_folders_say_any_text(text: str) -> None:
    assert unescaped(escaped(text)) == text
    assert "/" not in escaped(text)


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("x" * 300, r"its folder's name has 302 bytes, and 255 is the most"),
        ("é" * 127, r"its folder's name has 256 bytes, and 255 is the most"),
        ("a\0b", r"its value holds the character NUL, which no name of a folder can have"),
    ],
)
def test_a_value_that_no_folder_can_be_called_by(value: str, reason: str, tmp_path: Path) -> None:
    with pytest.raises(
        DataError, match=rf"column b: the row \+I\[7, {value[:1]}.* cannot be written: {reason}"
    ):
        write(tmp_path, (INT, STRING), ("b",), [(1, "fine"), (7, value)])
    assert not list(tmp_path.rglob("part-*"))


def test_the_longest_name_of_a_folder(tmp_path: Path) -> None:
    value = "x" * 253
    write(tmp_path, (INT, STRING), ("b",), [(7, value)])
    assert read(tmp_path, (INT, STRING), ("b",)) == [(7, value)]


def test_many_long_values_make_a_path_too_long(tmp_path: Path) -> None:
    keys = [f"k{i}" for i in range(17)]
    folder = "/".join(f"{key}={'x' * 240}" for key in keys)
    assert unnamable(tmp_path, "/".join(folder.split("/")[:10])) is None
    assert unnamable(tmp_path, folder) is not None


def test_a_partition_that_cannot_be_made_at_the_commit(tmp_path: Path) -> None:
    (tmp_path / "b=1").write_text("a file where a folder is wanted")
    with pytest.raises(JobError, match=f"{tmp_path}: cannot be written: File exists"):
        write(tmp_path, (INT, INT), ("b",), [(7, 1)])
