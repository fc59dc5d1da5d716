"""The stream host: a job as one Structured Streaming query over packets.

    data sources (source chains) -> groupBy(key group).transformWithState (keyed chains, once an exchange)
    -> foreachBatch (results to the driver, or what sinks' tasks have written)

Spark keeps offsets, state and the log of batches in the checkpoint, and replays a batch whole after a
failure; the sink makes its effect happen once by the batch's number.
"""

from __future__ import annotations

import queue
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from firesteel.errors import FiresteelError, NotSupportedError
from firesteel.runtime.job_graph import exchanges, stages
from firesteel.runtime.orders import place_bits, split_numbers
from firesteel.runtime.packets import Packet
from firesteel.runtime.spec import JobSpec, ScanSpec, ValuesSpec
from firesteel.spark.checkpoint_folder import check_logs, disk_error, open_folder
from firesteel.spark.delivery import Delivery, RunTasks
from firesteel.spark.errors import from_spark
from firesteel.spark.fingerprint import SPARK, Layout, check_or_write, job_id, note_delivery
from firesteel.spark.flow import Work, works_of
from firesteel.spark.internals.hash_partitions import key_group_labels
from firesteel.spark.progress import Progress
from firesteel.spark.start.launch import Spark
from firesteel.spark.stream_rows import SCHEMA
from firesteel.spark.stream_sinks import KeptPackets
from firesteel.spark.tasks import SourceTask, StageTask, channels, open_head
from firesteel.spark.temporary import process_folder

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

    from firesteel.spark.stream_source import FiresteelSource

ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
_STORE = "spark.sql.streaming.stateStore"
PROVIDER = f"{_STORE}.providerClass"
_CONF = {
    PROVIDER: ROCKSDB,
    f"{_STORE}.rocksdb.changelogCheckpointing.enabled": "true",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.streaming.noDataMicroBatches.enabled": "false",
    "spark.sql.streaming.metricsEnabled": "false",
    "spark.sql.streaming.numRecentProgressUpdates": "4",
}
_COMMIT_SECONDS = 30.0
"""How long the end of a job waits for the commit of a batch that was delivered, then for the rest."""

KEY_GROUPS = 4
"""Key groups a partition, where none are set (docs/adr/0008)."""

MAX_ROWS = 2_000_000
"""The changes of a micro-batch pass through memory, so there is a bound to it."""


@dataclass(frozen=True)
class StreamSettings:
    """How a job runs on the stream host.

    checkpoint: the folder that a restart goes on from, None for one that goes with the job. parallelism
    and key_groups: 0 for the default; fixed once a checkpoint is made. max_rows: rows that a source gives
    to one micro-batch, 0 for about MAX_ROWS. interval: milliseconds between the starts of micro-batches of
    an unbounded job, 0 for as soon as possible. statement: the text by which a checkpoint knows the job.
    """

    checkpoint: str | None = None
    parallelism: int = 0
    key_groups: int = 0
    max_rows: int = 0
    interval: int = 0
    statement: str | None = None


def start(
    job: JobSpec,
    spark: Spark,
    settings: StreamSettings | None = None,
    progress: Progress | None = None,
    frames: Mapping[str, DataFrame] | None = None,
) -> StreamJob:
    """Start the job. A bounded one ends by itself, another when it is stopped. frames: the DataFrames
    that tables stand for (spark/frame_source.py), by the table's path.

    Raises UsageError where the checkpoint belongs to another query, or another run holds it.
    """
    return StreamJob(job, spark, settings or StreamSettings(), progress or Progress(), frames or {})


class StreamJob:
    """A running streaming job."""

    def __init__(
        self,
        job: JobSpec,
        spark: Spark,
        settings: StreamSettings,
        progress: Progress,
        frames: Mapping[str, DataFrame],
    ) -> None:
        self._job = job
        self._spark = spark
        self._frames = frames
        self.progress = progress
        self._results: queue.Queue[pa.Table | None] = queue.Queue(maxsize=64)
        self._failure: BaseException | None = None
        self._stopping = False
        self._delivered = -1
        self._delivering = threading.Lock()
        self._temporary: tempfile.TemporaryDirectory[str] | None = None
        folder = self._checkpoint = settings.checkpoint
        self._lock = None if folder is None else open_folder(folder)
        if folder is None:
            self._temporary = tempfile.TemporaryDirectory(prefix="checkpoint-", dir=process_folder())
            folder = self._temporary.name
        try:
            self._query = self._start(folder, settings)
        except BaseException:
            self._release()
            raise
        self._watching = threading.Thread(target=self._watch, daemon=True)
        self._watching.start()

    def results(self) -> Iterator[pa.Table]:
        """The changes (runtime/spec.py) of each batch by `$order`, batch by batch, until the job ends.

        Raises what ended the job where it failed.
        """
        while (changes := self._results.get()) is not None:
            yield changes
        if self._failure is not None:
            raise self._failure

    def wait(self) -> None:
        """Wait for the end of a job whose changes a sink takes. Raises what ended it where it failed."""
        for _ in self.results():
            continue

    def stop(self) -> None:
        """End the job between two batches: a batch whose changes nobody takes is left to the next run."""
        self._stopping = True
        while not self._delivering.acquire(timeout=0.05):
            self._drain()
        try:
            end = time.monotonic() + _COMMIT_SECONDS
            while self._query.isActive and not self._committed() and time.monotonic() < end:
                time.sleep(0.01)
            self._query.stop()
        finally:
            self._delivering.release()
        self._watching.join(_COMMIT_SECONDS)  # it deletes a temporary checkpoint

    def _committed(self) -> bool:
        """Whether the batch that was delivered last is in the checkpoint."""
        progress = self._query.lastProgress
        return self._delivered < 0 or (progress is not None and progress["batchId"] >= self._delivered)

    def _release(self) -> None:
        if self._lock is not None:
            self._lock.release()

    def _start(self, folder: str, settings: StreamSettings) -> StreamingQuery:
        if self._lock is not None:
            self._lock.hold_spark(self._spark.context)
            check_logs(folder)
        frame = packet_frame(self._job, self._spark, settings, folder, self._frames)
        self._delivery = Delivery(self._job.sinks, self.progress, job_id(self._spark.context, folder))
        writer = frame.writeStream.outputMode("append").foreachBatch(self._deliver)
        writer = writer.option("checkpointLocation", f"{folder}/{SPARK}")
        self.progress.enter("first micro-batch")
        if self._job.bounded:
            return writer.trigger(availableNow=True).start()
        return writer.trigger(processingTime=f"{settings.interval} milliseconds").start()

    def _deliver(self, frame: DataFrame, batch: int) -> None:
        """Take the packets of a batch to the driver, and its changes to whoever waits for them."""
        kept = KeptPackets(frame, self._delivery.in_tasks)
        try:
            packets = self._for_driver(kept, batch)
            with self._delivering:
                self._hand_over(packets, batch, kept.run)
        finally:
            kept.release()

    def _for_driver(self, kept: KeptPackets, batch: int) -> list[Packet]:
        try:
            return kept.for_driver()
        except BaseException:
            self._delivery.abort(batch)
            raise

    def _hand_over(self, packets: list[Packet], batch: int, run: RunTasks) -> None:
        if self._stopping:
            self._delivery.abort(batch)
            raise _StoppedError
        try:
            for changes in self._delivery.deliver(packets, batch, run):
                self._put(changes)
        except (FiresteelError, OSError) as error:
            self._failure = error  # Spark would turn it into text
            raise
        if self._delivered < 0 and self._checkpoint is not None:
            note_delivery(self._spark.context, self._checkpoint)
        self._delivered = batch
        self._spark.keep_classes()
        self.progress.end_batch()

    def _put(self, changes: pa.Table) -> None:
        """Hand changes over. Where nobody takes them any more the batch is not committed."""
        while not self._stopping:
            try:
                self._results.put(changes, timeout=0.1)
            except queue.Full:
                continue
            return
        raise _StoppedError

    def _watch(self) -> None:
        """Wait for the query's end and tell those who wait for results."""
        try:
            self._query.awaitTermination()
        except Exception as error:
            if self._failure is None and not self._stopping:
                self._failure = disk_error(error, self._checkpoint) or from_spark(error, self._job)
        finally:
            if self._temporary is not None:
                self._temporary.cleanup()
            self._release()
            if self._stopping:
                self._drain()
            self._results.put(None)

    def _drain(self) -> None:
        """Nobody will take what is left."""
        while not self._results.empty():
            self._results.get_nowait()


class _StoppedError(Exception):
    """Ends a batch that began before the job was stopped; it was not delivered and is not committed."""


def packet_frame(
    job: JobSpec,
    spark: Spark,
    settings: StreamSettings,
    folder: str,
    frames: Mapping[str, DataFrame],
    session: SparkSession | None = None,
) -> DataFrame:
    """The job as one streaming DataFrame of the packets that its last chains give.

    It is of the session that is given, of which only the shuffle partitions are set, or of one of its own,
    whose settings are this job's alone. Raises UsageError where the checkpoint in `folder` belongs to
    another query.
    """
    partitions = settings.parallelism or spark.context.defaultParallelism
    wanted = Layout(settings.key_groups or KEY_GROUPS * partitions, partitions)
    layout = check_or_write(spark.context, folder, job, wanted, settings.statement)
    from firesteel.spark.stream_source import ChangelogSource, FiresteelSource

    source = FiresteelSource if session is None else ChangelogSource
    if session is None:
        session = spark.session.newSession()
        for key, value in _CONF.items():
            session.conf.set(key, value)
    session.conf.set("spark.sql.shuffle.partitions", str(layout.partitions))
    return _frame(job, session, source, layout, settings, folder, frames)


def _frame(
    job: JobSpec,
    session: Any,
    source: type[FiresteelSource],
    layout: Layout,
    settings: StreamSettings,
    folder: str,
    frames: Mapping[str, DataFrame],
) -> DataFrame:
    from firesteel.spark.frame_source import FrameTask, taken_places
    from firesteel.spark.internals.frames import in_session
    from firesteel.spark.stream_keyed import KeyedProcessor
    from firesteel.spark.stream_source import SourceOptions

    session.dataSource.register(source)
    labels = key_group_labels(layout.key_groups, layout.partitions)
    staged, taken = stages(job), taken_places(frames)
    places, name = place_bits(exchanges(job), taken), job_id(session.sparkContext, folder)
    common = Work(staged[0][0], layout.key_groups, places, job=name)

    def of_source(head: ScanSpec | ValuesSpec) -> list[int]:
        is_frame = isinstance(head, ScanSpec) and head.table in frames
        return [0] if is_frame else channels(open_head(head))

    first, *later = works_of(job, common, staged, of_source, taken)
    made: list[DataFrame] = []
    read: list[ScanSpec | ValuesSpec] = []
    for number, work in enumerate(first):
        task = SourceTask(work)
        scan, numbers = task.source, split_numbers(number, len(first))
        if isinstance(scan, ScanSpec) and scan.table in frames:
            given = in_session(frames[scan.table], session)
            made.append(given.mapInArrow(FrameTask(task, labels, numbers), SCHEMA))
            continue
        options = SourceOptions(
            task, labels, layout.partitions, numbers, settings.max_rows or MAX_ROWS, not settings.max_rows,
            _log_folder(scan, folder, number), tuple(read),
        )  # fmt: skip
        made.append(session.readStream.format(source.name()).option("chain", options.encode()).load())
        if job.bounded:
            read.append(scan)
    packets = _union(made)
    for works in later:
        processor = KeyedProcessor(StageTask(works), labels)
        packets = packets.groupBy("key_group").transformWithState(processor, SCHEMA, "Append", "None")
    return packets


def _log_folder(scan: ScanSpec | ValuesSpec, checkpoint: str, source: int) -> str:
    """Where a source keeps what its offsets refer to. Raises NotSupportedError where it cannot."""
    scheme, colon, path = checkpoint.partition("://")
    if not colon or scheme == "file":
        return f"{path if colon else checkpoint}/sources/{source}"
    if isinstance(scan, ScanSpec) and scan.connector == "filesystem":
        raise NotSupportedError(
            f"files cannot be read with a checkpoint on {scheme}://",
            hint="put the checkpoint into a folder that every machine sees as a local one",
        )
    return ""


def _union(frames: list[DataFrame]) -> DataFrame:
    whole = frames[0]
    for frame in frames[1:]:
        whole = whole.union(frame)
    return whole
