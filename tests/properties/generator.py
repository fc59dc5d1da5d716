"""Random histories of a table, as Canal reports them, and random queries over it.

A history is valid: every update and delete names a row that is there. `Query` has the same question
in Flink's words and in Spark's, where the two differ in a type (AVG of integers).
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

NULL_SHARE = 0.1

Draw = Callable[[random.Random], Any]


@dataclass(frozen=True)
class ColumnKind:
    """A column's type on both sides and how a value is drawn; Canal sends values as text."""

    flink: str
    spark: str
    draw: Draw


def _moment(rng: random.Random) -> str:
    day, hour, minute, millis = (
        rng.randint(1, 28),
        rng.randint(0, 23),
        rng.randint(0, 59),
        rng.randint(0, 999),
    )
    return f"2024-02-{day:02d} {hour:02d}:{minute:02d}:00.{millis:03d}"


COLUMNS = {
    "name": ColumnKind("STRING", "STRING", lambda r: r.choice(["Tom", "Ann", "żółw", "李", "", "a b"])),
    "grp": ColumnKind("INT", "INT", lambda r: r.randint(0, 4)),
    "qty": ColumnKind("INT", "INT", lambda r: r.randint(-20, 20)),
    "big": ColumnKind("BIGINT", "BIGINT", lambda r: r.choice([0, 5, -5, 4_000_000_000, -9_000_000_000])),
    "price": ColumnKind("DOUBLE", "DOUBLE", lambda r: r.randint(-80, 80) / 8),
    "total": ColumnKind("DECIMAL(9, 2)", "DECIMAL(9, 2)", lambda r: f"{r.randint(-9999, 9999) / 100:.2f}"),
    "tag": ColumnKind("STRING", "STRING", lambda r: r.choice(["x", "xy", "y", "yz", "é"])),
    "ok": ColumnKind("BOOLEAN", "BOOLEAN", lambda r: r.choice(["true", "false"])),
    "ts": ColumnKind("TIMESTAMP(3)", "TIMESTAMP_NTZ", _moment),
    "dt": ColumnKind("DATE", "DATE", lambda r: f"2024-03-{r.randint(1, 5):02d}"),
}

Row = dict[str, str | None]


@dataclass
class History:
    """Canal messages, one JSON text each, and the rows that are left after them."""

    messages: list[str] = field(default_factory=list)
    rows: dict[int, Row] = field(default_factory=dict)


def _value(rng: random.Random, column: str) -> str | None:
    return None if rng.random() < NULL_SHARE else str(COLUMNS[column].draw(rng))


def _message(kind: str, data: list[Row], old: list[Row] | None = None) -> str:
    return json.dumps({"data": data, "old": old, "type": kind, "isDdl": False}, ensure_ascii=False)


def history(rng: random.Random, events: int) -> History:
    """About `events` messages: inserts and deletes of one or more rows, updates of one."""
    made, next_id = History(), 1
    for _ in range(events):
        dice = rng.random()
        if dice < 0.4 or not made.rows:
            new: list[Row] = []
            for _ in range(rng.choice([1, 1, 1, 2, 3])):
                new.append({"id": str(next_id), **{c: _value(rng, c) for c in COLUMNS}})
                made.rows[next_id] = new[-1]
                next_id += 1
            made.messages.append(_message("INSERT", new))
        elif dice < 0.75:
            _update(rng, made)
        else:
            gone = rng.sample(sorted(made.rows), min(len(made.rows), rng.choice([1, 1, 2])))
            made.messages.append(_message("DELETE", [made.rows.pop(key) for key in gone]))
    return made


def _update(rng: random.Random, made: History) -> None:
    key = rng.choice(sorted(made.rows))
    before = made.rows[key]
    changed = rng.sample(sorted(COLUMNS), rng.randint(1, 5))
    after = before | {column: _value(rng, column) for column in changed}
    old = {c: before[c] for c in COLUMNS if before[c] != after[c]}
    if old:
        made.rows[key] = after
        made.messages.append(_message("UPDATE", [after], [old]))


@dataclass(frozen=True)
class Query:
    """The query for both engines. global_input: for one without GROUP BY, the rows that it aggregates
    as a FROM clause; Flink's result is empty when there is none, a batch engine's is not."""

    flink: str
    spark: str
    global_input: str | None


NUMBERS = {"qty": "INT", "big": "BIGINT", "grp": "INT", "price": None, "total": None, "qty + grp": "INT"}
ORDERED = [*NUMBERS, "tag", "ts", "dt", "UPPER(name)"]
ANYTHING = [*ORDERED, "ok", "CASE WHEN qty > 3 THEN name END"]
KEYS = [("name",), ("grp",), ("name", "grp"), ("ok",), ("dt",), ("MOD(qty, 3)",), ("UPPER(tag)", "ok"), ()]
CONDITIONS = [
    "qty > 0",
    "tag LIKE 'x%'",
    "name <> 'Tom'",
    "grp IN (1, 3)",
    "total BETWEEN -20 AND 40",
    "ok",
    "qty IS NOT NULL AND price < 5",
    "NOT ok OR big = 5",
]
HAVINGS = [
    "COUNT(*) > 1",
    "SUM(qty) >= 0",
    "MAX(price) < 7",
    "COUNT(DISTINCT tag) = 2",
    "MIN(tag) IS NOT NULL",
]


def _call(rng: random.Random, keys: tuple[str, ...]) -> tuple[str, str]:
    """An aggregate call for Flink and for Spark. DISTINCT over a key is left out: split beside MIN or MAX
    it counts the key once for each of their buckets, in Flink as here."""
    # no variances: under retraction Flink's can be NULL where few rows are left, and so can ours
    function = rng.choice(["SUM", "AVG", "MAX", "MIN", "COUNT", "COUNT_STAR"])
    condition = f" FILTER (WHERE {rng.choice(CONDITIONS)})" if rng.random() < 0.2 else ""
    if function == "COUNT_STAR":
        return (f"COUNT(*){condition}",) * 2
    choices = {"COUNT": ANYTHING, "MAX": ORDERED, "MIN": ORDERED}.get(function, list(NUMBERS))
    argument = rng.choice(choices)
    distinct = (
        "DISTINCT "
        if rng.random() < 0.25 and function in ("SUM", "COUNT", "MAX") and argument not in keys
        else ""
    )
    call = f"{function}({distinct}{argument}){condition}"
    integer = NUMBERS.get(argument) if function == "AVG" else None
    return call, f"CAST({call} AS {integer})" if integer else call


def _nested(rng: random.Random) -> Query:
    key, inner = (
        rng.choice(["name", "grp", "tag"]),
        rng.choice(["COUNT(*)", "SUM(qty)", "MAX(qty)", "COUNT(DISTINCT ok)"]),
    )
    source = f"(SELECT {key} AS k, {inner} AS x FROM t GROUP BY {key})"
    if rng.random() < 0.5:
        sql = f"SELECT x, COUNT(*), MAX(k) FROM {source} GROUP BY x"
        return Query(sql, sql, None)
    sql = f"SELECT SUM(x), MIN(x), COUNT(*) FROM {source}"
    return Query(sql, sql, source)


def _grouping(rng: random.Random, keys: tuple[str, ...]) -> tuple[str, list[str]]:
    """GROUP BY over the keys, and the columns that tell its sets apart where there are several."""
    listed = ", ".join(keys)
    if not keys or rng.random() < 0.7:
        return (f" GROUP BY {listed}" if keys else ""), []
    sets = f"GROUPING SETS (({listed}), ({keys[-1]}), ())" if len(keys) > 1 else f"ROLLUP ({listed})"
    form = rng.choice([f"ROLLUP ({listed})", f"CUBE ({listed})", sets])
    return f" GROUP BY {form}", rng.choice([[], [f"GROUPING_ID({listed})"], [f"GROUPING({keys[0]})"]])


def query(rng: random.Random) -> Query:
    """One aggregation: keys or grouping sets, filters, HAVING, UNION ALL below it, or a second one above."""
    if rng.random() < 0.2:
        return _nested(rng)
    keys = rng.choice(KEYS)
    calls = [_call(rng, keys) for _ in range(rng.randint(1, 4))]
    source = "t" if rng.random() < 0.8 else "(SELECT * FROM t UNION ALL SELECT * FROM t WHERE qty > 0) AS u"
    if rng.random() < 0.4:
        source += f" WHERE {rng.choice(CONDITIONS)}"
    grouping, marks = _grouping(rng, keys)
    tail = f" FROM {source}{grouping}"
    if rng.random() < 0.25:
        tail += f" HAVING {rng.choice(HAVINGS)}"
    flink, spark = (", ".join([*keys, *marks, *(call[i] for call in calls)]) for i in (0, 1))
    return Query(f"SELECT {flink}{tail}", f"SELECT {spark}{tail}", None if keys else source)


def queries(rng: random.Random, count: int) -> Iterator[Query]:
    for _ in range(count):
        yield query(rng)
