"""The batch host: a bounded job as one Spark job over an RDD of packets.

    splits -> source chain -> shuffle by key group -> keyed chain (once an exchange) -> driver or sink

Plain RDDs and not DataFrames: packets are opaque bytes that Catalyst could do nothing for, and a
session with its first planned query costs three seconds more (docs/adr).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pyarrow as pa

from firesteel.runtime.packets import Packet
from firesteel.runtime.spec import ChainSpec, JobSpec
from firesteel.spark.delivery import Delivery
from firesteel.spark.errors import from_spark
from firesteel.spark.exchange import exchange
from firesteel.spark.launch import Spark
from firesteel.spark.progress import Progress
from firesteel.spark.tasks import KeyedTask, SourceTask, bounded_splits, destination

if TYPE_CHECKING:
    from pyspark import RDD

_NO_SCOPES = "spark.rdd.scope.noOverride"
"""Spark writes down the call that made each RDD, as JSON, for its UI: 50 ms of a first job."""


@dataclass(frozen=True)
class BatchSettings:
    """parallelism: tasks of a source and partitions of an exchange; 0 for one a core. group: Spark's name
    for the job, by which another thread can cancel it (SparkContext.cancelJobGroup)."""

    parallelism: int = 0
    group: str = field(default_factory=lambda: f"firesteel-{uuid4().hex}")


def run(
    job: JobSpec, spark: Spark, settings: BatchSettings | None = None, progress: Progress | None = None
) -> Iterator[pa.Table]:
    """Run the job to its end; its changes (runtime/spec.py) by `$order`, none where a sink takes them.

    Raises what a worker raised, or JobError.
    """
    context = spark.context
    settings = settings or BatchSettings()
    parallelism = settings.parallelism or context.defaultParallelism
    delivery = Delivery(job.sink, progress or Progress())
    if spark.is_unwatched:
        context.setLocalProperty(_NO_SCOPES, "true")
    plan = _plan(job, context, parallelism)
    try:
        context.setJobGroup(settings.group, job.sink.table or "select", interruptOnCancel=False)
        packets = [packet for _, packet in plan.collect()]
    except KeyboardInterrupt:
        context.cancelJobGroup(settings.group)
        raise
    except Exception as error:
        raise from_spark(error, job) from error
    spark.keep_classes()
    yield from delivery.deliver(packets, 0)


def _plan(job: JobSpec, context: Any, parallelism: int) -> RDD[tuple[tuple[int, int], Packet]]:
    """The job as one RDD of the packets that its last chains give."""
    made: dict[int, RDD[Any]] = {}
    ordinal = 0
    for chain in job.chains:
        to = destination(chain, job.sink, parallelism)
        if isinstance(chain.head, tuple):
            targets = _targets(job, chain, parallelism)
            gathered = _union(context, [made[i] for i in chain.head])
            made[chain.id] = exchange(gathered, targets).mapPartitionsWithIndex(KeyedTask(chain, to).keyed)
        else:
            splits = bounded_splits(chain.head, parallelism, ordinal)
            ordinal += len(splits)
            read = context.parallelize(splits, max(1, len(splits)))
            made[chain.id] = read.mapPartitions(SourceTask(chain, to).keyed)
    return _union(context, [made[chain.id] for chain in job.chains if chain.partition_by is None])


def _union(context: Any, rdds: list[RDD[Any]]) -> RDD[Any]:
    return context.union(rdds) if len(rdds) > 1 else rdds[0]


def _targets(job: JobSpec, chain: ChainSpec, parallelism: int) -> int:
    """Partitions of the exchange before the chain: one where its writers have no keys."""
    assert isinstance(chain.head, tuple)
    writers = {c.id: c for c in job.chains}
    return parallelism if any(writers[i].partition_by for i in chain.head) else 1
