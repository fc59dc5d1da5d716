"""avro-confluent against a registry of our own."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest
from hypothesis import given, settings

from firesteel.connectors.kafka.options import value_of
from firesteel.errors import JobError, NotSupportedError, ValidationError
from firesteel.formats.avro.confluent import AvroConfluent
from firesteel.formats.base import Fields, MessageError
from firesteel.types import sql
from firesteel.types.sql import SqlType
from tests.formats.avro.test_avro import TYPES
from tests.formats.schema_registry import Registry
from tests.formats.typed_rows import nested, tables, without_order
from tests.scale import examples

pytest.importorskip("fastavro")


def fields(types: tuple[SqlType, ...]) -> Fields:
    names = tuple(f"c{i}" for i in range(len(types)))
    return Fields(names, types, names, types)


@given(tables(nested(TYPES)))
@settings(max_examples=examples(30), deadline=None)
def test_what_is_written_is_read(registry: Registry, made: tuple[tuple[SqlType, ...], pa.Table]) -> None:
    types, rows = made
    options = {"url": registry.url, "subject": "t-value"}
    messages = AvroConfluent().encoder(fields(types), options).encode(rows)
    found, _ = AvroConfluent().decoder(fields(types), options).decode(messages)
    assert without_order(found) == without_order(rows)


def test_a_message_is_read_by_the_schema_that_it_names(registry: Registry) -> None:
    """Another one than the table's: fewer fields, in another order, an int for a BIGINT."""
    fields_of = [{"name": "c1", "type": "int"}, {"name": "more", "type": "string"}]
    number = registry.add(json.dumps({"type": "record", "name": "other", "fields": fields_of}))
    message = b"\x00" + number.to_bytes(4, "big") + b"\x05\x02x"
    options = {"schema-registry.url": registry.url}
    found, _ = AvroConfluent().decoder(fields((sql.STRING, sql.BIGINT)), options).decode(pa.array([message]))
    assert found.select(["f0", "f1"]).to_pylist() == [{"f0": None, "f1": -3}]


def test_what_is_missing_is_noticed_where_it_is_not_read(registry: Registry) -> None:
    written = [{"name": "c0", "type": "int"}, {"name": "more", "type": "string"}]
    schema = {"type": "record", "name": "longer", "fields": written}
    head = b"\x00" + registry.add(json.dumps(schema)).to_bytes(4, "big")
    decoder = AvroConfluent().decoder(fields((sql.INT,)), {"url": registry.url})
    assert decoder.decode(pa.array([head + b"\x05\x04ab"]))[0]["f0"].to_pylist() == [-3]
    for cut in (b"\x05\x04a", b"\x05\x04", b"\x05", b""):
        with pytest.raises(MessageError, match="Failed to deserialize Avro record"):
            decoder.decode(pa.array([head + cut]))


def test_a_time_that_cannot_be_held(registry: Registry) -> None:
    moment = {"type": "long", "logicalType": "timestamp-millis"}
    schema = {"type": "record", "name": "far", "fields": [{"name": "c0", "type": moment}]}
    message = b"\x00" + registry.add(json.dumps(schema)).to_bytes(4, "big") + b"\xfe" + b"\xff" * 8 + b"\x01"
    with pytest.raises(MessageError, match="9223372036854775807 milliseconds is not within the years"):
        AvroConfluent().decoder(fields((sql.timestamp(3),)), {"url": registry.url}).decode(
            pa.array([message])
        )


def test_a_value_that_the_columns_type_does_not_hold_is_no_value_of_it(registry: Registry) -> None:
    for wanted, written in ((sql.INT, "long"), (sql.STRING, "int"), (sql.BOOLEAN, "int")):
        schema = {"type": "record", "name": "other", "fields": [{"name": "c0", "type": ["null", written]}]}
        message = b"\x00" + registry.add(json.dumps(schema)).to_bytes(4, "big") + b"\x02\x0c"
        with pytest.raises(MessageError, match="Failed to deserialize Avro record"):
            AvroConfluent().decoder(fields((wanted,)), {"url": registry.url}).decode(pa.array([message]))


def test_bad_messages(registry: Registry) -> None:
    decoder = AvroConfluent().decoder(fields((sql.INT,)), {"url": registry.url})
    with pytest.raises(MessageError, match="Magic number does not match"):
        decoder.decode(pa.array([b"\x01\x00\x00\x00\x01\x00"]))
    with pytest.raises(MessageError, match="Could not find schema with id 9999 in registry"):
        decoder.decode(pa.array([b"\x00\x00\x00\x27\x0f\x00"]))


def test_a_registry_that_refuses_or_is_not_there(registry: Registry) -> None:
    rows = pa.table({"$kind": pa.array([0], pa.int8()), "f0": pa.array([1], pa.int32())})
    for url, subject, said in (
        (registry.url, "locked", "answered 409"),
        ("http://127.0.0.1:1", "s", "The schema registry does not answer"),
    ):
        with pytest.raises(JobError, match=said):
            AvroConfluent().encoder(fields((sql.INT,)), {"url": url, "subject": subject}).encode(rows)


def test_options() -> None:
    with pytest.raises(ValidationError, match="Missing required options are:\n\nurl"):
        AvroConfluent().validate({}, ("a",), (sql.INT,))
    for wrong, said in (
        ({"schema": "{}"}, "'avro-confluent.schema' is not supported"),
        ({"schema-registry.schema": "{}"}, "'avro-confluent.schema' is not supported"),
        ({"basic-auth.credentials-source": "SASL_INHERIT"}, "'SASL_INHERIT' is not supported"),
        ({"url": "http://me:secret@host"}, "password in 'avro-confluent.url' are not supported"),
    ):
        with pytest.raises(NotSupportedError, match=said):
            AvroConfluent().validate({"url": "x", **wrong}, ("a",), (sql.INT,))
    with pytest.raises(ValidationError, match=r"needs 'avro-confluent\.bearer-auth\.token'"):
        AvroConfluent().validate(
            {"url": "x", "bearer-auth.credentials-source": "STATIC_TOKEN"}, ("a",), (sql.INT,)
        )
    with pytest.raises(ValidationError, match="subject is required"):
        AvroConfluent().encoder(fields((sql.INT,)), {"url": "x"})


@pytest.mark.parametrize(
    ("options", "header"),
    [
        ({"basic-auth.credentials-source": "USER_INFO", "basic-auth.user-info": "a:b"}, "Basic YTpi"),
        ({"bearer-auth.credentials-source": "STATIC_TOKEN", "bearer-auth.token": "t"}, "Bearer t"),
        ({"basic-auth.user-info": "a:b"}, None),
    ],
)
def test_who_asks(registry: Registry, options: dict[str, str], header: str | None) -> None:
    asked = {"url": registry.url, "subject": f"asked-by-{header}", **options}
    rows = pa.table({"$kind": pa.array([0], pa.int8()), "f0": pa.array([1], pa.int32())})
    AvroConfluent().encoder(fields((sql.INT,)), asked).encode(rows)
    assert registry.heard[-1] == header


def test_a_topic_is_a_subject() -> None:
    options = {"topic": "t", "format": "avro-confluent", "avro-confluent.url": "x"}
    assert dict(value_of(options, ("a",)).options) == {"url": "x", "subject": "t-value"}
    own = {**options, "avro-confluent.subject": "mine"}
    assert dict(value_of(own, ("a",)).options)["subject"] == "mine"
