"""What decoding costs an event, on one core, without Spark: python -m benchmarks.decode [EVENTS]"""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Iterator

from firesteel.connectors.filesystem_splits import BLOCK_SIZE
from firesteel.formats.base import Fields
from firesteel.formats.registry import find_format
from firesteel.types.sql import BIGINT, INT, STRING, SqlType, decimal

SCHEMA: dict[str, SqlType] = {"id": BIGINT, "name": STRING, "cnt": INT, "price": decimal(10, 2)}
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


def measure(name: str, data: bytes, wanted: tuple[str, ...]) -> float:
    """The best of some rounds, in seconds of this process."""
    types = tuple(SCHEMA[one] for one in wanted)
    times = []
    for _ in range(ROUNDS):
        decoder = find_format(name).decoder(Fields(wanted, types, tuple(SCHEMA), tuple(SCHEMA.values())), {})
        began = time.process_time()
        for block in blocks(data):
            decoder.decode(block)
        times.append(time.process_time() - began)
    return min(times)


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 300_000
    for name in ("canal-json", "debezium-json", "json", "csv"):
        data = messages(name, count)
        for wanted in (("name", "cnt"), tuple(SCHEMA)):
            cost = measure(name, data, wanted) / count * 1e6
            what = f"{name:14} {len(data) / count:4.0f} bytes an event, {len(wanted)} columns"
            print(f"{what}: {cost:.2f} us an event")


if __name__ == "__main__":
    main()
