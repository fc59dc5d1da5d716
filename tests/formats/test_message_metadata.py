"""What messages say besides their rows, as Flink's formats name and read it."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from typing import Any

import pyarrow as pa
import pytest

from firesteel.formats.base import MessageError
from firesteel.formats.message_metadata import MetadataReader, metadata_of
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
            "ingestion-timestamp": datetime(2020, 5, 13, 15, 40, 7, 123456, timezone.utc),
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
    data = json.dumps(message).encode()
    reader = MetadataReader(found, tuple(said), options)
    read = reader.columns(pa.array([data, None, b"", b"{}"] * count, pa.binary()))
    assert {key: [unordered(value) for value in column.to_pylist()] for key, column in read.items()} == {
        key: [unordered(value), None, None, None] * count for key, value in said.items()
    }
    for key, column in read.items():
        assert column.cast(to_arrow(metadata_of(found)[key].type)).null_count >= 3 * count


def test_every_key_is_tried() -> None:
    tried = {(name, key) for name, _, said, _ in SAID for key in said}
    names = ("canal-json", "debezium-json", "maxwell-json", "ogg-json")
    assert tried == {(name, key) for name in names for key in metadata_of(find_format(name))}
    assert metadata_of(find_format("json")) == {}


def test_a_bad_value() -> None:
    bad = pa.array([b'{"ts":1}', b'{"ts":"x"}'], pa.binary())
    with pytest.raises(MessageError) as caught:
        MetadataReader(find_format("canal-json"), ("ingestion-timestamp",), {}).columns(bad)
    assert caught.value.index == 1
    skipping = MetadataReader(
        find_format("canal-json"), ("ingestion-timestamp",), {"ignore-parse-errors": "true"}
    )
    assert skipping.columns(bad)["ingestion-timestamp"].to_pylist() == [at(1), None]
