"""File with the time of a job's next timer.

Tasks report their timers to the driver. The driver writes the earliest one into a file for the readers of
sources, which are other processes on its machine (batch_clock.py).
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from firesteel.runtime.dataflow.operator import earliest
from firesteel.runtime.dataflow.packets import TIMER, Packet


class JobTimers:
    """Next timers of a job's tasks.

    Args:
        file: File for the earliest timer, in milliseconds of processing time.
    """

    def __init__(self, file: str) -> None:
        self.file = file
        self._next: dict[tuple[int, int], int | None] = {}

    def take(self, packets: Iterable[Packet]) -> None:
        """Store the timers in the packets of a micro-batch, and write the earliest one to the file."""
        told = [json.loads(packet.payload) for packet in packets if packet.holds == TIMER]
        if not told:
            return
        self._next |= {(chain, group): time for chain, group, time in told}
        time = earliest(self._next.values())
        new = Path(f"{self.file}.new")
        new.write_text("" if time is None else str(time))
        new.replace(self.file)


def next_timer(file: str) -> int | None:
    """Return the job's next timer in milliseconds, or None if there is none or none is known yet."""
    try:
        text = Path(file).read_text()
    except FileNotFoundError:
        return None
    return int(text) if text else None
