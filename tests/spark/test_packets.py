"""Packets: cut, shuffled, merged, and in the order of the input again."""

from __future__ import annotations

import random

import numpy as np
import pyarrow as pa
import pytest

from firesteel.changelog import KIND, SEQUENCE
from firesteel.runtime.dataflow import packets, ports
from firesteel.runtime.dataflow.operator import PortBatch
from firesteel.runtime.dataflow.packets import Packer, Packet, merge
from firesteel.runtime.dataflow.ports import PortMerger
from firesteel.runtime.state.size import StateSize
from firesteel.spark.task.counters import ReadCounters, StateSizes, TaskCounters, read_counters, with_state


def changes(sequences: list[int], keys: list[str | None] | None = None) -> pa.Table:
    return pa.table(
        {
            KIND: pa.array([0] * len(sequences), pa.int8()),
            SEQUENCE: pa.array(sequences, pa.int64()),
            "f0": pa.array(keys if keys is not None else [f"k{o % 5}" for o in sequences], pa.string()),
        }
    )


def by_target(all_packets: list[Packet], target: int) -> list[Packet]:
    return sorted((p for p in all_packets if p.target == target), key=lambda p: p.first)


def test_rows_of_a_key_meet_in_one_target_and_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packets, "PACK_ROWS", 40)
    chance = random.Random(3)
    sent: list[Packet] = []
    for task in range(3):
        packer = Packer((0,), 4, task=task)
        position = task << 40
        while position < (task << 40) + 300:
            size = chance.randrange(1, 60)
            sent += packer.add(changes(list(range(position, position + size))))
            position += size
        sent += packer.flush()
    chance.shuffle(sent)
    homes: dict[str, set[int]] = {}
    total = 0
    for target in range(4):
        tables = list(merge(by_target(sent, target)))
        sequences = np.concatenate([t.column(SEQUENCE).to_numpy() for t in tables])
        assert (np.diff(sequences) > 0).all()
        total += len(sequences)
        for table in tables:
            for key in table.column("f0").to_pylist():
                homes.setdefault(key, set()).add(target)
    assert total >= 900
    assert all(len(targets) == 1 for targets in homes.values())


@pytest.mark.parametrize(
    "sequences", [[], [7], [-(1 << 62), 1 << 62], [5, 5, 5 + 65_535], [0, 65_536], [3, 2], [2**60, 2**60 + 1]]
)
def test_orders_travel(sequences: list[int]) -> None:
    table = changes(sequences)
    assert packets.read_ipc(packets.write_ipc(table)).equals(table)
    halves = pa.concat_tables([table.slice(0, 1), table.slice(1)])
    assert packets.read_ipc(packets.write_ipc(halves)).equals(table)


def test_runs_of_several_writers_are_merged_by_order() -> None:
    chance = random.Random(7)
    numbers = list(range(1000))
    owner = [chance.randrange(3) for _ in numbers]
    sent = []
    for writer in range(3):
        packer = Packer((), 1, task=writer)
        mine = [n for n in numbers if owner[n] == writer]
        for start in range(0, len(mine), 50):
            packer.add(changes(mine[start : start + 50]))
            sent += packer.flush()
    merged = [o for t in merge(by_target(sent, 0)) for o in t.column(SEQUENCE).to_pylist()]
    assert merged == numbers


@pytest.mark.parametrize(
    ("together", "many", "given"), [(0, False, 20), (1000, False, 3), (1000, True, 1), (1 << 30, False, 1)]
)
def test_rows_are_given_when_enough_have_come(
    together: int, many: bool, given: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ports, "TOGETHER", together)
    packer, sent = Packer((), 1), list[Packet]()
    for start in range(0, 200, 10):
        packer.add(changes(list(range(start, start + 10))))
        sent += packer.flush()
    merger = PortMerger(many=many)
    tables = [table for packet in sent for table in merger.add(packet)]
    tables += merger.finish()
    assert len(tables) == given
    assert [o for table in tables for o in table.column(SEQUENCE).to_pylist()] == list(range(200))


@pytest.mark.parametrize(("row_bytes", "least"), [(10, 12_000), (2000, 3000)])
def test_large_rows_are_given_sooner(row_bytes: int, least: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ports, "TOGETHER", 1000)
    packer, sent = Packer((), 1), list[Packet]()
    for start in range(2000 if row_bytes < 100 else 20):
        texts = pa.array(["x" * row_bytes])
        packer.add(changes([start]).append_column("text", texts))
        sent += packer.flush()
    merger = PortMerger(many=True)
    tables = [table for packet in sent for table in merger.add(packet)]
    assert tables
    assert all(least <= table.nbytes < least + row_bytes + 200 for table in tables)


@pytest.mark.parametrize("same", [1, 7, 300])
def test_at_most_so_many_rows_are_released_at_once(same: int) -> None:
    """However large the packets are; rows of one origin stay together."""
    sent: list[Packet] = []
    for task in range(3):
        packer = Packer((), 1, task=task)
        packer.add(changes([sequence for sequence in range(task, 900, 3) for _ in range(same)]))
        sent += packer.flush()
    merger = PortMerger(many=True, most_rows=100)
    tables = [table for packet in by_target(sent, 0) for table in merger.add(packet)]
    tables += merger.finish()
    expected = [sequence for sequence in range(900) for _ in range(same)]
    assert [o for table in tables for o in table.column(SEQUENCE).to_pylist()] == expected
    assert max(map(len, tables)) <= max(100, 4 * same)


def test_inputs_whose_rows_alternate_are_one_batch() -> None:
    sent = []
    for port in (0, 1):
        packer = Packer((), 1, task=port, port=port)
        packer.add(changes(list(range(port, 20_000, 2))))
        sent += packer.flush()
    merger = PortMerger(ports=2)
    sent.sort(key=lambda packet: packet.first)
    assert [message for packet in sent for message in merger.add(packet)] == []
    (batch,) = merger.finish()
    assert isinstance(batch, PortBatch)
    assert [part and part.table.num_rows for part in batch.inputs] == [10_000, 10_000]
    assert batch.inputs[1] is not None
    assert batch.inputs[1].table.column(SEQUENCE).to_pylist() == list(range(1, 20_000, 2))


def test_counters_travel_with_the_next_packet_and_at_the_end() -> None:
    packer, counters = Packer((0,), 2), TaskCounters(read=9, watermark=70)
    counters.of_chain(3, 1)[1].rows_in = 5
    packer.add(changes([1, 2, 3]))
    first, *others, last = counters.attach(packer.flush())
    assert (first.read, first.watermark) == (9, 70)
    assert {(p.read, p.watermark) for p in [*others, last]} == {(0, 0)}
    assert read_counters(last) == ReadCounters([(3, [[0, 0, 0, 0], [5, 0, 0, 0], [0, 0, 0, 0]])], [], [])
    counters.take(first)
    (alone,) = counters.attach([])
    assert (alone.read, alone.watermark, alone.rows) == (9, 70, 0)


def test_sizes_of_state_travel_with_the_counters() -> None:
    (packet,) = TaskCounters().attach([])
    sizes = StateSizes(4, 17, {"join.left.rows.v1": StateSize(12, 900, -7), "map": StateSize(1, 2)})
    assert read_counters(with_state(packet, sizes)) == ReadCounters([], [sizes], [])


def test_null_keys_are_one_group() -> None:
    packer = Packer((0,), 8)
    packer.add(changes([1, 2, 3, 4], [None, None, None, None]))
    assert len({p.target for p in packer.flush()}) == 1
