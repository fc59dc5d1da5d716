"""Batch host: runs a bounded job as one Spark job over an RDD of packets.

    splits -> source chains -> [shuffle by key group -> keyed chains] -> driver or sinks

The part in brackets occurs once for each exchange on the way from a source to the result, so zero or more
times.

The host uses RDDs instead of DataFrames: Catalyst cannot optimize packets, which are opaque bytes, and a
SparkSession with its first planned query costs three seconds more (docs/adr).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pyarrow as pa

from firesteel.job.spec import JobSpec
from firesteel.job.topology import exchanges, is_keyed, source_numbers, stages
from firesteel.runtime.dataflow.chain import wall_clock
from firesteel.runtime.dataflow.packets import Packet
from firesteel.runtime.dataflow.sequence import sub_sequence_bits
from firesteel.spark.delivery import Delivery
from firesteel.spark.errors import from_spark
from firesteel.spark.full_disk import full_disk, local_folders
from firesteel.spark.internals.first_job import leave_out_scopes, write_as_java
from firesteel.spark.launch.launch import Spark
from firesteel.spark.progress import Progress
from firesteel.spark.sink_task import for_driver, written
from firesteel.spark.task.context import TaskContext, contexts_of
from firesteel.spark.task.packet_sort import sorted_by_position
from firesteel.spark.task.shuffle import Keyed, target_of
from firesteel.spark.task.source_task import SourceTask
from firesteel.spark.task.splits import bounded_splits, open_head
from firesteel.spark.task.stage_task import StageTask

if TYPE_CHECKING:
    from pyspark import RDD


@dataclass(frozen=True)
class BatchSettings:
    """Settings of a job on the batch host."""

    parallelism: int = 0
    """Number of tasks of a source and of partitions of an exchange; 0 means one for each core."""
    statement: str = ""
    """SQL of the job, which Spark's UI shows."""
    watched: str = ""
    """Path of a file that is touched while a web page shows rows sent to sinks, so that tasks send samples.

    "" if there is no page.
    """
    group: str = field(default_factory=lambda: f"firesteel-{uuid4().hex}")
    """Spark's job group, by which another thread can cancel the job (SparkContext.cancelJobGroup)."""


def run(
    job: JobSpec, spark: Spark, settings: BatchSettings | None = None, progress: Progress | None = None
) -> Iterator[pa.Table]:
    """Run a job to its end and yield its changes (runtime/spec/operators.py), sorted by sequence.

    A job with a sink yields nothing.

    Raises:
        FiresteelError: The error of a worker, or a JobError if Spark failed.
    """
    context = spark.context
    settings = settings or BatchSettings()
    parallelism = settings.parallelism or spark.parallelism
    delivery = Delivery(job.sinks, progress or Progress())
    if spark.is_unwatched:
        leave_out_scopes(context)
    plan = _plan(job, context, parallelism, delivery.job, settings.watched)
    if delivery.in_tasks:
        # The sink tasks run in later Spark jobs. With shuffle files, those do not run the operators again.
        plan = exchange(plan, parallelism)

    def collected(packets: RDD[Any]) -> list[Packet]:
        try:
            context.setJobGroup(
                settings.group, settings.statement or job.target or "select", interruptOnCancel=False
            )
            found: list[Packet] = packets.collect()
        except KeyboardInterrupt:
            context.cancelJobGroup(settings.group)
            raise
        except Exception as error:
            raise full_disk(error, None, local_folders(context)) or from_spark(error, job) from error
        return found

    try:
        packets = collected(plan.mapPartitions(partial(for_driver, delivery.in_tasks)))
    except BaseException:
        delivery.abort(0)
        raise
    spark.keep_classes()
    yield from delivery.deliver(
        packets, 0, lambda task: collected(plan.mapPartitionsWithIndex(partial(written, task)))
    )
    delivery.end_run()


def _plan(job: JobSpec, context: Any, parallelism: int, name: str, watched: str) -> RDD[Keyed]:
    """Return an RDD that runs the job: it has the packets that the last stage sends to sinks or the driver.

    Args:
        job: The job.
        context: The SparkContext.
        parallelism: Number of tasks of a source and of partitions of an exchange.
        name: Name by which the sinks know the job.
        watched: See BatchSettings.
    """
    staged = stages(job)
    bits = sub_sequence_bits(exchanges(job))
    common = TaskContext(
        staged[0][0], parallelism, bits, wall_clock(), ends=True, job=name, run=uuid4().hex, watched=watched
    )
    first, *later = contexts_of(job, common, staged, lambda head: open_head(head).channels())
    made: list[RDD[Any]] = []
    numbers = source_numbers(job)
    for shared in first:
        task = SourceTask(shared)
        own = numbers[shared.fragment.head.id]
        splits = bounded_splits(task.source, parallelism, own, bool(shared.watermarked))
        made.append(context.parallelize(splits, max(1, len(splits))).mapPartitions(task.keyed))
    packets = context.union(made) if len(made) > 1 else made[0]
    for stage, contexts in zip(staged[1:], later, strict=True):
        targets = parallelism if is_keyed(job, stage) else 1
        packets = exchange(packets, targets).mapPartitionsWithIndex(StageTask(contexts).keyed)
    return packets


def exchange(packets: RDD[Keyed], targets: int) -> RDD[Keyed]:
    """Shuffle packets into `targets` partitions, and sort each partition.

    Each packet comes with a key: (number of its partition, Position by which the partition is sorted).
    """
    exchanged = packets.partitionBy(targets, target_of).mapPartitions(
        sorted_by_position, preservesPartitioning=True
    )
    write_as_java(exchanged)
    return exchanged
