"""Splits of sources: opened, divided by watermark channel, and numbered within a micro-batch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import pyarrow as pa

from firesteel.changelog import SEQUENCE
from firesteel.connectors.base import Source, Split
from firesteel.connectors.registry import open_source
from firesteel.runtime.dataflow.sequence import row_sequences, split_number
from firesteel.runtime.spec.tables import ScanSpec, ValuesSpec


def open_head(head: ScanSpec | ValuesSpec) -> Source:
    """Return the source that a chain reads: that of a connector, or literal rows."""
    if isinstance(head, ScanSpec):
        return open_source(head)
    from firesteel.spark.literal_rows import LiteralRows

    return LiteralRows(head)


def bounded_splits(
    head: ScanSpec | ValuesSpec, parallelism: int, numbers: range, tells_end: bool = False
) -> list[Split]:
    """Return all splits of a bounded source, in the order of the source.

    Args:
        head: ScanSpec or ValuesSpec of the source.
        parallelism: Number of tasks to read with.
        numbers: The numbers that the splits of this source may get. Other sources of the job have others.
        tells_end: Whether to add a split for each channel of the source, which sends the last watermark.
    """
    source = open_head(head)
    splits = source.splits(parallelism)
    return numbered([*by_channel(source, splits), *ends(source)] if tells_end else splits, numbers)


def by_channel(source: Source, splits: list[Split]) -> list[Split]:
    """Return the splits, divided so that all rows of a split belong to one watermark channel.

    Splits that mark the end of the source (Split.ends) come last.
    """
    cut = source.by_channel([split for split in splits if not split.ends])
    return [*cut, *(split for split in splits if split.ends)]


def ends(source: Source) -> list[Split]:
    """Return the splits that mark the end of a bounded source, one for each channel."""
    return [Split(0, {}, ends=True, channel=number) for number in source.channels()]


def numbered(splits: Iterable[Split], numbers: range) -> list[Split]:
    """Return the splits in order with the first numbers of `numbers`, the range of their source."""
    return [replace(split, ordinal=split_number(numbers, i)) for i, split in enumerate(splits)]


def split_rows(split: Split) -> Iterator[pa.Table]:
    """Yield the rows of replayed dead letters that a split contains (Split.rows), with their sequences."""
    assert split.rows is not None
    read = 0
    with pa.ipc.open_stream(split.rows) as stream:
        for batch in stream:
            rows = pa.Table.from_batches([batch])
            yield rows.add_column(1, SEQUENCE, row_sequences(split.ordinal, read, rows.num_rows))
            read += rows.num_rows
