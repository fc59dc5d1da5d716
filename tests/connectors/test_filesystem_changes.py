"""A file that changes after it was found: where rows would be wrong, the job ends with an error."""

from __future__ import annotations

import gzip
import os
from pathlib import Path
from typing import Any

import pytest

from firesteel.connectors.base import Offset, ReadLimit, Source
from firesteel.errors import DataError
from tests.connectors.filesystem.test_source import drain, source, write


def opened(path: Path, log: Path, **options: str) -> Source:
    made = source(path, **options)
    made.keep_log(str(log))
    return made


def rows_of(made: Source, start: Offset, end: Offset) -> list[Any]:
    splits = made.splits_between(start, end, 1)
    return [n for split in splits for table in made.read(split) for n in table["f0"].to_pylist()]


def replaced(path: Path, first: int, count: int, how: str) -> None:
    if how == "in place":
        write(path, first, count)
    else:
        write(path.with_name(".new"), first, count)
        path.with_name(".new").replace(path)
    status = path.stat()
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns + 5_000_000))  # two writes of one millisecond


@pytest.mark.parametrize("how", ["in place", "by a rename"])
@pytest.mark.parametrize("count", [1, 5, 50])
def test_a_planned_batch_whose_file_is_another_now(tmp_path: Path, count: int, how: str) -> None:
    """The job was stopped before it committed the batch; a file of more, as many or fewer rows came in."""
    file = tmp_path / "data" / "a.json"
    file.parent.mkdir()
    write(file, 10, 5)
    first = opened(file.parent, tmp_path / "log")
    start = first.initial_offset()
    end = first.latest_offset(start, ReadLimit())
    assert rows_of(first, start, end) == [10, 11, 12, 13, 14]
    replaced(file, 20, count, how)
    again = opened(file.parent, tmp_path / "log")
    with pytest.raises(
        DataError, match=r"a\.json: the file has changed since it was found: it had 1\d\d bytes"
    ):
        rows_of(again, start, end)
    write(file, 10, 5)  # as it was
    assert rows_of(again, start, end) == [10, 11, 12, 13, 14]


def test_a_file_that_is_read_in_part(tmp_path: Path) -> None:
    file = tmp_path / "data" / "a.json"
    file.parent.mkdir()
    write(file, 10, 9)
    first = opened(file.parent, tmp_path / "log")
    middle = first.latest_offset(first.initial_offset(), ReadLimit(rows=4))
    replaced(file, 30, 9, "in place")
    again = opened(file.parent, tmp_path / "log")
    with pytest.raises(DataError, match="has changed since it was found"):
        rows_of(again, middle, again.latest_offset(middle, ReadLimit()))


def test_a_file_that_was_read_is_ignored_and_reported(tmp_path: Path) -> None:
    """As in Flink, which knows files by their paths."""
    file = tmp_path / "data" / "a.json"
    file.parent.mkdir()
    write(file, 0, 3)
    made = source(file.parent, **{"source.monitor-interval": "1s"})
    made.keep_log(str(tmp_path / "log"))
    _, offset = drain(made, made.initial_offset(), ReadLimit())
    replaced(file, 5, 9, "by a rename")
    assert drain(made, offset, ReadLimit())[0] == []
    (notice,) = made.notices()
    assert notice.startswith(f"{file}: it was replaced after it was read, and is not read again")
    assert drain(made, offset, ReadLimit())[0] == []
    assert made.notices() == []


@pytest.mark.parametrize("change", ["appended to", "touched"])
def test_a_file_with_the_same_rows_is_read(tmp_path: Path, change: str) -> None:
    file = tmp_path / "data" / "a.json"
    file.parent.mkdir()
    write(file, 0, 2000)
    made = opened(file.parent, tmp_path / "log")
    start = made.initial_offset()
    end = made.latest_offset(start, ReadLimit())
    if change == "touched":
        os.utime(file, (5, 5))
    else:
        with file.open("a") as stream:
            stream.write('{"n": 4}\n')
    assert rows_of(made, start, end) == list(range(2000))


def test_a_compressed_file_may_not_grow(tmp_path: Path) -> None:
    """It is read to its end, whatever its size was."""
    file = tmp_path / "data" / "a.json.gz"
    file.parent.mkdir()
    file.write_bytes(gzip.compress(b'{"n": 1}\n'))
    made = opened(file.parent, tmp_path / "log")
    start = made.initial_offset()
    end = made.latest_offset(start, ReadLimit())
    assert rows_of(made, start, end) == [1]
    with file.open("ab") as stream:
        stream.write(gzip.compress(b'{"n": 2}\n'))
    with pytest.raises(DataError, match="now it is longer"):
        rows_of(made, start, end)


def test_a_file_that_changes_while_it_is_read(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    write(file, 0, 5)
    made = source(tmp_path)
    (split,) = made.splits(1)
    tables = made.read(split)
    next(tables)
    replaced(file, 5, 1, "in place")
    with pytest.raises(DataError, match="has changed since it was found"):
        list(tables)


def test_a_log_without_digests(tmp_path: Path) -> None:
    """Of an earlier version: a file that was cut is found out, one of the same size is taken for the same."""
    file = tmp_path / "data" / "a.json"
    file.parent.mkdir()
    write(file, 10, 5)
    (tmp_path / "log").mkdir()
    line = f'{{"path": "{file}", "size": {file.stat().st_size}, "modified": 1}}\n"sealed"\n'
    (tmp_path / "log" / "files.jsonl").write_text(line)
    made = opened(file.parent, tmp_path / "log")
    end = made.latest_offset(made.initial_offset(), ReadLimit())
    assert rows_of(made, made.initial_offset(), end) == [10, 11, 12, 13, 14]
    write(file, 10, 4)
    with pytest.raises(DataError, match="has changed"):
        rows_of(made, made.initial_offset(), end)
