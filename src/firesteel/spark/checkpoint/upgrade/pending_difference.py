"""Changes that turn the content of an upgraded statement's sinks into the result of the new query.

    difference/NUMBER.arrow    the changes for sink NUMBER, until they are delivered
    difference/replaced.json   the name of the old job at each sink

The changes are delivered with the number and the origin of the last micro-batch in the new checkpoint. The
sinks have no rows of the new job yet, so they do not drop the changes as repeated. If a run repeats the
delivery after a crash, the sinks drop the changes that they already have. Afterwards, the positions of the
old job get the new lineage, so that no copy of the old checkpoint continues unnoticed.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from firesteel.connectors.base import Commits
from firesteel.connectors.positions import Origin, Position
from firesteel.connectors.registry import open_sink
from firesteel.durability import make_folders, sync_folder
from firesteel.job.spec import sink_id
from firesteel.runtime.dataflow.packets import FIRST, WRITTEN, Packer, Packet
from firesteel.runtime.spec.tables import SinkSpec
from firesteel.spark.checkpoint.batch_origins import batches
from firesteel.spark.checkpoint.lock import local_folder
from firesteel.spark.checkpoint.recovery import Settled
from firesteel.spark.delivery import Delivery
from firesteel.spark.sink_task import SinkTask, job_of

FOLDER = "difference"
_REPLACED = "replaced.json"
_PIECE = 1 << 16
"""Maximum number of rows in a record batch of a file of changes."""


@dataclass(frozen=True)
class ReplacedJob:
    """The job that an upgrade has replaced.

    Attributes:
        names: Name of the replaced job at each sink that both jobs have, by the sink's number in the new job.
        tasks: Highest number of shuffle partitions that the replaced job has had. Task numbers are below it.
    """

    names: Mapping[int, str]
    tasks: int


def write_difference(folder: Path, changes: Mapping[int, pa.Table], replaced: ReplacedJob) -> None:
    """Write files with the changes that are still to be delivered. The caller makes the files durable.

    Args:
        folder: The statement's folder in a checkpoint.
        changes: Changes tables by the number of the sink. Empty tables are left out.
        replaced: The old job.
    """
    make_folders(folder / FOLDER)
    value = {"names": {str(number): name for number, name in replaced.names.items()}, "tasks": replaced.tasks}
    (folder / FOLDER / _REPLACED).write_text(json.dumps(value), encoding="utf-8")
    for number, table in changes.items():
        if table.num_rows:
            with pa.ipc.new_file(str(folder / FOLDER / f"{number}.arrow"), table.schema) as writer:
                writer.write_table(table, _PIECE)


def deliver_difference(
    context: Any, checkpoint: str, sinks: Sequence[SinkSpec], delivery: Delivery, settled: Settled
) -> None:
    """Deliver the changes of an upgrade to the sinks, if there are any left to deliver.

    Args:
        context: The SparkContext.
        checkpoint: The statement's folder.
        sinks: Sinks of the job, by number.
        delivery: Delivery to these sinks.
        settled: The agreed state of the checkpoint and its sinks.

    Raises:
        FiresteelError: A sink cannot be written. The next run delivers the changes again.
    """
    folder = local_folder(checkpoint)
    if folder is None or not (folder / FOLDER).is_dir():
        return
    found = {int(file.stem): file for file in (folder / FOLDER).glob("*.arrow")}
    if found:
        batch = batches(context, checkpoint, "offsets")[-1]
        _deliver(batch, {n: _read(file) for n, file in sorted(found.items())}, sinks, delivery, settled)
    _shut_out(folder, delivery, settled.origins.lineage)
    shutil.rmtree(folder / FOLDER)
    sync_folder(folder)


def _shut_out(folder: Path, delivery: Delivery, lineage: str) -> None:
    """Give the replaced job's positions at the sinks a new lineage: copies of its checkpoint are refused."""
    try:
        value = json.loads((folder / FOLDER / _REPLACED).read_text(encoding="utf-8"))
    except FileNotFoundError:  # A crash has removed some files of the folder.
        return
    for number, name in value["names"].items():
        sink = delivery.positioned.get(job_of(delivery.job, int(number)))
        if sink is not None:
            found = sink.positions(name, value["tasks"])
            moved = {task: _of_lineage(position, lineage) for task, position in found.items()}
            sink.move(name, moved)


def _of_lineage(position: Position, lineage: str) -> Position:
    return replace(position, origin=replace(position.origin, lineage=lineage))


def _read(file: Path) -> pa.Table:
    with pa.memory_map(str(file)) as mapped:
        return pa.ipc.open_file(mapped).read_all()


def _deliver(
    batch: int,
    changes: Mapping[int, pa.Table],
    sinks: Sequence[SinkSpec],
    delivery: Delivery,
    settled: Settled,
) -> None:
    noting: set[tuple[int, int]] = set()

    def origin(in_tasks: set[tuple[int, int]], on_driver: set[int]) -> Origin:
        noting.update(in_tasks, ((number, 0) for number in on_driver))
        return settled.origins.of(batch, len(noting))

    packets = {n: list(_packets(table, sinks[n], n, delivery.job, batch)) for n, table in changes.items()}

    def run(task: SinkTask) -> Iterable[Packet]:
        return task.of_all({0: packets.get(task.number, [])})

    everything = (packet for each in packets.values() for packet in each)
    for _ in delivery.deliver(everything, batch, run, origin):
        continue
    names = ((job_of(delivery.job, number), task) for number, task in noting)
    settled.record.record(batch, names)


def _packets(changes: pa.Table, spec: SinkSpec, number: int, job: str, batch: int) -> Iterable[Packet]:
    """Yield the packets from which `Delivery.deliver` delivers changes to a sink.

    For most sinks, the packets hold the changes. But a sink may write rows in tasks and commit them on the
    driver. For such a sink, this function does the work of a task: it writes the rows, and yields one packet
    with the token for the commit (Sink.close_task).
    """
    sink = open_sink(spec)
    if sink.commits is not Commits.DRIVER or sink.on_driver:
        packer = Packer((), 1, to=sink_id(number))
        yield from [*packer.add(changes), *packer.flush()]
        return
    sink.open_task(job_of(job, number), batch, 0)
    try:
        sink.write(changes)
        token = sink.close_task()
    except BaseException:
        sink.abort_task()
        raise
    yield Packet(0, FIRST, changes.num_rows, 0, token.encode(), WRITTEN, to=sink_id(number))
