"""A part of a source is read in pieces, from its beginning to its end. No Spark runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from firesteel.connectors.base import Offset, ReadLimit, Source
from firesteel.connectors.kafka.source import KafkaSource
from firesteel.runtime.spec.tables import ScanSpec
from firesteel.spark.stream.ending_source import EndingSource
from firesteel.spark.stream.part_of_source import PartOfSource
from firesteel.spark.stream.sequential_source import SequentialSource
from firesteel.types.sql import INT
from tests.connectors.filesystem.test_source import source as file_source
from tests.connectors.nexmark.events import source as nexmark_source

EVERYTHING = ReadLimit()


def pieces(source: Any, limit: ReadLimit) -> list[Offset]:
    """Return the offsets of the micro-batches of a source, from its first one on."""
    found = [source.initial_offset()]
    while (latest := source.latest_offset(found[-1], limit)) != found[-1]:
        found.append(latest)
        assert len(found) < 100
    return found


def part(source: Source, start: Offset, end: Offset) -> PartOfSource:
    return PartOfSource(source, source.history(start, end))


def files(folder: Path, count: int, *, monitored: bool = False) -> Source:
    """Return a source of so many files of ten rows."""
    folder.mkdir()
    for number in range(count):
        (folder / f"{number}.json").write_text('{"n": 1}\n' * 10)
    more = {"source.monitor-interval": "1 s"} if monitored else {}
    return file_source(folder, **more)


@pytest.mark.parametrize(
    ("rows", "places"),
    [(None, [(0, 0), (2, 18)]), (8, [(0, 0), (0, 72), (1, 54), (2, 18)]), (15, [(0, 0), (1, 45), (2, 18)])],
)
def test_files(tmp_path: Path, rows: int | None, places: list[tuple[int, int]]) -> None:
    """The part ends within the third file. Files that are new since then do not count."""
    source = files(tmp_path / "in", 3, monitored=True)
    source.latest_offset(source.initial_offset(), EVERYTHING)
    (tmp_path / "in" / "new.json").write_text('{"n": 2}\n')
    found = pieces(part(source, {"file": 0, "byte": 0}, {"file": 2, "byte": 18}), ReadLimit(rows))
    assert [(each["file"], each["byte"]) for each in found] == places


def test_files_by_their_bytes(tmp_path: Path) -> None:
    source = files(tmp_path / "in", 2)
    end = source.latest_offset(source.initial_offset(), EVERYTHING)
    assert len(pieces(part(source, source.initial_offset(), end), ReadLimit(bytes=50))) == 5


def test_nexmark() -> None:
    source = nexmark_source(events_num=1000)
    start = source.initial_offset()
    end = source.latest_offset({**start, "event": 90}, ReadLimit(110))
    found = pieces(part(source, {**start, "event": 50}, end), ReadLimit(60))
    assert [each["event"] for each in found] == [50, 110, 170, 200]
    assert found[-1] == end


def test_topics() -> None:
    """Each partition gives its share, and the last offset is exactly that of the part."""
    options = {
        "connector": "kafka",
        "topic": "t",
        "properties.bootstrap.servers": "localhost:1",
        "scan.startup.mode": "earliest-offset",
        "format": "json",
    }
    source = KafkaSource(ScanSpec("kafka", tuple(options.items()), ("n",), (INT,), (0,)), options)
    until: Offset = {"at": {"t": {"0": 10, "1": 30}}, "ids": {"t": "x"}}
    found = [{"at": {"t": {"0": 0, "1": 0}}, "ids": {"t": "x"}}]
    while found[-1] != until:
        found.append(source.history_piece(found[-1], until, ReadLimit(16)))
    assert [each["at"]["t"] for each in found[1:]] == [
        {"0": 4, "1": 12},
        {"0": 8, "1": 24},
        {"0": 10, "1": 30},
    ]
    assert source.history_piece(found[0], until, EVERYTHING) == until


def test_bounded_sources_end_one_after_another(tmp_path: Path) -> None:
    first, second = (files(tmp_path / name, 1) for name in ("a", "b"))
    start = first.initial_offset()
    ends = [each.latest_offset(start, EVERYTHING) for each in (first, second)]
    earlier, own = part(first, start, ends[0]), EndingSource(part(second, start, ends[1]))
    found = pieces(SequentialSource(own, [earlier]), ReadLimit(6))
    assert found[0] == {"own": {"of": start, "ended": False}, "earlier": [start]}
    assert found[1]["own"] == found[0]["own"]
    assert found[-1] == {"own": {"of": ends[1], "ended": True}, "earlier": [ends[0]]}
    assert len(found) == 4
