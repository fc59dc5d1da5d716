"""avro: what is written is read, as messages and as files."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firesteel.errors import DataError, ValidationError
from firesteel.formats.avro.format import Avro
from firesteel.formats.avro.schema import to_schema
from firesteel.formats.base import Fields, MessageError
from firesteel.types import sql
from firesteel.types.arrow import KEY
from firesteel.types.sql import SqlType
from tests.formats.typed_rows import FLAT, nested, tables, without_order
from tests.scale import examples
from tests.types.columns import changes

pytest.importorskip("fastavro")

TYPES = st.sampled_from([*FLAT, sql.time(3), sql.timestamp(3)])
LOCAL = st.sampled_from(
    [sql.timestamp(3), sql.timestamp(6), sql.timestamp_ltz(3), sql.timestamp_ltz(6), sql.INT]
)


def fields(types: tuple[SqlType, ...]) -> Fields:
    names = tuple(f"c{i}" for i in range(len(types)))
    return Fields(names, types, names, types)


def through_messages(types: tuple[SqlType, ...], rows: pa.Table, options: dict[str, str]) -> Any:
    messages = Avro().encoder(fields(types), options).encode(rows)
    found, at = Avro().decoder(fields(types), options).decode(messages)
    assert at.tolist() == list(range(rows.num_rows))
    return without_order(found)


@given(tables(nested(TYPES)))
@settings(max_examples=examples(60), deadline=None)
def test_messages(made: tuple[tuple[SqlType, ...], pa.Table]) -> None:
    types, rows = made
    assert through_messages(types, rows, {}) == without_order(rows)


@given(tables(LOCAL))
@settings(max_examples=examples(30), deadline=None)
def test_times_of_the_newer_mapping(made: tuple[tuple[SqlType, ...], pa.Table]) -> None:
    types, rows = made
    expected = [{name: _in_millis(value) for name, value in row.items()} for row in rows.to_pylist()]
    assert through_messages(types, rows, {"timestamp_mapping.legacy": "false"}) == expected


def _in_millis(value: Any) -> Any:
    if not isinstance(value, datetime):
        return value
    return value.replace(microsecond=value.microsecond // 1000 * 1000)


def test_maps_are_in_flinks_order() -> None:
    """As its classes write and read this one, in which hashes share buckets."""
    kind = sql.map_of(sql.STRING, sql.INT)
    made = changes({"m": (kind, [[(key, 1) for key in ("a", "\t", "\xa0", "'", "<&>/'", "\u2028", "1.5")]])})
    (message,) = Avro().encoder(fields((kind,)), {}).encode(made).to_pylist()
    written = ["\xa0", "a", "<&>/'", "'", "\u2028", "1.5", "\t"]
    places = [message.index(key.encode()) for key in written]
    assert places == sorted(places)
    found, _ = Avro().decoder(fields((kind,)), {}).decode(pa.array([message]))
    read = ["<&>/'", "a", "\t", "\xa0", "'", "\u2028", "1.5"]
    assert [entry[KEY] for entry in found["f0"].to_pylist()[0]] == read


@given(tables(nested(TYPES)), st.sampled_from(["null", "snappy", "deflate"]))
@settings(max_examples=examples(40), deadline=None)
def test_files(
    tmp_path_factory: pytest.TempPathFactory, made: tuple[tuple[SqlType, ...], pa.Table], codec: str
) -> None:
    types, rows = made
    path = tmp_path_factory.mktemp("avro") / "a"
    with path.open("wb") as stream:
        writer = Avro().file_writer(fields(types), {"codec": codec}, stream)
        writer.write(rows)
        writer.close()
    found = pa.concat_tables(Avro().file_reader(fields(types), {}).read(str(path)))
    assert without_order(found) == without_order(rows)


def test_a_message_of_flinks() -> None:
    """Its bytes: each field is a number of a union's branch and a value; a long is zigzag."""
    kind = sql.row(("k", "v"), (sql.STRING, sql.BIGINT)).with_nullable(False)
    assert to_schema(kind) == {
        "type": "record",
        "name": "org.apache.flink.avro.generated.record",
        "fields": [
            {"name": "k", "type": ["null", "string"], "default": None},
            {"name": "v", "type": ["null", "long"], "default": None},
        ],
    }
    wanted = Fields(("v",), (sql.BIGINT,), kind.names, kind.children)
    found, at = Avro().decoder(wanted, {}).decode(pa.array([None, b"\x02\x04ab\x02\x05"], pa.binary()))
    assert (found["f0"].to_pylist(), at.tolist()) == ([-3], [1])


def test_a_bad_message_is_named() -> None:
    with pytest.raises(MessageError) as caught:
        Avro().decoder(fields((sql.STRING,)), {}).decode(pa.array([b"\x02\x02a", b"\x02\x09a"], pa.binary()))
    assert caught.value.index == 1
    assert caught.value.text.startswith("Failed to deserialize Avro record.")


def test_bytes_that_are_no_text_are_replaced() -> None:
    messages = pa.array([b"\x02\x04\xff\xfe", b"\x02\x08a\xe4\xb8b"], pa.binary())
    found, _ = Avro().decoder(fields((sql.STRING,)), {}).decode(messages)
    assert found["f0"].to_pylist() == ["\ufffd\ufffd", "a\ufffdb"]


def test_digits_of_a_decimal() -> None:
    """Too many are NULL, as in Flink, and none are an error."""
    decoder = Avro().decoder(fields((sql.decimal(5, 2),)), {})
    found, _ = decoder.decode(pa.array([b"\x02\x02\x05", b"\x02\x0a\x11\x11\x11\x11\x11"], pa.binary()))
    assert found["f0"].to_pylist() == [Decimal("0.05"), None]
    with pytest.raises(MessageError, match="Zero length BigInteger"):
        decoder.decode(pa.array([b"\x02\x00"], pa.binary()))


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"Obj\x01 and no more")
    with pytest.raises(DataError, match=f"{tmp_path}/a: cannot be read"):
        list(Avro().file_reader(fields((sql.INT,)), {}).read(str(tmp_path / "a")))


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        (sql.timestamp(6), "Avro does not support TIMESTAMP type with precision: 6"),
        (sql.time(6), "Avro does not support TIME type with precision: 6"),
        (sql.timestamp_ltz(3), r"Unsupported to derive Schema for type: TIMESTAMP_LTZ\(3\)"),
        (sql.map_of(sql.INT, sql.INT), "doesn't support non-string as key type of map"),
    ],
)
def test_types_that_avro_does_not_have(kind: SqlType, message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        Avro().validate({}, ("a",), (kind,))
