"""The connector `datagen`, a source of generated rows. Flink: DataGenTableSourceFactory.

A row depends only on its number, on a seed, and on a time of creation for its date and time columns. Splits
and offsets contain the seed and the time. So a retried task or a repeated batch generates the same rows.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from firesteel.catalog.schema import SourceTraits, Table
from firesteel.changelog import INSERT_ONLY, KIND, SEQUENCE, RowKind, field
from firesteel.config.option import Kind, Option
from firesteel.connectors.base import Offset, ReadLimit, Sink, Source, Split
from firesteel.connectors.datagen.columns import CHUNK, Moment, column
from firesteel.connectors.datagen.options import (
    FIELD_OPTIONS,
    RANDOM_KIND,
    SEQUENCE_KIND,
    FieldOptions,
    field_options,
    option_keys,
)
from firesteel.connectors.options import CONNECTOR, check_unknown, integer, keys
from firesteel.errors import ValidationError
from firesteel.runtime.dataflow.sequence import row_sequences
from firesteel.runtime.spec.tables import ScanSpec, SinkSpec
from firesteel.types.arrow import to_arrow
from firesteel.types.sql import SqlType

ROWS_PER_SECOND = 10_000
OPTIONS = (
    CONNECTOR,
    Option(
        "number-of-rows", Kind.LONG, None, "How many rows there are; no end without it.", decides_offsets=True
    ),
    Option("rows-per-second", Kind.LONG, str(ROWS_PER_SECOND), "Most rows in a second."),
    Option("scan.parallelism", Kind.INTEGER, None, "Accepted for Flink's scripts; has no effect."),
)
_BATCH = 16 * CHUNK
_NEVER = 1 << 62


class DatagenSource(Source):
    """Source of generated rows (connectors/base.py).

    The rows of each second come at once, then a pause follows, as in Flink. On a stream, `latest_offset`
    counts only the rows that are due by now, and tasks read them without a pause. In a bounded read, `read`
    sleeps until the next rows are due.
    """

    def __init__(self, scan: ScanSpec) -> None:
        self._scan = scan
        options = dict(scan.options)
        self._fields = [field_options(n, k, options) for n, k in zip(scan.names, scan.types, strict=True)]
        self._rate = integer(options, "rows-per-second", ROWS_PER_SECOND, least=1)
        self._total = _total(options, self._fields)

    @property
    def bounded(self) -> bool:
        return self._total is not None

    def splits(self, parallelism: int) -> list[Split]:
        total = self._total or 0
        count = max(1, min(parallelism, -(-total // _BATCH)))
        bounds = [total * i // count for i in range(count + 1)]
        rates = [self._rate * (i + 1) // count - self._rate * i // count for i in range(count)]
        common = {"seed": random.getrandbits(63), "now": time.time_ns() // 1_000_000}
        return [
            Split(i, {"first": bounds[i], "end": bounds[i + 1], "rate": max(1, rates[i]), **common})
            for i in range(count)
        ]

    def initial_offset(self) -> Offset:
        now = time.time_ns() // 1_000_000
        return {"row": 0, "seed": random.getrandbits(63), "began": now, "now": now}

    def latest_offset(self, start: Offset, limit: ReadLimit) -> Offset:
        now = time.time_ns() // 1_000_000
        due = (max(0, now - start["began"]) // 1000 + 1) * self._rate
        row = min(due, self._total if self._total is not None else _NEVER)
        if limit.rows is not None:
            row = min(row, start["row"] + limit.rows)
        if row <= start["row"]:
            return start
        return {**start, "row": row, "now": now}

    def splits_between(self, start: Offset, end: Offset, parallelism: int) -> list[Split]:
        first, count = start["row"], end["row"] - start["row"]
        if count <= 0:
            return []
        parts = max(1, min(parallelism, -(-count // _BATCH)))
        bounds = [first + count * i // parts for i in range(parts + 1)]
        common = {"seed": end["seed"], "now": end["now"], "rate": None}
        return [Split(i, {"first": bounds[i], "end": bounds[i + 1], **common}) for i in range(parts)]

    def is_finished(self, offset: Offset) -> bool:
        return self._total is not None and offset["row"] >= self._total

    def read(self, split: Split) -> Iterator[pa.Table]:
        data = split.data
        began, rate = time.monotonic(), data["rate"]
        row = data["first"]
        while row < data["end"]:
            end = min(data["end"], (row // _BATCH + 1) * _BATCH)
            if rate is not None:
                end = min(end, data["first"] + _due(row - data["first"], rate, began))
            yield self._rows(row, end, row_sequences(split.ordinal, row - data["first"], end - row), data)
            row = end

    def _rows(self, first: int, end: int, sequences: pa.Array, data: dict[str, int]) -> pa.Table:
        """Return the changes for rows [first, end).

        Args:
            first: Number of the first row.
            end: Number of the last row plus 1.
            sequences: Sequence of each change (the column `$order`).
            data: The split's data, with `seed`, and `now`: time of creation in milliseconds since 1970.
        """
        count = end - first
        columns: list[pa.Array | pa.ChunkedArray] = [
            pa.array(np.full(count, RowKind.INSERT, dtype=np.int8)),
            sequences,
        ]
        chunks = range(first // CHUNK, (end - 1) // CHUNK + 1)
        for position in self._scan.projection:
            made = pa.chunked_array([self._column(position, chunk, data) for chunk in chunks])
            columns.append(made.slice(first - chunks[0] * CHUNK, count))
        names = [KIND, SEQUENCE, *(field(index) for index in range(len(self._scan.projection)))]
        return pa.Table.from_arrays(columns, names=names)

    def _column(self, position: int, chunk: int, data: dict[str, int]) -> pa.Array:
        key = [data["seed"], position << 40 | chunk]
        moment = Moment(chunk * CHUNK, CHUNK, np.random.Generator(np.random.Philox(key=key)), data["now"])
        kind = self._scan.types[position]
        return column(kind, self._fields[position], moment).cast(to_arrow(kind))


def _due(done: int, rate: int, began: float) -> int:
    """Return how many rows of a split are due by now, with those that are read already.

    If all due rows are read, wait until the next second, when more rows are due.

    Args:
        done: Number of rows of the split that are read already.
        rate: Rows per second for this split.
        began: Time at which the reading of the split began, in seconds of the monotonic clock.
    """
    due = (int(time.monotonic() - began) + 1) * rate
    if due <= done:
        time.sleep(max(0.0, began + done // rate - time.monotonic()))
        due = (done // rate + 1) * rate
    return due


def _total(options: dict[str, str], fields: list[FieldOptions]) -> int | None:
    """Return the number of rows of the table; None if the table has no end.

    The number is the smallest of `number-of-rows` and the lengths of all sequence fields.
    """
    ends = [one.end - one.start + 1 for one in fields if one.kind == SEQUENCE_KIND]
    if "number-of-rows" in options:
        ends.append(integer(options, "number-of-rows", 0, least=0))
    return min(ends, default=None)


class Datagen:
    """The connector `datagen`, which generates rows (connectors/base.py: Connector)."""

    name = "datagen"
    options = (*OPTIONS, *FIELD_OPTIONS)

    def validate(self, table: Table) -> None:
        options = dict(table.options)
        known = keys(OPTIONS)
        for name, kind in _physical(table):
            field_options(name, kind, options)
            known += option_keys(name, kind, options.get(f"fields.{name}.kind", RANDOM_KIND))
        check_unknown(self.name, options, known)
        integer(options, "rows-per-second", ROWS_PER_SECOND, least=1)
        integer(options, "number-of-rows", 0, least=0)

    def traits(self, table: Table) -> SourceTraits:
        options = dict(table.options)
        fields = [field_options(name, kind, options) for name, kind in _physical(table)]
        return SourceTraits(INSERT_ONLY, bounded=_total(options, fields) is not None, pushes_projection=False)

    def source(self, scan: ScanSpec) -> Source:
        return DatagenSource(scan)

    def sink(self, sink: SinkSpec) -> Sink:
        raise ValidationError(
            f"Connector '{self.name}' can only be used as a source. It cannot be used as a sink."
        )


def _physical(table: Table) -> list[tuple[str, SqlType]]:
    return [(one.name, one.type) for one in table.columns if one.is_physical]
