"""Readers of a directory that is written see every batch once, whatever fails in between."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa

from firesteel.connectors.filesystem_sink import FilesystemSink
from firesteel.runtime.spec import SinkSpec
from firesteel.types.sql import INT


def sink(path: Path, job: str | None = "q", **options: str) -> FilesystemSink:
    pairs = {"path": str(path), "format": "csv", **{key.replace("_", "-"): v for key, v in options.items()}}
    made = FilesystemSink(SinkSpec("filesystem", tuple(pairs.items()), ("n",), (INT,)))
    made.open(job)
    return made


def table(*values: int) -> pa.Table:
    return pa.table({"$kind": pa.array([0] * len(values), pa.int8()), "f0": pa.array(values, pa.int32())})


def seen(path: Path) -> list[int]:
    files = [one for one in path.iterdir() if one.is_file() and not one.name.startswith((".", "_"))]
    assert all(one.name.startswith("part-") for one in files)
    return sorted(int(line) for one in files for line in one.read_text().split())


def test_rows_show_at_the_commit(tmp_path: Path) -> None:
    made = sink(tmp_path / "out")
    written = made.write([table(1, 2), table(3)], 0, 0) + made.write([table(4)], 0, 1)
    assert len(written) == 2
    assert seen(tmp_path / "out") == []
    made.commit(0, written)
    assert seen(tmp_path / "out") == [1, 2, 3, 4]


def test_nothing_is_written_for_no_rows(tmp_path: Path) -> None:
    made = sink(tmp_path / "out")
    assert made.write([table()], 0, 0) == []
    made.commit(0, [])
    assert list((tmp_path / "out").iterdir()) == []


def test_a_batch_that_is_replayed_counts_once(tmp_path: Path) -> None:
    first = sink(tmp_path)
    first.commit(0, first.write([table(1)], 0, 0))
    again = sink(tmp_path)
    again.commit(0, again.write([table(1)], 0, 0))
    again.commit(1, again.write([table(2)], 1, 0))
    assert seen(tmp_path) == [1, 2]
    assert not list(tmp_path.glob(".part-*"))


def test_a_crash_between_the_renames(tmp_path: Path) -> None:
    first = sink(tmp_path)
    written = first.write([table(1)], 0, 0) + first.write([table(2)], 0, 1)
    first.commit(0, written)
    shown = sorted(one for one in tmp_path.iterdir() if one.name.startswith("part-"))
    manifest = next((tmp_path / "_firesteel").iterdir())
    hidden = {name: old for old, name in json.loads(manifest.read_text()).items()}
    shown[0].rename(tmp_path / hidden[shown[0].name])  # as if the process had died before this rename
    assert len(seen(tmp_path)) == 1
    again = sink(tmp_path)
    again.commit(0, again.write([table(1)], 0, 0) + again.write([table(2)], 0, 1))
    assert seen(tmp_path) == [1, 2]


def test_a_job_without_a_name_adds_to_what_is_there(tmp_path: Path) -> None:
    for _ in range(2):
        made = sink(tmp_path, job=None)
        made.commit(0, made.write([table(1)], 0, 0))
    assert seen(tmp_path) == [1, 1]


def test_files_roll_at_their_size(tmp_path: Path) -> None:
    made = sink(tmp_path, **{"sink.rolling-policy.file-size": "5b"})
    written = made.write(iter([table(1, 2, 3), table(4), table(5, 6, 7), table(8)]), 0, 0)
    made.commit(0, written)
    assert len(written) == 3
    assert seen(tmp_path) == [1, 2, 3, 4, 5, 6, 7, 8]
