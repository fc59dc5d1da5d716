"""debezium-json, maxwell-json and ogg-json, by the answers that Flink 2.3 gives."""

from __future__ import annotations

from typing import Any

import pytest

from firesteel.errors import ValidationError
from firesteel.formats.base import Fields, MessageError
from firesteel.formats.messages.lines import joined
from firesteel.formats.registry import find_format
from firesteel.types.sql import DOUBLE, FLOAT, INT, STRING, decimal
from tests.formats.decoding import decode, rows

SCHEMA = {"id": INT, "s": STRING}
CHANGES = [("+I", 1, "a"), ("-U", 1, "a"), ("+U", 1, "b"), ("-D", 1, "b")]
MESSAGES = {
    "debezium-json": [
        '{"before":null,"after":{"id":1,"s":"a"},"op":"r"}',
        '{"before":{"id":1,"s":"a"},"after":{"id":1,"s":"b"},"op":"u"}',
        '{"before":{"id":1,"s":"b"},"after":null,"op":"d"}',
    ],
    "ogg-json": [
        '{"before":null,"after":{"id":1,"s":"a"},"op_type":"I"}',
        '{"before":{"id":1,"s":"a"},"after":{"id":1,"s":"b"},"op_type":"U"}',
        '{"before":{"id":1,"s":"b"},"after":null,"op_type":"D"}',
    ],
    "maxwell-json": [
        '{"data":{"id":1,"s":"a"},"type":"insert"}',
        '{"data":{"id":1,"s":"b"},"old":{"s":"a"},"type":"update"}',
        '{"data":{"id":1,"s":"b"},"type":"delete"}',
    ],
}


@pytest.mark.parametrize("copies", [1, 50])
@pytest.mark.parametrize("name", MESSAGES)
def test_changes(name: str, copies: int) -> None:
    text = "".join(f"{line}\n" for line in MESSAGES[name])
    assert rows(decode(name, SCHEMA, text * copies)) == CHANGES * copies


INSERTS = {
    "canal-json": '{"data":[%s],"type":"INSERT"}',
    "debezium-json": '{"after":%s,"op":"c"}',
    "maxwell-json": '{"data":%s,"type":"insert"}',
    "ogg-json": '{"after":%s,"op_type":"I"}',
}


@pytest.mark.parametrize("copies", [1, 100])
@pytest.mark.parametrize("name", INSERTS)
@pytest.mark.parametrize(
    ("number", "found", "beside_a_decimal"),
    [("-0", "0.0", "0.0"), ("-0.0", "-0.0", "0.0"), ('"-0.0"', "-0.0", "-0.0"), ("-0.05", "-0.05", "-0.05")],
)
def test_the_sign_of_zero(name: str, number: str, found: str, beside_a_decimal: str, copies: int) -> None:
    """Where a row has a DECIMAL, Flink reads its fractions as BigDecimal, which knows no -0."""
    text = INSERTS[name] % f'{{"d":{number},"f":{number}}}' + "\n"
    for more, expected in (({}, found), ({"m": decimal(10, 2)}, beside_a_decimal)):
        read = rows(decode(name, {"d": DOUBLE, "f": FLOAT, **more}, text * copies))
        numbers = [(repr(row[1]), f"{row[2]:.3g}") for row in read]
        assert numbers == [(expected, f"{float(expected):.3g}")] * copies


REPLICA = "Postgres Connector, please check the Postgres table has been set REPLICA IDENTITY to FULL level."


@pytest.mark.parametrize("copies", [1, 50])
@pytest.mark.parametrize(
    ("name", "text", "title", "reason"),
    [
        (
            "debezium-json",
            '{"before":null,"after":{"id":1},"op":"u"}',
            "Debezium",
            f"using Debezium {REPLICA}",
        ),
        (
            "debezium-json",
            '{"before":null,"after":null,"op":"d"}',
            "Debezium",
            'The "before" field of DELETE',
        ),
        (
            "debezium-json",
            '{"after":{"id":1},"op":"t"}',
            "Debezium",
            'Unknown "op" value "t"',
        ),
        ("ogg-json", '{"before":null,"after":{"id":1},"op_type":"U"}', "Ogg", f"using Ogg {REPLICA}"),
        ("ogg-json", '{"after":{"id":1},"op_type":"T"}', "Ogg", 'Unknown "op_type" value "T"'),
        ("maxwell-json", '{"data":{"id":1},"old":null,"type":"update"}', "Maxwell", "'old' is null"),
        (
            "maxwell-json",
            '{"data":{"id":1},"type":"bootstrap-start"}',
            "Maxwell",
            'Unknown "type" value "boot',
        ),
        ("maxwell-json", '{"data":null,"type":"insert"}', "Maxwell", "'data' is null"),
    ],
)
def test_messages_that_flink_refuses(name: str, text: str, title: str, reason: str, copies: int) -> None:
    good = "".join(f"{line}\n" for line in MESSAGES[name]) * copies
    with pytest.raises(MessageError) as caught:
        decode(name, SCHEMA, good + text + "\n")
    assert caught.value.index == 3 * copies
    assert caught.value.text.startswith(f"Corrupt {title} JSON message '{text}'.")
    assert reason in caught.value.text
    assert rows(decode(name, SCHEMA, text + "\n", ignore_parse_errors="true")) == []


def test_maxwell_tells_a_null_in_old_from_a_missing_name() -> None:
    text = '{"data":{"id":1,"s":"b"},"old":{"s":null},"type":"update"}\n'
    for copies in (1, 100):
        found = rows(decode("maxwell-json", SCHEMA, text * copies))
        assert found == [("-U", 1, None), ("+U", 1, "b")] * copies


def test_debezium_with_schema() -> None:
    text = '{"schema":{"x":1},"payload":{"before":null,"after":{"id":1,"s":"a"},"op":"c"}}\n'
    assert rows(decode("debezium-json", SCHEMA, text, schema_include="true")) == [("+I", 1, "a")]
    with pytest.raises(ValidationError, match="schema-include"):
        find_format("debezium-json").encoder(Fields((), ()), {"schema-include": "true"})


@pytest.mark.parametrize("name", MESSAGES)
def test_what_is_written_reads_back_as_inserts_and_deletes(name: str) -> None:
    table = decode(name, SCHEMA, "".join(f"{line}\n" for line in MESSAGES[name]))
    fields = Fields(tuple(SCHEMA), tuple(SCHEMA.values()))
    data = joined(find_format(name).encoder(fields, {}).encode(table))
    kinds: Any = {"+I": "+I", "-U": "-D", "+U": "+I", "-D": "-D"}
    assert rows(decode(name, SCHEMA, data)) == [(kinds[kind], *rest) for kind, *rest in CHANGES]
