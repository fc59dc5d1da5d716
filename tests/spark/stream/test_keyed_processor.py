"""The keyed stage of the stream host: what a key group's task writes to Spark's state."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from firesteel.errors import DataError
from firesteel.runtime.columns.keys import find_keys
from firesteel.runtime.dataflow.packets import CHANGES, COUNTERS, FAILURE, FIRST, Packet
from firesteel.runtime.state.base import StateBackend
from firesteel.spark.errors import guarded
from firesteel.spark.stream import keyed_processor as stream_keyed
from firesteel.spark.stream.keyed_processor import KeyedProcessor
from firesteel.spark.stream.rows import from_values, to_values
from firesteel.spark.task.counters import TaskCounters, read_counters


@dataclass
class Value:
    """As Spark's ValueState."""

    data: bytes | None = None

    def get(self) -> tuple[bytes] | None:
        return None if self.data is None else (self.data,)

    def update(self, row: tuple[bytes]) -> None:
        (self.data,) = row


@dataclass
class Handle:
    """As Spark's handle, for state that is small."""

    value: Value = field(default_factory=Value)

    def getValueState(self, name: str, schema: object) -> Value:
        return self.value

    def getMapState(self, name: str, key: object, value: object) -> None:
        return None


@dataclass(frozen=True)
class Counting:
    """A stage that counts in its state, and fails where a packet's payload says so."""

    number: int = 1

    def at(self, now: int) -> Counting:
        return self

    def packets(self, packets: Any, state: StateBackend, task: object) -> Iterator[Packet]:
        return guarded(lambda: TaskCounters().attach(self._through(packets, state)))

    def _through(self, packets: list[Packet], state: StateBackend) -> Iterator[Packet]:
        counts = state.value("n", [pa.int64()], [pa.int64()])
        for packet in packets:
            keys = find_keys([pa.array([1], pa.int64())], 1)
            counts.put(keys, np.array([0]), [pa.array([packet.rows], pa.int64())], 0)
            if packet.payload == b"bad":
                raise DataError("in.json, line 3: no JSON")
            yield packet


@pytest.mark.parametrize("payload", [b"good", b"bad"])
def test_the_state_of_a_failed_task_is_not_written(payload: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream_keyed, "batch_number", lambda: 3)
    handle, task = Handle(), Counting()
    processor = KeyedProcessor(task, (0,))  # type: ignore[arg-type]
    processor.init(handle)  # type: ignore[arg-type]
    row = to_values(Packet(0, FIRST, 5, 0, payload, CHANGES), (0,), 1)
    found = [
        from_values(tuple(each))
        for each in processor.handleInputRows((0,), iter([row]), None)  # type: ignore[arg-type]
    ]
    held = [packet.holds for packet in found]
    if payload == b"bad":
        assert held == [FAILURE]
        assert handle.value.data is None
    else:
        assert held == [CHANGES, COUNTERS]
        ((_, (size,)),) = [(each.group, each.sizes.values()) for each in read_counters(found[-1]).states]
        assert (size.entries, size.bytes > 0) == (1, True)
        assert handle.value.data is not None
