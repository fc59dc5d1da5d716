"""A job whose sink's content is written by hand, right or with a planted fault."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

SCRIPT = """\
CREATE TABLE orders (id BIGINT, name STRING, cnt INT, price DOUBLE, PRIMARY KEY (id) NOT ENFORCED)
WITH ('connector' = 'filesystem', 'path' = '${DATA}/orders.json', 'format' = 'canal-json');
CREATE TABLE totals (name STRING, n BIGINT, total INT, price DOUBLE, PRIMARY KEY (name) NOT ENFORCED)
WITH ('connector' = 'jdbc', 'url' = 'jdbc:sqlite:${DATA}/sink.db', 'table-name' = 'totals');
CREATE TABLE big (id BIGINT, name STRING, cnt INT)
WITH ('connector' = 'filesystem', 'path' = '${DATA}/big', 'format' = 'canal-json');
"""
TOTALS = "INSERT INTO totals SELECT name, COUNT(*), SUM(cnt), SUM(price) FROM orders GROUP BY name;\n"
LARGE = "INSERT INTO big SELECT id, name, cnt FROM orders WHERE cnt > 1;\n"
ORDERS = [
    ("INSERT", [{"id": 1, "name": "Tom", "cnt": 12, "price": 0.1}], None),
    ("INSERT", [{"id": 2, "name": "Tom", "cnt": 9, "price": 0.2}], None),
    ("INSERT", [{"id": 3, "name": "Ann", "cnt": 0, "price": 1.5}], None),
    ("INSERT", [{"id": 4, "name": "Bob", "cnt": 5, "price": None}], None),
    ("UPDATE", [{"id": 2, "name": "Tom", "cnt": 20, "price": 0.2}], [{"cnt": 9}]),
    ("INSERT", [{"id": 5, "name": "Eve", "cnt": 7, "price": 2.0}], None),
    ("DELETE", [{"id": 5, "name": "Eve", "cnt": 7, "price": 2.0}], None),
    ("INSERT", [{"id": 6, "name": "Joe", "cnt": None, "price": 3.0}], None),
]  # fmt: skip
RIGHT = [("Tom", 2, 32, 0.3), ("Ann", 1, 0, 1.5), ("Bob", 1, 5, None), ("Joe", 1, None, 3.0)]
"""Rows of `totals`."""
CHANGES = [
    ("+I", 1, "Tom", 12), ("+I", 2, "Tom", 9), ("+I", 4, "Bob", 5), ("-U", 2, "Tom", 9), ("+U", 2, "Tom", 20),
    ("+I", 5, "Eve", 7), ("-D", 5, "Eve", 7),
]  # fmt: skip
"""Changes of `big`."""


def write_job(folder: Path, insert: str) -> Path:
    """Write the script and its input, and return the script."""
    lines = (
        json.dumps({"type": kind, "data": data, "old": old, "isDdl": False}) for kind, data, old in ORDERS
    )
    (folder / "orders.json").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    script = folder / "job.sql"
    script.write_text(SCRIPT + insert, encoding="utf-8")
    return script


def write_totals(folder: Path, plant: Callable[[sqlite3.Connection], object]) -> None:
    """Write the table that the job fills, then change it."""
    with sqlite3.connect(folder / "sink.db") as database:
        database.execute("CREATE TABLE totals (name TEXT, n BIGINT, total INT, price DOUBLE)")
        database.executemany("INSERT INTO totals VALUES (?, ?, ?, ?)", RIGHT)
        plant(database)
    database.close()


def write_large(folder: Path, plant: Callable[[list[tuple[str, int, str, int]]], object]) -> None:
    """Write the file of changes that the job writes, after the changes are edited."""
    changes = list(CHANGES)
    plant(changes)
    messages = [
        {
            "data": [{"id": id_, "name": name, "cnt": cnt}],
            "type": "INSERT" if kind in ("+I", "+U") else "DELETE",
        }
        for kind, id_, name, cnt in changes
    ]
    (folder / "big").mkdir()
    text = "".join(json.dumps(message) + "\n" for message in messages)
    (folder / "big" / "part-0.json").write_text(text, encoding="utf-8")
