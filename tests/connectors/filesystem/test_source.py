"""Files to changes: splits, offsets, errors with their place."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest

from firesteel.changelog import SEQUENCE
from firesteel.connectors.base import Offset, ReadLimit, Source
from firesteel.connectors.filesystem import offsets as filesystem_offsets
from firesteel.connectors.filesystem import splits as filesystem_splits
from firesteel.connectors.registry import connector
from firesteel.errors import DataError, NotSupportedError
from firesteel.runtime.spec.tables import ScanSpec
from firesteel.types.sql import BIGINT, INT, STRING, timestamp_ltz


def source(path: Path | str, format_name: str = "json", **more: str) -> Source:
    options = {"connector": "filesystem", "path": str(path), "format": format_name}
    options.update({key.replace("_", "-"): text for key, text in more.items()})
    scan = ScanSpec(
        "filesystem",
        tuple(options.items()),
        ("n", "s", "path", "name", "size", "time"),
        (INT, STRING, STRING, STRING, BIGINT, timestamp_ltz(3)),
        (0, 1),
        (None, None, "file.path", "file.name", "file.size", "file.modification-time"),
    )
    return connector("filesystem").source(scan)


def numbers(made: Source, parallelism: int) -> list[int]:
    return [
        n for split in made.splits(parallelism) for table in made.read(split) for n in table["f0"].to_pylist()
    ]


def write(path: Path, first: int, count: int, time: int | None = None) -> None:
    lines = [json.dumps({"n": n, "s": "x" * (n % 7)}) for n in range(first, first + count)]
    path.write_text("\n".join(lines) + "\n")
    if time is not None:
        os.utime(path, (time, time))


@pytest.mark.parametrize("parallelism", [1, 2, 3, 7, 50])
def test_splits_hold_every_line_once_and_in_order(
    tmp_path: Path, parallelism: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(filesystem_splits, "MIN_PIECE", 64)
    monkeypatch.setattr(filesystem_splits, "BLOCK_SIZE", 100)
    write(tmp_path / "b.json", 0, 100, time=1000)
    write(tmp_path / "a.json", 100, 3, time=2000)
    write(tmp_path / "c.json", 103, 200, time=2000)
    made = source(tmp_path)
    splits = made.splits(parallelism)
    assert len(splits) <= parallelism
    assert parallelism == 1 or len(splits) > 1
    assert numbers(made, parallelism) == list(range(303))
    sequences = [
        sequence for split in splits for table in made.read(split) for sequence in table[SEQUENCE].to_pylist()
    ]
    assert sequences == sorted(set(sequences))


def test_directories_are_read_deep_and_hidden_names_left_out(tmp_path: Path) -> None:
    (tmp_path / "deep" / "er").mkdir(parents=True)
    (tmp_path / "_hidden").mkdir()
    write(tmp_path / "deep" / "er" / "a.json", 0, 2)
    for name in ("_a.json", ".b.json", "_hidden/c.json"):
        write(tmp_path / name, 5, 1)
    assert numbers(source(tmp_path), 2) == [0, 1]
    assert numbers(source(f"file://{tmp_path}"), 2) == [0, 1]
    assert numbers(source(tmp_path, **{"source.path.regex-pattern": ".*/b.*"}), 1) == []
    javas = r".*/[\p{Lower}&&[^b]]\Q.json\E"
    assert numbers(source(tmp_path, **{"source.path.regex-pattern": javas}), 1) == [0, 1]


def test_empty_file_and_directory(tmp_path: Path) -> None:
    assert numbers(source(tmp_path), 2) == []
    (tmp_path / "a.json").write_text("")
    assert numbers(source(tmp_path), 2) == []


def test_missing_path(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="does not exist"):
        source(tmp_path / "none.json").splits(1)


def test_other_file_systems_are_refused() -> None:
    with pytest.raises(NotSupportedError, match="'s3'"):
        source("s3://bucket/x").splits(1)


def test_gzip_files_are_one_piece(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filesystem_splits, "MIN_PIECE", 16)
    lines = "".join(f'{{"n":{n}}}\n' for n in range(500))
    with gzip.open(tmp_path / "a.json.gz", "wt") as stream:
        stream.write(lines)
    assert numbers(source(tmp_path), 4) == list(range(500))


def test_damaged_gzip_file(tmp_path: Path) -> None:
    whole = gzip.compress(b'{"n":1}\n' * 10_000)
    (tmp_path / "a.json.gz").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DataError, match=r"a\.json\.gz"):
        numbers(source(tmp_path), 1)


@pytest.mark.parametrize("parallelism", [1, 4])
def test_errors_name_file_and_line(tmp_path: Path, parallelism: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filesystem_splits, "MIN_PIECE", 64)
    monkeypatch.setattr(filesystem_splits, "BLOCK_SIZE", 200)
    path = tmp_path / "a.json"
    path.write_text('{"n":1}\n' * 100 + '{"n":"x"}\n' + '{"n":1}\n' * 100)
    with pytest.raises(DataError) as caught:
        numbers(source(path), parallelism)
    assert str(caught.value).startswith(f'{path}, line 101: Failed to deserialize JSON \'{{"n":"x"}}\'.')


def test_errors_of_an_open_csv_quote_name_its_line(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text('1,a,,,,\n2,"b,,,,\nc,,,,\n')
    scan = ScanSpec(
        "filesystem", (("path", str(path)), ("format", "csv")), ("n", "s"), (INT, STRING), (0, 1), ()
    )
    made = connector("filesystem").source(scan)
    with pytest.raises(DataError, match=r"line 1: .*Too many entries"):
        numbers(made, 1)
    path.write_text('1,a\n2,"b\nc\n')
    with pytest.raises(DataError, match="line 2: Missing closing quote"):
        numbers(made, 1)


def test_metadata_columns(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    write(path, 7, 1, time=1)
    made = source(path)
    scan = ScanSpec(**{**made._scan.__dict__, "projection": (5, 3, 0, 4, 2)})  # type: ignore[attr-defined]
    made = connector("filesystem").source(scan)
    (table,) = [table for split in made.splits(1) for table in made.read(split)]
    row = table.select([f"f{i}" for i in range(5)]).to_pylist()[0]
    assert row["f0"].timestamp() == 1
    assert (row["f1"], row["f2"], row["f3"], row["f4"]) == ("a.json", 7, path.stat().st_size, str(path))


def drain(made: Source, start: Offset, limit: ReadLimit) -> tuple[list[list[int]], Offset]:
    """Read micro-batches until nothing is new."""
    batches, offset = [], json.loads(json.dumps(start))
    while True:
        end = json.loads(json.dumps(made.latest_offset(offset, limit)))
        if end == offset:
            return batches, offset
        splits = made.splits_between(offset, end, 2)
        batches.append([n for split in splits for table in made.read(split) for n in table["f0"].to_pylist()])
        offset = end


@pytest.mark.parametrize(
    ("limit", "sizes"),
    [
        (ReadLimit(), [30]),
        (ReadLimit(rows=7), [7, 7, 7, 7, 2]),
        (ReadLimit(files=1), [10, 20]),
        (ReadLimit(rows=100), [30]),
        (ReadLimit(bytes=1), [1] * 30),
    ],
)
def test_micro_batches(tmp_path: Path, limit: ReadLimit, sizes: list[int]) -> None:
    write(tmp_path / "a.json", 0, 10, time=1000)
    write(tmp_path / "b.json", 10, 20, time=2000)
    made = source(tmp_path)
    assert not made.is_finished(made.initial_offset())
    batches, offset = drain(made, made.initial_offset(), limit)
    assert [len(batch) for batch in batches] == sizes
    assert [n for batch in batches for n in batch] == list(range(30))
    assert made.is_finished(offset)


@pytest.mark.parametrize("rows", [1, 4, 7, 12])
def test_about_so_many_rows_are_found_without_reading_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows: int
) -> None:
    monkeypatch.setattr(filesystem_offsets, "_READ_SIZE", 40)
    monkeypatch.setattr(filesystem_offsets, "_REST", 0.5)
    for name, first, count in (("a", 0, 10), ("b", 10, 20)):
        write(tmp_path / f"{name}.json", first, count, time=1000 + first)
    made = source(tmp_path)
    batches, offset = drain(made, made.initial_offset(), ReadLimit(rows=rows, is_rough=True))
    assert [n for batch in batches for n in batch] == list(range(30))
    assert made.is_finished(offset)
    assert all(rows / 2 <= len(batch) <= rows * 2.5 for batch in batches[:-1])
    assert len(batches) > 1


def test_offsets_mean_the_same_after_a_restart(tmp_path: Path) -> None:
    data, log = tmp_path / "data", tmp_path / "log"
    data.mkdir()
    write(data / "b.json", 0, 10, time=2000)
    first = source(data)
    first.keep_log(str(log))
    start = first.initial_offset()
    middle = first.latest_offset(start, ReadLimit(rows=4))
    write(data / "a.json", 100, 5, time=1000)  # older than what was read: yet not read before it
    second = source(data)
    second.keep_log(str(log))
    again = [
        n
        for s in second.splits_between(start, middle, 1)
        for t in second.read(s)
        for n in t["f0"].to_pylist()
    ]
    assert again == [0, 1, 2, 3]
    batches, offset = drain(second, middle, ReadLimit())
    assert batches == [[4, 5, 6, 7, 8, 9]]
    assert second.is_finished(offset)


def test_monitoring_finds_new_files(tmp_path: Path) -> None:
    write(tmp_path / "b.json", 0, 3)
    options: Any = {"source.monitor-interval": "1s"}
    made = source(tmp_path, **options)
    assert not made.bounded
    made.keep_log(str(tmp_path / "_log"))
    batches, offset = drain(made, made.initial_offset(), ReadLimit())
    assert batches == [[0, 1, 2]]
    write(tmp_path / "a.json", 3, 2)
    again = source(tmp_path, **options)
    again.keep_log(str(tmp_path / "_log"))
    assert drain(again, offset, ReadLimit())[0] == [[3, 4]]
    assert not again.is_finished(offset)


def test_a_torn_line_of_the_log_is_dropped(tmp_path: Path) -> None:
    write(tmp_path / "a.json", 0, 3)
    log = tmp_path / "_log"
    made = source(tmp_path)
    made.keep_log(str(log))
    batches, _ = drain(made, made.initial_offset(), ReadLimit())
    file = log / "files.jsonl"
    file.write_text(file.read_text().splitlines()[0] + '\n"seal')
    again = source(tmp_path)
    again.keep_log(str(log))
    assert drain(again, again.initial_offset(), ReadLimit())[0] == batches
    assert [json.loads(line) for line in file.read_text().splitlines()][1:] == ["sealed"]


def test_a_log_that_names_a_file_twice_means_it_once(tmp_path: Path) -> None:
    write(tmp_path / "a.json", 0, 2)
    log = tmp_path / "_log"
    options: Any = {"source.monitor-interval": "1s"}
    made = source(tmp_path, **options)
    made.keep_log(str(log))
    _, offset = drain(made, made.initial_offset(), ReadLimit())
    line = (log / "files.jsonl").read_text()
    (log / "files.jsonl").write_text(line * 2)  # as two runs at once left it
    again = source(tmp_path, **options)
    again.keep_log(str(log))
    assert drain(again, offset, ReadLimit())[0] == []


@pytest.mark.parametrize("left", ["", "cut"])
def test_a_lost_log_is_refused(tmp_path: Path, left: str) -> None:
    for name in "ab":
        write(tmp_path / f"{name}.json", 0, 2)
    log = tmp_path / "_log"
    made = source(tmp_path)
    made.keep_log(str(log))
    _, offset = drain(made, made.initial_offset(), ReadLimit())
    text = (log / "files.jsonl").read_text()
    (log / "files.jsonl").write_text(text[: text.index("\n") + 1] if left else "")
    again = source(tmp_path)
    again.keep_log(str(log))
    with pytest.raises(
        DataError, match=rf"has read 2 files, but its log .*/files.jsonl names {len(left) // 3}"
    ):
        again.latest_offset(offset, ReadLimit())
    with pytest.raises(DataError, match="the log was lost or damaged"):
        again.splits_between(again.initial_offset(), offset, 1)


def test_a_damaged_log_is_refused(tmp_path: Path) -> None:
    (tmp_path / "files.jsonl").write_text('{"path": 1\n')
    with pytest.raises(DataError, match=r"files\.jsonl, line 1: the checkpoint's log of files is damaged"):
        source(tmp_path).keep_log(str(tmp_path))


def test_a_file_that_has_grown_is_reported_once(tmp_path: Path) -> None:
    write(tmp_path / "a.json", 0, 3)
    made = source(tmp_path)
    made.keep_log(str(tmp_path / "_log"))
    _, offset = drain(made, made.initial_offset(), ReadLimit())
    assert made.notices() == []
    with (tmp_path / "a.json").open("a") as file:
        file.write('{"n": 4}\n')
    again = source(tmp_path)
    again.keep_log(str(tmp_path / "_log"))
    assert drain(again, offset, ReadLimit())[0] == []
    (notice,) = again.notices()
    assert notice.startswith(f"{tmp_path / 'a.json'}: 9 bytes were added after it was found and are not read")
    assert again.notices() == []


def test_files_that_are_new_after_a_bounded_query_are_reported_once(tmp_path: Path) -> None:
    write(tmp_path / "a.json", 0, 3)
    made = source(tmp_path)
    made.keep_log(str(tmp_path / "_log"))
    _, offset = drain(made, made.initial_offset(), ReadLimit())
    write(tmp_path / "b.json", 3, 6)
    assert made.notices() == []
    again = source(tmp_path)
    again.keep_log(str(tmp_path / "_log"))
    assert drain(again, offset, ReadLimit())[0] == []
    (notice,) = again.notices()
    assert notice.startswith(f"{tmp_path}: 1 file is new since the query's first run, and not read (")
    assert again.notices() == []
