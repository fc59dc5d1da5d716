"""Inputs of joins and ranks: changing tables that meet by a key, made once and kept in the cache folder."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path

from benchmarks.data import cache

Row = dict[str, int | str]


def changes(name: str, events: int, keys: int, make: Callable[[random.Random, int, int], Row]) -> Path:
    """A file of canal-json messages: 60 % inserts, 25 % updates, 15 % deletes.

    Args:
        name: Of the table.
        events: Number of messages.
        keys: Number of values of the column by which rows meet.
        make: Makes a row of a number and a key; the number is its primary key.
    """
    path = cache() / f"{name}-{events}-{keys}.json"
    if path.exists():
        return path
    rng = random.Random(f"{name}-{events}")
    live: list[Row] = []
    part = path.with_suffix(".part")
    with part.open("w", encoding="utf-8", buffering=1 << 20) as out:
        for number in range(events):
            dice = rng.random()
            if dice < 0.6 or not live:
                live.append(make(rng, number, int(rng.random() * keys)))
                out.write(_message(name, "INSERT", live[-1], None))
                continue
            at = int(rng.random() * len(live))
            old = live[at]
            if dice < 0.85:
                new = make(rng, int(old["id"]), int(rng.random() * keys))
                live[at] = {**new, "k": old["k"]}
                before = {column: value for column, value in old.items() if live[at][column] != value}
                out.write(_message(name, "UPDATE", live[at], before))
            else:
                live[at] = live[-1]
                live.pop()
                out.write(_message(name, "DELETE", old, None))
    part.rename(path)
    return path


def _message(table: str, kind: str, row: Row, old: Row | None) -> str:
    before = "null" if old is None else json.dumps([{name: str(v) for name, v in old.items()}])
    data = json.dumps([{name: str(value) for name, value in row.items()}])
    return (
        f'{{"data":{data},"old":{before},"type":"{kind}","database":"shop","table":"{table}","isDdl":false,'
        '"es":1760000000000,"ts":1760000000001}\n'
    )


def orders(events: int, keys: int) -> Path:
    """Orders: id, k (whom they are of), name, qty."""
    return changes(
        "bench-orders", events, keys,
        lambda rng, n, k: {"id": n, "k": k, "name": f"name-{k % 997}", "qty": int(rng.random() * 100)},
    )  # fmt: skip


def payments(events: int, keys: int) -> Path:
    """Payments: id, k, amount."""
    return changes(
        "bench-payments", events, keys,
        lambda rng, n, k: {"id": n, "k": k, "amount": int(rng.random() * 10_000)},
    )  # fmt: skip


def dimension(events: int, keys: int) -> Path:
    """A changing dimension: every key once, then updates of a name in the order of chance."""
    path = cache() / f"bench-dimension-{events}-{keys}.json"
    if path.exists():
        return path
    rng = random.Random(11)
    names = {}
    part = path.with_suffix(".part")
    with part.open("w", encoding="utf-8", buffering=1 << 20) as out:
        for number in range(events):
            key = number if number < keys else int(rng.random() * keys)
            row: Row = {"k": key, "city": f"city-{int(rng.random() * 500)}"}
            old = names.get(key)
            kind = "INSERT" if old is None else "UPDATE"
            out.write(_message("bench-dimension", kind, row, None if old is None else {"city": old}))
            names[key] = str(row["city"])
    part.rename(path)
    return path


def facts(rows: int, keys: int) -> Path:
    """Appended facts as JSON: id, k, v."""
    path = cache() / f"bench-facts-{rows}-{keys}.json"
    if path.exists():
        return path
    rng = random.Random(12)
    part = path.with_suffix(".part")
    with part.open("w", encoding="utf-8", buffering=1 << 20) as out:
        for number in range(rows):
            key, value = int(rng.random() * keys), int(rng.random() * 1000)
            out.write(f'{{"id":{number},"k":{key},"v":{value}}}\n')
    part.rename(path)
    return path
