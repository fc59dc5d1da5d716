"""What a connector is: options that it checks, traits for the planner, a source or a sink to run.

Sources know transports, formats know bytes, neither knows Spark. The two hosts drive a source through
this interface alone; a split and an offset are plain JSON values, as Spark stores offsets as text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import pyarrow as pa

from firesteel.catalog.schema import SourceTraits, Table
from firesteel.runtime.spec import ScanSpec, SinkSpec

Offset = dict[str, Any]
"""How far a source was read; JSON."""


@dataclass(frozen=True)
class Split:
    """A piece of a source that one task reads. ordinal: its place in the order of the source."""

    ordinal: int
    data: dict[str, Any]


@dataclass(frozen=True)
class ReadLimit:
    """How much one micro-batch may take; None: all there is. Options for tests and admission control.
    is_rough: about so many rows will do, if that saves reading them."""

    rows: int | None = None
    bytes: int | None = None
    files: int | None = None
    is_rough: bool = False


class Source(Protocol):
    """A running source, made from a ScanSpec on the driver and again on each worker."""

    skipped: int
    """Messages left out so far because of `ignore-parse-errors`."""

    @property
    def bounded(self) -> bool: ...

    def keep_log(self, directory: str) -> None:
        """Keep in `directory` (part of the query's checkpoint) what offsets refer to. Called before any
        offset is asked for; without it offsets do not outlive the process."""
        ...

    def notices(self) -> list[str]:
        """What the user should know of the source and was not told yet; asked for after `latest_offset`."""
        ...

    def splits(self, parallelism: int) -> list[Split]:
        """All splits of a bounded source, in the order of the source."""
        ...

    def initial_offset(self) -> Offset: ...

    def latest_offset(self, start: Offset, limit: ReadLimit) -> Offset:
        """Where a micro-batch from `start` ends; equal to `start` when nothing is there."""
        ...

    def splits_between(self, start: Offset, end: Offset, parallelism: int) -> list[Split]: ...

    def is_finished(self, offset: Offset) -> bool:
        """Whether a bounded source has nothing after the offset."""
        ...

    def read(self, split: Split) -> Iterator[pa.Table]:
        """The split's changes (runtime/spec.py), in order, in tables of some 100,000 rows.

        Raises DataError with file, line and the message quoted.
        """
        ...


class Sink(Protocol):
    """A running sink, made from a SinkSpec on the driver and again on each worker.

    The driver calls `open` once, then for every batch: `write` for each partition, on the workers (or on
    the driver, in the order of the partitions, where `on_driver` says so), and `commit` with all that the
    writes returned. A task may write more than once and a batch may be written and committed again after
    a failure: what readers see is each batch once.
    """

    on_driver: bool
    """Whether rows must be brought to the driver: they are for the terminal."""

    def open(self, job: str | None = None) -> None:
        """Once, on the driver. job: an id of the query that stays the same over restarts from a checkpoint
        (batch ids count within it); None: the job runs once."""
        ...

    def write(self, changes: Iterable[pa.Table], batch_id: int, partition: int) -> list[str]:
        """Write one partition's rows of a batch. Returns text that `commit` is given."""
        ...

    def commit(self, batch_id: int, written: Sequence[str]) -> None:
        """Show the batch to readers; with nothing to do when it was done before."""
        ...


class Connector(Protocol):
    """One connector; connectors/registry.py names them all."""

    name: str
    options: tuple[str, ...]
    """Keys of all its options; `#` stands for a column's name."""

    def validate(self, table: Table) -> None:
        """Check the table's options as Flink does. Raises ValidationError in Flink's words."""
        ...

    def traits(self, table: Table) -> SourceTraits: ...

    def source(self, scan: ScanSpec) -> Source: ...

    def sink(self, sink: SinkSpec) -> Sink: ...
