"""Protocols of connectors, sources and sinks.

A connector checks a table's options, gives the planner the properties of the table (SourceTraits), and makes
a source or a sink. Sources handle transports, and formats handle bytes. Neither depends on Spark. The batch
and the stream host use only these protocols. Splits and offsets are plain JSON values, because Spark stores
offsets as text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, Protocol, runtime_checkable

import pyarrow as pa

from firesteel.catalog.schema import SourceTraits, Table
from firesteel.config.option import Option
from firesteel.connectors.dead_letters import DeadLetters
from firesteel.connectors.refused_rows import Refusals
from firesteel.errors import NotSupportedError
from firesteel.runtime.operators.lookup_join.lookup import Lookup
from firesteel.runtime.spec.lookup_join import LookupTable
from firesteel.runtime.spec.tables import ScanSpec, SinkSpec
from firesteel.types.sql import SqlType

Offset = dict[str, Any]
"""Position up to which a source was read, as a JSON object."""
Lags = Mapping[tuple[str, int], int]
"""Number of unread messages by (topic, partition)."""


@dataclass(frozen=True)
class Split:
    """Part of a source that one task reads."""

    ordinal: int
    """Position of the split in the order of the source."""
    data: dict[str, Any]
    """The connector's description of the part, as JSON values."""
    ends: bool = False
    """Whether the split has no data and only marks the end of a bounded source."""
    channel: int = 0
    """Number of the part of the source that has its own watermark, such as a Kafka partition."""
    rows: bytes | None = None
    """Rows that the split holds itself (spark/stream/replaying_source.py); None if the source reads them."""


@dataclass(frozen=True)
class History:
    """Part of a source that a job has read and can read again.

    Attributes:
        since: Offset before the part.
        until: Offset after the part.
        size: Its size in words, such as `3 files, 1.2 kB`.
        ranges: What was read of each partition or file, such as `partition 0: offsets 0 to 99`.
    """

    since: Offset
    until: Offset
    size: str
    ranges: tuple[str, ...] = ()


@dataclass(frozen=True)
class ReadLimit:
    """Upper limits of one micro-batch of a source; None means no limit.

    Attributes:
        rows: Number of rows.
        bytes: Number of bytes.
        files: Number of files.
        is_rough: Whether an estimate of the number of rows is enough, which saves counting them.
    """

    rows: int | None = None
    bytes: int | None = None
    files: int | None = None
    is_rough: bool = False


class Source(Protocol):
    """A running source. The driver makes it from a ScanSpec, and each worker makes it again.

    Connectors subclass it. The default methods fit most sources.

    Example:
        class Lines(Source):
            '''The lines of one file, read at once.'''

            bounded = True

            def splits(self, parallelism):
                return [Split(0, {"path": self._path})]

            def read(self, split):
                yield self._decode(split.data["path"], split.ordinal)
    """

    skipped: Mapping[str, int] = {}
    """Messages skipped because of `ignore-parse-errors`, by cause (formats/messages/skip_causes.py)."""
    dead_letters: DeadLetters | None = None
    """Collector of messages that cannot be read; None if the first of them ends the job."""
    limits_bytes: bool = False
    """Whether `latest_offset` observes a limit of bytes.

    If so, the host sets a limit of bytes in addition to one of rows.
    """

    @property
    def bounded(self) -> bool:
        """Whether the source has an end."""
        ...

    def check(self, *, is_local: bool, fresh: bool) -> None:
        """Find errors early. The driver calls this method while Spark starts.

        Args:
            is_local: Whether tasks run on this machine.
            fresh: Whether the job starts without offsets from a checkpoint.

        Raises:
            FiresteelError: The source cannot be read.
        """
        return

    def keep_log(self, directory: str) -> None:
        """Store the data that offsets refer to in `directory`, which is part of the query's checkpoint.

        The host calls this method before it asks for an offset. Data that is not stored is lost with the
        process. By default, offsets refer to no data.
        """
        return

    def enable_commits(self) -> None:
        """Let the source tell its own system how far the job has read, for tools that watch it.

        The host calls this method only if the job has a checkpoint. By default, a source tells nothing.
        """
        return

    def notices(self) -> list[str]:
        """Return new messages for the user. The host asks for them after `latest_offset`."""
        return []

    def channels(self) -> list[int]:
        """Return the numbers of the parts of the source that have an order and a watermark of their own."""
        return [0]

    def by_channel(self, splits: list[Split]) -> list[Split]:
        """Return the splits, cut so that each belongs to one channel, with `Split.channel` set."""
        return splits

    def lag(self, offset: Offset) -> Lags:
        """Return the number of messages after an offset, by (topic, partition). By default, return no entry.

        Raises:
            JobError: The answer is not available at once.
        """
        return {}

    def splits(self, parallelism: int) -> list[Split]:
        """Return all splits of a bounded source, in the order of the source."""
        ...

    def initial_offset(self) -> Offset:
        """Return the offset before all data."""
        ...

    def latest_offset(self, start: Offset, limit: ReadLimit) -> Offset:
        """Return the end of the micro-batch that begins at `start`; `start` itself if no data is new."""
        ...

    def splits_between(self, start: Offset, end: Offset, parallelism: int) -> list[Split]:
        """Return the splits of the data between two offsets, in the order of the source."""
        ...

    def is_finished(self, offset: Offset) -> bool:
        """Return whether a bounded source has no data after the offset."""
        ...

    def history(self, start: Offset, end: Offset) -> History:
        """Describe the data between two offsets, which a job has read and is to read again.

        The host calls `keep_log` before. By default, a source cannot give the same rows again.

        Raises:
            NotSupportedError: The source never gives the same rows again.
            UsageError, JobError: Some of the rows are gone.
        """
        raise NotSupportedError("the connector does not give the same rows again")

    def history_piece(self, start: Offset, until: Offset, limit: ReadLimit) -> Offset:
        """Return the end of the next piece of data that a job reads again (`history`).

        By default, all data is one piece. Sources with many rows observe the limit.

        Args:
            start: Offset at which the piece begins.
            until: Offset at which the data to read again ends. The piece ends there or before.
            limit: Upper limits of the piece.
        """
        return until

    def read(self, split: Split) -> Iterator[pa.Table]:
        """Yield the changes of a split in order, in tables of about 100,000 rows (runtime/spec/operators.py).

        Raises:
            DataError: A message is invalid. The error names file and line and quotes the message.
        """
        ...

    place_metadata: Mapping[str, SqlType] = {}
    """Metadata keys that give the place of a row's message, such as `offset`, with their types."""

    def read_placed(self, split: Split) -> Iterator[tuple[pa.Table, pa.Table]]:
        """Yield the changes of a split as `read` does, each table with the places of its rows' messages.

        The second table has one row for each change, and columns such as `file` and `line`. By default, it
        has no columns: the metadata of `place_metadata` gives the places, or they are unknown.
        """
        return ((changes, pa.table({})) for changes in self.read(split))


class Commits(Enum):
    """Place of a sink's commit, which makes the rows of a batch visible to readers: driver or tasks."""

    DRIVER = auto()
    """The driver commits the output of all tasks of a batch at once."""
    TASK = auto()
    """Each task commits its own rows and the batch's number in one transaction."""
    TASKS = auto()
    """One transaction may hold the rows of several tasks of a process, and the batch's number for each task.

    The host may call `open_task` several times before `close_task`. `write` belongs to the last task opened.
    """


ONCE = "run-"
"""Prefix of the name of a job without a checkpoint, which no other run continues."""


def always() -> None:
    """Accept every commit: without a checkpoint, no other run can take over the job."""


class Sink(Protocol):
    """A running sink. The driver makes it from a SinkSpec, and each task makes it again.

    Calls in a task: `open_task`, `write` any number of times, and `close_task`, which returns a token for the
    driver. If the task fails: `abort_task`. Calls on the driver: `open` once, then for each batch `commit`
    with the tokens of all tasks, or `abort` if a task failed.

    Spark may retry a task. After a failure, a batch is written and committed again, with the same rows in the
    same partitions. Readers must see each batch once and nothing of an aborted one. A sink that commits on
    the DRIVER therefore shows nothing before `commit`. Any other sink skips a batch if its job and partition
    have written that batch or a later one; the tasks of such a sink begin after all other work of the batch.

    Connectors subclass it. The default methods fit most sinks.
    """

    commits: Commits = Commits.DRIVER

    on_driver: bool = False
    """Whether the driver writes the rows itself, in one task after the tasks of the operators.

    The sink `print` needs this, because only the driver can write to the user's terminal. `commits` must then
    be DRIVER.
    """

    refusals: Refusals | None = None
    """Rows of the batch that the sink's target refuses. None if a refused row ends the job.

    The host sets them before `open_task`. The sink leaves out the rows that an earlier attempt found refused
    (`Refusals.left_out`), and records the rows that the target refuses now (`Refusals.add`). If a task of a
    sink that commits in tasks records refused rows, the sink does not commit the task's batch and raises
    RowsRefusedError.
    """

    guard: Callable[[], None] = staticmethod(always)
    """Function that raises an error if another run has taken over the job.

    The host sets it before `open`. A sink that removes or publishes files of earlier runs calls it first.
    """

    def check(self) -> None:
        """Find errors early. The driver calls this method while Spark starts.

        Raises:
            FiresteelError: The sink cannot be written to.
        """
        return

    def open(self, job: str) -> None:
        """Finish or remove uncommitted output of an earlier run. Called once on the driver, before any batch.

        Args:
            job: Name of the query, stable over restarts from a checkpoint. Without a checkpoint, it begins
                with ONCE.
        """
        return

    def identities(self) -> Mapping[str, str]:
        """Return the id of each table or topic that the sink writes. The key is the name for error messages.

            {"table orders of jdbc:postgresql://host/shop": "oid 16402"}

        An id changes if a table or topic is dropped and created again. Called on the driver.
        """
        return {}

    def forgets_after(self) -> float | None:
        """Return the seconds for which the sink remembers its batches, None if it never forgets."""
        return None

    def end_run(self) -> None:
        """Remove what the sink has recorded about the run, such as batch numbers and lock files.

        The written rows stay. The driver calls this method at the end of a job whose name begins with ONCE:
        no later run of the job needs the records.
        """
        return

    def open_task(self, job: str, batch: int, partition: int) -> None:
        """Begin the rows of one task of a batch."""
        return

    def write(self, changes: pa.Table) -> None:
        """Write rows of the current task, a changes table (runtime/spec/operators.py)."""
        ...

    def close_task(self) -> str:
        """End the task. Return a text that the driver passes to `commit`, such as the names of its files."""
        return ""

    def abort_task(self) -> None:
        """Drop the rows that the task has written."""
        return

    def commit(self, batch: int, tokens: Sequence[str]) -> None:
        """Make a batch visible; `tokens` come from all its tasks."""
        return

    def abort(self, batch: int, tokens: Sequence[str]) -> None:
        """Drop what the tasks of a failed batch wrote; `tokens` come from the tasks that succeeded."""
        return


@runtime_checkable
class LookupConnector(Protocol):
    """A connector whose tables support lookups by key: their SourceTraits have `has_lookups`."""

    def lookup(self, table: LookupTable) -> Lookup:
        """Return a table for lookups, with the cache that its options request.

        Operators keep the table as long as their job runs in a process.
        """
        ...


@runtime_checkable
class ErrorSinkConnector(Protocol):
    """Connector whose tables may name their own target for messages that cannot be read."""

    def error_sink(self, scan: ScanSpec) -> SinkSpec | None:
        """Return the sink of a table's bad messages (runtime/spec/tables.py: takes_dead_letters).

        None if the table's options name none.
        """
        ...


class Connector(Protocol):
    """A connector: the value of a table's option `connector`. connectors/registry.py lists them all."""

    name: str
    options: tuple[Option, ...]
    """All options of the connector; `#` in a key stands for a name, such as a column's.

    A connector that receives single messages, such as Kafka's, has an attribute `reads_messages`, True.
    Options by which formats cut files into messages (Option.cuts_files) may then differ after a restart."""

    def validate(self, table: Table) -> None:
        """Check the table's options as Flink does.

        Raises:
            ValidationError: An option is wrong; the text is Flink's.
        """
        ...

    def traits(self, table: Table) -> SourceTraits: ...

    def source(self, scan: ScanSpec) -> Source: ...

    def sink(self, sink: SinkSpec) -> Sink: ...
