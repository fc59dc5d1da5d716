"""What a running job tells of itself: counts that its packets carry, and what is made of them."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from firesteel.connectors.base import Lags
from firesteel.runtime.dataflow.packets import LATE, SKIPPED, STATE, Packet


@dataclass
class Progress:
    """Counts of one job since its start. `watch` is called after each change of them.

    read: rows from sources. changes: rows that sinks have committed, or that a caller took. skipped:
    messages that were left out because they cannot be read. late: rows that were dropped because they came
    too late. batches: micro-batches that ended.
    mark: the last watermark of a source, in milliseconds, 0 for none: under mini-batch the current batch.
    states: entries of the keyed state by chain and key group, where the host tells; state_size gives the
    bytes that Spark's state store has of it, lag what waits in topics. batch_seconds: how long the last
    micro-batch took, from the end of the one before. phase: what there is to wait for while nothing is
    counted yet.
    streams: whether the job runs on the stream host. resumable: whether another run goes on from its
    checkpoint.
    name: of the job, "" for none.
    batch: the number of the last batch that was delivered, -1 for none.
    """

    watch: Callable[[Progress], None] | None = None
    read: int = 0
    changes: int = 0
    skipped: int = 0
    late: int = 0
    batches: int = 0
    mark: int = 0
    states: dict[tuple[int, int], int] = field(default_factory=dict)
    state_size: Callable[[], int | None] | None = None
    lag: Callable[[], Lags] | None = None
    batch_seconds: float | None = None
    phase: str = ""
    streams: bool = False
    resumable: bool = False
    batch: int = -1
    name: str = ""
    ended: float | None = None
    started: float = field(default_factory=time.monotonic)

    @property
    def seconds(self) -> float:
        """Time since the start."""
        return time.monotonic() - self.started

    @property
    def rate(self) -> float:
        """Rows read per second since the start."""
        return self.read / max(self.seconds, 1e-9)

    @property
    def state_entries(self) -> int:
        """How many entries the keyed state has. After a restart key groups count once rows come to them."""
        return sum(self.states.values())

    @property
    def state_bytes(self) -> int | None:
        """Bytes of the keyed state, None where the host does not know."""
        return None if self.state_size is None else self.state_size()

    @property
    def lags(self) -> Lags:
        """How many messages wait now, by topic and partition, behind the last micro-batch."""
        return {} if self.lag is None else self.lag()

    def enter(self, phase: str) -> None:
        """Say what is waited for, until something is counted."""
        self.phase = phase
        self._tell()

    def add(self, packet: Packet) -> None:
        """Count a packet that reached the driver."""
        self.phase = ""
        if packet.holds == STATE:
            chain, group, entries = json.loads(packet.payload)
            self.states[chain, group] = entries
        if packet.holds == SKIPPED:
            self.skipped += json.loads(packet.payload)
        if packet.holds == LATE:
            self.late += json.loads(packet.payload)
        self.read += packet.read
        self.mark = max(self.mark, packet.mark)
        self._tell()

    def add_sent(self, rows: int) -> None:
        """Count rows that a sink has committed, or that the caller of a query has taken."""
        self.changes += rows
        self._tell()

    def end_batch(self) -> None:
        """A micro-batch has ended."""
        self.phase = ""
        self.batches += 1
        now = time.monotonic()
        self.batch_seconds = now - (self.started if self.ended is None else self.ended)
        self.ended = now
        self._tell()

    def _tell(self) -> None:
        if self.watch is not None:
            self.watch(self)
