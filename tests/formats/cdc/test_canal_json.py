"""canal-json, by the answers that Flink 2.3 gives."""

from __future__ import annotations

from decimal import Decimal

import pytest

from firesteel.formats.base import MessageError
from firesteel.types.arrow import to_arrow
from firesteel.types.sql import BIGINT, DOUBLE, INT, STRING, array, decimal, timestamp, timestamp_ltz
from tests.formats.decoding import decode, decoder_of, rows

SCHEMA = {"id": INT, "name": STRING, "w": decimal(10, 2)}


def canal(data: str, old: str = "null", kind: str = "INSERT", more: str = "") -> str:
    return f'{{"data":{data},"old":{old},"type":"{kind}"{more}}}\n'


def test_insert_update_delete() -> None:
    text = (
        canal('[{"id":"1","name":"a","w":"1.50"},{"id":"2","name":"b","w":"2.5"}]')
        + canal('[{"id":"1","name":"a2","w":"1.50"}]', '[{"name":"a"}]', "UPDATE")
        + canal('[{"id":"1","name":"a3","w":null}]', '[{"name":null}]', "UPDATE")
        + canal('[{"id":"2","name":"b","w":"2.5"}]', kind="DELETE")
    )
    assert rows(decode("canal-json", SCHEMA, text)) == [
        ("+I", 1, "a", Decimal("1.50")),
        ("+I", 2, "b", Decimal("2.50")),
        ("-U", 1, "a", Decimal("1.50")),
        ("+U", 1, "a2", Decimal("1.50")),
        ("-U", 1, None, None),
        ("+U", 1, "a3", None),
        ("-D", 2, "b", Decimal("2.50")),
    ]


def test_names_in_old_are_looked_for_in_all_its_rows() -> None:
    schema = {"id": INT, "name": STRING, "w": INT}
    text = canal('[{"id":1,"name":"x","w":1},{"id":2,"name":"y","w":2}]', '[{"name":"x0"},{"w":9}]', "UPDATE")
    assert rows(decode("canal-json", schema, text)) == [
        ("-U", 1, "x0", None),
        ("+U", 1, "x", 1),
        ("-U", 2, None, 9),
        ("+U", 2, "y", 2),
    ]


def test_the_columnar_path_tells_a_null_in_old_from_a_missing_name() -> None:
    one = canal('[{"id":"1","name":"n","w":"1"}]', '[{"name":null}]', "UPDATE")
    two = canal('[{"id":"2","name":"m","w":"2"}]', '[{"w":"3"}]', "UPDATE")
    decoder = decoder_of("canal-json", SCHEMA)
    found = rows(decoder.decode((one + two).encode() * 100))
    assert found[:4] == [
        ("-U", 1, None, Decimal("1.00")),
        ("+U", 1, "n", Decimal("1.00")),
        ("-U", 2, "m", Decimal("3.00")),
        ("+U", 2, "m", Decimal("2.00")),
    ]
    assert found == found[:4] * 100


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (canal("null"), "is null"),
        (canal('[{"id":1}]', kind="UPDATE"), "is null"),
        (canal('[{"id":1}]', "[]", "UPDATE"), "lacks a row"),
        (canal('[{"id":1}]', kind="ALTER"), 'Unknown "type" value "ALTER".'),
        (canal('[{"id":1}]', kind="insert"), 'Unknown "type" value "insert"'),
        ('{"data":[{"id":1}]}\n', "type"),
        (canal('[{"id":"12x"}]'), "Fail to deserialize at field: id"),
        (canal('[{"id":"1",}]'), "Corrupt Canal JSON message"),
        (canal('[{"id":NaN}]'), "NaN"),
        (canal('{"id":1}'), "Fail to deserialize at field: data"),
        ("[]\n", "no JSON object"),
        ("  \n", "end-of-input"),
    ],
)
def test_messages_that_flink_refuses(text: str, reason: str) -> None:
    good = canal('[{"id":"1","name":"a","w":"1"}]')
    with pytest.raises(MessageError) as caught:
        decode("canal-json", SCHEMA, good * 80 + text + good)
    assert caught.value.index == 80
    assert caught.value.text.startswith("Corrupt Canal JSON message '")
    assert reason in caught.value.text


def test_messages_that_are_skipped_silently() -> None:
    text = "\n\r\n" + canal("null", kind="CREATE")
    assert rows(decode("canal-json", SCHEMA, text)) == []


def test_ignore_parse_errors_nulls_a_field_and_skips_a_message() -> None:
    text = canal('[{"id":"x","name":"a","w":"1"}]') + "{broken\n" + canal('[{"id":2}]', kind="ALTER")
    decoder = decoder_of("canal-json", SCHEMA, ignore_parse_errors="true")
    assert rows(decoder.decode(text.encode())) == [("+I", None, "a", Decimal("1.00"))]
    assert decoder.skipped == 2


@pytest.mark.parametrize("copies", [1, 100])
def test_database_and_table_filters(copies: int) -> None:
    text = "".join(
        canal(f'[{{"id":{n},"name":"a","w":1}}]', more=f',"database":"{database}","table":"{table}"')
        for n, database, table in [(1, "shop1", "t"), (2, "shop", "t"), (3, "xshop1", "t"), (4, "shop2", "u")]
    )
    options = {"database.include": "shop[0-9]", "table.include": "t|v"}
    found = rows(decode("canal-json", {"id": INT}, text * copies, **options))
    assert found == [("+I", 1)] * copies


@pytest.mark.parametrize("copies", [1, 100])
def test_filters_are_javas_patterns(copies: int) -> None:
    """Flink 2.3's answer; what is no text is matched as Jackson writes it, an object as nothing."""
    values = [
        '"shop"',
        '"shop1"',
        '"shop3"',
        '"Shop"',
        "null",
        "5",
        "true",
        '""',
        '{"a": 1}',
        "1.50",
        '"shop\\n"',
    ]
    text = "".join(
        canal(f'[{{"id":{n},"name":"a","w":1}}]', more=f',"database":{value},"table":"t"')
        for n, value in enumerate(values)
    )
    java = {
        "database.include": r"(?<a>sh\p{Lower}p)[0-9&&[^3]]*+|null|5|true||1\.5",
        "table.include": r"\Qt\E",
    }
    found = rows(decode("canal-json", {"id": INT}, text * copies, **java))
    assert found == [("+I", n) for n in (0, 1, 4, 5, 6, 7, 8, 9)] * copies


def test_a_message_without_the_filtered_field_is_an_error() -> None:
    with pytest.raises(MessageError, match="has no field 'database'"):
        decode("canal-json", {"id": INT}, canal('[{"id":1}]'), **{"database.include": "x"})


def test_of_repeated_keys_the_last_wins() -> None:
    text = canal('[{"id":"1","name":"a","name":"b","w":"1"}]')
    plain = canal('[{"id":"1","name":"a","w":"1"}]')
    assert rows(decode("canal-json", SCHEMA, plain * 99 + text))[-1] == ("+I", 1, "b", Decimal("1.00"))


def test_values_of_other_kinds() -> None:
    schema = {"i": INT, "s": STRING, "d": DOUBLE, "ts": timestamp(3), "a": array(BIGINT)}
    text = canal('[{"i":1.9,"s":{"a":[1,1.50]},"d":" 2 ","ts":"2020-02-30 01:02:03","a":["1",null]}]')
    (row,) = rows(decode("canal-json", schema, text))
    assert row[1:4] == (1, '{"a":[1,1.5]}', 2.0)
    assert str(row[4]) == "2020-02-29 01:02:03"
    assert row[5] == [1, None]


def test_only_wanted_fields_are_converted() -> None:
    text = canal('[{"id":"no number","name":"a","w":"1"}]')
    assert rows(decode("canal-json", SCHEMA, text, ("name",))) == [("+I", "a")]


def test_messages_that_are_read_in_two_ways_have_one_type() -> None:
    schema = {"id": INT, "l": timestamp_ltz(3)}
    row = '"data":[{"id":1,"l":"2026-01-02 03:04:05.678Z"}]}\n'
    many = f'{{"type":"INSERT",{row}' * 70
    table = decode("canal-json", schema, f'{many}{{"type":"UPDATE","old":[{{"id":3}}],{row}')
    assert [kind for kind, *_ in rows(table)][-3:] == ["+I", "-U", "+U"]
    assert table.schema.field("f1").type == to_arrow(schema["l"])
