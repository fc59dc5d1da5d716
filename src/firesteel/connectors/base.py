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
"""Number of messages that the job has not read yet, by (topic, partition)."""


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
    """Replayed rows (spark/stream/replaying_source.py), as an Arrow IPC stream; None for the source's own."""


@dataclass(frozen=True)
class History:
    """Part of a source that a job has read and can read again.

    Attributes:
        since: Offset before the part.
        until: Offset after the part.
        size: Size of the part as text, such as `3 files, 1.2 kB`.
        ranges: For each partition or file, what the job has read, such as `partition 0: offsets 0 to 99`.
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
        is_rough: Whether some more rows than `rows` are allowed. The source may then estimate their number.
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
    """Number of messages skipped by `ignore-parse-errors`, by cause (formats/messages/skip_causes.py)."""
    dead_letters: DeadLetters | None = None
    """Collector of messages that cannot be read; None if the first of them ends the job."""
    limits_bytes: bool = False
    """Whether `latest_offset` observes ReadLimit.bytes. If False, the host sets no limit of bytes."""

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
        """Use the folder `directory` of the query's checkpoint for data that offsets need after a restart.

        An example is a list of files, if an offset is a position in the list. The host calls this method
        before it asks for an offset. By default, do nothing: offsets need no other data.
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
        """Divide splits of several channels, and set `Split.channel`. By default, there is one channel."""
        return splits

    def lag(self, offset: Offset) -> Lags:
        """Return the number of messages after an offset, by (topic, partition). By default, return no entry.

        Raises:
            JobError: The number cannot be found out now, for example because no broker answers.
        """
        return {}

    def splits(self, parallelism: int) -> list[Split]:
        """Return all splits of a bounded source for `parallelism` tasks, in the order of the source."""
        ...

    def initial_offset(self) -> Offset:
        """Return the offset before all data."""
        ...

    def latest_offset(self, start: Offset, limit: ReadLimit) -> Offset:
        """Return the end of the micro-batch from `start`, within `limit`; `start` if no data is new."""
        ...

    def splits_between(self, start: Offset, end: Offset, parallelism: int) -> list[Split]:
        """Return the splits between two offsets for `parallelism` tasks, in the order of the source."""
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
        """Yield the rows of a split in order, in changes tables of about 100,000 rows.

        Raises:
            DataError: A message is invalid. The error names file and line and quotes the message.
        """
        ...

    place_metadata: Mapping[str, SqlType] = {}
    """Metadata columns, by key, that say where a row's message stands, such as `offset`; values are types."""

    def read_placed(self, split: Split) -> Iterator[tuple[pa.Table, pa.Table]]:
        """Yield the tables of `read`, each with a second table that says where each row's message stands.

        The second table has one row for each change, and columns such as `file` and `line`. By default, it
        has no columns. `place_metadata` then says where the messages stand; if it is empty, this is unknown.
        """
        return ((changes, pa.table({})) for changes in self.read(split))


class Commits(Enum):
    """Whether the driver or the tasks commit a sink's rows. A commit makes rows visible to readers."""

    DRIVER = auto()
    """The driver commits the output of all tasks of a batch at once."""
    TASK = auto()
    """Each task commits its own rows and the batch's number in one transaction."""
    TASKS = auto()
    """One transaction may hold the rows of several tasks of a process, and the batch's number for each task.

    The host may call `open_task` several times before `close_task`. `write` belongs to the last task opened.
    """


ONCE = "run-"
"""Prefix of the name of a job without a checkpoint. No later run can continue such a job."""


def always() -> None:
    """Do nothing: a job without a checkpoint cannot be taken over by another run (Sink.guard)."""


class Sink(Protocol):
    """A running sink. The driver makes it from a SinkSpec, and each task makes it again.

    Calls in a task: `open_task`, `write` any number of times, and `close_task`, which returns a token for the
    driver. If the task fails: `abort_task`. Calls on the driver: `open` once, then for each batch `commit`
    with the tokens of all tasks, or `abort` if a task failed.

    Spark may retry a task. After a failure, a batch is written and committed again, with the same rows in the
    same partitions. Readers must see each batch once and nothing of an aborted one:

    - A sink that commits on the DRIVER shows nothing before `commit`.
    - A sink that commits in tasks skips the rows of a task if the same job and partition have written this
      batch or a later one. Its tasks begin after all other work of the batch.

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

    The host sets this object before `open_task`. The sink leaves out the rows that the target refused when
    the task ran before (`Refusals.left_out`). It records the rows that the target refuses now
    (`Refusals.add`). If it commits in tasks and has recorded rows, it raises RowsRefusedError, and does not
    commit.
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
        """Complete or remove what an earlier run has left. Called once on the driver, before any batch.

        A commit that has begun is completed. Other uncommitted output is removed.

        Args:
            job: Name of the job at this sink, stable over restarts from a checkpoint. Without a checkpoint,
                it begins with ONCE.
        """
        return

    def identities(self) -> Mapping[str, str]:
        """Return the id of each table or topic that the sink writes. The key is the name for error messages.

            {"table orders of jdbc:postgresql://host/shop": "oid 16402"}

        An id changes if a table or topic is dropped and created again. Called on the driver.
        """
        return {}

    def forgets_after(self) -> float | None:
        """Return how many seconds the sink remembers its last written batch, None if it never forgets."""
        return None

    def end_run(self) -> None:
        """Remove what the sink has recorded about the run, such as batch numbers and lock files.

        The written rows stay. The driver calls this method at the end of a job whose name begins with ONCE:
        no later run of the job needs the records.
        """
        return

    def open_task(self, job: str, batch: int, partition: int) -> None:
        """Begin a task of a micro-batch: `job` as in `open`, numbers of the micro-batch and of the task."""
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
        """Return an object that looks up rows of the table, with the cache that the table's options request.

        Operators keep the object as long as their job runs in a process.
        """
        ...


@runtime_checkable
class ErrorSinkConnector(Protocol):
    """Connector whose tables may name their own target for messages that cannot be read."""

    def error_sink(self, scan: ScanSpec) -> SinkSpec | None:
        """Return the sink for messages of a table that cannot be read (SinkSpec.takes_dead_letters).

        Return None if the table's options name no such sink.
        """
        ...


class Connector(Protocol):
    """A connector: the value of a table's option `connector`. connectors/registry.py lists them all."""

    name: str
    options: tuple[Option, ...]
    """All options of the connector; `#` in a key stands for a name, such as a column's.

    A connector whose system delivers single messages, such as Kafka, also has the attribute `reads_messages`,
    True. A job may change options of a format with `Option.cuts_files` only for such a connector."""

    def validate(self, table: Table) -> None:
        """Check the table's options as Flink does.

        Raises:
            ValidationError: An option is wrong; the text is Flink's.
        """
        ...

    def traits(self, table: Table) -> SourceTraits: ...

    def source(self, scan: ScanSpec) -> Source: ...

    def sink(self, sink: SinkSpec) -> Sink: ...
