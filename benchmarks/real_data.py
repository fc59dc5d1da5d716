"""Messages as servers write them, for the benchmarks: valid histories of a table of ten columns.

Where the members come from:
- Canal: FlatMessage of Alibaba's canal (wiki, "Canal Kafka RocketMQ QuickStart"): members in alphabetical
  order, every value in quotes, `mysqlType` and `sqlType` by column, one message for all the rows
  that a statement changed, `old` with the columns that changed.
- Debezium: "PostgreSQL connector, Data change events": before, after, source, op, ts_ms, transaction.
- Maxwell: "Data format": database, table, type, ts, xid, xoffset, commit, data, old.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from typing import Any

Row = dict[str, Any]
Change = tuple[str, list[Row], list[Row]]
"""INSERT, UPDATE or DELETE, the rows as they are then, and the rows before an UPDATE."""
CITIES = ("Berlin", "München", "Zürich", "São Paulo", "Kraków", "北京", "上海", "東京", "Αθήνα", "New York")
NOTES = (
    'said "later"', "two\nlines", "tab\there", "a\\b", "naïve café", "ok 👍", "plain text", "100% cotton",
    "c/o Smith & Sons", "日本語のメモ", "",
)  # fmt: skip
STATES = ("NEW", "PAID", "PACKED", "SENT", "DONE")
MYSQL_TYPES = {
    "id": "bigint(20)", "name": "varchar(64)", "cnt": "int(11)", "price": "decimal(10,2)",
    "city": "varchar(32)", "note": "varchar(255)", "state": "varchar(16)", "weight": "double",
    "created": "datetime(3)", "changed": "timestamp",
}  # fmt: skip
SQL_TYPES = {
    "id": -5, "name": 12, "cnt": 4, "price": 3, "city": 12, "note": 12, "state": 12, "weight": 8,
    "created": 93, "changed": 93,
}  # fmt: skip
START = 1_760_000_000_000


class History:
    """Changes of a table, each of one to five rows: 60 % inserts, 25 % updates, 15 % deletes."""

    def __init__(self, names: int, seed: int = 7) -> None:
        self._chance = random.Random(seed)
        self._names = names
        self._live: list[Row] = []
        self._next = 1

    def changes(self) -> Iterator[Change]:
        """Without end."""
        chance = self._chance
        while True:
            count = 1 if chance.random() < 0.8 else chance.randint(2, 5)
            dice = chance.random()
            if dice < 0.6 or len(self._live) < 10:
                rows = [self._new() for _ in range(count)]
                self._live += rows
                yield "INSERT", rows, []
            elif dice < 0.85:
                yield self._update(count)
            else:
                yield "DELETE", [self._taken() for _ in range(count)], []

    def _new(self) -> Row:
        chance = self._chance
        number = self._next
        self._next += 1
        return {
            "id": number,
            "name": f"name-{chance.randrange(self._names)}",
            "cnt": chance.randrange(1000),
            "price": f"{chance.randrange(10_000_000) / 100:.2f}",
            "city": chance.choice(CITIES),
            "note": None if chance.random() < 0.3 else chance.choice(NOTES),
            "state": STATES[0],
            "weight": None if chance.random() < 0.1 else round(chance.uniform(0.1, 90), 3),
            "created": _moment(number, 3),
            "changed": _moment(number, 0),
        }

    def _update(self, count: int) -> Change:
        """One statement changes the same columns of its rows; old holds what is really another value."""
        chance = self._chance
        columns = chance.sample(["cnt", "price", "city", "note", "state", "weight"], chance.randint(1, 3))
        rows, olds = [], []
        for at in {chance.randrange(len(self._live)) for _ in range(count)}:
            row, new = self._live[at], self._new()
            values = {name: new[name] for name in columns}
            values["state"] = chance.choice(STATES) if "state" in columns else row["state"]
            values["cnt"] = chance.randrange(1000) if "cnt" in columns else row["cnt"]
            after = {**row, **values, "changed": new["changed"]}
            self._live[at] = after
            rows.append(after)
            olds.append(row)
        return "UPDATE", rows, olds

    def _taken(self) -> Row:
        at = self._chance.randrange(len(self._live))
        self._live[at], self._live[-1] = self._live[-1], self._live[at]
        return self._live.pop()


def _moment(number: int, digits: int) -> str:
    second = number // 40
    clock = f"{second // 3600 % 24:02d}:{second // 60 % 60:02d}:{second % 60:02d}"
    text = f"2026-03-{1 + second // 86400 % 28:02d} {clock}"
    return f"{text}.{number % 1000:03d}" if digits else text


def _quoted(row: Row) -> Row:
    return {key: None if value is None else str(value) for key, value in row.items()}


def _changed(before: Row, after: Row) -> Row:
    return {key: value for key, value in before.items() if after[key] != value}


def _compact(message: object) -> str:
    return json.dumps(message, ensure_ascii=False, separators=(",", ":"))


def canal(change: Change, number: int) -> list[str]:
    """One message for all rows."""
    kind, rows, olds = change
    message = {
        "data": [_quoted(row) for row in rows],
        "database": "shop",
        "es": START + number,
        "gtid": "",
        "id": number,
        "isDdl": False,
        "mysqlType": MYSQL_TYPES,
        "old": [_quoted(_changed(*pair)) for pair in zip(olds, rows, strict=True)] if olds else None,
        "pkNames": ["id"],
        "sql": "",
        "sqlType": SQL_TYPES,
        "table": "orders",
        "ts": START + number + 5,
        "type": kind,
    }
    return [_compact(message)]


def debezium(change: Change, number: int) -> list[str]:
    """A message a row, without schema."""
    kind, rows, olds = change
    lines = []
    for at, row in enumerate(rows):
        before = None if kind == "INSERT" else olds[at] if kind == "UPDATE" else row
        lines.append(
            {
                "before": before,
                "after": None if kind == "DELETE" else row,
                "source": {
                    "version": "3.0.0.Final",
                    "connector": "postgresql",
                    "name": "shop",
                    "ts_ms": START + number,
                    "snapshot": "false",
                    "db": "shop",
                    "sequence": f'["{24_000_000 + number}","{24_000_008 + number}"]',
                    "ts_us": (START + number) * 1000,
                    "ts_ns": (START + number) * 1_000_000,
                    "schema": "public",
                    "table": "orders",
                    "txId": 555 + number,
                    "lsn": 24_000_000 + number,
                    "xmin": None,
                },
                "transaction": None,
                "op": {"INSERT": "c", "UPDATE": "u", "DELETE": "d"}[kind],
                "ts_ms": START + number + 7,
                "ts_us": (START + number + 7) * 1000,
                "ts_ns": (START + number + 7) * 1_000_000,
            }
        )
    return [_compact(line) for line in lines]


def maxwell(change: Change, number: int) -> list[str]:
    """A message a row; the last of a transaction has `commit`."""
    kind, rows, olds = change
    lines = []
    for at, row in enumerate(rows):
        message: Row = {
            "database": "shop",
            "table": "orders",
            "type": kind.lower(),
            "ts": START // 1000 + number,
            "xid": number,
        }
        message.update({"commit": True} if at == len(rows) - 1 else {"xoffset": at})
        message["data"] = row
        if kind == "UPDATE":
            message["old"] = _changed(olds[at], row)
        lines.append(_compact(message))
    return lines


def csv_quoted(change: Change, number: int) -> list[str]:
    """The rows alone, one field in five in quotes."""
    return [
        ",".join(
            '"' + (value or "").replace('"', '""').replace("\n", " ") + '"'
            if name in ("city", "note")
            else str(value or 0)
            for name, value in row.items()
        )
        for row in change[1]
    ]


def json_nested(change: Change, number: int) -> list[str]:
    """Events with a ROW, an ARRAY and a MAP, as an application writes them."""
    return [
        _compact(
            {
                "id": row["id"],
                "name": row["name"],
                "buyer": {"city": row["city"], "note": row["note"], "address": {"zip": row["id"] % 99999}},
                "items": [{"sku": f"s{row['id'] % 50}", "cnt": row["cnt"]}] * (1 + row["id"] % 3),
                "tags": {"state": row["state"], "source": "web"},
                "cnt": row["cnt"],
            }
        )
        for row in change[1]
    ]


KINDS: dict[str, tuple[str, Callable[[Change, int], list[str]]]] = {
    "canal-real": ("canal-json", canal),
    "debezium-real": ("debezium-json", debezium),
    "maxwell-real": ("maxwell-json", maxwell),
    "csv-quoted": ("csv", csv_quoted),
    "json-nested": ("json", json_nested),
}
"""Name: the format, and what writes a change."""


def lines(name: str, count: int, names: int = 100_000, seed: int = 7) -> Iterator[str]:
    """`count` messages, each with its line end."""
    write = KINDS[name][1]
    made = (line for number, one in enumerate(History(names, seed).changes()) for line in write(one, number))
    for line, _ in zip(made, range(count), strict=False):
        yield line + "\n"
