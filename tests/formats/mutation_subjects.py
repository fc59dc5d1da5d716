"""What the mutation runner reads: tables on a topic in each format, and good messages for them."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from firesteel.connectors.kafka.messages import MESSAGE_KEY
from firesteel.connectors.kafka.rows import Rows
from firesteel.formats.avro.schema import to_schema
from firesteel.formats.messages.message_decoder import MessageDecoder
from firesteel.formats.metadata.message_metadata import metadata_of
from firesteel.formats.registry import find_format
from firesteel.runtime.spec.tables import ScanSpec
from firesteel.types import sql
from firesteel.types.sql import SqlType
from tests.formats.good_messages import (
    AVRO,
    BROKEN_SCHEMAS,
    Columns,
    Good,
    avro,
    before_after,
    canal,
    csv,
    maxwell,
    plain,
)
from tests.formats.mutate import damaged, damaged_bytes
from tests.formats.schema_registry import Registry

FLAT: Columns = {
    "id": sql.BIGINT, "s": sql.STRING, "i": sql.INT, "h": sql.SMALLINT, "n": sql.TINYINT, "d": sql.DOUBLE,
    "f": sql.FLOAT, "b": sql.BOOLEAN, "t": sql.timestamp(3), "y": sql.DATE, "c": sql.time(0),
    "u": sql.timestamp(9), "z": sql.timestamp_ltz(6),
}  # fmt: skip
EXACT: Columns = {**FLAT, "m": sql.decimal(10, 2), "w": sql.decimal(38, 18), "x": sql.BYTES}
NESTED: Columns = {
    "id": sql.BIGINT,
    "r": sql.row(("a", "s", "d"), (sql.INT, sql.STRING, sql.decimal(8, 3))),
    "l": sql.array(sql.DOUBLE),
    "p": sql.map_of(sql.STRING, sql.STRING),
    "q": sql.map_of(sql.STRING, sql.array(sql.row(("k",), (sql.DATE,)))),
    "s": sql.STRING,
}
PLAIN: Columns = {"id": sql.BIGINT, "s": sql.STRING, "d": sql.DOUBLE, "i": sql.INT}


@dataclass(frozen=True)
class Subject:
    """A table's messages.

    Fields:
        name: For reports.
        columns: The physical ones, and of metadata columns the key of each.
        options: Of the connector kafka.
        good: Makes a message that can be read.
        key: Makes a key, where the table has one that is damaged, too.
        damage: Damages a message.
        ignoring: The option that leaves out what cannot be read; None: there is none.
    """

    name: str
    columns: Columns
    options: Mapping[str, str]
    good: Good
    metadata: Mapping[str, str] = field(default_factory=dict)
    key: Good | None = None
    damage: Callable[[random.Random, bytes], bytes] = damaged
    ignoring: str | None = None

    def rows(self, *, ignoring: bool, columnar: bool) -> Rows:
        """A reader of the topic, in columns or message by message, whatever the size of a block."""
        options = {"topic": "t", "properties.bootstrap.servers": "none:1", **self.options}
        if ignoring and self.ignoring:
            options[self.ignoring] = "true"
        types = {**self.columns, **{name: _TYPES[key] for name, key in self.metadata.items()}}
        keys = tuple(self.metadata.get(name) for name in types)
        made = Rows(
            ScanSpec(
                "kafka",
                tuple(options.items()),
                tuple(types),
                tuple(types.values()),
                (*range(len(types)),),
                keys,
            ),
            options,
        )
        for decoder in decoders_of(made):
            if not columnar:
                decoder._columns = None
            elif decoder._columns is not None:
                vars(decoder._columns)["is_worth"] = lambda messages: messages > 0
        return made

    @property
    def has_key(self) -> bool:
        return MESSAGE_KEY in self.rows(ignoring=True, columnar=True).needs


def decoders_of(rows: Rows) -> list[MessageDecoder]:
    """Those of values, keys and metadata that have two readers."""
    parts = [rows._value.decoder, rows._key and rows._key.decoder, rows._of_value and rows._of_value._decoder]
    return [part for part in parts if isinstance(part, MessageDecoder)]


_TYPES = {
    f"value.{key}": each.type
    for name in ("canal-json", "debezium-json", "maxwell-json", "ogg-json")
    for key, each in metadata_of(find_format(name)).items()
} | {"timestamp": sql.timestamp_ltz(3)}


# --- all ----------------------------------------------------------------------------------------------
def subjects(registry: Registry) -> list[Subject]:
    """All tables."""
    return [*_of_json(), *_of_bytes(), *_of_registry(registry)]


def _of_json() -> list[Subject]:
    made = [_subject(f"json {name}", "json", columns, plain(columns)) for name, columns in _TABLES.items()]
    made.append(
        _subject("json iso", "json", FLAT, plain(FLAT), {"json.timestamp-format.standard": "ISO-8601"})
    )
    strict = {"json.fail-on-missing-field": "true"}
    made.append(Subject("json strict", EXACT, {"format": "json", **strict}, plain(EXACT)))
    made += [_subject(f"csv {n}", "csv", c, csv(c), {"csv.null-literal": "null"} if n == "exact" else {})
             for n, c in (("flat", FLAT), ("exact", EXACT), ("plain", PLAIN))]  # fmt: skip
    for name, columns in (("flat", FLAT), ("exact", EXACT), ("nested", NESTED)):
        made.append(_subject(f"canal {name}", "canal-json", columns, canal(columns), keys=name == "flat"))
        debezium = before_after(columns, "crud", "op")
        made.append(_subject(f"debezium {name}", "debezium-json", columns, debezium, keys=name == "flat"))
        ogg = before_after(columns, "IUD", "op_type")
        made.append(_subject(f"ogg {name}", "ogg-json", columns, ogg, keys=name == "flat"))
        made.append(
            _subject(f"maxwell {name}", "maxwell-json", columns, maxwell(columns), keys=name == "flat")
        )
    inner = before_after(EXACT, "crud", "op", payload=True)
    made.append(
        _subject(
            "debezium payload",
            "debezium-json",
            EXACT,
            inner,
            {"debezium-json.schema-include": "true"},
            keys=True,
        )
    )
    return made


_TABLES = {"flat": FLAT, "exact": EXACT, "nested": NESTED, "plain": PLAIN}


def _subject(
    name: str,
    of: str,
    columns: Columns,
    good: Good,
    more: Mapping[str, str] | None = None,
    *,
    keys: bool = False,
) -> Subject:
    metadata = (
        {f"meta{i}": f"value.{key}" for i, key in enumerate(metadata_of(find_format(of)))} if keys else {}
    )
    ignoring = f"{of}.ignore-parse-errors"
    return Subject(name, columns, {"format": of, **(more or {})}, good, metadata, ignoring=ignoring)


def _of_bytes() -> list[Subject]:
    sizes = {
        sql.STRING: 5, sql.BYTES: 5, sql.BOOLEAN: 1, sql.TINYINT: 1, sql.SMALLINT: 2, sql.INT: 4,
        sql.BIGINT: 8, sql.FLOAT: 4, sql.DOUBLE: 8,
    }  # fmt: skip
    made = [
        Subject(f"raw {kind}", {"v": kind}, {"format": "raw"}, _bytes(size), damage=damaged_bytes)
        for kind, size in sizes.items()
    ]
    japanese = {"format": "raw", "raw.charset": "Shift_JIS"}
    made.append(Subject("raw sjis", {"v": sql.STRING}, japanese, _bytes(9), damage=damaged_bytes))
    made.append(Subject("avro", AVRO, {"format": "avro"}, avro(AVRO), damage=damaged_bytes))
    for name, good, columns in (
        ("json", plain({"k": sql.INT, "j": sql.decimal(5, 1)}), {"k": sql.INT, "j": sql.decimal(5, 1)}),
        ("csv", csv({"k": sql.INT, "j": sql.DATE}), {"k": sql.INT, "j": sql.DATE}),
        ("avro", avro({"k": sql.INT, "j": sql.STRING}), {"k": sql.INT, "j": sql.STRING}),
        ("raw", _bytes(4), {"k": sql.INT}),
    ):
        options = {
            "value.format": "json",
            "key.format": name,
            "key.fields": ";".join(columns),
            "value.fields-include": "EXCEPT_KEY",
        }
        if name in ("json", "csv"):
            options["value.json.ignore-parse-errors"] = "true"
        key_ignores = f"key.{name}.ignore-parse-errors" if name in ("json", "csv") else None
        damage = damaged if name in ("json", "csv") else damaged_bytes
        value, all_columns = plain({"s": sql.STRING}), {**columns, "s": sql.STRING}
        made.append(
            Subject(f"key {name}", all_columns, options, value, key=good, damage=damage, ignoring=key_ignores)
        )
    return made


def _bytes(size: int) -> Good:
    return lambda chance: chance.randbytes(size)


def _of_registry(registry: Registry) -> list[Subject]:
    def head(kind: SqlType) -> bytes:
        return b"\0" + registry.add(json.dumps(to_schema(kind))).to_bytes(4, "big")

    rows = sql.row(tuple(AVRO), tuple(AVRO.values()))
    envelope = sql.row(("before", "after", "op"), (rows, rows, sql.STRING)).with_nullable(False)
    broken = [registry.add(each) for each in BROKEN_SCHEMAS]
    plain_head, envelope_head = head(rows.with_nullable(False)), head(envelope)

    def strange(chance: random.Random) -> bytes:
        return b"\0" + chance.choice(broken).to_bytes(4, "big") + chance.randbytes(chance.randrange(30))

    good, options = avro(AVRO, plain_head), {"format": "avro-confluent", "avro-confluent.url": registry.url}
    changes = avro(AVRO, envelope_head, envelope=True)
    debezium = {"format": "debezium-avro-confluent", "debezium-avro-confluent.url": registry.url}
    return [
        Subject("avro-confluent", AVRO, options, good, damage=damaged_bytes),
        Subject("debezium-avro", AVRO, debezium, changes, damage=damaged_bytes),
        Subject("broken schemas", AVRO, options, good, damage=lambda chance, _: strange(chance)),
    ]
