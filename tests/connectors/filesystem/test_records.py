"""Csv files whose records hold line ends, read in pieces."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firesteel.connectors.base import ReadLimit, Source
from firesteel.connectors.filesystem import splits as filesystem_splits
from firesteel.connectors.registry import connector
from firesteel.errors import DataError
from firesteel.runtime.spec.tables import ScanSpec
from firesteel.types.sql import STRING

Rows = list[tuple[str, str]]
VALUES = st.lists(
    st.text("ab,\n\r \"ü'", max_size=12).map(lambda text: '"' + text.replace('"', '""') + '"')
    | st.text('ab ü"', max_size=5),
    min_size=1,
    max_size=40,
)


def source(path: Path, **options: str) -> Source:
    given = {"connector": "filesystem", "path": str(path), "format": "csv", "csv.ignore-parse-errors": "true"}
    given |= options
    return connector("filesystem").source(
        ScanSpec("filesystem", tuple(given.items()), ("s", "t"), (STRING, STRING), (0, 1))
    )


def rows(made: Source, splits: list[filesystem_splits.Split]) -> Rows:
    tables = [table for split in splits for table in made.read(split)]
    return [pair for t in tables for pair in zip(t["f0"].to_pylist(), t["f1"].to_pylist(), strict=True)]


@settings(deadline=None)
@given(values=VALUES, parallelism=st.integers(2, 9), piece=st.integers(1, 60), limit=st.integers(1, 9))
def test_pieces_and_micro_batches_hold_each_record_once(
    tmp_path_factory: pytest.TempPathFactory, values: list[str], parallelism: int, piece: int, limit: int
) -> None:
    path = tmp_path_factory.mktemp("csv") / "a.csv"
    path.write_text("\n".join(f"{value},{n}" for n, value in enumerate(values)) + "\n", newline="")
    whole = outcome(lambda: rows(source(path), source(path).splits(1)))
    with patch.multiple(filesystem_splits, MIN_PIECE=piece, _WHOLE_READ_SIZE=1):
        made = source(path)
        assert outcome(lambda: rows(made, made.splits(parallelism))) == whole
        for bound in (ReadLimit(rows=limit), ReadLimit(bytes=10 * limit)):
            assert outcome(partial(in_batches, source(path), bound, parallelism)) == whole


def outcome(read: Callable[[], Rows]) -> Rows | None:
    """The rows, None where a record fails the job."""
    try:
        return read()
    except DataError:
        return None


def in_batches(made: Source, limit: ReadLimit, parallelism: int) -> Rows:
    found, offset = [], made.initial_offset()
    while (end := made.latest_offset(offset, limit)) != offset:
        batch = rows(made, made.splits_between(offset, end, parallelism))
        assert limit.rows is None or len(batch) <= limit.rows
        found += batch
        offset = end
    return found


def test_a_file_of_quoted_values_is_read_in_pieces(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text('"x\n""y"",",1\n' * 1000)
    with patch.object(filesystem_splits, "MIN_PIECE", 1000):
        made = source(path)
        splits = made.splits(4)
        assert [len(rows(made, [split])) for split in splits] == [250] * 4
    assert set(rows(made, splits)) == {('x\n"y",', "1")}


def test_about_so_many_records_are_a_micro_batch(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text('"x\n""y"",",1\n' * 100_000)
    made = source(path)
    end = made.latest_offset(made.initial_offset(), ReadLimit(rows=60_000, is_rough=True))
    assert len(rows(made, made.splits_between(made.initial_offset(), end, 3))) == 60_000
