"""Packets in files: what a key group sends beyond some bytes."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from firesteel.runtime.dataflow.packets import COUNTERS, FIRST, WATERMARKED, Packet
from firesteel.spark.batch import host as batch_host
from firesteel.spark.stream import host as stream_host
from firesteel.spark.stream.rows import from_values, to_values
from firesteel.spark.stream.settings import StreamSettings
from firesteel.spark.task import spilled_packets
from firesteel.spark.task.spilled_packets import Spill, SpilledPackets
from tests.spark.jobs import nested, rows, write_changes

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark


def packet(payload: bytes, holds: int = 0) -> Packet:
    return Packet(0, FIRST, 1, 0, payload, holds)


def test_the_first_bytes_stay_in_memory_and_the_others_go_to_one_file(tmp_path: Path) -> None:
    packets = [packet(b"first"), packet(b"second"), packet(b"third", WATERMARKED), packet(b"[]", COUNTERS)]
    with SpilledPackets(Spill(str(tmp_path), 6)) as spilled:
        sent = [spilled.sent(each) for each in packets]
    assert [each.stored is None for each in sent] == [True, False, False, True]
    assert [each.payload for each in sent] == [b"first", b"", b"", b"[]"]
    assert len(list(tmp_path.iterdir())) == 1
    received = [from_values(to_values(each, (0,))) for each in sent]
    assert [each.content() for each in received] == [b"first", b"second", b"third", b"[]"]
    assert [replace(each, payload=b"", stored=None) for each in received] == [
        replace(each, payload=b"") for each in packets
    ]


def test_a_packet_of_an_earlier_task_stays_in_its_file(tmp_path: Path) -> None:
    with SpilledPackets(Spill(str(tmp_path), 0)) as spilled:
        passed = spilled.sent(packet(b"rows"))
    with SpilledPackets(Spill(str(tmp_path), 0)) as later:
        assert later.sent(passed) is passed


def test_without_a_folder_all_stays_in_memory() -> None:
    with SpilledPackets(Spill()) as spilled:
        assert spilled.sent(packet(b"rows")) == packet(b"rows")


def test_the_files_of_a_batch_are_removed_and_then_the_folder(tmp_path: Path) -> None:
    spill = Spill(str(tmp_path / "packets"), 0)
    (tmp_path / "packets").mkdir()
    with SpilledPackets(spill) as spilled:
        spilled.sent(packet(b"rows"))
    spill.end_batch()
    assert list((tmp_path / "packets").iterdir()) == []
    spill.end()
    assert list(tmp_path.iterdir()) == []
    spill.end_batch()


@pytest.mark.spark
@pytest.mark.full
def test_a_job_whose_packets_all_lie_in_files_gives_the_same_changes(
    tmp_path: Path, spark: Spark, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_changes(tmp_path / "in.json", 600)
    job, settings = nested(tmp_path / "in.json"), StreamSettings(parallelism=2, max_rows=400)
    expected = rows(batch_host.run(job, spark))
    monkeypatch.setattr(spilled_packets, "IN_MEMORY", 0)
    ended: Counter[str] = Counter()

    def end_batch(spill: Spill) -> None:
        ended["files"] += len(list(Path(spill.folder).iterdir()))
        ended["batches"] += 1
        original(spill)
        ended["left"] += len(list(Path(spill.folder).iterdir()))

    original = Spill.end_batch
    monkeypatch.setattr(Spill, "end_batch", end_batch)
    running = stream_host.start(job, spark, settings)
    assert rows(running.results()) == expected
    assert ended["batches"] > 1
    assert ended["files"] >= 2 * ended["batches"]
    assert ended["left"] == 0
    assert not Path(running._spill.folder).exists()
