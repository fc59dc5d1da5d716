"""Settings of jobs that run as Structured Streaming queries."""

from __future__ import annotations

from dataclasses import dataclass

from firesteel.spark.checkpoint.recovery_plan import REFUSE
from firesteel.spark.checkpoint.replays import Replay
from firesteel.spark.checkpoint.upgrade.kept_script import KeptScript

KEY_GROUPS = 4
"""Default number of key groups for each partition (docs/adr/0008)."""

MAX_BYTES = 512 << 20
MAX_ROWS = 2_000_000
"""Default number of rows of a source in a micro-batch.

It is limited because the changes are held in memory.
"""


@dataclass(frozen=True)
class StreamSettings:
    """Settings of a job on the stream host.

    Attributes:
        checkpoint: Folder from which a restart continues; None for a temporary one that ends with the job.
        parallelism: Number of partitions; 0 means the default. A checkpoint fixes it.
        key_groups: Number of key groups; 0 means the default. A checkpoint fixes it.
        max_rows: Most rows of a source in one micro-batch; 0 means about MAX_ROWS, by an estimate.
        least_rows: If micro-batches send too many bytes, their rows are limited, but not to fewer than this.
        max_bytes: Most bytes of messages in one micro-batch, for sources that can limit them.
        interval: Milliseconds between the starts of micro-batches of an unbounded job; 0 means no pause.
        statement: Text of the job's SQL statement, by which the job finds its checkpoint again.
        trusts_others: Whether other users of this machine may have write access to the checkpoint.
        recovery: Action if a sink and the checkpoint disagree (spark/checkpoint/recovery.py).
        source_recovery: Action if a file changed after a micro-batch was planned to read it, and before the
            micro-batch was committed (spark/checkpoint/changed_files.py).
        replay: Dead letters to read again. The sources of the job give only the rows of these messages, and
            the job then ends. None: the sources are read as usual.
        watched: Path of a file. The driver touches it while a web page shows rows that tasks send to sinks.
            "" if there is no web page.
        script: Script that contains the statement. The checkpoint keeps it for a later upgrade. None if the
            statement is from no script.
    """

    checkpoint: str | None = None
    parallelism: int = 0
    key_groups: int = 0
    max_rows: int = 0
    least_rows: int = 1
    max_bytes: int = MAX_BYTES
    interval: int = 0
    statement: str | None = None
    trusts_others: bool = False
    recovery: str = REFUSE
    source_recovery: str = REFUSE
    replay: Replay | None = None
    watched: str = ""
    script: KeptScript | None = None
