"""Offsets and splits of a source with replays."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from firesteel.changelog import KIND, SEQUENCE
from firesteel.connectors.base import Offset, ReadLimit, Split
from firesteel.errors import JobError
from firesteel.runtime.dataflow.sequence import ROW_BITS
from firesteel.spark.checkpoint.replays import Replay, keep, rows_of_chain
from firesteel.spark.stream.replaying_source import ReplayingSource, SourceReplays, without_replays
from firesteel.spark.task.splits import split_rows

ALL = ReadLimit()


class Counting:
    """A source with ten rows more in each batch."""

    def initial_offset(self) -> Offset:
        return {"at": 0}

    def latest_offset(self, start: Offset, limit: ReadLimit) -> Offset:
        return {"at": start["at"] + 10}

    def splits_between(self, start: Offset, end: Offset, parallelism: int) -> list[Split]:
        return [Split(0, {"from": start["at"], "to": end["at"]})]


def prepared(folder: Path, *values: int, channel: int = 0) -> str:
    """Keep a replay of chain 0 and return its name."""
    rows = pa.table({KIND: pa.array([0] * len(values), pa.int8()), "f0": pa.array(values, pa.int32())})
    keep(str(folder), Replay({0: {channel: rows}}, [(0, str(value)) for value in values]))
    return rows_of_chain(str(folder), 0)[-1].name


def source(folder: Path, *, alone: bool = False) -> ReplayingSource:
    return ReplayingSource(Counting(), SourceReplays(rows_of_chain(str(folder), 0), alone))


def test_without_replays_offsets_are_the_sources(tmp_path: Path) -> None:
    made = source(tmp_path)
    assert made.initial_offset() == {"at": 0}
    assert made.latest_offset({"at": 0}, ALL) == {"at": 10}
    assert made.replayed_between({"at": 0}, {"at": 10}) == []


def test_all_replays_come_with_the_next_batch_and_once(tmp_path: Path) -> None:
    prepared(tmp_path, 1, 2)
    name = prepared(tmp_path, 3, channel=7)
    made = source(tmp_path)
    end = made.latest_offset({"at": 10}, ALL)
    assert end == {"at": 20, "$replayed": name}
    assert without_replays(end) == {"at": 20}
    first, second = made.replayed_between({"at": 10}, end)
    assert (first.channel, second.channel) == (0, 7)
    assert made.splits_between({"at": 10}, end, 1)[0].data == {"from": 10, "to": 20}
    later = made.latest_offset(end, ALL)
    assert later == {"at": 30, "$replayed": name}
    assert made.replayed_between(end, later) == []
    assert made.splits_between(end, later, 1)[0].data == {"from": 20, "to": 30}


def test_alone_they_move_no_other_rows(tmp_path: Path) -> None:
    name = prepared(tmp_path, 1)
    made = source(tmp_path, alone=True)
    end = made.latest_offset({"at": 10}, ALL)
    assert end == {"at": 10, "$replayed": name}
    assert made.splits_between({"at": 10}, end, 1) == []
    assert made.latest_offset(end, ALL) == end


def test_rows_are_numbered_by_their_split(tmp_path: Path) -> None:
    name = prepared(tmp_path, 5, 6)
    (split,) = source(tmp_path).replayed_between({"at": 0}, {"at": 0, "$replayed": name})
    (rows,) = split_rows(Split(3, {}, rows=split.rows))
    assert rows.column_names == [KIND, SEQUENCE, "f0"]
    assert rows[SEQUENCE].to_pylist() == [3 << ROW_BITS, (3 << ROW_BITS) + 1]
    assert rows["f0"].to_pylist() == [5, 6]


def test_a_lost_replay_is_an_error(tmp_path: Path) -> None:
    prepared(tmp_path, 1)
    with pytest.raises(JobError, match="has lost its replay 000007-x"):
        source(tmp_path).replayed_between({"at": 0}, {"at": 0, "$replayed": "000007-x"})
