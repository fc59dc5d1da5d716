"""What decoding costs a message, on one core, without Spark:

python -m benchmarks.decode [MESSAGES]       each format, plain messages and those that servers write
python -m benchmarks.decode parsers          ways to take three members out of a Canal message
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial

import duckdb
import pyarrow as pa
import pyarrow.json

from benchmarks import real_data
from benchmarks.data import cache
from firesteel.connectors.filesystem.splits import BLOCK_SIZE
from firesteel.formats.base import Fields
from firesteel.formats.messages.lines import Lines
from firesteel.formats.registry import find_format
from firesteel.types.sql import BIGINT, DOUBLE, INT, STRING, SqlType, array, decimal, map_of, timestamp
from firesteel.types.sql import row as row_of

SCHEMA: dict[str, SqlType] = {"id": BIGINT, "name": STRING, "cnt": INT, "price": decimal(10, 2)}
REAL: dict[str, SqlType] = {
    **SCHEMA, "city": STRING, "note": STRING, "state": STRING, "weight": DOUBLE, "created": timestamp(3),
    "changed": timestamp(0),
}  # fmt: skip
BUYER = row_of(("city", "note", "address"), (STRING, STRING, row_of(("zip",), (INT,))))
NESTED: dict[str, SqlType] = {
    "id": BIGINT, "name": STRING, "buyer": BUYER, "items": array(row_of(("sku", "cnt"), (STRING, INT))),
    "tags": map_of(STRING, STRING), "cnt": INT,
}  # fmt: skip
ROUNDS = 3


def rows(chance: random.Random) -> Iterator[dict[str, str]]:
    """Rows as MySQL's tools write them: every value in quotes."""
    while True:
        yield {
            "id": str(chance.randrange(10**6)),
            "name": f"user{chance.randrange(10**5)}",
            "cnt": str(chance.randrange(1000)),
            "price": f"{chance.uniform(0, 100):.2f}",
        }


def messages(name: str, count: int) -> bytes:
    """Lines of a format: half inserts, two fifths updates, the rest deletes."""
    chance = random.Random(1)
    made = rows(chance)
    lines = []
    for row, draw in zip(made, (chance.random() for _ in range(count)), strict=False):
        kind = "INSERT" if draw < 0.5 else "UPDATE" if draw < 0.9 else "DELETE"
        old = {"cnt": str(chance.randrange(1000))}
        if name == "json":
            lines.append(json.dumps({**row, "id": int(row["id"]), "cnt": int(row["cnt"])}))
        elif name == "csv":
            lines.append(",".join(row.values()))
        elif name == "canal-json":
            lines.append(
                json.dumps({"data": [row], "old": [old] if kind == "UPDATE" else None, "type": kind})
            )
        else:
            before = None if kind == "INSERT" else {**row, **old}
            after = None if kind == "DELETE" else row
            lines.append(
                json.dumps({"before": before, "after": after, "op": {"I": "c"}.get(kind[0], kind[0].lower())})
            )
    return ("\n".join(lines) + "\n").encode()


def blocks(data: bytes) -> Iterator[bytes]:
    """The data in blocks of whole lines, as the file source reads it."""
    start = 0
    while start < len(data):
        end = data.find(b"\n", min(start + BLOCK_SIZE, len(data)) - 1) + 1
        yield data[start:end]
        start = end


def measure(name: str, data: bytes, schema: dict[str, SqlType], wanted: tuple[str, ...]) -> float:
    """The best of some rounds, in seconds of this process."""
    found = find_format(name)
    types = tuple(schema[one] for one in wanted)
    times = []
    for _ in range(ROUNDS):
        decoder = found.decoder(Fields(wanted, types, tuple(schema), tuple(schema.values())), {})
        began = time.process_time()
        framing, rest = found.framing({}), b""
        for block in blocks(data):
            messages, rest = framing.split(rest + block)
            decoder.decode(messages)
        times.append(time.process_time() - began)
    return min(times)


def show(what: str, name: str, data: bytes, schema: dict[str, SqlType], wanted: tuple[str, ...]) -> None:
    """Measure and print one line."""
    count = data.count(b"\n")
    cost = measure(name, data, schema, wanted) / count * 1e6
    size = f"{len(data) / count:4.0f} bytes a message, {len(wanted)} columns"
    print(f"{what:14} {size}: {cost:.2f} us a message, {len(data) / count / cost:.0f} MB/s")


def parsers(data: bytes) -> None:
    """What was tried before DuckDB's read_json was chosen, and is at hand."""
    path = cache() / "parsers.json"
    path.write_bytes(data)
    connection = duckdb.connect(config={"threads": 1})
    lines = Lines().split(data)[0].cast(pa.string())
    connection.register("messages", pa.table({"l": lines}))
    row = "STRUCT(name VARCHAR, cnt VARCHAR)"
    columns = f"{{data: '{row}[]', old: 'MAP(VARCHAR, VARCHAR)[]', type: 'VARCHAR'}}"
    paths = "['/type', '/data/0/name', '/data/0/cnt', '/old/0/name', '/old/0/cnt']"
    shape = '{"data": [{"name": "VARCHAR", "cnt": "VARCHAR"}], "old": ["MAP(VARCHAR, VARCHAR)"]}'
    fields = pa.struct([("name", pa.string()), ("cnt", pa.string())])
    schema = pa.schema([("data", pa.list_(fields)), ("old", pa.list_(fields)), ("type", pa.string())])

    def arrow() -> None:
        pyarrow.json.read_json(
            path,
            pyarrow.json.ReadOptions(use_threads=False, block_size=1 << 26),
            pyarrow.json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="ignore"),
        )

    tried: dict[str, Callable[[], object]] = {
        f"duckdb {sql.split('(')[0].split()[-1]}": partial(_run, connection, sql)
        for sql in (
            f"FROM read_json('{path}', format='newline_delimited', records=true, columns={columns})",
            f"SELECT from_json(l, '{shape}') FROM messages",
            f"SELECT json_extract_string(l, {paths}) FROM messages",
            "SELECT json_valid(l) FROM messages",
        )
    }
    for name, run in {**tried, "pyarrow.json": arrow}.items():
        began = time.process_time()
        run()
        print(f"{name:28} {(time.process_time() - began) / len(lines) * 1e6:.2f} us a message")


def _run(connection: duckdb.DuckDBPyConnection, sql: str) -> object:
    return connection.sql(sql).to_arrow_table()


def main() -> None:
    if "parsers" in sys.argv:
        parsers("".join(real_data.lines("canal-real", 50_000)).encode())
        return
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 300_000
    for name in ("canal-json", "debezium-json", "json", "csv"):
        data = messages(name, count)
        for wanted in (("name", "cnt"), tuple(SCHEMA)):
            show(name, name, data, SCHEMA, wanted)
    for what, (name, _) in real_data.KINDS.items():
        data = "".join(real_data.lines(what, count // 3)).encode()
        schema = NESTED if what == "json-nested" else REAL
        for wanted in (("name", "cnt"), tuple(schema)):
            show(what, name, data, schema, wanted)


if __name__ == "__main__":
    main()
