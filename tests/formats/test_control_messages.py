"""Messages of CDC tools that are no change of a row: errors say what they are, and quote them once."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa
import pytest

from firesteel.formats.base import Fields, MessageError
from firesteel.formats.registry import find_format
from firesteel.types.sql import INT

ALTER = "ALTER TABLE products ADD COLUMN weight INT"
CANAL = {"data": None, "database": "shop", "es": 1, "id": 3, "isDdl": True, "mysqlType": None, "old": None}
CANAL |= {"pkNames": None, "sql": ALTER, "sqlType": None, "table": "products", "ts": 2, "type": "ALTER"}
SOURCE = {"db": "shop", "table": "products"}


def error(name: str, message: Any, **options: str) -> MessageError:
    fields = Fields(("id",), (INT,), ("id",), (INT,))
    decoder = find_format(name).decoder(fields, options)
    with pytest.raises(MessageError) as caught:
        decoder.decode(pa.array([json.dumps(message).encode()], pa.binary()))
    return caught.value


@pytest.mark.parametrize(
    ("name", "message", "what"),
    [
        ("canal-json", CANAL, f"DDL of table shop.products: {ALTER}"),
        ("canal-json", CANAL | {"type": "ERASE", "sql": ""}, "DDL of table shop.products"),
        ("canal-json", CANAL | {"type": "QUERY", "isDdl": False}, "a QUERY statement"),
        (
            "debezium-json",
            {"source": SOURCE, "databaseName": "shop", "ddl": ALTER, "tableChanges": []},
            f"DDL of table shop.products: {ALTER}",
        ),
        ("debezium-json", {"ts_ms": 1}, "a heartbeat"),
        (
            "debezium-json",
            {"before": None, "after": None, "source": SOURCE, "op": "t"},
            "a TRUNCATE of table shop.products",
        ),
        ("debezium-json", {"op": "m", "message": {"prefix": "p"}}, "a logical decoding message"),
        ("debezium-json", {"status": "BEGIN", "id": "7", "event_count": None}, "the BEGIN of a transaction"),
        (
            "maxwell-json",
            {"type": "table-alter", "database": "shop", "table": "products", "sql": ALTER},
            f"DDL of table shop.products: {ALTER}",
        ),
        (
            "maxwell-json",
            {"type": "database-create", "database": "shop", "sql": "CREATE DATABASE shop"},
            "DDL of database shop: CREATE DATABASE shop",
        ),
        (
            "maxwell-json",
            {"type": "bootstrap-complete", "database": "shop", "table": "products", "data": {}},
            "a mark of a bootstrap (bootstrap-complete)",
        ),
        (
            "ogg-json",
            {"table": "SHOP.PRODUCTS", "op_type": "T", "op_ts": "x"},
            "a TRUNCATE of table SHOP.PRODUCTS",
        ),
    ],
)
def test_what_a_message_is(name: str, message: Any, what: str) -> None:
    found = error(name, message)
    assert f"It is {what}, no change of a row: " in found.text
    assert found.text.startswith("Corrupt ")
    assert found.text.count(json.dumps(message)) == 1
    assert found.is_control


def test_a_payload_within_its_schema() -> None:
    message = {"schema": {}, "payload": {"ts_ms": 1}}
    assert "It is a heartbeat" in error("debezium-json", message, **{"schema-include": "true"}).text


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("canal-json", {"data": [{"id": 1}], "type": "insert"}),
        ("canal-json", {"data": [{"id": "x"}], "type": "INSERT"}),
        ("debezium-json", {"before": None, "after": {"id": 1}}),
        ("maxwell-json", {"data": {"id": 1}, "type": "upsert"}),
        ("ogg-json", [1]),
    ],
)
def test_a_message_that_is_damaged(name: str, message: Any) -> None:
    found = error(name, message)
    assert not found.is_control
    assert "no change of a row" not in found.text


def test_a_long_message_is_cut() -> None:
    message = CANAL | {"sql": "ALTER " + "x" * 5000}
    text = error("canal-json", message).text
    assert len(text) < 1600
    assert f"... ({len(json.dumps(message))} bytes)" in text


@pytest.mark.parametrize("ignores", ["false", "true"])
@pytest.mark.parametrize("member", ["type", "op", "op_type", "status", "ddl", "sql", "database", "table"])
@pytest.mark.parametrize("name", ["canal-json", "debezium-json", "maxwell-json", "ogg-json"])
def test_a_member_that_is_nested_too_deeply_to_be_written(name: str, member: str, ignores: str) -> None:
    """995 levels are fewer than Jackson's limit of 1,000, and more than str() of a value goes down."""
    controls = {"isDdl": "true", "type": '"table-alter"', "ddl": '"x"', "op": '"t"', "source": "{}"}
    for deep in ("[" * 995 + "]" * 995, '{"a":' * 994 + "{}" + "}" * 994, '"\\ud800"'):
        members = ",".join(f'"{key}":{value}' for key, value in {**controls, member: deep}.items())
        fields = Fields(("id",), (INT,), ("id",), (INT,))
        decoder = find_format(name).decoder(fields, {"ignore-parse-errors": ignores})
        message = pa.array([f"{{{members}}}".encode()], pa.binary())
        if ignores == "true":
            assert decoder.decode(message)[0].num_rows == 0
            assert decoder.skipped == 1
        else:
            with pytest.raises(MessageError) as caught:
                decoder.decode(message)
            assert caught.value.text.encode()
        assert decoder.unforeseen == 0
