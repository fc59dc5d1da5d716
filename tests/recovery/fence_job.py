"""The program that is paused in the middle of a micro-batch, on a checkpoint without locks of the kernel.

usage: python -m tests.recovery.fence_job INPUT OUTPUT CHECKPOINT ROWS_A_BATCH LOCKS [PLACE MARK]

LOCKS is `locks` or `none`. PLACE is a step of micro-batch 2 (PLACES): there the process makes the file MARK
and stops itself, until somebody lets it go on.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Any

from firesteel.connectors.filesystem import manifests as filesystem_manifests
from firesteel.connectors.filesystem.sink import FilesystemSink
from firesteel.spark.checkpoint import lock as checkpoint_lock
from firesteel.spark.checkpoint import owner as checkpoint_owner
from firesteel.spark.checkpoint.lock import CheckpointLock
from firesteel.spark.delivery import Delivery
from firesteel.spark.progress import Progress
from firesteel.spark.stream.host import StreamJob
from tests.recovery import job

PLACES = {
    "begun": (StreamJob, "_for_driver"),
    "collected": (StreamJob, "_hand_over"),
    "running": (Delivery, "_run"),
    "checked": (FilesystemSink, "commit"),
    "deciding": (filesystem_manifests, "_give_name"),
    "noted": (FilesystemSink, "_show"),
    "committed": (Progress, "end_batch"),
}
"""The function at whose beginning the process stops. `running` is for sinks whose tasks commit."""
LEASE_SECONDS, BEAT_SECONDS, RACE_SECONDS = 1.0, 0.1, 0.05


def main() -> None:
    locks, *pause = sys.argv[5:]
    sys.argv[5:] = ["records"]
    if locks == "none":
        leave_out_locks()
    if pause:
        stop_where(pause[0], Path(pause[1]))
    job.main()


def leave_out_locks() -> None:
    """As on a file system that has none, with a short lease."""
    lock: Any = CheckpointLock
    lock.hold_spark = lambda self, context: None
    own: Any = checkpoint_lock
    own._flock = lambda file: None
    own.LEASE_SECONDS, own.BEAT_SECONDS, own.RACE_SECONDS = LEASE_SECONDS, BEAT_SECONDS, RACE_SECONDS
    checkpoint_owner.LEASE_SECONDS = LEASE_SECONDS


def stop_where(place: str, mark: Path) -> None:
    batches: list[int] = []
    host: Any = StreamJob
    begin = host._for_driver

    def begun(self: StreamJob, kept: Any, batch: int) -> Any:
        batches.append(batch)
        return begin(self, kept, batch)

    host._for_driver = begun
    where: Any
    where, name = PLACES[place]
    whole = getattr(where, name)

    def stopping(*arguments: Any) -> Any:
        batch = arguments[2] if place == "begun" else batches[-1]
        if batch == 2 and not mark.exists():
            mark.write_text("")
            os.kill(os.getpid(), signal.SIGSTOP)
        return whole(*arguments)

    setattr(where, name, stopping)


if __name__ == "__main__":
    main()
