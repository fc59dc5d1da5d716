"""Columns of what a message's value says besides its rows, each beside the rows of its message."""

from __future__ import annotations

from datetime import datetime

import pyarrow as pa
import pytest

from firesteel.connectors.kafka.messages import MESSAGE, OFFSET, Messages
from firesteel.connectors.kafka.rows import Rows
from firesteel.errors import DataError
from firesteel.runtime.spec import ScanSpec
from firesteel.types.sql import INT, STRING, timestamp

pytest.importorskip("confluent_kafka")


def rows(*messages: bytes | None, zone: str = "UTC") -> list[tuple[object, ...]]:
    options = {"topic": "t", "format": "canal-json", "properties.bootstrap.servers": "none:1"}
    scan = ScanSpec(
        "kafka",
        tuple(options.items()),
        ("a", "of", "at"),
        (INT, STRING, timestamp(3)),
        (2, 0, 1),
        (None, "value.table", "value.ingestion-timestamp"),
        zone,
    )
    columns = {MESSAGE: pa.array(messages, pa.binary()), OFFSET: pa.array(range(6, 6 + len(messages)))}
    read = Messages("t", 0, columns)
    table = Rows(scan, options).table(read, 0, 0)
    return [tuple(row.values())[2:] for row in table.to_pylist()]


def canal(table: str, *values: int, time: object = 0) -> bytes:
    data = ",".join(f'{{"a":"{value}"}}' for value in values)
    return f'{{"type":"INSERT","data":[{data}],"table":"{table}","ts":{time}}}'.encode()


def test_each_row_has_what_its_message_says() -> None:
    found = rows(canal("x", 1, 2, time=5), None, canal("y"), canal("z", 3), zone="Asia/Shanghai")
    early, zero = datetime(1970, 1, 1, 8, 0, 0, 5000), datetime(1970, 1, 1, 8)
    assert found == [(early, 1, "x"), (early, 2, "x"), (zero, 3, "z")]


def test_a_bad_one_is_named() -> None:
    with pytest.raises(DataError, match="topic t, partition 0, offset 7: "):
        rows(canal("x", 1), canal("x", 1, time='"soon"'))
