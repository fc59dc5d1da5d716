"""Driving aggregates of windows: TUMBLE 10 and its kin over (k STRING, v INT, ts TIMESTAMP(3))."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from firesteel.changelog import KIND, SEQUENCE, SHORT, field
from firesteel.runtime.dataflow.operator import MAX_WATERMARK, Message, Operator, Watermark, WatermarkedBatch
from firesteel.runtime.operators.window.local_window_aggregate import LocalWindowAggregate
from firesteel.runtime.operators.window.window_aggregate import WindowAggregate
from firesteel.runtime.spec.operators import AggregateSpec, GroupAggregateSpec
from firesteel.runtime.spec.window import (
    LocalWindowAggregateSpec,
    WindowAggregateSpec,
    WindowColumn,
    WindowsSpec,
    WindowTime,
)
from firesteel.runtime.state.base import StateBackend
from firesteel.types.arrow import to_arrow
from firesteel.types.sql import BIGINT, INT, STRING, SqlType, timestamp

TYPES: tuple[SqlType, ...] = (STRING, INT, timestamp(3))
BY_ROW_TIME = WindowTime(2, timestamp(3).with_nullable(False))
COUNT = AggregateSpec("COUNT", (), (), BIGINT.with_nullable(False))
SUM = AggregateSpec("SUM", (1,), (INT,), INT)
MAX = AggregateSpec("MAX", (1,), (INT,), INT)
LISTAGG = AggregateSpec("LISTAGG", (0,), (STRING,), STRING)
COUNT_DISTINCT = AggregateSpec("COUNT", (1,), (INT,), BIGINT.with_nullable(False), distinct=True)
HOUR = 3_600_000
ZONES = {"UTC": 0, "Asia/Shanghai": 8 * HOUR}
"""How far their clocks were ahead in 1970, in milliseconds."""

Row = tuple[str, str, "int | None", int]
"""(kind, k, v, milliseconds)."""


def tumble(size: int, offset: int = 0) -> WindowsSpec:
    return WindowsSpec("TUMBLE", size, size, offset)


def hop(size: int, slide: int, offset: int = 0) -> WindowsSpec:
    return WindowsSpec("HOP", size, slide, offset)


def cumulate(size: int, step: int, offset: int = 0) -> WindowsSpec:
    return WindowsSpec("CUMULATE", size, step, offset)


def aggregate(calls: Sequence[AggregateSpec], retracts: bool = False) -> GroupAggregateSpec:
    calls = [replace(each, retract=retracts) for each in calls]
    star = next((i for i, each in enumerate(calls) if each.function == "COUNT" and not each.args), None)
    return GroupAggregateSpec((0,), tuple(calls), TYPES, retracts, False, star if retracts else None)


def one_phase(
    windows: WindowsSpec, calls: Sequence[AggregateSpec] = (SUM, COUNT), retracts: bool = False,
    time: WindowTime = BY_ROW_TIME,
) -> WindowAggregateSpec:  # fmt: skip
    columns = (WindowColumn.START, WindowColumn.END)
    return WindowAggregateSpec(aggregate(calls, retracts), windows, time, columns, len(calls))


def local_phase(spec: WindowAggregateSpec) -> LocalWindowAggregateSpec:
    return LocalWindowAggregateSpec(spec.aggregate, spec.windows, spec.time, spec.window_end)


def global_phase(spec: WindowAggregateSpec) -> WindowAggregateSpec:
    return replace(spec, is_global=True)


class InTwoPhases(Operator):
    """A local and a global aggregate, one behind the other."""

    def __init__(self, spec: WindowAggregateSpec, state: StateBackend | None = None, columnar: bool = True):
        self._local = LocalWindowAggregate(local_phase(spec), columnar)
        self.whole = WindowAggregate(global_phase(spec), state, lambda: 0, columnar)

    def changes(self, table: pa.Table, port: int = 0) -> Iterable[Message]:
        return self._through(self._local.changes(table))

    def watermark(self, mark: Watermark, port: int = 0) -> Iterable[Message]:
        return self._through(self._local.watermark(mark))

    def watermarked(self, rows: WatermarkedBatch, port: int = 0) -> Iterable[Message]:
        return self._through(self._local.watermarked(rows))

    def barrier(self) -> Iterable[Message]:
        yield from self._through(self._local.barrier())
        yield from self.whole.barrier()

    def _through(self, messages: Iterable[Message]) -> Iterable[Message]:
        for message in messages:
            if isinstance(message, Watermark):
                yield from self.whole.watermark(message)
            elif isinstance(message, WatermarkedBatch):
                yield from self.whole.watermarked(message)
            else:
                yield from self.whole.changes(message)


def table_of(rows: Sequence[Row], start: int = 0) -> pa.Table:
    """A changes table; `$order` counts from `start`."""
    kinds, keys, values, times = zip(*rows, strict=True) if rows else ((), (), (), ())
    columns = [
        pa.array([SHORT.index(kind) for kind in kinds], pa.int8()),
        pa.array(range(start, start + len(rows)), pa.int64()),
        pa.array(keys, pa.string()),
        pa.array(values, pa.int32()),
        pa.array([time * 1000 for time in times], pa.int64()).cast(to_arrow(TYPES[2])),
    ]
    return pa.Table.from_arrays(columns, names=[KIND, SEQUENCE, *map(field, range(3))])


def marked_of(rows: Sequence[Row], marks: Sequence[tuple[int, int]], start: int = 0) -> WatermarkedBatch:
    """marks: (how many of the rows come before it, its time)."""
    at = np.array([each[0] for each in marks], np.int64)
    times = np.array([each[1] for each in marks], np.int64)
    return WatermarkedBatch(table_of(rows, start), times, start + at - 1)


def results(message: Message) -> list[tuple[object, ...]]:
    """The rows of a message: key, results, borders in milliseconds."""
    if isinstance(message, Watermark):
        return []
    table = message.table if isinstance(message, WatermarkedBatch) else message
    columns = [
        (column.cast(pa.int64()).to_numpy() // 1000).tolist()
        if pa.types.is_timestamp(column.type)
        else column.to_pylist()
        for column in table.columns[2:]
    ]
    return list(zip(*columns, strict=True))


def told(messages: Iterable[Message], ahead: int = 0) -> str:
    """`a 3 2 [0,10)` for each row, W7 for a watermark, in their order. ahead: milliseconds that are taken off
    the borders."""
    words = []
    for message in messages:
        for piece in message.pieces() if isinstance(message, WatermarkedBatch) else (message,):
            if isinstance(piece, Watermark):
                words.append("WMAX" if piece.time == MAX_WATERMARK else f"W{piece.time}")
                continue
            for *values, start, end in sorted(results(piece), key=lambda row: (row[-1], str(row[0]))):
                words.append(f"{' '.join(map(str, values))} [{start - ahead},{end - ahead})")
    return " | ".join(words)
