"""The next timer of a job: tasks tell the driver of theirs, and it writes the first of them into a file for
the readers of sources, which are processes of their own on its machine (batch_clock.py)."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from firesteel.runtime.dataflow.operator import earliest
from firesteel.runtime.dataflow.packets import TIMER, Packet


class JobTimers:
    """file: where the next one is written, in milliseconds of processing time."""

    def __init__(self, file: str) -> None:
        self.file = file
        self._next: dict[tuple[int, int], int | None] = {}

    def take(self, packets: Iterable[Packet]) -> None:
        """Hear what the packets of a micro-batch tell of timers, and write the first of all."""
        told = [json.loads(packet.payload) for packet in packets if packet.holds == TIMER]
        if not told:
            return
        self._next |= {(chain, group): time for chain, group, time in told}
        time = earliest(self._next.values())
        new = Path(f"{self.file}.new")
        new.write_text("" if time is None else str(time))
        new.replace(self.file)


def next_timer(file: str) -> int | None:
    """The job's next timer, None where there is none, or none is known yet."""
    try:
        text = Path(file).read_text()
    except FileNotFoundError:
        return None
    return int(text) if text else None
