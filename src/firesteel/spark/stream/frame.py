"""A job as one streaming DataFrame of packets.

data sources (source chains) -> groupBy(key group).transformWithState (keyed chains), once for each stage
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from firesteel.connectors.base import ONCE, History
from firesteel.errors import NotSupportedError
from firesteel.job.spec import JobSpec
from firesteel.job.topology import exchanges, source_numbers, stages
from firesteel.runtime.dataflow.sequence import sub_sequence_bits
from firesteel.runtime.spec.tables import ScanSpec, ValuesSpec
from firesteel.spark.checkpoint.fingerprint import Layout, check_or_write, job_id
from firesteel.spark.checkpoint.lock import local_folder
from firesteel.spark.checkpoint.replays import keep, rows_of_chain
from firesteel.spark.checkpoint.upgrade.kept_script import note_script
from firesteel.spark.checkpoint_functions import note_functions, warn_of_layout
from firesteel.spark.internals.checkpoint_files import write_with_few_programs
from firesteel.spark.internals.frames import in_session, with_state
from firesteel.spark.internals.hash_partitions import key_group_labels
from firesteel.spark.launch.launch import Spark
from firesteel.spark.stream.batch_clock import Ticks
from firesteel.spark.stream.frame_source import BATCH_TIME, FrameTask, used_sub_sequence_bits
from firesteel.spark.stream.keyed_processor import KeyedProcessor
from firesteel.spark.stream.replaying_source import SourceReplays
from firesteel.spark.stream.rows import packet_schema
from firesteel.spark.stream.settings import KEY_GROUPS, MAX_ROWS, StreamSettings
from firesteel.spark.stream.source import ChangelogSource, FiresteelSource, SourceOptions
from firesteel.spark.task.context import TaskContext, contexts_of
from firesteel.spark.task.source_task import SourceTask
from firesteel.spark.task.spilled_packets import IN_MEMORY_ONLY, Spill
from firesteel.spark.task.splits import open_head
from firesteel.spark.task.stage_task import StageTask

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
STORE = "spark.sql.streaming.stateStore"
PROVIDER = f"{STORE}.providerClass"
_CONF = {
    PROVIDER: ROCKSDB,
    f"{STORE}.rocksdb.changelogCheckpointing.enabled": "true",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.streaming.noDataMicroBatches.enabled": "false",
    "spark.sql.streaming.metricsEnabled": "false",
    "spark.sql.streaming.numRecentProgressUpdates": "4",
    # Spark sends a text of the plan to listeners with each micro-batch. Nothing shows it, so keep it short.
    "spark.sql.ui.explainMode": "simple",
}
_INTERPRETED = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}
"""Settings that turn off Java code for the packets.

A micro-batch has a few dozen packets, so generating code for them takes longer than running without it.
DataFrames of the user have many rows and keep generated code.
"""


def packet_frame(
    job: JobSpec,
    spark: Spark,
    settings: StreamSettings,
    folder: str,
    frames: Mapping[str, DataFrame],
    session: SparkSession | None = None,
    spill: Spill = IN_MEMORY_ONLY,
    histories: Sequence[History] = (),
    *,
    timers: str = "",
    admitted: str = "",
) -> DataFrame:
    """Return the job as one streaming DataFrame of the packets that its last chains send.

    Args:
        job: The job.
        spark: The Spark to run on.
        settings: Settings of the stream host.
        folder: The checkpoint.
        frames: DataFrames read as tables, by the table's path.
        session: Session of the DataFrame. Only its number of shuffle partitions is set. None creates a
            session for this job alone, and sets all options of the stream host in it.
        timers: File in which the driver writes the time of the next timer, "" for none.
        spill: Folder for packets that are too large for memory.
        histories: For each source, the only part that the job reads; () reads the sources as usual.
        admitted: File with the limit of rows of the next micro-batch, "" for none.

    Raises:
        UsageError: The checkpoint belongs to another query.
    """
    partitions = settings.parallelism or spark.parallelism
    wanted = Layout(settings.key_groups or KEY_GROUPS * partitions, partitions)
    prefix = ONCE if settings.checkpoint is None else ""
    layout = check_or_write(spark.context, folder, job, wanted, settings.statement, prefix)
    warn_of_layout(folder, settings.key_groups, settings.parallelism, layout)
    note_functions(spark.context, folder, job)
    if settings.replay is not None:
        keep(folder, settings.replay)
    note_script(spark.context, folder, settings.script)
    source = FiresteelSource if session is None else ChangelogSource
    if session is None:
        session = spark.session.newSession()
        for key, value in (_CONF | ({} if frames else _INTERPRETED)).items():
            session.conf.set(key, value)
        if local_folder(folder) is not None:
            write_with_few_programs(session, owned=spark.is_owned and spark.is_local)
    session.conf.set("spark.sql.shuffle.partitions", str(layout.partitions))
    return _frame(
        _Sources(
            job, session, source, layout, settings, folder, frames, timers, spill, histories, admitted
        )
    )  # fmt: skip


@dataclass(frozen=True)
class _Sources:
    """Readers of the sources of a job.

    Args:
        source: The Spark data source.
        spill: Folder for packets that are too large for memory.
        histories: For each source, the only part that the job reads; () reads the sources as usual.
        admitted: File with the limit of rows of the next micro-batch, "" for none.
    """

    job: JobSpec
    session: Any
    source: type[FiresteelSource]
    layout: Layout
    settings: StreamSettings
    folder: str
    frames: Mapping[str, DataFrame]
    timers: str
    spill: Spill
    histories: Sequence[History]
    admitted: str

    @property
    def labels(self) -> tuple[int, ...]:
        """Return the label of each key group: the number by which Spark knows the group."""
        return key_group_labels(self.layout.key_groups, self.layout.partitions)

    def channels(self, head: ScanSpec | ValuesSpec) -> list[int]:
        """Return the numbers of the watermark channels of a source. A DataFrame has only channel 0."""
        return [0] if self._given(head) is not None else open_head(head).channels()

    def packets(self, contexts: Sequence[TaskContext]) -> Iterator[DataFrame]:
        """Yield one DataFrame of packets for each source chain.

        In a bounded job, a source begins when the sources before it have ended (sequential_source.py). An
        unbounded job with timers needs a source that makes them fire. If all its sources are DataFrames of
        the user, yield one more DataFrame for this, without rows.
        """
        wakes = bool(contexts[0].timers)
        earlier: list[ScanSpec | ValuesSpec] = []
        read_before: list[History] = []
        all_numbers = source_numbers(self.job)
        for number, context in enumerate(contexts):
            task, numbers = SourceTask(context), all_numbers[context.fragment.head.id]
            given = self._given(task.source)
            if given is not None:
                yield self._of_frame(given, task, numbers)
                continue
            options = SourceOptions(
                task, self.labels, self.layout.partitions, numbers, self.settings.max_rows or MAX_ROWS,
                not self.settings.max_rows, _log_folder(task.source, self.folder, number), tuple(earlier),
                Ticks(self.timers, alone=not self.job.bounded) if wakes else None, self._interval(context),
                max_bytes=self.settings.max_bytes, spill=self.spill, replays=self._replays(context),
                histories=(self.histories[number], *read_before) if self.histories else (),
                admitted=self.admitted, commits=self._commits,
            )  # fmt: skip
            yield self._loaded(options)
            if self.job.bounded:
                earlier.append(task.source)
                read_before += self.histories[number : number + 1]
            else:
                wakes = False
        if wakes and not self.job.bounded:
            yield self._loaded(
                SourceOptions(
                    SourceTask(contexts[0]), self.labels, 1, ticks=Ticks(self.timers, True), has_rows=False
                )
            )

    @property
    def _commits(self) -> bool:
        """Whether sources commit offsets. A job without a checkpoint does not, nor does a replay of a job."""
        return self.settings.checkpoint is not None and self.settings.replay is None

    def _replays(self, context: TaskContext) -> SourceReplays:
        rows = rows_of_chain(self.folder, context.fragment.head.id)
        return SourceReplays(rows, alone=self.settings.replay is not None)

    def _given(self, head: ScanSpec | ValuesSpec) -> DataFrame | None:
        """Return the user's DataFrame that is read as this table, None if the table is read as usual."""
        return self.frames.get(head.table) if isinstance(head, ScanSpec) else None

    def _of_frame(self, given: DataFrame, task: SourceTask, numbers: range) -> DataFrame:
        timed = in_session(given, self.session).selectExpr("*", BATCH_TIME)
        return timed.mapInArrow(FrameTask(task, self.labels, numbers), packet_schema())

    def _interval(self, context: TaskContext) -> int:
        """Return for how many milliseconds the source itself holds back rows for a mini-batch.

        Return 0 if it does not, because Spark's trigger decides when a micro-batch begins.
        """
        waits = context.timers and self.timers and not self.job.bounded and self.settings.replay is None
        return self.settings.interval if waits else 0

    def _loaded(self, options: SourceOptions) -> DataFrame:
        reader = self.session.readStream.format(self.source.name())
        loaded: DataFrame = reader.option("chain", options.encode()).load()
        return loaded


def _frame(sources: _Sources) -> DataFrame:
    job, session, groups = sources.job, sources.session, sources.layout.key_groups
    session.dataSource.register(sources.source)
    staged, taken = stages(job), used_sub_sequence_bits(sources.frames)
    bits, name = sub_sequence_bits(exchanges(job), taken), job_id(session.sparkContext, sources.folder)
    watched = sources.settings.watched
    common = TaskContext(staged[0][0], groups, bits, job=name, run=uuid4().hex, watched=watched)
    first, *later = contexts_of(job, common, staged, sources.channels, taken)
    packets = reduce(lambda one, other: one.union(other), sources.packets(first))
    for contexts in later:
        processor = KeyedProcessor(StageTask(contexts), sources.labels, sources.spill)
        packets = with_state(packets, "key_group", processor, packet_schema())
    return packets


def _log_folder(scan: ScanSpec | ValuesSpec, checkpoint: str, source: int) -> str:
    """Return the folder in the checkpoint for the log that a source's offsets refer to.

    Return "" if the checkpoint is on a remote file system, such as `hdfs://`. Only a `filesystem` source
    needs the log.

    Args:
        scan: The source.
        checkpoint: The checkpoint's folder, as a path or a URI.
        source: Number of the source.

    Raises:
        NotSupportedError: A `filesystem` source is read with a checkpoint on a remote file system.
    """
    scheme, colon, path = checkpoint.partition("://")
    if not colon or scheme == "file":
        return f"{path if colon else checkpoint}/sources/{source}"
    if isinstance(scan, ScanSpec) and scan.connector == "filesystem":
        raise NotSupportedError(
            f"files cannot be read with a checkpoint on {scheme}://",
            hint="put the checkpoint into a folder that every machine sees as a local one",
        )
    return ""
