"""The batch host's sort of packets: by position, with payloads in a file where they are many."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from firesteel.runtime.dataflow.packets import CHANGES, COUNTERS, Packet, Position
from firesteel.spark.task.packet_sort import sorted_by_position
from firesteel.spark.task.shuffle import keyed


def packets(seed: int, count: int = 200) -> list[Packet]:
    chance = random.Random(seed)
    return [
        Packet(
            target=1,
            first=Position(chance.randrange(20), chance.randrange(3), task=number % 7, number=number),
            rows=1,
            read=0,
            payload=chance.randbytes(chance.randrange(1000)),
            holds=chance.choice([CHANGES, COUNTERS]),
        )
        for number in range(count)
    ]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SPARK_LOCAL_DIRS", f"{tmp_path / 'a'},{tmp_path / 'a'}")
    return tmp_path / "a"


@pytest.mark.parametrize("in_memory", [0, 5_000, 1 << 20])
def test_packets_come_by_position_with_their_payloads(in_memory: int, folder: Path) -> None:
    given = packets(in_memory)
    found = [packet for _, packet in sorted_by_position(keyed(given), in_memory)]
    assert found == sorted(given, key=lambda packet: packet.first)
    assert not list(folder.iterdir())


def test_the_file_is_removed_where_the_reader_stops(folder: Path) -> None:
    pairs = sorted_by_position(keyed(packets(1)), 0)
    next(pairs)
    assert len(list(folder.rglob("*"))) == 2
    pairs.close()
    assert not list(folder.iterdir())


def test_no_packets() -> None:
    assert not list(sorted_by_position([]))
