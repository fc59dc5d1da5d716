"""The stream host: a job as one Structured Streaming query over packets.

    packets (frame.py) -> foreachBatch (results to the driver, or acknowledgements of sinks' tasks)

Spark keeps offsets, state and the log of batches in the checkpoint. After a failure it replays a batch as a
whole, and sinks recognise the batch by its number, so that it takes effect once.
"""

from __future__ import annotations

import queue
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING

import pyarrow as pa

from firesteel.connectors.positions import Origin
from firesteel.errors import FiresteelError
from firesteel.job.spec import JobSpec
from firesteel.runtime.dataflow.packets import Packet
from firesteel.spark.batch_log import TASKS, WAITING
from firesteel.spark.checkpoint.changed_files import ChangedFiles
from firesteel.spark.checkpoint.fingerprint import SPARK, job_id, most_partitions
from firesteel.spark.checkpoint.folder import check_logs, open_folder
from firesteel.spark.checkpoint.hadoop_lock import HadoopLock
from firesteel.spark.checkpoint.lock import CheckpointLock, local_folder
from firesteel.spark.checkpoint.owner import ShutOutError
from firesteel.spark.checkpoint.recovery import Settled, settle, settle_changed_files
from firesteel.spark.checkpoint.recovery_plan import DELIVER_AGAIN
from firesteel.spark.checkpoint.refused_rows import RefusedRowsOfCheckpoint
from firesteel.spark.checkpoint.snapshots import remove_useless_snapshots
from firesteel.spark.checkpoint.sync import CheckpointSync
from firesteel.spark.checkpoint.upgrade.pending_difference import deliver_difference
from firesteel.spark.delivery import Delivery
from firesteel.spark.errors import from_spark
from firesteel.spark.full_disk import full_disk, local_folders
from firesteel.spark.internals.callback_peers import guard_callbacks
from firesteel.spark.internals.exit_files import ExitFiles
from firesteel.spark.launch.launch import Spark
from firesteel.spark.progress import Progress
from firesteel.spark.sink_identity import check_age, check_identities, note_identities
from firesteel.spark.sink_task import job_of
from firesteel.spark.stream.delivered_rows import DeliveredRows
from firesteel.spark.stream.lag import Lag
from firesteel.spark.stream.query_progress import QueryProgress
from firesteel.spark.stream.settings import StreamSettings
from firesteel.spark.stream.sinks import KeptPackets
from firesteel.spark.stream.source_feedback import SourceFeedback
from firesteel.spark.task.spilled_packets import Spill
from firesteel.spark.temporary import process_folder

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming.query import StreamingQuery

_COMMIT_SECONDS = 30.0
"""Most seconds of each of three waits at the end of a job.

`StreamJob.stop` waits for Spark's commit of the last delivered batch, and then for the thread that cleans up
after the query (`_watch`). If the query ends by itself, this thread waits for a delivery that still runs.
"""
_PATIENCE_SECONDS = 0.05


def start(
    job: JobSpec,
    spark: Spark,
    settings: StreamSettings | None = None,
    progress: Progress | None = None,
    frames: Mapping[str, DataFrame] | None = None,
    given: DeliveredRows | None = None,
) -> StreamJob:
    """Start a job and return it. A bounded job and a replay end by themselves; any other must be stopped.

    Args:
        job: The job.
        spark: The Spark to run on.
        settings: Settings of the stream host.
        progress: Counters of the job.
        frames: DataFrames read as tables (spark/stream/frame_source.py), by the table's path.
        given: Rows that earlier attempts delivered to the caller of a query; None for none.

    Raises:
        UsageError: The checkpoint belongs to another query, or another run holds it.
    """
    settings, progress = settings or StreamSettings(), progress or Progress()
    return StreamJob(job, spark, settings, progress, frames or {}, given or DeliveredRows())


class StreamJob:
    """A running streaming job."""

    def __init__(
        self, job: JobSpec, spark: Spark, settings: StreamSettings, progress: Progress,
        frames: Mapping[str, DataFrame], given: DeliveredRows,
    ) -> None:  # fmt: skip
        self._job = job
        self._given = given
        self._spark = spark
        self._frames = frames
        self.progress = progress
        self._reported = QueryProgress(Lag(job, framed=bool(frames)))
        self._statement = settings.statement
        self._results: queue.Queue[pa.Table | None] = queue.Queue(maxsize=64)
        self._failure: BaseException | None = None
        self._stopping = False
        self._has_ended = False
        self._delivered = -1
        self._were_few = False
        self._spill = Spill()
        self._delivering = threading.Lock()
        self._feedback = SourceFeedback(job, settings)
        self._temporary: tempfile.TemporaryDirectory[str] | None = None
        folder = self._checkpoint = settings.checkpoint
        self._lock: CheckpointLock | HadoopLock | None = (
            None if folder is None else open_folder(folder, trusts_others=settings.trusts_others)
        )
        local = None if folder is None else local_folder(folder)
        self._sync = None if local is None else CheckpointSync(local)
        if folder is None:
            # A worker may still write into the folder when it is removed. `True` ignores the resulting error:
            # the folder's parent, process_folder(), is removed later.
            self._temporary = tempfile.TemporaryDirectory("", "checkpoint-", process_folder(), True)
            folder = self._temporary.name
        try:
            self._query = self._reported.query = self._start(folder, settings)
        except BaseException:
            self._release()
            raise
        self._watching = threading.Thread(target=self._watch, daemon=True)
        self._watching.start()

    def results(self) -> Iterator[pa.Table]:
        """Yield the changes of each batch (runtime/spec/operators.py) by sequence, until the job ends.

        If the job fails, its error is raised.
        """
        while (changes := self._results.get()) is not None:
            yield changes
        if self._failure is not None:
            raise self._failure

    def wait(self) -> None:
        """Wait for the end of a job that has a sink. Raises the job's error if the job fails."""
        for _ in self.results():
            continue

    def stop(self) -> None:
        """Stop the job between two batches, and drop the results that the caller has not read.

        The next run repeats a batch that was not committed.
        """
        self._stopping = True
        while not self._delivering.acquire(timeout=_PATIENCE_SECONDS):
            self._drain()
        try:
            end = time.monotonic() + _COMMIT_SECONDS
            while self._query.isActive and not self._committed() and time.monotonic() < end:
                time.sleep(0.01)
            self._query.stop()
        finally:
            self._delivering.release()
        self._watching.join(_COMMIT_SECONDS)  # the watching thread deletes a temporary checkpoint

    def _committed(self) -> bool:
        """Return whether the last delivered batch is committed in the checkpoint."""
        progress = self._query.lastProgress
        return self._delivered < 0 or (progress is not None and progress["batchId"] >= self._delivered)

    def _release(self) -> None:
        self._spill.end()
        if self._sync is not None:
            self._sync.close()
        if self._lock is not None:
            self._lock.release()

    def _start(self, folder: str, settings: StreamSettings) -> StreamingQuery:
        self._hold(folder)
        from firesteel.spark.stream.frame import packet_frame  # loads much of pyspark

        self._spill = Spill.of(self._spark)
        frame = packet_frame(
            self._job, self._spark, settings, folder, self._frames, None, self._spill,
            timers=self._feedback.timers, admitted=self._feedback.admitted,
        )  # fmt: skip
        if self._spark.is_owned:
            guard_callbacks()
        context = self._spark.context
        self._exit_files = ExitFiles(context, is_owned=self._spark.is_owned)
        name, refused = job_id(context, folder), RefusedRowsOfCheckpoint(context, folder)
        self._delivery = Delivery(self._job.sinks, self.progress, name, self._check_owner, refused)
        self._settled: Settled | None = None
        if self._checkpoint is not None:
            self._identities = self._delivery.identities()
            check_identities(context, folder, self._identities)
            check_age(context, folder, self._delivery.forgets_after())
            self._settled = self._settle(folder, settings)
            deliver_difference(context, folder, self._job.sinks, self._delivery, self._settled)
            remove_useless_snapshots(context, folder)
        writer = frame.writeStream.outputMode("append").foreachBatch(self._deliver)
        writer = writer.option("checkpointLocation", f"{folder}/{SPARK}")
        if self.progress.name:
            writer = writer.queryName(self.progress.name)
        self.progress.enter("first micro-batch")
        if self._job.bounded or settings.replay is not None:
            return writer.trigger(availableNow=True).start()
        # In a job with timers, a timer that is due starts a micro-batch at once, although the interval of the
        # mini-batch has not passed. So Spark's trigger has no interval, and asks the sources all the time.
        # The sources hold back their rows until the interval has passed (batch_clock.py).
        interval = 0 if self._feedback.timers else settings.interval
        return writer.trigger(processingTime=f"{interval} milliseconds").start()

    def _hold(self, folder: str) -> None:
        """Lock the checkpoint against other runs. A temporary one needs no lock."""
        context = self._spark.context
        if isinstance(self._lock, CheckpointLock):
            self._lock.hold_spark(context)
            check_logs(folder)
        elif self._checkpoint is not None:
            self._lock = HadoopLock(context, folder)
        if self._lock is not None:
            self._lock.watch(self._shut_out)

    def _check_owner(self) -> None:
        """Raise ShutOutError if another run has taken over the checkpoint."""
        if self._lock is not None:
            self._lock.check()

    def _note_shut_out(self) -> None:
        """Set the failure to ShutOutError if another run has taken over, whatever error Spark reports."""
        try:
            self._check_owner()
        except ShutOutError as error:
            self._failure = error
        except Exception:  # no answer from the file system: Spark's error stays
            return

    def _shut_out(self, error: ShutOutError) -> None:
        """Stop the job from the thread that renews the lock."""
        self._failure = self._failure or error
        with suppress(Exception):  # while the query starts or ends; each delivery checks the lock, too
            self._query.stop()

    def _settle(self, folder: str, settings: StreamSettings) -> Settled:
        """Resolve differences between checkpoint, sinks and changed source files, or raise UsageError."""
        context, framed, delivery = self._spark.context, bool(self._frames), self._delivery
        partitions = most_partitions(context, folder)
        settled = settle(context, folder, delivery, partitions, settings.recovery, framed=framed)
        changed = ChangedFiles(context, folder, self._job, settings.source_recovery)
        if not changed:
            return settled
        settle_changed_files(context, folder, delivery, partitions, settings.recovery, changed)
        return settle(context, folder, delivery, partitions, DELIVER_AGAIN, framed=framed)

    def _deliver(self, frame: DataFrame, batch: int) -> None:
        """Collect the packets of a batch on the driver and deliver its changes to sinks or the caller."""
        # Spark's UI and event log show the Spark jobs of this thread by the description that is set here.
        if self._statement is not None and not self._spark.is_unwatched:
            self._spark.context.setJobDescription(f"{self._statement} (batch {batch})")
        self.progress.log.spend(WAITING)
        planned = self._durable()
        kept = KeptPackets(
            frame, self._delivery.in_tasks, is_local=self._spark.is_local, expects_few=self._were_few
        )
        try:
            packets = self._for_driver(kept, batch)
            self.progress.log.spend(TASKS)
            state = self._durable()
            self._were_few = kept.were_few
            with self._turn():
                self._hand_over(packets, batch, kept, planned)
            state()
        finally:
            kept.release()
            self._spill.end_batch()

    def _durable(self) -> Callable[[], None]:
        """Begin to make the files of the checkpoint durable, and return a function that waits for the end."""
        if self._sync is None:
            return lambda: None
        return partial(self._sync.ended, self._sync.begin())

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """Hold the lock `_delivering` in a `with` block, unless `stop` was called, which holds it itself."""
        held = False
        while not (held or self._stopping):
            held = self._delivering.acquire(timeout=_PATIENCE_SECONDS)
        try:
            yield
        finally:
            if held:
                self._delivering.release()

    def _for_driver(self, kept: KeptPackets, batch: int) -> list[Packet]:
        try:
            return kept.for_driver()
        except BaseException:
            self._delivery.abort(batch)
            raise

    def _hand_over(
        self, packets: list[Packet], batch: int, kept: KeptPackets, planned: Callable[[], None]
    ) -> None:
        """Deliver a batch to the sinks or the caller.

        Args:
            packets: All packets of the batch that the driver has collected.
            batch: Number of the batch.
            kept: The batch's packets as a DataFrame, for the tasks of sinks.
            planned: Function that waits until the batch's offsets are durable.
        """
        positioned: set[tuple[int, int]] = set()

        def origin(in_tasks: set[tuple[int, int]], on_driver: set[int]) -> Origin:
            planned()
            if self._settled is None:
                return Origin()
            positioned.update(kept.partitions_of(in_tasks), ((number, 0) for number in on_driver))
            return self._settled.origins.of(batch, len(positioned))

        if self._stopping:
            self._delivery.abort(batch)
            raise _StoppedError
        try:
            self._given.begin(batch)
            for changes in self._delivery.deliver(packets, batch, kept.run, origin):
                self._put(self._given.rest(changes), batch)
            if self._settled is not None:
                names = ((job_of(self._delivery.job, number), task) for number, task in positioned)
                self._settled.record.record(batch, names)
            self._feedback.take(packets)
        except (FiresteelError, OSError) as error:
            self._failure = error  # Spark would turn it into text
            raise
        if self._delivered < 0 and self._checkpoint is not None:
            note_identities(self._spark.context, self._checkpoint, self._identities)
        self._delivered = self.progress.batch = batch
        self._spark.keep_classes()
        self._exit_files.end_batch()
        self.progress.state_size = self._reported.state_bytes
        self.progress.lag = self._reported.lags
        self.progress.end_batch()

    def _put(self, changes: pa.Table, batch: int) -> None:
        """Pass changes to the caller. After `stop`, raise _StoppedError, so the batch is not committed."""
        while not (self._stopping or self._has_ended):
            try:
                self._results.put(changes, timeout=0.1)
            except queue.Full:
                continue
            self._given.note(batch, changes.num_rows)
            return
        raise _StoppedError

    def _watch(self) -> None:
        """Wait for the query's end, then wake up the readers of results."""
        try:
            self._query.awaitTermination()
        except Exception as error:
            self._note_shut_out()
            if self._failure is None and not self._stopping:
                self._failure = from_spark(error, self._job, goes_on=self._checkpoint is not None)
                folders = local_folders(self._spark.context)
                self._failure = full_disk(error, self._checkpoint, folders) or self._failure
        finally:
            try:
                self._end()
            finally:
                self._results.put(None)

    def _end(self) -> None:
        """Release the resources of the job, after the last delivery."""
        self._end_delivery()
        if self._temporary is not None:
            self._delivery.end_run()
            self._temporary.cleanup()
        self._release()
        if self._stopping:
            self._drain()

    def _end_delivery(self) -> None:
        """Wait for a delivery that still runs, as after the death of the JVM. After `stop`, do not wait."""
        self._has_ended, self._reported.query = True, None
        if not self._stopping and self._delivering.acquire(timeout=_COMMIT_SECONDS):
            self._delivering.release()

    def _drain(self) -> None:
        """Drop the results that wait for the caller."""
        while not self._results.empty():
            self._results.get_nowait()


class _StoppedError(Exception):
    """Error that ends a batch of a stopped job before it is delivered and committed."""
