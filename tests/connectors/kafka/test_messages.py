"""Messages in columns, whatever the transport leaves out between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pytest

from firesteel.connectors.kafka.gathered_bytes import GatheredBytes, joined
from firesteel.connectors.kafka.messages import MESSAGE, MESSAGE_KEY, OFFSET, Block, Messages
from firesteel.connectors.kafka.object_consumer import ObjectConsumer, taken_of
from firesteel.connectors.kafka.offsets import Range
from firesteel.connectors.kafka.reader import Reader

confluent_kafka = pytest.importorskip("confluent_kafka")


@dataclass(frozen=True)
class Record:
    place: int
    what: Any = None

    def value(self) -> bytes | None:
        return None if self.what else b"%d" % self.place

    def key(self) -> bytes | None:
        return b"k" if self.place % 2 else None

    def offset(self) -> int:
        return self.place

    def timestamp(self) -> tuple[int, int]:
        return 1, 1000 + self.place

    def error(self) -> Any:
        return self.what


def end_at(place: int) -> Record:
    return Record(place, confluent_kafka.KafkaError(confluent_kafka.KafkaError._PARTITION_EOF))


class Consumer:
    """Gives what it was told to, and then nothing."""

    def __init__(self, *answers: Sequence[Record]) -> None:
        self._answers = list(answers)

    def assign(self, places: object) -> None:
        pass

    def consume(self, count: int, timeout: float) -> list[Record]:
        return list(self._answers.pop(0))


def read(wanted: Range, *answers: Sequence[Record]) -> list[Messages]:
    made = Reader({"bootstrap.servers": "127.0.0.1:1"}, frozenset(("timestamp",)))
    assert isinstance(made._consumer, ObjectConsumer)
    made._consumer.asked = Consumer(*answers)
    return list(made.read(wanted))


def offsets(found: list[Messages]) -> list[int]:
    return [each.offset(index) for each in found for index in range(len(each))]


def test_columns_that_were_asked_for() -> None:
    block, names = Block(), (MESSAGE, MESSAGE_KEY, OFFSET, "timestamp")
    block.add(taken_of([Record(3), Record(4)], names, end=10))
    block.add(taken_of([Record(7), Record(9)], names, end=10))
    assert block.rows == 4
    made = block.columns()
    times = made.pop("timestamp")
    assert {name: column.to_pylist() for name, column in made.items()} == {
        MESSAGE: [b"3", b"4", b"7", b"9"],
        MESSAGE_KEY: [b"k", None, b"k", b"k"],
        OFFSET: [3, 4, 7, 9],
    }
    assert times.cast("int64").to_pylist() == [1003, 1004, 1007, 1009]


def test_a_message_may_be_missing() -> None:
    found = read(Range("t", 0, 3, 9), [Record(3), Record(5)], [Record(6), Record(8)])
    assert offsets(found) == [3, 5, 6, 8]


def test_what_lies_behind_the_range_is_left_out() -> None:
    found = read(Range("t", 0, 3, 6), [Record(3)], [Record(4), Record(6), Record(7)])
    assert offsets(found) == [3, 4]


def test_a_range_may_end_with_nothing() -> None:
    assert offsets(read(Range("t", 0, 3, 6), [Record(3), Record(4), end_at(6)])) == [3, 4]
    assert offsets(read(Range("t", 0, 3, 6), [end_at(6)])) == []


def test_what_comes_behind_the_end_while_it_is_read_counts() -> None:
    found = read(Range("t", 0, 3, 6), [Record(3), end_at(4), Record(4)], [], [Record(5)])
    assert offsets(found) == [3, 4, 5]


def test_bytes_are_gathered_with_their_nulls() -> None:
    column, pieces = GatheredBytes(), [[b"a", b""], [None, b"bcd", None], [b"e"]]
    assert [joined(piece).nbytes for piece in pieces] == [1 + 8, 3 + 12, 1 + 4]
    for piece in pieces:
        column.add(joined(piece))
    assert column.array() == pa.array([value for piece in pieces for value in piece], pa.binary())
