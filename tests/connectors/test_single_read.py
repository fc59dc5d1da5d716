"""Sources that are read in one micro-batch: their offsets, which checkpoints contain."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest

from firesteel.connectors.base import Source, Split
from firesteel.connectors.dataframe import SnapshotSource
from firesteel.connectors.jdbc.source import JdbcSource
from firesteel.connectors.single_read import SingleReadSource
from firesteel.spark.literal_rows import LiteralRows


class Lines(SingleReadSource):
    """Source with two splits."""

    def splits(self, parallelism: int) -> list[Split]:
        return [Split(0, {}), Split(1, {})]

    def read(self, split: Split) -> Iterator[pa.Table]:
        return iter(())


def test_the_rows_are_read_once() -> None:
    source = Lines()
    start = source.initial_offset()
    end = source.latest_offset(start, None)  # type: ignore[arg-type]
    assert source.bounded
    assert [source.is_finished(offset) for offset in (start, end)] == [False, True]
    assert source.splits_between(start, end, 2) == source.splits(2)
    assert source.splits_between(end, source.latest_offset(end, None), 2) == []  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("kind", "offsets"),
    [
        (SnapshotSource, ['{"read": 0}', '{"read": 1}']),
        (JdbcSource, ['{"read": 0}', '{"read": 1}']),
        (LiteralRows, ['{"read": false}', '{"read": true}']),
    ],
)
def test_offsets_stay_as_checkpoints_have_them(kind: type[Source], offsets: list[str]) -> None:
    source: Any = object.__new__(kind)
    start = source.initial_offset()
    assert [json.dumps(each) for each in (start, source.latest_offset(start, None))] == offsets
