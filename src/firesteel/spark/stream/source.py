"""A source chain as a Spark Python data source: Spark keeps the offsets, the chain reads and decodes.

For offsets and partitions, Spark creates a reader in a separate process on the driver's machine. For reading,
it sends the reader to the workers. Both create the source from the chain's spec.
"""

from __future__ import annotations

import base64
import pickle
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadLimit as SparkReadLimit
from pyspark.sql.streaming.datasource import ReadMaxRows, SupportsTriggerAvailableNow
from pyspark.sql.types import StructType

from firesteel.connectors.base import History, ReadLimit
from firesteel.notices import say
from firesteel.runtime.dataflow.sequence import split_numbers
from firesteel.runtime.spec.tables import ScanSpec, ValuesSpec
from firesteel.spark.internals.tasks import batch_number
from firesteel.spark.stream.admitted_rows import admitted_rows
from firesteel.spark.stream.batch_clock import BatchClock, NoRows, Ticks, ticks_between, time_of, without_time
from firesteel.spark.stream.ending_source import EndingSource
from firesteel.spark.stream.part_of_source import PartOfSource
from firesteel.spark.stream.replaying_source import NO_REPLAYS, ReplayingSource, SourceReplays
from firesteel.spark.stream.rows import packet_schema, to_batch
from firesteel.spark.stream.sequential_source import SequentialSource
from firesteel.spark.stream.source_start import note_start
from firesteel.spark.task.source_task import SourceTask
from firesteel.spark.task.spilled_packets import IN_MEMORY_ONLY, Spill, SpilledPackets
from firesteel.spark.task.splits import by_channel, numbered, open_head

FORMAT = "firesteel"


@dataclass(frozen=True)
class SourceOptions:
    """Options of the data source.

    Attributes:
        task: The task that reads the source.
        labels: Numbers by which Spark knows the key groups (spark/internals/hash_partitions.py).
        parallelism: Number of tasks to read with.
        numbers: Range of the source's split numbers in a batch. The upper bits of a row's sequence are its
            split number, so the rows of a source with lower numbers come first.
        max_rows: Most rows of a batch.
        is_rough: Whether the source may estimate rows for the limit `max_rows` instead of counting them.
        log: Folder of the checkpoint for the data that offsets refer to; "" for none.
        earlier: Specs of bounded sources that are read before this one (spark/stream/sequential_source.py).
        ticks: Settings of ticks (spark/stream/batch_clock.py).
        interval: Milliseconds of a mini-batch (spark/stream/batch_clock.py).
        has_rows: Whether the source has rows. If not, it only makes timers fire.
        histories: The part of this source that is read instead of all its data, then such a part of each
            source in `earlier`. () reads all data of all of them.
        max_bytes: Most bytes of a batch, for sources with `limits_bytes` (connectors/base.py).
        spill: Folder for packets that are too large for memory.
        replays: Replays of the source.
        admitted: File with the limit of rows of the next micro-batch, "" for none (admitted_rows.py).
        commits: Whether the sources commit offsets to their own systems (Source.enable_commits).
    """

    task: SourceTask
    labels: tuple[int, ...]
    parallelism: int
    numbers: range = split_numbers(0, 1)
    max_rows: int = 1 << 62
    is_rough: bool = False
    log: str = ""
    earlier: tuple[ScanSpec | ValuesSpec, ...] = ()
    ticks: Ticks | None = None
    interval: int = 0
    has_rows: bool = True
    histories: tuple[History, ...] = ()
    max_bytes: int | None = None
    spill: Spill = IN_MEMORY_ONLY
    replays: SourceReplays = NO_REPLAYS
    admitted: str = ""
    commits: bool = False

    def encode(self) -> str:
        """Return these options as the text of one option of a Spark data source."""
        return base64.b64encode(pickle.dumps(self)).decode()


class FiresteelSource(DataSource):
    """The Spark data source called `firesteel`."""

    @classmethod
    def name(cls) -> str:
        return FORMAT

    def schema(self) -> StructType:
        return packet_schema()

    def streamReader(self, schema: StructType) -> ChainReader:
        return ChainReader(pickle.loads(base64.b64decode(self.options["chain"])))


class ChangelogSource(FiresteelSource):
    """The data source in a user's session, where it is called `firesteel-changelog`.

    It needs its own name: if the user's session has registered a name, Spark does not let a job's session
    register it again or use it.
    """

    @classmethod
    def name(cls) -> str:
        return f"{FORMAT}-changelog"


class ChainReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """A reader of one source chain."""

    def __init__(self, options: SourceOptions) -> None:
        self._options = options
        self._source: Any = None
        self._own: Any = None
        self._clock = BatchClock(options.ticks, options.interval)

    def __getstate__(self) -> dict[str, Any]:
        """Return the state to pickle, without open sources: a worker opens its own."""
        return {"_options": self._options, "_source": None, "_own": None}

    def initialOffset(self) -> dict[str, Any]:
        source, options = self._opened(), self._options
        first = source.initial_offset()
        if options.log and options.has_rows:
            note_start(options.log, first)
        return self._clock.first(first)

    def getDefaultReadLimit(self) -> SparkReadLimit:
        return ReadMaxRows(self._options.max_rows)

    def latestOffset(self, start: dict[str, Any], limit: SparkReadLimit) -> dict[str, Any]:
        rows = limit.max_rows if isinstance(limit, ReadMaxRows) else None
        if (admitted := admitted_rows(self._options.admitted)) is not None:
            rows = admitted if rows is None else min(rows, admitted)
        opened = self._opened()
        size = self._options.max_bytes if self._own.limits_bytes else None
        read = ReadLimit(rows, size, is_rough=self._options.is_rough)
        latest = self._clock.next(start, partial(opened.latest_offset, limit=read))
        for notice in [*self._own.notices(), *self._clock.notices()]:
            say(notice)
        return latest

    def prepareForTriggerAvailableNow(self) -> None:
        """Do nothing: all sources that run with this trigger end by themselves.

        These are bounded sources, and in a replay all sources, because they read only replayed rows.
        """

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[InputPartition]:
        own, last = without_time(start), without_time(end)
        opened = self._opened()
        splits = opened.splits_between(own, last, self._options.parallelism)
        if self._options.task.context.watermarked:
            splits = by_channel(self._own, splits)
        splits = [*opened.replayed_between(own, last), *splits]
        work = [(split, time_of(end)) for split in numbered(splits, self._options.numbers)]
        return [InputPartition(each) for each in [*work, *_ticks(start, end)]]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        split, now = partition.value
        task = self._options.task.at(now)
        with SpilledPackets(self._options.spill) as spilled:
            for packet in task.tick() if split is None else task.packets([split], batch_number()):
                yield to_batch(spilled.sent(packet), self._options.labels, now)

    @property
    def _ends(self) -> bool:
        """Whether offsets record that the source has ended, so that it sends a last watermark once."""
        return bool(self._options.task.context.watermarked) and self._own.bounded

    def _opened(self) -> Any:
        if self._source is None:
            options = self._options
            parts = options.histories or (None,) * (1 + len(options.earlier))
            opened = partial(_open, commits=options.commits)
            self._own = opened(options.task.source, options.log) if options.has_rows else NoRows()
            self._source = _part(self._own, parts[0])
            if self._ends:
                self._source = EndingSource(self._source)
            if options.earlier:
                logs = [
                    f"{options.log}-after-{i}" if options.log else "" for i in range(len(options.earlier))
                ]
                earlier = map(_part, map(opened, options.earlier, logs), parts[1:])
                self._source = SequentialSource(self._source, list(earlier))
            self._source = ReplayingSource(self._source, options.replays)
        return self._source


def _ticks(start: dict[str, Any], end: dict[str, Any]) -> list[tuple[None, int]]:
    """Return [(None, processing time)], the partition that makes timers fire, for a tick; else []."""
    return [(None, time_of(end))] if ticks_between(start, end) else []


def _part(source: Any, part: History | None) -> Any:
    """Return a source that reads only `part` of `source`; `source` itself if the part is None."""
    return source if part is None else PartOfSource(source, part)


def _open(head: Any, log: str, commits: bool) -> Any:
    source = open_head(head)
    if log:
        source.keep_log(log)
    if commits:
        source.enable_commits()
    return source
