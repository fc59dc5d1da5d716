"""Good messages of each format, as Python's own libraries write them, for tables of many types."""

from __future__ import annotations

import base64
import json
import random
from collections.abc import Callable, Mapping
from io import BytesIO
from typing import Any

import fastavro

from firesteel.formats.avro.schema import to_schema
from firesteel.types import sql
from firesteel.types.sql import SqlType

Columns = Mapping[str, SqlType]
Good = Callable[[random.Random], bytes]
_TEXTS = ("a", "", "é", "日本", 'q"uote', "back\\slash", "line\nbreak", "😀", "null")


# --- values -------------------------------------------------------------------------------------------
def value(chance: random.Random, kind: SqlType, name: str = "") -> Any:
    """A value as JSON has it."""
    root = kind.root.name
    if kind.nullable and chance.random() < 0.05:
        return None
    if root == "ROW":
        return {
            n: value(chance, k)
            for n, k in zip(kind.names, kind.children, strict=True)
            if chance.random() < 0.95
        }
    if root == "ARRAY":
        return [value(chance, kind.children[0]) for _ in range(chance.randrange(4))]
    if root == "MAP":
        return {chance.choice("abcdé"): value(chance, kind.children[1]) for _ in range(chance.randrange(4))}
    if root == "BOOLEAN":
        return chance.random() < 0.5
    day = f"{chance.randint(1900, 2100)}-{chance.randint(1, 12):02d}-{chance.randint(1, 28):02d}"
    clock = f"{chance.randrange(24):02d}:{chance.randrange(60):02d}:{chance.randrange(60):02d}"
    texts = {
        "DATE": day,
        "TIME_WITHOUT_TIME_ZONE": clock, "TIME": clock,
        "TIMESTAMP": f"{day} {clock}{chance.choice(('', '.1', '.123456'))}",
        "TIMESTAMP_LTZ": f"{day} {clock}Z",
        "VARBINARY": base64.b64encode(chance.randbytes(chance.randrange(9))).decode(),
        "VARCHAR": chance.choice(_TEXTS),
    }  # fmt: skip
    if root in texts:
        return texts[root]
    if root in ("DOUBLE", "FLOAT", "DECIMAL"):
        return round(chance.uniform(-1000, 1000), chance.choice((0, 1, 2, 5)))
    return chance.randint(-120, 120)


def row_of(columns: Columns) -> Callable[[random.Random], dict[str, Any]]:
    """Makes objects with a table's columns, one more now and then, and texts for values in some."""

    def made(chance: random.Random) -> dict[str, Any]:
        found = {name: value(chance, kind) for name, kind in columns.items()}
        if chance.random() < 0.3:
            found["more"] = chance.choice((1.5, {"id": [1, {"k": None}]}, [[1]], "x"))
        if chance.random() < 0.3:
            found = {
                k: str(v) if isinstance(v, (int, float)) and not isinstance(v, bool) else v
                for k, v in found.items()
            }
        return found

    return made


def json_bytes(chance: random.Random, message: Any) -> bytes:
    separators = chance.choice(((",", ":"), (", ", ": ")))
    return json.dumps(message, separators=separators, ensure_ascii=chance.random() < 0.5).encode()


def plain(columns: Columns) -> Good:
    make = row_of(columns)
    return lambda chance: json_bytes(chance, make(chance))


def csv(columns: Columns) -> Good:
    make = row_of(columns)

    def made(chance: random.Random) -> bytes:
        row = make(chance)
        texts = ["" if row[name] is None else str(row[name]).replace("\n", "") for name in columns]
        return ",".join(
            '"' + text.replace('"', '""') + '"' if '"' in text or chance.random() < 0.2 else text
            for text in texts
        ).encode()

    return made


# --- changes ------------------------------------------------------------------------------------------
_SOURCE = {"ts_ms": 1589355504100, "db": "d", "table": "t", "schema": None, "version": "1"}


def canal(columns: Columns) -> Good:
    make = row_of(columns)

    def made(chance: random.Random) -> bytes:
        data = [make(chance) for _ in range(chance.choice((1, 1, 1, 2, 0)))]
        kind = chance.choice(("INSERT", "UPDATE", "DELETE"))
        old = [{k: v for k, v in make(chance).items() if chance.random() < 0.3} for _ in data]
        message = {
            "data": data, "old": old if kind == "UPDATE" else None, "type": kind, "database": "d",
            "table": "t", "sqlType": {"id": 4}, "pkNames": ["id"], "ts": chance.randrange(10**13),
            "es": 1589373515000,
        }  # fmt: skip
        return json_bytes(chance, message)

    return made


def before_after(columns: Columns, names: str, key: str, payload: bool = False) -> Good:
    make = row_of(columns)

    def made(chance: random.Random) -> bytes:
        kind = chance.choice(names)
        message: dict[str, Any] = {
            "before": make(chance) if kind in "udUD" else None,
            "after": make(chance) if kind not in "dD" else None,
            key: kind, "ts_ms": chance.randrange(10**13), "source": _SOURCE, "table": "t",
            "primary_keys": ["id"], "op_ts": "2020-05-13 15:40:06.000000",
            "current_ts": "2020-05-13T15:40:07.123456",
        }  # fmt: skip
        return json_bytes(chance, {"schema": {"type": "struct"}, "payload": message} if payload else message)

    return made


def maxwell(columns: Columns) -> Good:
    make = row_of(columns)

    def made(chance: random.Random) -> bytes:
        kind = chance.choice(("insert", "update", "delete"))
        old = {k: v for k, v in make(chance).items() if chance.random() < 0.3}
        message = {"database": "d", "table": "t", "type": kind, "ts": 1596684883, "data": make(chance)}
        message |= {"primary_key_columns": ["id"], **({"old": old} if kind == "update" else {})}
        return json_bytes(chance, message)

    return made


# --- avro ---------------------------------------------------------------------------------------------
def avro(columns: Columns, head: bytes = b"", envelope: bool = False) -> Good:
    rows = sql.row(tuple(columns), tuple(columns.values()))
    kind = rows.with_nullable(False)
    if envelope:
        kind = sql.row(("before", "after", "op"), (rows, rows, sql.STRING)).with_nullable(False)
    parsed = fastavro.parse_schema(to_schema(kind))

    def made(chance: random.Random) -> bytes:
        out = BytesIO()
        record: Any = {name: avro_value(chance, each) for name, each in columns.items()}
        if envelope:
            op = chance.choice("crud")
            record = {
                "before": record if op in "ud" else None,
                "after": record if op != "d" else None,
                "op": op,
            }
        fastavro.schemaless_writer(out, parsed, record)
        return head + out.getvalue()

    return made


def avro_value(chance: random.Random, kind: SqlType) -> Any:
    """A value as fastavro writes it."""
    root = kind.root.name
    if root == "ROW":
        return {n: avro_value(chance, k) for n, k in zip(kind.names, kind.children, strict=True)}
    if root == "ARRAY":
        return [avro_value(chance, kind.children[0]) for _ in range(chance.randrange(4))]
    if root == "MAP":
        return {
            chance.choice("abc"): avro_value(chance, kind.children[1]) for _ in range(chance.randrange(3))
        }
    simple = {
        "BOOLEAN": True,
        "DOUBLE": 1.5,
        "FLOAT": 0.5,
        "VARCHAR": "té",
        "VARBINARY": b"\0x",
        "TIMESTAMP": 1589355504100,
    }
    if root in simple:
        return simple[root]
    return b"\x01\x02" if root == "DECIMAL" else chance.randint(-120, 120)


AVRO: Columns = {
    "id": sql.BIGINT, "s": sql.STRING, "i": sql.INT, "h": sql.SMALLINT, "d": sql.DOUBLE, "f": sql.FLOAT,
    "b": sql.BOOLEAN, "t": sql.timestamp(3), "y": sql.DATE, "c": sql.time(3), "m": sql.decimal(10, 2),
    "x": sql.BYTES, "l": sql.array(sql.STRING), "p": sql.map_of(sql.STRING, sql.INT),
    "r": sql.row(("a", "b"), (sql.INT, sql.STRING)),
}  # fmt: skip
BROKEN_SCHEMAS = (
    "{", '"nothing"', "[]", '{"type":"record"}', '["null"]', '"string"', "null", '{"type":7}',
    '{"type":"array","items":"null"}', "[" * 3000 + "]" * 3000, '{"type":"enum","name":"e"}',
    '{"type":"record","name":"a","fields":[{"name":"id","type":"a"}]}',
    '{"type":"record","name":"a","fields":[{"name":"id","type":{"type":"array","items":"null"}}]}',
    '{"type":"record","name":"a","fields":[{"name":"id","type":"long","logicalType":7}]}',
)  # fmt: skip
