"""A micro-batch of files has a bounded number of bytes, whatever the length of their lines."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from firesteel.connectors.base import ReadLimit
from firesteel.connectors.filesystem import offsets as filesystem_offsets
from tests.connectors.filesystem.test_source import drain, source, write

LIMIT = 100_000


def write_lines(path: Path, lengths: list[int]) -> None:
    lines = [json.dumps({"n": n, "s": "x" * length}) for n, length in enumerate(lengths)]
    path.write_text("".join(f"{line}\n" for line in lines))


@pytest.mark.parametrize("lengths", [[20] * 3000 + [5000] * 200, [5000] * 200 + [20] * 3000, [500] * 2000])
def test_lines_that_grow_or_shrink_are_counted_by_their_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lengths: list[int]
) -> None:
    monkeypatch.setattr(filesystem_offsets, "_READ_SIZE", 1000)
    write_lines(tmp_path / "a.json", lengths)
    made = source(tmp_path)
    limit = ReadLimit(rows=2_000_000, bytes=LIMIT, is_rough=True)
    batches, offset = drain(made, made.initial_offset(), limit)
    assert [n for batch in batches for n in batch] == list(range(len(lengths)))
    assert made.is_finished(offset)
    sizes = [sum(lengths[n] + len(f'{{"n": {n}, "s": ""}}\n') for n in batch) for batch in batches]
    assert max(sizes) <= LIMIT * 9 / 8 + 6000
    assert min(sizes[:-1]) >= LIMIT * 7 / 8


def test_the_host_limits_the_bytes_of_files(tmp_path: Path) -> None:
    write(tmp_path / "a.json", 0, 10, time=1000)
    assert source(tmp_path).limits_bytes


def test_small_files_are_taken_together(tmp_path: Path) -> None:
    for number in range(20):
        write_lines(tmp_path / f"{number:02}.json", [1000] * 10)
    made = source(tmp_path)
    limit = ReadLimit(rows=2_000_000, bytes=LIMIT, is_rough=True)
    batches, _ = drain(made, made.initial_offset(), limit)
    assert [len(batch) for batch in batches[:-1]] == [99, 99]
    assert sum(map(len, batches)) == 200
