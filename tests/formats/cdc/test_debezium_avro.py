"""debezium-avro-confluent, by the answers that Flink 2.3 gives."""

from __future__ import annotations

import json
from datetime import date, datetime, time, timezone
from decimal import Decimal
from io import BytesIO
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firesteel.changelog import KIND, SHORT
from firesteel.errors import NotSupportedError, ValidationError
from firesteel.formats.base import Fields, MessageError
from firesteel.formats.cdc.debezium.avro_format import DebeziumAvro
from firesteel.types import sql
from firesteel.types.arrow import KEY, VALUE
from firesteel.types.sql import SqlType
from tests.formats.avro.test_avro import TYPES
from tests.formats.schema_registry import Registry
from tests.formats.typed_rows import nested, tables, without_order
from tests.scale import examples

fastavro = pytest.importorskip("fastavro")

Columns = dict[str, SqlType]
COLUMNS: Columns = {"id": sql.INT.with_nullable(False), "name": sql.STRING}
ROWS = [{"name": "id", "type": "int"}, {"name": "name", "type": ["null", "string"]}]
SOURCE = {"type": "record", "name": "Source", "fields": [{"name": "ts", "type": "long"}]}


def message(registry: Registry, schema: Any, record: Any) -> bytes:
    out = BytesIO()
    fastavro.schemaless_writer(out, fastavro.parse_schema(schema), record)
    return b"\x00" + registry.add(json.dumps(schema)).to_bytes(4, "big") + out.getvalue()


def envelope(fields: list[Any]) -> dict[str, Any]:
    """Debezium's own: one type of rows, named, and more beside them."""
    parts = [
        {"name": "before", "type": ["null", {"type": "record", "name": "Value", "fields": fields}]},
        {"name": "after", "type": ["null", "Value"]},
        {"name": "source", "type": SOURCE},
        {"name": "op", "type": "string"},
        {"name": "ts_ms", "type": ["null", "long"]},
    ]
    return {"type": "record", "name": "Envelope", "namespace": "server.db.t", "fields": parts}


def change(registry: Registry, op: str, before: Any, after: Any, fields: list[Any] = ROWS) -> bytes:
    record = {"before": before, "after": after, "source": {"ts": 5}, "op": op, "ts_ms": None}
    return message(registry, envelope(fields), record)


def decode(registry: Registry, columns: Columns, *messages: bytes | None) -> list[tuple[Any, ...]]:
    names, types = tuple(columns), tuple(columns.values())
    decoder = DebeziumAvro().decoder(Fields(names, types), {"url": registry.url})
    found, at = decoder.decode(pa.array(messages, pa.binary()))
    assert len(at) == found.num_rows
    return [(SHORT[kind], *row.values()) for kind, row in zip(*_parts(found), strict=True)]


def _parts(table: pa.Table) -> tuple[list[int], list[dict[str, Any]]]:
    return table[KIND].to_pylist(), without_order(table.drop_columns([KIND]))


A, B = {"id": 1, "name": "a"}, {"id": 1, "name": None}


def test_changes_and_tombstones(registry: Registry) -> None:
    sent = (("c", None, A), ("u", A, B), ("r", B, A), ("d", B, None))
    messages = [change(registry, *each) for each in sent]
    assert decode(registry, COLUMNS, *messages[:2], None, b"", *messages[2:]) == [
        ("+I", 1, "a"),
        ("-U", 1, "a"),
        ("+U", 1, None),
        ("+I", 1, "a"),
        ("-D", 1, None),
    ]


@pytest.mark.parametrize(
    ("op", "before", "after", "said"),
    [
        ("x", None, A, 'Unknown "op" value "x". The Debezium Avro message is'),
        ("C", None, A, 'Unknown "op" value "C"'),
        ("u", None, A, 'The "before" field of UPDATE message is null, if you are using Debezium Postgres'),
        ("d", None, None, 'The "before" field of DELETE message is null'),
        ("c", None, None, 'The "after" field of the message is null'),
        ("u", A, None, 'The "after" field of the message is null'),
    ],
)
def test_a_bad_change(registry: Registry, op: str, before: Any, after: Any, said: str) -> None:
    good = change(registry, "c", None, A)
    with pytest.raises(MessageError) as error:
        decode(registry, COLUMNS, good, change(registry, op, before, after))
    assert error.value.index == 1
    assert error.value.text.startswith("Can't deserialize Debezium Avro message.")
    assert said in error.value.text


def test_bad_messages(registry: Registry) -> None:
    with pytest.raises(MessageError, match="Magic number does not match"):
        decode(registry, COLUMNS, b"\x01\x00\x00\x00\x01\x00")
    with pytest.raises(MessageError, match="Could not find schema with id 9999 in registry"):
        decode(registry, COLUMNS, b"\x00\x00\x00\x27\x0f\x00")
    for fields, record in (([], {}), ([{"name": "op", "type": ["null", "string"]}], {"op": None})):
        schema = {"type": "record", "name": "other", "fields": fields}
        with pytest.raises(MessageError, match='The message has no "op"'):
            decode(registry, COLUMNS, message(registry, schema, record))


INNER = {
    "type": "record",
    "name": "Inner",
    "fields": [{"name": "b", "type": "string"}, {"name": "a", "type": "int"}],
}
ITSELF = {
    "type": "record",
    "name": "Itself",
    "fields": [{"name": "v", "type": "int"}, {"name": "more", "type": ["null", "Itself"]}],
}
MICROS = {"type": "long", "logicalType": "timestamp-micros"}
MILLIS = {"type": "long", "logicalType": "timestamp-millis"}
MOMENT = datetime(2020, 1, 2, 3, 4, 5, tzinfo=timezone.utc)
DIGITS = {"type": "bytes", "logicalType": "decimal", "precision": 10, "scale": 4}
LISTED = {"type": "array", "items": ["null", "int"]}


@pytest.mark.parametrize(
    ("writer", "value", "kind", "read"),
    [
        ("int", 5, sql.BIGINT, 5),
        ("int", 5, sql.FLOAT, 5.0),
        ("long", 5, sql.DOUBLE, 5.0),
        ("float", 1.5, sql.DOUBLE, 1.5),
        ("string", "x", sql.BYTES, b"x"),
        ("bytes", b"x", sql.STRING, "x"),
        ("int", 300, sql.TINYINT, 44),
        ("null", None, sql.INT, None),
        (["null", "int", "string"], "x", sql.STRING, "x"),
        (["int", "long"], 5, sql.BIGINT, 5),
        (DIGITS, Decimal("12.3456"), sql.decimal(10, 2), Decimal("1234.56")),
        (DIGITS, Decimal("-0.0001"), sql.decimal(10, 2), Decimal("-0.01")),
        (DIGITS, Decimal("123456.3456"), sql.decimal(5, 2), None),
        (MILLIS, MOMENT, sql.timestamp(3), MOMENT.replace(tzinfo=None)),
        (MILLIS, MOMENT, sql.BIGINT, 1577934245000),
        ("long", 1577934245000, sql.timestamp(3), MOMENT.replace(tzinfo=None)),
        ("int", 18263, sql.DATE, date(2020, 1, 2)),
        ({"type": "int", "logicalType": "date"}, date(2020, 1, 2), sql.INT, 18263),
        ("int", 3_600_001, sql.time(3), time(1, 0, 0, 1000)),
        (LISTED, [1, None], sql.array(sql.BIGINT), [1, None]),
        (
            {"type": "map", "values": "long"},
            {"k": 1},
            sql.map_of(sql.STRING, sql.BIGINT),
            [{KEY: "k", VALUE: 1}],
        ),
        (INNER, {"a": 1, "b": "x"}, sql.row(("a", "c"), (sql.BIGINT, sql.INT)), {"a": 1, "c": None}),
        (
            *(ITSELF, {"v": 1, "more": {"v": 2, "more": None}}),
            *(sql.row(("more", "v"), (sql.row(("v",), (sql.INT,)), sql.INT)), {"more": {"v": 2}, "v": 1}),
        ),
        ("string", "abc", sql.char(2), "abc"),
    ],
)
def test_a_value_of_another_schema(
    registry: Registry, writer: Any, value: Any, kind: SqlType, read: Any
) -> None:
    several = isinstance(writer, list) or writer == "null"
    for written in (writer,) if several else (writer, ["null", writer]):
        sent = change(registry, "c", None, {"v": value}, [{"name": "v", "type": written}])
        ((_, found),) = decode(registry, {"v": kind}, sent)
        assert found == read


def test_a_time_counts_milliseconds_whatever_its_writer_says(registry: Registry) -> None:
    sent = change(registry, "c", None, {"v": MOMENT}, [{"name": "v", "type": MICROS}])
    decoder = DebeziumAvro().decoder(Fields(("v",), (sql.timestamp(3),)), {"url": registry.url})
    found, _ = decoder.decode(pa.array([sent]))
    assert found["f0"].cast(pa.int64()).to_pylist() == [1577934245_000_000_000]


@pytest.mark.parametrize(
    ("writer", "value", "kind"),
    [
        ("long", 5, sql.INT),
        ("double", 1.5, sql.FLOAT),
        ("int", 5, sql.STRING),
        ("int", 5, sql.decimal(10, 2)),
        ("boolean", True, sql.INT),
        ("int", 1, sql.BOOLEAN),
        ("string", "2020-01-02T03:04:05Z", sql.timestamp(3)),
        ({"type": "long", "logicalType": "time-micros"}, time(3, 4), sql.time(3)),
        ({"type": "enum", "name": "E", "symbols": ["P"]}, "P", sql.STRING),
        ({"type": "fixed", "name": "X", "size": 2}, b"ab", sql.BYTES),
        (["null", "int", "string"], 5, sql.STRING),
        (["null", "string"], None, sql.STRING.with_nullable(False)),
        (LISTED, [1, None], sql.array(sql.INT.with_nullable(False))),
        (INNER, {"a": 1, "b": "x"}, sql.row(("a",), (sql.STRING,))),
        (INNER, {"a": 1, "b": "x"}, sql.row(("c",), (sql.INT.with_nullable(False),))),
    ],
)
def test_a_value_that_is_no_such(registry: Registry, writer: Any, value: Any, kind: SqlType) -> None:
    sent = change(registry, "c", None, {"v": value}, [{"name": "v", "type": writer}])
    with pytest.raises(MessageError, match="Can't deserialize Debezium Avro message"):
        decode(registry, {"v": kind}, sent)


def test_columns_that_nobody_wants_are_not_looked_at(registry: Registry) -> None:
    """As Flink, which reads by the schema of the wanted ones: one that is missing may be NOT NULL."""
    sent = change(registry, "c", None, A)
    assert decode(registry, {"name": sql.STRING}, sent) == [("+I", "a")]
    with pytest.raises(MessageError, match="No default value for field x"):
        decode(registry, {"x": sql.STRING.with_nullable(False)}, sent)
    assert decode(registry, {"x": sql.STRING}, sent) == [("+I", None)]


WRITTEN: Columns = {
    "id": sql.INT.with_nullable(False),
    "s": sql.STRING,
    "r": sql.row(("a", "b"), (sql.INT, sql.STRING.with_nullable(False))),
    "d": sql.decimal(5, 1),
    "t": sql.timestamp(3),
}
AFTER = b"\x02\x00\x02\x02\x02\x02a\x02\x02\x02\x02x\x02\x02\x0f\x02\x86\xb4\xae\xc3\xec[\x02\x02c"
BEFORE = b"\x02\x02\x02\x02\x02a\x02\x02\x02\x02x\x02\x02\x0f\x02\x86\xb4\xae\xc3\xec[\x00\x02\x02d"
"""What Flink has written behind the number of the schema."""


def test_messages_and_their_schema_are_flinks(registry: Registry) -> None:
    row = {"a": 1, "b": "x"}
    values = (1, "a", row, Decimal("1.5"), datetime(2020, 1, 2, 3, 4, 5, 123000))
    encoder = DebeziumAvro().encoder(of(WRITTEN), {"url": registry.url, "subject": "flinks"})
    kinds = [0, 1, 2, 3]
    rows = {f"f{i}": pa.array([value] * 4) for i, value in enumerate(values)}
    messages = encoder.encode(pa.table({KIND: pa.array(kinds, pa.int8()), **rows})).to_pylist()
    assert [each[5:] for each in messages] == [AFTER, BEFORE, AFTER, BEFORE]
    (number,) = registry.subjects["flinks"]
    empty, record = json.loads(registry.schemas[number - 1])
    assert (empty, record["name"]) == ("null", "org.apache.flink.avro.generated.record")
    before, after, operation = record["fields"]
    assert operation == {"name": "op", "type": ["null", "string"], "default": None}
    for part, name in ((before, "before"), (after, "after")):
        assert (part["name"], part["default"], part["type"][0]) == (name, None, "null")
        rows_of = part["type"][1]
        assert rows_of["name"] == f"org.apache.flink.avro.generated.record_{name}"
        assert rows_of["fields"][0] == {"name": "id", "type": "int"}
        nested_row = rows_of["fields"][2]
        assert nested_row["type"][1]["name"] == f"org.apache.flink.avro.generated.record_{name}_r"
        assert nested_row["type"][1]["fields"][1] == {"name": "b", "type": "string"}


def of(columns: Columns) -> Fields:
    names, types = tuple(columns), tuple(columns.values())
    return Fields(names, types, names, types)


@given(tables(nested(TYPES)), st.data())
@settings(max_examples=examples(30), deadline=None)
def test_what_is_written_is_read(
    registry: Registry, made: tuple[tuple[SqlType, ...], pa.Table], data: st.DataObject
) -> None:
    types, rows = made
    kinds = data.draw(st.lists(st.integers(0, 3), min_size=rows.num_rows, max_size=rows.num_rows))
    rows = rows.set_column(0, KIND, pa.array(kinds, pa.int8()))
    fields, options = (
        of({f"c{i}": kind for i, kind in enumerate(types)}),
        {"url": registry.url, "subject": "t"},
    )
    messages = DebeziumAvro().encoder(fields, options).encode(rows)
    found, _ = DebeziumAvro().decoder(fields, options).decode(messages)
    read, expected = _parts(found), _parts(rows)
    assert read == ([0 if kind in (0, 2) else 3 for kind in kinds], expected[1])


def test_options() -> None:
    made = DebeziumAvro()
    with pytest.raises(ValidationError, match="Missing required options are:\n\nurl"):
        made.validate({}, ("a",), (sql.INT,))
    with pytest.raises(NotSupportedError, match=r"'debezium-avro-confluent\.schema' is not supported"):
        made.validate({"url": "x", "schema": "{}"}, ("a",), (sql.INT,))
    with pytest.raises(ValidationError, match="Unsupported to derive Schema for type: TIMESTAMP_LTZ"):
        made.validate({"url": "x"}, ("a",), (sql.timestamp_ltz(3),))
    with pytest.raises(ValidationError, match=r"Option 'debezium-avro-confluent\.subject' is required for"):
        made.encoder(of(COLUMNS), {"url": "x"})
