"""Past micro-batches of a job, run again in this process with a recorder."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa

from firesteel.changelog import field
from firesteel.connectors.base import Source, Split
from firesteel.connectors.dead_letters import DeadLetters
from firesteel.job.spec import ChainSpec, JobSpec
from firesteel.job.topology import stages
from firesteel.runtime.dataflow.packets import Packet
from firesteel.runtime.dataflow.sequence import Numbers, sequences
from firesteel.runtime.spec.tables import ScanSpec, ValuesSpec
from firesteel.spark.checkpoint.replays import rows_of_chain
from firesteel.spark.in_process.host import InProcessJob
from firesteel.spark.stream.replaying_source import ReplayingSource, SourceReplays
from firesteel.spark.task.context import TaskContext, TaskId
from firesteel.spark.task.dead_letters import sink_of_messages
from firesteel.spark.task.source_task import SourceTask
from firesteel.spark.task.splits import by_channel, ends, numbered, open_head
from firesteel.spark.upgrade.source_history import SOURCES, ReadSource, named_history, start_of
from firesteel.spark.why.micro_batches import PastBatch, SourcePart, past_batches
from firesteel.spark.why.recorder import Recorder
from firesteel.types.sql import SqlType

_PLACE = "$place-of-message-"
"""Prefix of the names of added columns, which hold where a message is in its source, such as the offset."""


@dataclass(frozen=True)
class ReadRows:
    """Rows that a source chain has read.

    Attributes:
        batch: Index of the micro-batch.
        sequences: int64[n], sequence of each row.
        places: n rows, where the message of each row is in its source: columns such as `file` and `line`
            (connectors/base.py: read_placed). Without columns, this is not known.
    """

    batch: int
    sequences: Numbers
    places: pa.Table


class PastSource:
    """A source whose past splits are read again. Its log is a copy, so that the checkpoint stays as it is.

    Args:
        folder: The statement's folder in a checkpoint.
        number: Number of the source.
        head: The scan, or the literal rows.
        scratch: Folder for the copy of the source's log.
    """

    def __init__(self, folder: Path, number: int, head: ScanSpec | ValuesSpec, scratch: Path) -> None:
        log, copy = folder / SOURCES / str(number), scratch / str(number)
        copy.mkdir()
        if log.is_dir():
            shutil.copytree(log, copy, dirs_exist_ok=True)
        plain = open_head(head)
        self._keys = plain.place_metadata if isinstance(head, ScanSpec) else {}
        self.head = head
        self._placed = _with_places(head, self._keys) if isinstance(head, ScanSpec) else head
        self._width = len(head.projection) if isinstance(head, ScanSpec) else 0
        self.source: Source = open_head(self._placed)
        self.source.keep_log(str(copy))
        self._log, self._copy = log, copy
        with named_history(head, copy, log):
            self.start = start_of(ReadSource(head, copy, {}), self.source)

    def check(self, until: dict[str, object]) -> None:
        """Check that all rows from the start of the job up to an offset can be read again.

        Args:
            until: The connector's offset.

        Raises:
            UsageError: The source has lost some of these rows.
            NotSupportedError: The source is of a kind that cannot be read again.
            JobError: The log of the source is damaged.
        """
        with named_history(self.head, self._copy, self._log):
            self.source.history(self.start, until)

    def read(self, split: Split) -> Iterator[tuple[pa.Table, pa.Table]]:
        """Yield the rows of a split as (changes table, positions of the messages).

        The second table says for each row where its message is in the source, in columns such as `file` and
        `line` (Source.read_placed). It has no columns if the source does not tell this.
        """
        for rows, places in self.source.read_placed(split):
            if not self._keys:
                yield rows, places
                continue
            extra = [field(self._width + number) for number in range(len(self._keys))]
            found = rows.select(extra).rename_columns(list(self._keys))
            yield rows.drop_columns(extra), found


def _with_places(scan: ScanSpec, keys: Mapping[str, SqlType]) -> ScanSpec:
    """Return a scan with additional last columns: metadata with the positions of messages in the source.

    Args:
        scan: The scan.
        keys: Types of the metadata by their keys, such as `offset`.
    """
    if not keys:
        return scan
    first, metadata = len(scan.names), scan.metadata or (None,) * len(scan.names)
    return replace(
        scan,
        names=(*scan.names, *(_PLACE + name for name in keys)),
        types=(*scan.types, *keys.values()),
        metadata=(*metadata, *keys),
        projection=(*scan.projection, *range(first, first + len(keys))),
    )


class Rerun:
    """Run of the past micro-batches of a statement.

    Args:
        job: The statement's job.
        folder: The statement's folder in a checkpoint.
        parallelism: Number of tasks that read a source.
        scratch: An empty folder.
        at: Number of the last micro-batch; None for the last one that ended.

    Raises:
        UsageError: The checkpoint does not have the micro-batch, or a source no longer has its history.
        NotSupportedError: A source never gives the same rows again.
        JobError: The checkpoint is damaged.
    """

    def __init__(self, job: JobSpec, folder: Path, parallelism: int, scratch: Path, at: int | None) -> None:
        self._job, self._folder, self._parallelism = job, folder, parallelism
        heads = [fragment.head for fragment in stages(job)[0]]
        self._chains: list[ChainSpec] = heads
        self._sources = []
        for number, chain in enumerate(heads):
            assert chain.source is not None
            self._sources.append(PastSource(folder, number, chain.source, scratch))
        self.batches: Sequence[PastBatch] = past_batches(folder, [each.start for each in self._sources], at)
        for source, part in zip(self._sources, self.batches[-1].parts, strict=True):
            source.check(part.until)
        self.read_rows: dict[int, list[ReadRows]] = {chain.id: [] for chain in heads}

    def run(self, recorder: Recorder) -> InProcessJob:
        """Run all micro-batches.

        For each source chain, add to `read_rows` the rows that the recorder keeps at the chain's input.

        Returns:
            The job, which has the states after the last micro-batch.

        Raises:
            FiresteelError: A source or an operator fails.
        """
        unwritten = tuple(replace(sink, connector=None) for sink in self._job.sinks)
        job = InProcessJob(
            replace(self._job, sinks=unwritten),
            channels=lambda source: open_head(source).channels(),
            observer=recorder,
        )
        for index, batch in enumerate(self.batches):
            recorder.batch = index
            packets: list[Packet] = []
            for number, context in enumerate(job.sources):
                packets += self._packets(number, context, batch, job, recorder)
            if any(part.is_tick for part in batch.parts):
                packets += job.tick()
            job.run_later_stages(packets, index, batch.now)
        return job

    def _packets(
        self, number: int, context: TaskContext, batch: PastBatch, job: InProcessJob, recorder: Recorder
    ) -> Iterator[Packet]:
        """Read one source in a micro-batch, run its chain, and yield the chain's packets.

        Add to `read_rows` the rows that the recorder keeps.
        """
        part, chain, source = batch.parts[number], self._chains[number].id, self._sources[number]
        task = SourceTask(context.at(part.now))
        for split in numbered(self._splits(number, context, part), job.numbers(chain)):
            if split.ends or split.rows is not None:
                yield from task.packets([split], batch.last)
                continue
            if sink_of_messages(context.fragment.sinks, getattr(source.head, "table", "")) is not None:
                source.source.dead_letters = DeadLetters()
            found: list[tuple[Numbers, pa.Table]] = []
            id = TaskId(batch.last, index=split.ordinal, channel=split.channel)
            yield from task.of_tables(partial(self._rows, source, split, found, chain, recorder), id)
            self.read_rows[chain] += [ReadRows(recorder.batch, own, places) for own, places in found]

    def _rows(
        self, source: PastSource, split: Split, found: list[tuple[Numbers, pa.Table]], chain: int,
        recorder: Recorder,
    ) -> Iterator[pa.Table]:  # fmt: skip
        condition = recorder.picks((chain, 0, 0))
        for rows, places in source.read(split):
            if condition is None:
                found.append((sequences(rows), places))
            elif (mask := condition.mask(rows)).any():
                kept = places.filter(pa.array(mask)) if places.num_columns else places
                found.append((sequences(rows)[mask], kept))
            yield rows

    def _splits(self, number: int, context: TaskContext, part: SourcePart) -> list[Split]:
        """Return the splits of a source in a micro-batch.

        First come splits with the rows of replayed dead letters, then splits of the source's data. If the
        source ends in this micro-batch, the last splits mark its end.
        """
        source = self._sources[number].source
        found: list[Split] = []
        if part.since != part.until:
            found = source.splits_between(part.since, part.until, self._parallelism)
        if context.watermarked:
            found = by_channel(source, found)
        replays = SourceReplays(rows_of_chain(str(self._folder), self._chains[number].id))
        replayed = ReplayingSource(None, replays).replayed_between(part.start or {}, part.end)
        return [*replayed, *found, *(ends(source) if part.ends else ())]


def is_known(places: pa.Table) -> bool:
    """Return whether a table says where messages are in their source, which needs at least one column.

    Args:
        places: One row for each message, with columns such as `file` and `line`.
    """
    return bool(places.num_columns)


def of_sequences(rows: Sequence[ReadRows], batch: int, wanted: Numbers) -> dict[int, dict[str, object]]:
    """Return where the messages of some rows of a micro-batch are in their source, by the rows' sequences.

    A value is for example {"file": "a.json", "line": 3}. Rows whose source does not say this are left out.

    Args:
        rows: Rows of one source chain.
        batch: Index of the micro-batch.
        wanted: int64[n], sequences of the rows.
    """
    found: dict[int, dict[str, object]] = {}
    for each in rows:
        if each.batch != batch or not is_known(each.places):
            continue
        at = np.flatnonzero(np.isin(each.sequences, wanted))
        places = each.places.take(pa.array(at)).to_pylist()
        found.update(zip(each.sequences[at].tolist(), places, strict=True))
    return found
