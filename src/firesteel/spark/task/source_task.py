"""A task that reads a source and runs the chains that begin with it.

Workers import this module, so it imports little: no Spark, no planner. Spark pickles the classes of an
imported module by name, so the worker's caches in module globals last from task to task. Code that Spark
pickles by value would get new globals in every task.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import pyarrow as pa

from firesteel.connectors.base import Split
from firesteel.connectors.dead_letters import LetterSource, source_id
from firesteel.runtime.dataflow.chain import standing_clock
from firesteel.runtime.dataflow.operator import MAX_WATERMARK, Watermark
from firesteel.runtime.dataflow.packets import FIRST, SKIPPED, TICK, Packet
from firesteel.runtime.dataflow.sequence import last_sequence
from firesteel.runtime.spec.tables import ScanSpec, ValuesSpec
from firesteel.spark.errors import guarded
from firesteel.spark.shipped_code import prepare_worker
from firesteel.spark.task.chain_runner import ChainRunner
from firesteel.spark.task.context import TaskContext, TaskId
from firesteel.spark.task.counters import TaskCounters
from firesteel.spark.task.dead_letters import DeadLetterOutput, sink_of_messages
from firesteel.spark.task.outputs import letter_output
from firesteel.spark.task.shuffle import Keyed, keyed
from firesteel.spark.task.splits import open_head, split_rows

ReadTables: TypeAlias = "Callable[[], Iterable[pa.Table]]"
"""Function that returns changes tables."""


@dataclass(frozen=True)
class SourceTask:
    """A task that reads splits of a source and runs the fragment that begins with it."""

    context: TaskContext

    @property
    def source(self) -> ScanSpec | ValuesSpec:
        source = self.context.fragment.head.source
        assert source is not None
        return source

    def packets(self, splits: Iterable[Split], batch: int = 0) -> Iterator[Packet]:
        """Yield the packets that result from the splits, in the order of the splits.

        A FiresteelError becomes the last packet of its split (spark/errors.py).

        Args:
            splits: The splits to read.
            batch: Number of the micro-batch; 0 on the batch host.
        """
        prepare_worker()
        for split in splits:
            run = self._end if split.ends else self._read if split.rows is None else self._replay
            task = TaskId(batch, index=split.ordinal, channel=split.channel)
            yield from guarded(partial(run, split, task))

    def at(self, now: int) -> SourceTask:
        """Return a copy with another processing time, in milliseconds."""
        return SourceTask(self.context.at(now))

    def tick(self) -> Iterator[Packet]:
        """Yield one packet for each target of each chain that has timers, so that due timers fire."""
        for chain, targets in self.context.timers:
            for target in range(targets):
                yield Packet(target, FIRST, 0, 0, b"", TICK, to=chain)

    def of_tables(self, tables: ReadTables, task: TaskId) -> Iterator[Packet]:
        """Send the changes tables that `tables()` returns through the chains, and yield the packets.

        Args:
            tables: Function that returns the changes tables.
            task: Identity of the task that sends the packets.
        """
        prepare_worker()
        return guarded(partial(self._run, tables, task))

    def keyed(self, splits: Iterable[Split]) -> Iterator[Keyed]:
        """Yield the packets of the splits as (key, packet) pairs, for a shuffle."""
        return keyed(self.packets(splits))

    def _read(self, split: Split, task: TaskId) -> Iterator[Packet]:
        head = self.source
        source = open_head(head)
        table = head.table if isinstance(head, ScanSpec) else ""
        number = sink_of_messages(self.context.fragment.sinks, table)
        letter_source = LetterSource(table, source_id(self.context.job, self.context.fragment.head.id))
        letters = DeadLetterOutput(
            self.context, task, letter_source, number, partial(letter_output, self.context, task)
        )
        source.dead_letters = letters.letters
        for packet in self._run(partial(source.read, split), task):
            yield packet
            yield from letters.flush()
        yield from letters.close()
        if source.skipped:
            yield Packet(0, FIRST, 0, 0, json.dumps(source.skipped).encode(), SKIPPED)

    def _replay(self, split: Split, task: TaskId) -> Iterator[Packet]:
        """Send the rows of replayed dead letters through the chains, and yield the packets.

        The split itself contains these rows (Split.rows).
        """
        return self._run(partial(split_rows, split), task)

    def _end(self, split: Split, task: TaskId) -> Iterator[Packet]:
        """Send the last watermark through the chains, after the rows of all splits. Yield the packets."""
        runner = self._runner(task, TaskCounters())
        yield from runner.send(Watermark(MAX_WATERMARK, last_sequence(split.ordinal)))
        yield from runner.finish(self.context.ends)

    def _run(self, tables: ReadTables, task: TaskId) -> Iterator[Packet]:
        counters = TaskCounters()
        return counters.attach(self._through(tables, task, counters))

    def _through(self, tables: ReadTables, task: TaskId, counters: TaskCounters) -> Iterator[Packet]:
        runner = self._runner(task, counters)
        for changes in runner.counters[0].measure(tables):
            counters.read += changes.num_rows
            yield from runner.send(changes)
        yield from runner.finish(self.context.ends)

    def _runner(self, task: TaskId, counters: TaskCounters) -> ChainRunner:
        context = self.context
        return ChainRunner(context, context.fragment.head, None, standing_clock(context.now), task, counters)
