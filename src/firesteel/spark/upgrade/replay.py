"""Run of a job over the history of its sources, which returns the content of sinks and writes none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from firesteel.connectors.base import History
from firesteel.errors import FiresteelError
from firesteel.job.spec import JobSpec, sink_id
from firesteel.runtime.dataflow.packets import CHANGES, merge
from firesteel.spark.checkpoint.fingerprint import SPARK, Layout
from firesteel.spark.errors import from_spark, raise_failure
from firesteel.spark.internals.callback_peers import guard_callbacks
from firesteel.spark.launch.launch import Spark
from firesteel.spark.stream.frame import packet_frame
from firesteel.spark.stream.rows import from_values
from firesteel.spark.stream.settings import StreamSettings
from firesteel.spark.stream.source_feedback import SourceFeedback
from firesteel.spark.task.spilled_packets import Spill
from firesteel.spark.upgrade.content import Content

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Keys = Mapping[int, tuple[int, ...]]
"""Positions of the key of each sink, by the sink's number."""


def replay(
    job: JobSpec, spark: Spark, folder: Path, layout: Layout, histories: Sequence[History], keys: Keys,
    limits: StreamSettings,
) -> dict[int, Content]:  # fmt: skip
    """Run a job over a part of its sources, and return the content of each sink by the sink's number.

    No sink is written. Micro-batches have the same limits as those of a running job.

    Args:
        job: The job.
        spark: The Spark to run on.
        folder: New folder for its checkpoint, with the logs of its sources.
        layout: Key groups and partitions of the checkpoint.
        histories: The part of each source that is read.
        keys: The numbers of the sinks whose content is wanted, with the positions of their key columns.
        limits: Settings with the limits of a micro-batch.

    Raises:
        FiresteelError: The job fails.
    """
    contents = {number: Content(job.sinks[number].types, key) for number, key in keys.items()}
    collected = replace(job, sinks=tuple(replace(sink, connector=None) for sink in job.sinks))
    settings = replace(
        limits, checkpoint=str(folder), parallelism=layout.partitions, key_groups=layout.key_groups
    )
    feedback, spill = SourceFeedback(job, settings), Spill.of(spark)
    failures: list[FiresteelError] = []

    def take(frame: DataFrame, batch: int) -> None:
        try:
            packets = [from_values(tuple(row)) for row in frame.collect()]
            _apply(packets, contents)
            feedback.take(packets)
        except FiresteelError as error:
            failures.append(error)
            raise
        finally:
            spill.end_batch()

    if spark.is_owned:
        guard_callbacks()
    try:
        frame = packet_frame(
            collected, spark, settings, str(folder), {}, spill=spill, histories=histories,
            admitted=feedback.admitted,
        )  # fmt: skip
        writer = frame.writeStream.outputMode("append").foreachBatch(take)
        query = writer.option("checkpointLocation", f"{folder}/{SPARK}").trigger(availableNow=True).start()
        try:
            query.awaitTermination()
        except Exception as error:
            raise (failures[0] if failures else from_spark(error, collected, goes_on=False)) from error
        finally:
            query.stop()
    finally:
        spill.end()
    return contents


def _apply(packets: Sequence[Any], contents: Mapping[int, Content]) -> None:
    ordered = sorted(packets, key=lambda packet: packet.first)
    for packet in ordered:
        raise_failure(packet)
    for number, content in contents.items():
        own = (p for p in ordered if p.to == sink_id(number) and p.holds == CHANGES)
        for changes in merge(own):
            content.apply(changes)
