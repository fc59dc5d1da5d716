"""Driving an operator, or a chain, by hand: a word a message in, what it gives out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import pyarrow as pa

from firesteel.runtime.dataflow.operator import MAX_WATERMARK, Message, Operator, Watermark, WatermarkedBatch
from firesteel.types.sql import SqlType
from tests.runtime.changes import Row, parse, show, to_rows, to_table

Types = Sequence[SqlType]


class Driver:
    """Sends messages to an operator. types: of the rows of each port."""

    def __init__(self, operator: Operator, *types: Types) -> None:
        self._operator = operator
        self._types = types
        self._order = 0

    def changes(self, text: str, port: int = 0) -> str:
        """Rows, as `+I a 1, -U a 1`, in one table."""
        rows = parse(text, self._types[port])
        table = to_table(rows, self._types[port], self._order)
        self._order += len(rows)
        return told(self._operator.changes(table, port))

    def watermark(self, time: int, port: int = 0) -> str:
        return told(self._operator.watermark(Watermark(time), port))

    def watermarked(self, text: str, *marks: tuple[int, int], port: int = 0) -> str:
        """Rows in one table, with watermarks among them: (how many of the rows come before it, its time)."""
        rows = parse(text, self._types[port])
        table = to_table(rows, self._types[port], self._order)
        at, times = (np.array(column, np.int64) for column in zip(*marks, strict=True))
        message = WatermarkedBatch(table, times, self._order + at - 1)
        self._order += len(rows)
        return told(self._operator.watermarked(message, port))

    def barrier(self) -> str:
        return told(self._operator.barrier())

    def end(self) -> str:
        return told(self._operator.end())


def told(messages: Iterable[Message]) -> str:
    """Rows as Flink prints them, watermarks as W7, all in their order."""
    parts = []
    for message in one_by_one(messages):
        if isinstance(message, Watermark):
            parts.append(f"W{'MAX' if message.time == MAX_WATERMARK else message.time}")
        else:
            parts.append(show(to_rows(message)))
    return " ".join(parts)


def all_rows(messages: Iterable[Message]) -> list[Row]:
    """The rows of all tables that come out."""
    return [row for m in one_by_one(messages) if not isinstance(m, Watermark) for row in to_rows(m)]


def one_by_one(messages: Iterable[Message]) -> Iterator[pa.Table | Watermark]:
    """The messages, tables with watermarks in them cut at these."""
    for message in messages:
        if isinstance(message, WatermarkedBatch):
            yield from message.pieces()
        else:
            yield message
