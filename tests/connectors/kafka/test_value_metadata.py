"""Columns of what a message's value says besides its rows, each beside the rows of its message."""

from __future__ import annotations

from datetime import datetime, timezone

import pyarrow as pa
import pytest

from firesteel.connectors.kafka.messages import MESSAGE, OFFSET, Messages
from firesteel.connectors.kafka.rows import Rows
from firesteel.errors import DataError
from firesteel.runtime.spec.tables import ScanSpec
from firesteel.types.sql import INT, STRING, timestamp_ltz

pytest.importorskip("confluent_kafka")


def reader(value_format: str, *keys: str, **of_format: str) -> Rows:
    """Of a table of INT a, STRING of and TIMESTAMP_LTZ at, the last two from keys of the value's metadata."""
    options = {"topic": "t", "format": value_format, "properties.bootstrap.servers": "none:1"}
    options |= {f"{value_format}.{key.replace('_', '-')}": value for key, value in of_format.items()}
    names, types = ("a", "of", "at"), (INT, STRING, timestamp_ltz(3))
    keys = ("", *keys)
    metadata = tuple(f"value.{key}" if key else None for key in keys)
    return Rows(ScanSpec("kafka", tuple(options.items()), names, types, (2, 0, 1), metadata), options)


def rows(*messages: bytes | None) -> list[tuple[object, ...]]:
    return read(reader("canal-json", "table", "ingestion-timestamp"), *messages)


def read(of: Rows, *messages: bytes | None) -> list[tuple[object, ...]]:
    columns = {MESSAGE: pa.array(messages, pa.binary()), OFFSET: pa.array(range(6, 6 + len(messages)))}
    table = of.table(Messages("t", 0, columns), 0, 0)
    return [tuple(row.values())[2:] for row in table.to_pylist()]


def at(millis: int) -> datetime:
    return datetime.fromtimestamp(millis / 1000, timezone.utc)


def canal(table: str, *values: int, time: object = 0) -> bytes:
    data = ",".join(f'{{"a":"{value}"}}' for value in values)
    return f'{{"type":"INSERT","data":[{data}],"table":"{table}","ts":{time}}}'.encode()


def test_each_row_has_what_its_message_says() -> None:
    found = rows(canal("x", 1, 2, time=5), None, canal("y"), canal("z", 3))
    early, zero = at(5), at(0)
    assert found == [(early, 1, "x"), (early, 2, "x"), (zero, 3, "z")]


def test_a_bad_one_is_named() -> None:
    with pytest.raises(DataError, match="topic t, partition 0, offset 7: "):
        rows(canal("x", 1), canal("x", 1, time='"soon"'))


def debezium(value: int, time: str) -> bytes:
    return f'{{"op":"c","after":{{"a":{value}}},"source":{{"ts_ms":{time},"table":"t"}}}}'.encode()


@pytest.mark.parametrize("count", [1, 50])
def test_a_message_with_a_value_that_is_none_is_left_out(count: int) -> None:
    messages = [debezium(1, "1"), debezium(2, '"x"'), debezium(3, "null")] * count
    strict = reader("debezium-json", "source.table", "source.timestamp")
    with pytest.raises(DataError, match="offset 7: Corrupt Debezium JSON message"):
        read(strict, *messages)
    ignoring = reader("debezium-json", "source.table", "source.timestamp", ignore_parse_errors="true")
    found = [(at(1), 1, "t"), (None, 3, "t")]
    assert read(ignoring, *messages) == found * count
    assert ignoring.skipped == {"invalid_value": count}


def test_a_time_that_cannot_be_held_is_named() -> None:
    with pytest.raises(DataError, match="-290308 to 294247"):
        rows(canal("x", 1, time=1 << 62))
