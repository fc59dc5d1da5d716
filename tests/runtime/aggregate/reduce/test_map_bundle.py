"""The three ends of a bundle: enough rows, a watermark, the barrier of the micro-batch."""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa
import pytest

from firesteel.changelog import SEQUENCE
from firesteel.runtime.dataflow.operator import Message, Watermark
from firesteel.runtime.dataflow.sequence import sequences
from firesteel.runtime.operators.group.map_bundle import MapBundle
from firesteel.types.sql import STRING
from tests.runtime.changes import parse, to_table

TYPES = (STRING, STRING)
MARK = Watermark(7)
SCHEMA = pa.schema([(SEQUENCE, pa.int64()), ("text", pa.string())])


class Joined:
    """A bundle function as Flink's test has it: the values of each key, joined."""

    def __init__(self) -> None:
        self.flushes = 0

    def finish_bundle(self, changes: pa.Table) -> pa.Table:
        self.flushes += 1
        found: dict[str, list[str]] = {}
        for key, value in zip(changes["f0"].to_pylist(), changes["f1"].to_pylist(), strict=True):
            found.setdefault(key, []).append(value)
        texts = [f"{key}={','.join(values)}" for key, values in found.items()]
        return pa.table({SEQUENCE: range(len(texts)), "text": texts}, schema=SCHEMA)


def texts(messages: Iterable[Message]) -> list[str]:
    """The texts that come out, and each watermark as W and its time."""
    return [
        text
        for m in messages
        for text in ([f"W{m.time}"] if isinstance(m, Watermark) else m["text"].to_pylist())
    ]


def test_size_counts_rows_not_keys() -> None:
    """MapBundleOperatorTest."""
    function = Joined()
    bundle = MapBundle(function, 3)
    assert texts(bundle.changes(to_table(parse("+I k1 v1, +I k1 v2", TYPES), TYPES))) == []
    assert texts(bundle.changes(to_table(parse("+I k2 v3", TYPES), TYPES))) == ["k1=v1,v2", "k2=v3"]
    assert texts(bundle.changes(to_table(parse("+I k3 v4, +I k4 v5", TYPES), TYPES))) == []
    assert texts(bundle.barrier()) == ["k3=v4", "k4=v5"]
    assert texts(bundle.barrier()) == []
    assert function.flushes == 2


@pytest.mark.parametrize("batch", [1, 2, 5, 8])
def test_every_second_row_ends_a_bundle(batch: int) -> None:
    """CountBundleTriggerTest, however the rows come."""
    bundle = MapBundle(Joined(), 2)
    rows = parse(", ".join(f"+I k v{i}" for i in range(8)), TYPES)
    out = []
    for start in range(0, 8, batch):
        out += texts(bundle.changes(to_table(rows[start : start + batch], TYPES)))
    assert out == ["k=v0,v1", "k=v2,v3", "k=v4,v5", "k=v6,v7"]
    assert texts(bundle.barrier()) == []


def test_a_watermark_flushes_what_is_held() -> None:
    bundle = MapBundle(Joined(), 100)
    assert texts(bundle.watermark(MARK)) == ["W7"]
    bundle.changes(to_table(parse("+I a 1, +I b 2", TYPES), TYPES))
    assert texts(bundle.watermark(MARK)) == ["a=1", "b=2", "W7"]
    assert texts(bundle.watermark(MARK)) == ["W7"]


class LastFirst(Joined):
    """Gives the rows of a bundle with their orders, the last one first."""

    def finish_bundle(self, changes: pa.Table) -> pa.Table:
        sequence = sequences(changes)[::-1].tolist()
        return pa.table({SEQUENCE: sequence, "text": changes["f1"].to_pylist()[::-1]}, schema=SCHEMA)


def test_what_comes_out_stands_by_order() -> None:
    """Else a bundle further down could cut it into parts that are put together the other way around."""
    bundle = MapBundle(LastFirst(), 3)
    rows = to_table(parse(", ".join(f"+I k v{i}" for i in range(7)), TYPES), TYPES)
    assert texts([*bundle.changes(rows), *bundle.barrier()]) == [f"v{i}" for i in range(7)]
