"""How a job runs on the stream host."""

from __future__ import annotations

from dataclasses import dataclass

from firesteel.spark.checkpoint.recovery_plan import REFUSE

KEY_GROUPS = 4
"""Key groups a partition, where none are set (docs/adr/0008)."""

MAX_BYTES = 512 << 20
MAX_ROWS = 2_000_000
"""The changes of a micro-batch pass through memory, so there is a bound to it."""


@dataclass(frozen=True)
class StreamSettings:
    """How a job runs on the stream host.

    checkpoint: the folder that a restart goes on from, None for one that goes with the job. parallelism
    and key_groups: 0 for the default; fixed once a checkpoint is made. max_rows: rows that a source gives
    to one micro-batch, 0 for about MAX_ROWS; max_bytes: of the messages of a source that can tell. interval:
    milliseconds between the starts of micro-batches of an unbounded job, 0 for as soon as possible.
    statement: the text by which a checkpoint knows the job. trusts_others: whether the checkpoint may be one
    that other users of this machine can write to. recovery: what to do where a sink has batches that the
    checkpoint does not know (spark/checkpoint/recovery.py).
    """

    checkpoint: str | None = None
    parallelism: int = 0
    key_groups: int = 0
    max_rows: int = 0
    max_bytes: int = MAX_BYTES
    interval: int = 0
    statement: str | None = None
    trusts_others: bool = False
    recovery: str = REFUSE
