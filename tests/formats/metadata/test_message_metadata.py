"""What messages say besides their rows, as Flink's formats name and read it."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from typing import Any

import pyarrow as pa
import pytest

from firesteel.formats.base import MessageError
from firesteel.formats.metadata.message_metadata import metadata_of
from firesteel.formats.metadata.metadata_reader import MetadataReader
from firesteel.formats.registry import find_format
from firesteel.types.arrow import KEY, VALUE, to_arrow


def at(millis: int) -> datetime:
    return datetime.fromtimestamp(millis / 1000, timezone.utc)


def entries(found: dict[str, Any]) -> list[dict[str, Any]]:
    return [{KEY: key, VALUE: value} for key, value in found.items()]


def unordered(value: Any) -> Any:
    """Entries of a map in one order: Java's is that of a hash map."""
    return sorted(value, key=str) if isinstance(value, list) else value


SOURCE = {
    "version": "1.1.1",
    "ts_ms": 1589355504100,
    "snapshot": "true",
    "db": "inventory",
    "table": "products",
    "schema": None,
}
CANAL = {
    "data": [{"id": "1"}], "database": "db", "es": 1589373515000, "isDdl": False, "old": None,
    "pkNames": ["id"], "sqlType": {"id": 4, "name": 12}, "table": "t", "ts": 1589373515477, "type": "INSERT",
}  # fmt: skip
DEBEZIUM = {"before": None, "after": {"id": 1}, "source": SOURCE, "op": "c", "ts_ms": 1589355606100}
MAXWELL = {
    "database": "db", "table": "t", "type": "insert", "ts": 1596684883, "primary_key_columns": ["id", "n"],
    "data": {"id": 1},
}  # fmt: skip
OGG = {
    "table": "OGG.T", "op_type": "I", "op_ts": "2020-05-13 15:40:06.000000", "primary_keys": ["id"],
    "current_ts": "2020-05-13T15:40:07.123456", "before": None, "after": {"id": 1},
}  # fmt: skip

SAID: list[tuple[str, dict[str, Any], dict[str, Any], dict[str, str]]] = [
    (
        "canal-json",
        CANAL,
        {
            "database": "db",
            "table": "t",
            "sql-type": entries({"id": 4, "name": 12}),
            "pk-names": ["id"],
            "ingestion-timestamp": at(1589373515477),
            "event-timestamp": at(1589373515000),
        },
        {},
    ),
    (
        "debezium-json",
        {"schema": {"a": [1]}, "payload": DEBEZIUM},
        {"schema": '{"a":[1]}', "ingestion-timestamp": at(1589355606100), "source.table": "products"},
        {"schema-include": "true"},
    ),
    (
        "debezium-json",
        DEBEZIUM,
        {
            "schema": None,
            "ingestion-timestamp": at(1589355606100),
            "source.timestamp": at(1589355504100),
            "source.database": "inventory",
            "source.schema": None,
            "source.table": "products",
            "source.properties": entries({k: v if v is None else str(v) for k, v in SOURCE.items()}),
        },
        {},
    ),
    (
        "maxwell-json",
        MAXWELL,
        {
            "database": "db",
            "table": "t",
            "primary-key-columns": ["id", "n"],
            "ingestion-timestamp": at(1596684883000),
        },
        {},
    ),
    (
        "ogg-json",
        OGG,
        {
            "table": "OGG.T",
            "primary-keys": ["id"],
            "ingestion-timestamp": datetime(2020, 5, 13, 15, 40, 7, 123000, timezone.utc),
            "event-timestamp": datetime(2020, 5, 13, 15, 40, 6, 0, timezone.utc),
        },
        {},
    ),
]


@pytest.mark.parametrize("count", [1, 100])
@pytest.mark.parametrize(("name", "message", "said", "options"), SAID)
def test_what_is_said(
    name: str, message: dict[str, Any], said: dict[str, Any], options: dict[str, str], count: int
) -> None:
    found = find_format(name)
    silent = b'{"payload":{}}' if options else b"{}"
    messages = pa.array([json.dumps(message).encode(), silent] * count, pa.binary())
    read = MetadataReader(found, tuple(said), options).read(messages)
    assert not read.bad.any()
    assert {
        key: [unordered(value) for value in column.to_pylist()] for key, column in read.columns.items()
    } == {key: [unordered(value), None] * count for key, value in said.items()}
    for key, column in read.columns.items():
        assert column.cast(to_arrow(metadata_of(found)[key].type)).null_count >= count


def test_every_key_is_tried() -> None:
    tried = {(name, key) for name, _, said, _ in SAID for key in said}
    names = ("canal-json", "debezium-json", "maxwell-json", "ogg-json")
    assert tried == {(name, key) for name in names for key in metadata_of(find_format(name))}
    assert metadata_of(find_format("json")) == {}


ODD: list[tuple[str, str, str, Any]] = [
    # canal-json, maxwell-json: read as CDC formats read, by the tree
    ("canal-json", "sql-type", '{"sqlType":1}', []),
    ("canal-json", "sql-type", '{"sqlType":{"a":2.9,"b":"7"}}', entries({"a": 2, "b": 7})),
    ("canal-json", "database", '{"database":{"a":[1, 2]}}', '{"a":[1,2]}'),
    ("maxwell-json", "table", '{"table":1e3}', "1000.0"),
    ("canal-json", "ingestion-timestamp", '{"ts":" 12 "}', at(12)),
    # debezium-json: `source` is a map of texts
    ("debezium-json", "source.properties", '{"source":"x"}', []),
    ("debezium-json", "source.table", '{"source":{"table":12}}', "12"),
    ("debezium-json", "source.timestamp", '{"source":{"ts_ms":"+12"}}', at(12)),
    ("debezium-json", "source.timestamp", '{"source":0}', None),
    ("debezium-json", "schema", '{"schema":{"a":1}}', None),
    # ogg-json: DateTimeUtils.parseTimestampData, with a pattern and without
    ("ogg-json", "ingestion-timestamp", '{"current_ts":"2020-05-13 15:40:06.1234"}', "15:40:06.123400"),
    ("ogg-json", "ingestion-timestamp", '{"current_ts":"2020-05-13T15:40:06"}', None),
    ("ogg-json", "ingestion-timestamp", '{"current_ts":"2020-02-30T15:40:06.000009"}', "15:40:06.000000"),
    ("ogg-json", "event-timestamp", '{"op_ts":"2020-05-13 15:40:06.1239"}', "15:40:06.123000"),
]
BAD = [
    ("canal-json", "ingestion-timestamp", '{"ts":"x"}', True),
    ("canal-json", "pk-names", '{"pkNames":"id"}', True),
    ("debezium-json", "source.timestamp", '{"source":{"ts_ms":1.0}}', False),
    ("ogg-json", "event-timestamp", '{"op_ts":"2020-05-13T15:40:06"}', False),
]
"""Whether such a value is none where bad ones are ignored; else the message is left out."""


@pytest.mark.parametrize("count", [1, 100])
@pytest.mark.parametrize(("name", "key", "message", "expected"), ODD)
def test_odd_values(name: str, key: str, message: str, expected: Any, count: int) -> None:
    read = MetadataReader(find_format(name), (key,), {}).read(pa.array([message.encode()] * count))
    values = read.columns[key].to_pylist()
    if isinstance(values[0], datetime) and isinstance(expected, str):
        values = [f"{value:%H:%M:%S.%f}" for value in values]
    assert values == [expected] * count


@pytest.mark.parametrize("count", [1, 100])
@pytest.mark.parametrize(("name", "key", "message", "becomes_null"), BAD)
def test_bad_values(name: str, key: str, message: str, becomes_null: bool, count: int) -> None:
    messages = pa.array([b"{}", message.encode()] * count, pa.binary())
    with pytest.raises(MessageError) as caught:
        MetadataReader(find_format(name), (key,), {}).read(messages)
    assert caught.value.index == 1
    read = MetadataReader(find_format(name), (key,), {"ignore-parse-errors": "true"}).read(messages)
    assert read.columns[key].null_count == 2 * count
    assert read.bad.tolist() == [False, not becomes_null] * count
