"""What a connector is: options that it checks, traits for the planner, a source or a sink to run.

Sources know transports, formats know bytes, neither knows Spark. The two hosts drive a source through
this interface alone; a split and an offset are plain JSON values, as Spark stores offsets as text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, Protocol, runtime_checkable

import pyarrow as pa

from firesteel.catalog.schema import SourceTraits, Table
from firesteel.config.option import Option
from firesteel.runtime.spec.tables import ScanSpec, SinkSpec

Offset = dict[str, Any]
"""How far a source was read; JSON."""
Lags = Mapping[tuple[str, int], int]
"""Messages that wait, by topic and partition."""


@dataclass(frozen=True)
class Split:
    """A piece of a source that one task reads. ordinal: its place in the order of the source. ends: it has
    no data, and only tells that a bounded source has ended. channel: what has a watermark of its own."""

    ordinal: int
    data: dict[str, Any]
    ends: bool = False
    channel: int = 0


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

    # Where parts of a source have orders of their own, it has two methods more:
    #   channels() -> list[int]                        their numbers
    #   by_channel(splits: list[Split]) -> list[Split] the splits, each in one part, with its number

    # One of topics tells how much waits behind an offset, or raises JobError where it is not told at once:
    #   lag(offset: Offset) -> Lags

    # One that can fail before it is read has a method that the driver calls while Spark starts:
    #   check(*, is_local: bool, fresh: bool) -> None
    # is_local: tasks run on this machine. fresh: no checkpoint has offsets. A sink has `check() -> None`.

    # One whose `limits_bytes` is true is given a limit of bytes by the host, beside that of rows.

    def initial_offset(self) -> Offset: ...

    def latest_offset(self, start: Offset, limit: ReadLimit) -> Offset:
        """Where a micro-batch from `start` ends; equal to `start` when nothing is there."""
        ...

    def splits_between(self, start: Offset, end: Offset, parallelism: int) -> list[Split]: ...

    def is_finished(self, offset: Offset) -> bool:
        """Whether a bounded source has nothing after the offset."""
        ...

    def read(self, split: Split) -> Iterator[pa.Table]:
        """The split's changes (runtime/spec/operators.py), in order, in tables of some 100,000 rows.

        Raises DataError with file, line and the message quoted.
        """
        ...


class Commits(Enum):
    """Where a sink makes a batch seen: the driver does it for all tasks at once, or each task with what it
    wrote, in one transaction with the batch's number. TASKS: that may be what several tasks in one process
    wrote, with all their numbers: then `open_task` comes again before `close_task`, and `write` is for the
    last one that was opened."""

    DRIVER = auto()
    TASK = auto()
    TASKS = auto()


ONCE = "run-"
"""How the name of a job begins that has no checkpoint: no other run goes on with it."""


class Sink(Protocol):
    """A running sink, made from a SinkSpec on the driver and again for each task.

    In a task: `open_task`, `write` as often as there are rows, and `close_task`, which gives a token for the
    driver; or `abort_task`, where the task failed. On the driver: `open` once, then for each batch `commit`
    with the tokens of all its tasks, or `abort` where one failed.

    Tasks may be tried again, and batches, after a failure, written and committed again, with the same rows in
    the same partitions. Readers see each batch once and nothing of one that was aborted. For that a sink
    that commits in DRIVER shows nothing before `commit`, and another leaves out what the job
    and partition have written for this batch or a later one. Its tasks begin when all other work of the
    batch is done.
    """

    commits: Commits

    on_driver: bool
    """Whether the one task runs on the driver, where the terminal is, after all others; for DRIVER."""

    def open(self, job: str) -> None:
        """Once, on the driver, before the first batch: what an earlier run left undone is finished or
        removed. job: names the query over restarts from a checkpoint, or begins with ONCE."""
        ...

    # One whose target may be dropped and created again under a job has a method more, for the driver:
    #   identities() -> dict[str, str]        what identifies its tables or topics, by their names in errors
    # One that does not remember for ever which batches it has:
    #   forgets_after() -> float | None       the seconds

    def open_task(self, job: str, batch: int, partition: int) -> None: ...

    def write(self, changes: pa.Table) -> None: ...

    def close_task(self) -> str: ...

    def abort_task(self) -> None: ...

    def commit(self, batch: int, tokens: Sequence[str]) -> None: ...

    def abort(self, batch: int, tokens: Sequence[str]) -> None:
        """tokens: of those tasks that did not fail."""
        ...


@runtime_checkable
class Guarded(Protocol):
    """A sink that removes or shows files of earlier runs.

    guard: Raises an error if another run has taken over the job. The host sets it before `open`.
    """

    guard: Callable[[], None]


class Connector(Protocol):
    """One connector; connectors/registry.py names them all."""

    name: str
    options: tuple[Option, ...]
    """All that it has; `#` in a key stands for a column's name."""

    def validate(self, table: Table) -> None:
        """Check the table's options as Flink does. Raises ValidationError in Flink's words."""
        ...

    def traits(self, table: Table) -> SourceTraits: ...

    def source(self, scan: ScanSpec) -> Source: ...

    def sink(self, sink: SinkSpec) -> Sink: ...
