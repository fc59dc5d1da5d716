"""Sort of the packets of one partition by the sequence of their first rows, for the batch host.

The sort key is the position of a packet (runtime/dataflow/packets.py: Position).

pyspark's own sort (`repartitionAndSortWithinPartitions`) writes to disk what exceeds 512 MB, compressed with
zlib. Packets are compressed already, so this took three quarters of the time of large exchanges. Here only
the positions are sorted. Payloads beyond some megabytes wait in a file and are read back one at a time.

Workers import this module, so it imports neither Spark nor the planner.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Generator, Iterable
from dataclasses import replace
from operator import itemgetter
from pathlib import Path

from firesteel.spark.task.shuffle import Keyed
from firesteel.spark.task.spilled_packets import Spill, SpilledPackets

IN_MEMORY = 256 << 20
"""Most bytes of payloads that are kept in memory, for each task."""


def sorted_by_position(pairs: Iterable[Keyed], in_memory: int = IN_MEMORY) -> Generator[Keyed, None, None]:
    """Yield the packets of one partition with their keys, by ascending position (packets.py: Position).

    Args:
        pairs: The packets with their keys, in any order.
        in_memory: Most bytes of payloads to keep in memory.

    Raises:
        OSError: A payload cannot be written, for example because the disk is full.
    """
    with tempfile.TemporaryDirectory(prefix="firesteel-packets-", dir=_local_folder()) as folder:
        with SpilledPackets(Spill(folder, in_memory)) as spilled:
            held = [(key, spilled.sent(packet)) for key, packet in pairs]
        held.sort(key=itemgetter(0), reverse=True)
        while held:
            key, packet = held.pop()
            if packet.stored is not None:
                packet = replace(packet, payload=packet.content(), stored=None)
            yield key, packet


def _local_folder() -> Path | None:
    """Return one of the folders that Spark gives its workers for temporary files, None if it gave none."""
    folders = [folder for folder in os.environ.get("SPARK_LOCAL_DIRS", "").split(",") if folder]
    if not folders:
        return None
    folder = Path(folders[os.getpid() % len(folders)])
    folder.mkdir(parents=True, exist_ok=True)
    return folder
