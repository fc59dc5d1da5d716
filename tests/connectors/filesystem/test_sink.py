"""Readers of a directory that is written see every batch once, whatever fails in between."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest

from firesteel.connectors.base import ONCE
from firesteel.connectors.filesystem.options import placed
from firesteel.connectors.filesystem.sink import FilesystemSink
from firesteel.errors import JobError
from firesteel.runtime.spec.tables import SinkSpec
from firesteel.types.sql import INT


def sink(path: Path, job: str = "q", **options: str) -> FilesystemSink:
    """A sink on the driver."""
    made = unopened(path, **options)
    made.open(job)
    return made


def unopened(path: Path, **options: str) -> FilesystemSink:
    pairs = {"path": str(path), "format": "csv", **options}
    return FilesystemSink(SinkSpec("filesystem", tuple(pairs.items()), ("n",), (INT,)))


def write(
    path: Path, *tables: pa.Table, batch: int = 0, partition: int = 0, job: str = "q", **more: str
) -> str:
    """What a task does; its token."""
    task = unopened(path, **more)
    task.open_task(job, batch, partition)
    for one in tables:
        task.write(one)
    return task.close_task()


def table(*values: int) -> pa.Table:
    return pa.table({"$kind": pa.array([0] * len(values), pa.int8()), "f0": pa.array(values, pa.int32())})


def seen(path: Path) -> list[int]:
    files = [one for one in path.iterdir() if one.is_file() and not one.name.startswith((".", "_"))]
    assert all(one.name.startswith("part-") for one in files)
    return sorted(int(line) for one in files for line in one.read_text().split())


def hidden(path: Path) -> list[Path]:
    return list(path.glob(".part-*"))


def manifests(path: Path) -> list[str]:
    return sorted(one.name for one in (path / "_firesteel").glob("*") if one.suffix != ".run")


def test_rows_show_at_the_commit(tmp_path: Path) -> None:
    made = sink(tmp_path / "out")
    tokens = [write(tmp_path / "out", table(1, 2), table(3)), write(tmp_path / "out", table(4), partition=1)]
    assert seen(tmp_path / "out") == []
    made.commit(0, tokens)
    assert seen(tmp_path / "out") == [1, 2, 3, 4]


def test_nothing_is_written_for_no_rows(tmp_path: Path) -> None:
    made = sink(tmp_path / "out")
    made.commit(0, [write(tmp_path / "out", table()), write(tmp_path / "out")])
    assert [one.name for one in (tmp_path / "out").iterdir()] == ["_firesteel"]
    assert manifests(tmp_path / "out") == []


def test_a_batch_that_is_replayed_counts_once(tmp_path: Path) -> None:
    first = sink(tmp_path)
    first.commit(0, [write(tmp_path, table(1))])
    again = sink(tmp_path)
    again.commit(0, [write(tmp_path, table(1))])
    again.commit(1, [write(tmp_path, table(2), batch=1)])
    again.commit(0, [write(tmp_path, table(1))])
    assert seen(tmp_path) == [1, 2]
    assert not hidden(tmp_path)


def test_a_job_keeps_two_manifests(tmp_path: Path) -> None:
    made = sink(tmp_path)
    for batch in range(20):
        made.commit(batch, [write(tmp_path, table(batch), batch=batch)])
    assert seen(tmp_path) == list(range(20))
    assert manifests(tmp_path) == ["q-18.json", "q-19.json"]


@pytest.mark.parametrize("single", [True, False])
def test_manifests_of_earlier_versions_are_read(tmp_path: Path, single: bool) -> None:
    folder = tmp_path / "_firesteel"
    folder.mkdir()
    (tmp_path / "part-a-0-0").write_text("1\n")
    (tmp_path / ".part-b.inprogress").write_text("2\n")  # a crash left this rename undone
    (folder / "q-8.json").write_text('{".part-a.inprogress": "part-a-0-0"}')
    noted = {".part-b.inprogress": "part-b-0-0"}
    if single:
        (folder / "q-11.json").write_text(json.dumps(noted))
    else:
        (folder / "q.json").write_text(json.dumps({"batch": 11, "files": noted}))
    made = sink(tmp_path)
    assert seen(tmp_path) == [1, 2]
    made.commit(11, [write(tmp_path, table(2), batch=11)])
    made.commit(12, [write(tmp_path, table(3), batch=12)])
    assert (seen(tmp_path), hidden(tmp_path)) == ([1, 2, 3], [])


@pytest.mark.parametrize("is_replayed", [True, False])
def test_a_crash_between_the_renames(tmp_path: Path, is_replayed: bool) -> None:
    first = sink(tmp_path)
    tokens = [write(tmp_path, table(1)), write(tmp_path, table(2), partition=1)]
    first.commit(0, tokens)
    shown = sorted(one for one in tmp_path.iterdir() if one.name.startswith("part-"))
    names = {name: old for token in tokens for old, name in json.loads(token).items()}
    shown[0].rename(tmp_path / names[shown[0].name])  # as if the process had died before this rename
    assert len(seen(tmp_path)) == 1
    again = sink(tmp_path)
    if is_replayed:
        again.commit(0, [write(tmp_path, table(1)), write(tmp_path, table(2), partition=1)])
    assert (seen(tmp_path), hidden(tmp_path)) == ([1, 2], [])


def test_an_aborted_batch_leaves_nothing(tmp_path: Path) -> None:
    made = sink(tmp_path)
    made.commit(0, [write(tmp_path, table(1))])
    failing = unopened(tmp_path)
    failing.open_task("q", 1, 1)
    failing.write(table(3))
    token = write(tmp_path, table(2), batch=1)
    assert len(hidden(tmp_path)) == 2
    made.abort(1, [token])
    assert (seen(tmp_path), hidden(tmp_path)) == ([1], [])


def test_a_task_that_gives_up_removes_its_files(tmp_path: Path) -> None:
    task = unopened(tmp_path, **{"sink.rolling-policy.file-size": "1b"})
    task.open_task("q", 0, 0)
    task.write(table(1))
    task.write(table(2))
    assert len(hidden(tmp_path)) == 2
    task.abort_task()
    assert hidden(tmp_path) == []


def test_files_of_dead_attempts_go_and_those_of_other_jobs_stay(tmp_path: Path) -> None:
    write(tmp_path, table(1))
    token = write(tmp_path, table(2), job="q.1")
    sink(tmp_path)
    assert len(hidden(tmp_path)) == 1
    other = unopened(tmp_path)
    other._job = "q.1"
    other.commit(0, [token])
    assert seen(tmp_path) == [2]


def test_a_job_that_runs_once_adds_to_what_is_there(tmp_path: Path) -> None:
    for number in range(2):
        made = sink(tmp_path, job=f"{ONCE}{number}")
        made.commit(0, [write(tmp_path, table(1), job=f"{ONCE}{number}")])
    assert seen(tmp_path) == [1, 1]
    assert manifests(tmp_path) == []


def test_what_a_job_decided_that_ran_once_is_shown_by_the_next(tmp_path: Path) -> None:
    token = write(tmp_path, table(1), job=f"{ONCE}0")
    (tmp_path / "_firesteel").mkdir()
    noted = {"batch": 0, "files": json.loads(token)}
    (tmp_path / "_firesteel" / f"{ONCE}0.json").write_text(json.dumps(noted))
    sink(tmp_path)
    assert (seen(tmp_path), manifests(tmp_path)) == ([1], [])


def test_what_a_dead_attempt_left_goes_with_a_job_that_runs_once(tmp_path: Path) -> None:
    made = sink(tmp_path, job=f"{ONCE}1")
    write(tmp_path, table(7), job=f"{ONCE}1")
    made.commit(0, [write(tmp_path, table(1), job=f"{ONCE}1")])
    assert seen(tmp_path) == [1]
    assert hidden(tmp_path) == []


def test_a_file_that_was_written_elsewhere_is_an_error(tmp_path: Path) -> None:
    made = sink(tmp_path / "here")
    token = write(tmp_path / "there", table(1))
    with pytest.raises(JobError, match="was written on another machine"):
        made.commit(0, [token])
    assert manifests(tmp_path / "here") == []


def test_a_relative_path_is_of_the_process_that_plans(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    files = ("connector", "filesystem")
    assert placed((files, ("path", "out"))) == (files, ("path", str(tmp_path / "out")))
    for path in ("/data/out", "file:///data/out"):
        assert placed((files, ("path", path))) == (files, ("path", path))
    assert placed((("connector", "other"), ("path", "out")))[1] == ("path", "out")


def test_files_roll_at_their_size(tmp_path: Path) -> None:
    tables = [table(1, 2, 3), table(4), table(5, 6, 7), table(8)]
    token = write(tmp_path, *tables, **{"sink.rolling-policy.file-size": "5b"})
    sink(tmp_path / "elsewhere")
    made = unopened(tmp_path)
    made.commit(0, [token])
    assert len(json.loads(token)) == 3
    assert seen(tmp_path) == [1, 2, 3, 4, 5, 6, 7, 8]


@pytest.mark.parametrize("below", ["", "out/deeper"])
def test_a_directory_that_cannot_be_made_is_named_before_anything_runs(tmp_path: Path, below: str) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(JobError, match=r"file.*: cannot be written: (File exists|Not a directory)\."):
        unopened(tmp_path / "file" / below).open("q")


def test_a_directory_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(JobError, match=r"file/out: cannot be written: Not a directory"):
        write(tmp_path / "file" / "out", table(1))
