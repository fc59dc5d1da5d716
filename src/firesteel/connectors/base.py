"""Protocols of connectors, sources and sinks.

A connector checks a table's options, gives the planner its traits, and makes a source or a sink.
Sources know transports, formats know bytes, neither knows Spark. The batch and the stream host use only
these protocols. Splits and offsets are plain JSON values, because Spark stores offsets as text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, Protocol, runtime_checkable

import pyarrow as pa

from firesteel.catalog.schema import SourceTraits, Table
from firesteel.config.option import Option
from firesteel.runtime.operators.lookup_join.lookup import Lookup
from firesteel.runtime.spec.lookup_join import LookupTable
from firesteel.runtime.spec.tables import ScanSpec, SinkSpec

Offset = dict[str, Any]
"""The position up to which a source was read, as a JSON object."""
Lags = Mapping[tuple[str, int], int]
"""Number of unread messages by (topic, partition)."""


@dataclass(frozen=True)
class Split:
    """A piece of a source that one task reads."""

    ordinal: int
    """Position of the split in the order of the source."""
    data: dict[str, Any]
    """The connector's description of the piece, as JSON values."""
    ends: bool = False
    """Whether the split has no data and only marks the end of a bounded source."""
    channel: int = 0
    """Number of the part of the source that has its own watermark, such as a Kafka partition."""


@dataclass(frozen=True)
class ReadLimit:
    """Upper limits of one micro-batch of a source; None means no limit.

    Attributes:
        rows: Number of rows.
        bytes: Number of bytes.
        files: Number of files.
        is_rough: Whether an estimate of the rows is enough, if it saves reading them.
    """

    rows: int | None = None
    bytes: int | None = None
    files: int | None = None
    is_rough: bool = False


class Source(Protocol):
    """A running source. The driver makes it from a ScanSpec, and each worker makes it again."""

    skipped: int
    """Number of messages skipped so far because of `ignore-parse-errors`."""

    @property
    def bounded(self) -> bool: ...

    def keep_log(self, directory: str) -> None:
        """Store the data that offsets refer to in `directory`, which is part of the query's checkpoint.

        The host calls this before it asks for an offset. Without it, offsets are lost with the process.
        """
        ...

    def notices(self) -> list[str]:
        """Return new messages for the user. The host asks for them after `latest_offset`."""
        ...

    def splits(self, parallelism: int) -> list[Split]:
        """Return all splits of a bounded source, in the order of the source."""
        ...

    # Optional, for a source whose parts (channels) are each in an order of their own:
    #   channels() -> list[int]                        the numbers of the channels
    #   by_channel(splits: list[Split]) -> list[Split] the splits cut at channels, each with its channel

    # Optional, for a source of topics: count the messages after an offset. It raises JobError if the answer
    # is not available at once.
    #   lag(offset: Offset) -> Lags

    # Optional: find errors early. The driver calls it while Spark starts.
    #   check(*, is_local: bool, fresh: bool) -> None
    # is_local: tasks run on this machine. fresh: no checkpoint has offsets. A sink has `check() -> None`.

    # If a source has a true attribute `limits_bytes`, the host limits bytes as well as rows.

    def initial_offset(self) -> Offset: ...

    def latest_offset(self, start: Offset, limit: ReadLimit) -> Offset:
        """Return the end of the micro-batch that begins at `start`; `start` itself if no data is new."""
        ...

    def splits_between(self, start: Offset, end: Offset, parallelism: int) -> list[Split]: ...

    def is_finished(self, offset: Offset) -> bool:
        """Return whether a bounded source has no data after the offset."""
        ...

    def read(self, split: Split) -> Iterator[pa.Table]:
        """Yield the changes of a split in order, in tables of about 100,000 rows (runtime/spec/operators.py).

        Raises:
            DataError: A message is invalid. The error names file and line and quotes the message.
        """
        ...


class Commits(Enum):
    """The place where a sink makes the rows of a batch visible to readers."""

    DRIVER = auto()
    """The driver commits the output of all tasks of a batch at once."""
    TASK = auto()
    """Each task commits its own rows and the batch's number in one transaction."""
    TASKS = auto()
    """One transaction may hold the rows of several tasks of one process, with the numbers of them all.

    The host then calls `open_task` again before `close_task`; `write` belongs to the last task opened.
    """


ONCE = "run-"
"""Prefix of the name of a job without a checkpoint, which no other run continues."""


class Sink(Protocol):
    """A running sink. The driver makes it from a SinkSpec, and each task makes it again.

    Calls in a task: `open_task`, `write` any number of times, and `close_task`, which returns a token for the
    driver. If the task fails: `abort_task`. Calls on the driver: `open` once, then for each batch `commit`
    with the tokens of all tasks, or `abort` if a task failed.

    Spark may retry a task. After a failure, a batch is written and committed again, with the same rows in the
    same partitions. Readers must see each batch once and nothing of an aborted one. A sink that commits on
    the DRIVER therefore shows nothing before `commit`. Any other sink skips a batch if its job and partition
    have written that batch or a later one; its tasks begin after all other work of the batch.
    """

    commits: Commits

    on_driver: bool
    """Whether the only task runs on the driver, which has the terminal, after all others. Needs DRIVER."""

    def open(self, job: str) -> None:
        """Finish or remove uncommitted output of an earlier run. Called once on the driver, before any batch.

        Args:
            job: Name of the query, stable over restarts from a checkpoint. Without one, it begins with ONCE.
        """
        ...

    # Optional, on the driver, for a sink whose target may be dropped and created again while a job runs:
    #   identities() -> dict[str, str]        ids of its tables or topics, by their names in errors
    # Optional, for a sink that forgets after a time which batches it has:
    #   forgets_after() -> float | None       that time in seconds

    def open_task(self, job: str, batch: int, partition: int) -> None: ...

    def write(self, changes: pa.Table) -> None: ...

    def close_task(self) -> str: ...

    def abort_task(self) -> None: ...

    def commit(self, batch: int, tokens: Sequence[str]) -> None: ...

    def abort(self, batch: int, tokens: Sequence[str]) -> None:
        """Drop what the tasks of a failed batch wrote; `tokens` come from the tasks that succeeded."""
        ...


@runtime_checkable
class Guarded(Protocol):
    """A sink that removes or publishes files of earlier runs."""

    guard: Callable[[], None]
    """Raises an error if another run has taken over the job. The host sets it before `open`."""


@runtime_checkable
class Forgetting(Protocol):
    """A sink that keeps something of each run at its target."""

    def end_run(self) -> None:
        """Remove it. Called on the driver at the end of a job whose name begins with ONCE."""
        ...


@runtime_checkable
class LookupConnector(Protocol):
    """A connector whose tables can be asked for the rows of some keys. Their traits say so: `has_lookups`."""

    def lookup(self, table: LookupTable) -> Lookup:
        """Return a table to look up in, with the cache that its options ask for.

        Operators keep it for as long as their job runs in a process.
        """
        ...


class Connector(Protocol):
    """A connector: the value of a table's option `connector`. connectors/registry.py lists them all."""

    name: str
    options: tuple[Option, ...]
    """All options of the connector; `#` in a key stands for a column's name."""

    def validate(self, table: Table) -> None:
        """Check the table's options as Flink does.

        Raises:
            ValidationError: An option is wrong; the text is Flink's.
        """
        ...

    def traits(self, table: Table) -> SourceTraits: ...

    def source(self, scan: ScanSpec) -> Source: ...

    def sink(self, sink: SinkSpec) -> Sink: ...
