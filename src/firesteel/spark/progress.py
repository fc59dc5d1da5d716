"""What a running job tells of itself: counts that its packets carry, and what is made of them."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from firesteel.runtime.packets import Packet


@dataclass
class Progress:
    """Counts of one job since its start. `watch` is called after each change of them.

    read: rows from sources. changes: rows that reached the sink. batches: micro-batches that ended.
    state_bytes: size of the keyed state, where the host knows it.
    """

    watch: Callable[[Progress], None] | None = None
    read: int = 0
    changes: int = 0
    batches: int = 0
    state_bytes: int = 0
    started: float = field(default_factory=time.monotonic)

    @property
    def seconds(self) -> float:
        """Time since the start."""
        return time.monotonic() - self.started

    @property
    def rate(self) -> float:
        """Rows read per second since the start."""
        return self.read / max(self.seconds, 1e-9)

    def add(self, packet: Packet) -> None:
        """Count a packet that reached the driver."""
        self.read += packet.read
        self.changes += packet.rows
        self._tell()

    def end_batch(self, state_bytes: int = 0) -> None:
        """A micro-batch has ended."""
        self.batches += 1
        self.state_bytes = state_bytes
        self._tell()

    def _tell(self) -> None:
        if self.watch is not None:
            self.watch(self)
